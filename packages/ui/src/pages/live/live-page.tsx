import { Button, Card, Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactElement, useCallback, useState } from 'react';
import { sourcesApi } from '../../api/sources.ts';
import { PageHeader } from '../../components/page-header.tsx';
import type { LiveRow } from './live-buffer.ts';
import { LiveDetail } from './live-detail.tsx';
import { LiveEmpty } from './live-empty.tsx';
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
