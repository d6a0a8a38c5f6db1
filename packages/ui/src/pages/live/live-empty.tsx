import { Stack, Text } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useMayChange } from '../../shell/session.ts';
import { snippetsFor } from '../sources/snippets.ts';
import type { Connection } from './live-buffer.ts';

interface LiveEmptyProps {
  readonly isFiltered: boolean;
  readonly connection: Connection;
  /** Undefined while they are on their way. */
  readonly sources: readonly Source[] | undefined;
}

/** Nothing came yet: why that may be, and how to send something. */
export function LiveEmpty({ isFiltered, connection, sources }: LiveEmptyProps): ReactElement {
  const mayChange = useMayChange();
  const source = sources?.find(({ enabled }) => enabled);
  const key = (mayChange && source?.writeKey) || 'WRITE_KEY';
  return (
    <EmptyState icon={IconActivity} title={connection === 'open' ? 'Waiting for events' : 'Connecting'}>
      <Stack gap="md">
        <Text c="dimmed">
          {connection !== 'open'
            ? 'What was accepted is shown as soon as this page is connected.'
            : isFiltered
              ? 'None of the events of this page passes the filter. New events that pass it appear here, at once unless the page is paused. Reset the filter to see everything.'
              : 'Nothing is shown yet. What is accepted from now on appears here, at once unless the page is paused.'}
        </Text>
        {sources !== undefined && !isFiltered && (
          <CodeBlock
            label="command that sends an event"
            code={snippetsFor(key, window.location.origin, 'server')[0].code}
          />
        )}
      </Stack>
    </EmptyState>
  );
}
