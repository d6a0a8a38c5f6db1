import { Button, Card, Drawer, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconActivity, IconFilterOff, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactElement, useCallback, useState } from 'react';
import type { LiveRate, Source } from '../../../../server/src/admin/contract.ts';
import type { LiveFilter } from '../../api/events.ts';
import { sourcesApi } from '../../api/sources.ts';
import { clearable } from '../../components/clearable.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { useRestedText } from '../../components/use-rested-text.ts';
import { count, perSecond } from '../../format/number.ts';
import { withOther } from '../../search.ts';
import { useMayChange } from '../../shell/session.ts';
import { sourceOptions, TYPES } from '../messages/message-filters.tsx';
import { snippetsFor } from '../sources/snippets.ts';
import { type Connection, type LiveRow, type LiveView, MOST_ROWS } from './live-buffer.ts';
import { LiveDetail } from './live-detail.tsx';
import { LiveList } from './live-list.tsx';
import { useLiveStream } from './live-stream.ts';

const route = getRouteApi('/shell/live');

const PANES = { display: 'grid', gap: 16, alignItems: 'start' };

/** Events as they are accepted. The filter is in the address, so that it can be shared. */
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
      <div style={{ ...PANES, gridTemplateColumns: `minmax(0, 3fr)${detail && isWide ? ' minmax(420px, 2fr)' : ''}` }}>
        <Card padding={0} pos="relative">
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
  /** Undefined while they load. */
  readonly sources: readonly Source[] | undefined;
}

/** Shown while the list is empty: the possible reason, and how to send something. */
function LiveEmpty({ isFiltered, connection, sources }: LiveEmptyProps): ReactElement {
  const mayChange = useMayChange();
  const source = sources?.find(({ enabled }) => enabled);
  const key = (mayChange && source?.writeKey) || 'WRITE_KEY';
  return (
    <EmptyState bare icon={IconActivity} title={CONNECTIONS[connection].title}>
      <Stack gap="md">
        <Text c="dimmed">
          {connection === 'refused'
            ? 'The service refused this filter. Events are shown again once you change it.'
            : connection !== 'open'
              ? 'Accepted events are shown as soon as this page is connected.'
              : isFiltered
                ? 'No event on this page passes the filter. New events that pass it appear here at once, unless the page is paused. Reset the filter to see everything.'
                : 'Nothing is shown yet. What is accepted from now on appears here at once, unless the page is paused.'}
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

interface ConnectionWords {
  readonly tone: Tone;
  readonly word: string;
  /** Title of the list while it is empty. */
  readonly title: string;
}

const CONNECTIONS: Readonly<Record<Connection, ConnectionWords>> = {
  connecting: { tone: 'busy', word: 'connecting', title: 'Connecting' },
  open: { tone: 'good', word: 'live', title: 'Waiting for events' },
  lost: { tone: 'bad', word: 'disconnected', title: 'Connecting' },
  refused: { tone: 'bad', word: 'refused', title: 'The filter is refused' },
};

interface LiveStatusProps {
  readonly view: LiveView;
  readonly isFiltered: boolean;
}

/** Whether the stream is connected, the rate, and the share that is shown. Screen readers announce only the connection. */
function LiveStatus({ view, isFiltered }: LiveStatusProps): ReactElement {
  const { connection, refusal, rate, paused, missed, rows } = view;
  const { tone, word } = paused ? { tone: 'warn' as const, word: 'paused' } : CONNECTIONS[connection];
  return (
    <Group gap="sm" my="sm" mih={26}>
      <Group gap="sm" role="status">
        <StatusBadge tone={tone}>{word}</StatusBadge>
        {connection === 'lost' && (
          <Text c="var(--millrace-bad)">
            The stream ended: the connection was lost, the service stopped, or too many pages watch it. This page tries
            again every few seconds. Calls in between are not shown here.
          </Text>
        )}
        {refusal !== null && (
          <Text c="var(--millrace-bad)">The service refuses this filter: {refusal}. Change it.</Text>
        )}
      </Group>
      {paused && <Text>{count(missed)} came since; the newest are shown when you go on.</Text>}
      {rate && !paused && <Text c="dimmed">{rateInWords(rate, isFiltered)}</Text>}
      <Text c="dimmed" ml="auto">
        {rows.length === MOST_ROWS ? `the last ${MOST_ROWS}` : count(rows.length)} kept on this page
      </Text>
    </Group>
  );
}

function rateInWords({ matched, sent, accepted }: LiveRate, isFiltered: boolean): string {
  const share = isFiltered ? `${perSecond(matched)} pass the filter, of ${perSecond(accepted)} accepted` : '';
  if (sent < matched) {
    const sample = `Showing ${count(sent)} of ${perSecond(matched)}, an even sample.`;
    return isFiltered ? `${sample} ${share}.` : `${sample} Narrow the filter to see every one.`;
  }
  return isFiltered ? `${share}. Every one is shown.` : `Showing all of ${perSecond(matched)}.`;
}

interface LiveFiltersProps {
  readonly filter: LiveFilter;
  /** Undefined while they load. */
  readonly sources: readonly Source[] | undefined;
}

/** The fields of the filter, which is in the address. The service applies it. */
function LiveFilters({ filter, sources }: LiveFiltersProps): ReactElement {
  const navigate = useNavigate();
  const change = (part: { readonly [Name in keyof LiveFilter]: string }): void =>
    void navigate({ to: '/live', search: (before) => ({ ...before, ...part }), replace: true });
  const texts = {
    event: useRestedText(filter.event ?? '', (event) => change({ event })),
    userId: useRestedText(filter.userId ?? '', (userId) => change({ userId })),
    text: useRestedText(filter.text ?? '', (text) => change({ text })),
  };
  const field = (name: keyof typeof texts, label: string, placeholder: string): ReactElement => {
    const [typed, type] = texts[name];
    return (
      <TextInput
        label={label}
        placeholder={placeholder}
        maxLength={200}
        value={typed}
        onChange={(typing) => type(typing.currentTarget.value)}
      />
    );
  };
  const reset = (): void => {
    for (const [, type] of Object.values(texts)) type('');
    void navigate({ to: '/live', search: {}, replace: true });
  };

  return (
    <search aria-label="Filter">
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" style={{ alignItems: 'end' }}>
        <Select
          label="Source"
          placeholder="All sources"
          searchable
          {...clearable('Clear the source')}
          data={sourceOptions(sources, filter.sourceId)}
          value={filter.sourceId ?? null}
          onChange={(value) => change({ sourceId: value ?? '' })}
        />
        <Select
          label="Type"
          placeholder="All types"
          {...clearable('Clear the type')}
          data={withOther(TYPES, filter.type)}
          value={filter.type ?? null}
          onChange={(value) => change({ type: value ?? '' })}
        />
        {field('event', 'Event name', 'Order Completed')}
        {field('userId', 'User id', 'u1')}
        {field('text', 'Text in the body', 'any text')}
        <Button variant="default" leftSection={<IconFilterOff size={16} aria-hidden />} onClick={reset}>
          Reset
        </Button>
      </SimpleGrid>
    </search>
  );
}
