import { Button, Card, Drawer, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconActivity, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactElement, useCallback, useState } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useMayChange } from '../../shell/session.ts';
import { snippetsFor } from '../sources/snippets.ts';
import type { Connection, LiveRow } from './live-buffer.ts';
import { LiveDetail } from './live-detail.tsx';
import { LiveFilters } from './live-filters.tsx';
import { LiveList } from './live-list.tsx';
import classes from './live-page.module.css';
import { LiveStatus } from './live-status.tsx';
import { useLiveStream } from './live-stream.ts';

const route = getRouteApi('/shell/live');

/** Events as they are accepted. The filter is the address's, so it can be shared. */
export function LivePage(): ReactElement {
  const filter = route.useSearch();
  const { buffer, ...view } = useLiveStream(filter);
  const [selected, setSelected] = useState<LiveRow | null>(null);
  const sources = useQuery(sourcesApi.list());
  const isWide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const close = useCallback(() => setSelected(null), []);

  const sourceName = useCallback(
    (id: string) => sources.data?.find((source) => source.id === id)?.name ?? id,
    [sources.data],
  );
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const detail = selected && (
    <LiveDetail
      row={selected}
      sourceName={selected.sourceId === null ? 'an unknown key' : sourceName(selected.sourceId)}
      onClose={close}
    />
  );

  return (
    <>
      <PageHeader
        title="Live debugger"
        description="The last calls and those that come, accepted and rejected, newest on top."
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconTrash size={16} aria-hidden />}
              disabled={view.rows.length === 0}
              onClick={() => {
                buffer.clear();
                close();
              }}
            >
              Clear
            </Button>
            <Button
              variant={view.paused ? 'filled' : 'default'}
              leftSection={
                view.paused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />
              }
              onClick={() => (view.paused ? buffer.resume() : buffer.pause())}
            >
              {view.paused ? 'Go on' : 'Pause'}
            </Button>
          </>
        }
      />
      <LiveFilters filter={filter} sources={sources.data} />
      <LiveStatus view={view} isFiltered={isFiltered} />
      <div className={classes['panes']} data-detail={selected !== null && isWide}>
        <Card padding={0} className={classes['list'] ?? ''}>
          {view.rows.length === 0 ? (
            <LiveEmpty isFiltered={isFiltered} connection={view.connection} sources={sources.data} />
          ) : (
            <LiveList rows={view.rows} selected={selected} onSelect={setSelected} sourceName={sourceName} />
          )}
        </Card>
        {isWide && detail}
      </div>
      {!isWide && (
        <Drawer
          opened={selected !== null}
          onClose={close}
          position="bottom"
          size="85%"
          title="Event"
          closeButtonProps={{ 'aria-label': 'Close the event' }}
        >
          {detail}
        </Drawer>
      )}
    </>
  );
}

interface LiveEmptyProps {
  readonly isFiltered: boolean;
  readonly connection: Connection;
  /** Undefined while they are on their way. */
  readonly sources: readonly Source[] | undefined;
}

/** Nothing came yet: why that may be, and how to send something. */
function LiveEmpty({ isFiltered, connection, sources }: LiveEmptyProps): ReactElement {
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
