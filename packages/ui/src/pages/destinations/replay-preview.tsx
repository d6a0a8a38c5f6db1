import { Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { EventSummary, ReplayPreview as Preview } from '../../../../server/src/admin/contract.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { MessageLink } from '../messages/message-link.tsx';

/** Kinds of errors that are named. */
const MOST_ERRORS = 10;

const COLUMNS: readonly Column<EventSummary>[] = [
  { header: 'Event', cell: (sample) => <MessageLink {...sample} /> },
  { header: 'User', cell: ({ userId }) => userId ?? '–' },
  { header: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
];

/** How many messages a replay would send, and the first few of them. */
export function ReplayPreview({ preview }: { readonly preview: Preview }): ReactElement {
  if (preview.count === 0) return <Text>Nothing fits: no message would be sent.</Text>;
  return (
    <Stack gap="xs">
      <Text>
        <strong>{count(preview.count)}</strong> {preview.count === 1 ? 'message' : 'messages'} would be sent. The first
        of them:
      </Text>
      {preview.errors.length > 0 && (
        <Text>
          How they failed:{' '}
          {preview.errors
            .slice(0, MOST_ERRORS)
            .map(({ error, title, count: messages }) => `${count(messages)} × ${error} (${title})`)
            .join(', ')}
          {preview.errors.length > MOST_ERRORS && `, and ${preview.errors.length - MOST_ERRORS} other kinds`}.
        </Text>
      )}
      <DataTable
        label="The first messages to be sent"
        columns={COLUMNS}
        rows={preview.sample}
        rowKey={({ sourceId, messageId }) => `${sourceId} ${messageId}`}
        empty={null}
      />
    </Stack>
  );
}
