import { Button, Group, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { type ComponentProps, type ReactElement, useEffect, useRef, useState } from 'react';
import type { Delivery, FailedGroup } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { replaysApi } from '../../api/replays.ts';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { IdleButton } from '../../components/idle-button.tsx';
import { notifyFailed } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { shortened } from '../../format/shortened.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { GlossaryTerm } from '../../glossary/glossary-term.tsx';
import { useMayChange } from '../../shell/session.ts';
import { DeliveriesTable, useDeliveries } from './deliveries-table.tsx';
import { Sample } from './errors-card.tsx';
import { ReplayForm, type ReplayPreset, SWITCHED_OFF } from './replay-form.tsx';
import { ReplayProgress, ReplaysTable } from './replays.tsx';
import { useOverview } from './use-overview.ts';

const route = getRouteApi('/shell/destinations/$id/failed');

/** Most messages that can be ticked for one replay. */
const MOST = 500;

/** Groups that are shown at first, and added by each "Show more": the form below them must stay within reach. */
const GROUPS = 20;

const FAILED = { state: 'failed' };

/** Failed messages, and how to send them again: ticked ones, or many at once at a given rate, with progress and a stop button. */
export function FailedTab(): ReactElement {
  const { id: destinationId } = route.useParams();
  const mayChange = useMayChange();
  const { data } = useOverview(destinationId);
  const isOff = data?.destination.health === 'off';
  const failed = data?.destination.counts.failed ?? 0;
  const [replayId, setReplayId] = useState<string | null>(null);
  const search = route.useSearch();
  /** What fills the form; `round` is its key: a second choice of the same group fills it again. */
  const [{ round, preset }, fill] = useState({ round: 0, preset: search as ReplayPreset });
  const panel = useRef<HTMLDivElement>(null);
  const navigate = route.useNavigate();
  const [ticked, setTicked] = useTicked();
  const list = useDeliveries(destinationId, FAILED);
  const { rows } = rowsOf(list);
  // A message that left the list was sent again by somebody else, or is gone. If the list has more pages, it may be on the next.
  const isLeft = ({ position }: Delivery): boolean =>
    !rows || list.hasNextPage || rows.some((row) => row.position === position);
  const chosen = [...ticked.values()].filter(isLeft);
  const send = useMutation(replaysApi.create());
  const choose = (position: number): void => {
    const next = new Map(chosen.map((delivery) => [delivery.position, delivery]));
    const row = rows?.find((one) => one.position === position);
    if (!next.delete(position) && row && next.size < MOST) next.set(position, row);
    setTicked(next);
  };
  const sendChosen = (): void => {
    const messages = chosen.map(({ messageId, sourceId, position }) => ({
      messageId,
      sourceId,
      position,
    }));
    void send.mutateAsync({ destinationId, state: 'failed', messages }).then(({ id }) => {
      setReplayId(id);
      setTicked(new Map());
    }, notifyFailed('The messages were not sent again'));
  };
  return (
    <Stack gap="lg">
      <FailedGroups
        destinationId={destinationId}
        onChoose={
          mayChange
            ? (group) => {
                void navigate({ search: group, replace: true });
                setReplayId(null);
                fill({ round: round + 1, preset: group });
                panel.current?.scrollIntoView();
              }
            : undefined
        }
      />
      <div ref={panel}>
        <ReplayPanel
          key={round}
          destinationId={destinationId}
          replayId={replayId}
          onStarted={setReplayId}
          preset={preset}
          onValues={(part) =>
            void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false })
          }
        />
      </div>
      <ReplaysTable destinationId={destinationId} />
      <Section
        id="failed"
        title="Failed messages"
        aside={
          chosen.length > 0 && (
            <Group gap="sm">
              {chosen.length === MOST && <Text c="dimmed">One replay takes {MOST} chosen messages at most.</Text>}
              <IdleButton idle={isOff} why={SWITCHED_OFF} onClick={sendChosen} loading={send.isPending}>
                Send {count(chosen.length)} chosen again
              </IdleButton>
            </Group>
          )
        }
      >
        <DeliveriesTable
          destinationId={destinationId}
          search={FAILED}
          chosen={ticked}
          onChoose={mayChange ? choose : undefined}
          empty={
            failed > 0 ? (
              <EmptyState icon={IconCircleCheck} title="No failed message is kept any more">
                {count(failed)} failed before. Messages are kept for the retention, and can't be sent again after it.
              </EmptyState>
            ) : (
              <EmptyState icon={IconCircleCheck} title="Nothing has failed">
                A message fails when its URLs refuse it for good, or when its retry window ends. It is kept for the
                retention, and can be sent again from here.
              </EmptyState>
            )
          }
        />
      </Section>
    </Stack>
  );
}

type Ticked = ReadonlyMap<number, Delivery>;

/** The ticked messages, by position. They are ticked again on the way back from one of them. */
function useTicked(): [Ticked, (next: Ticked) => void] {
  const client = useQueryClient();
  const key = useLocation({ select: ({ state }) => state.__TSR_key });
  const index = useLocation({ select: ({ state }) => state.__TSR_index });
  const entry = useRef({ key, index });
  const [ticked, setTicked] = useState<Ticked>(() => {
    // However long that message is read.
    client.setQueryDefaults(['ticked'], { gcTime: Number.POSITIVE_INFINITY });
    return client.getQueryData(['ticked', key]) ?? new Map();
  });
  // The form's values in the address make another entry of the history in place of this one. Another page has another index.
  useEffect(() => {
    if (index !== entry.current.index || key === entry.current.key) return;
    client.removeQueries({ queryKey: ['ticked', entry.current.key] });
    if (ticked.size > 0) client.setQueryData(['ticked', key], ticked);
    entry.current = { key, index };
  }, [client, key, index, ticked]);
  const tick = (next: Ticked): void => {
    client.setQueryData(['ticked', entry.current.key], next);
    setTicked(next);
  };
  return [ticked, tick];
}

interface ReplayPanelProps extends Pick<ComponentProps<typeof ReplayForm>, 'destinationId' | 'preset' | 'onValues'> {
  /** Id of the replay that was started on this page; null if there is none. */
  readonly replayId: string | null;
  readonly onStarted: (replayId: string | null) => void;
}

/** The form of a replay; after the start, its progress. */
function ReplayPanel({ replayId, onStarted, ...form }: ReplayPanelProps): ReactElement {
  return (
    <SectionCard
      id="replay"
      title="Send again"
      description={
        <>
          The same messages, byte for byte, with a new <GlossaryTerm name="retry window">retry window</GlossaryTerm>.
          Receivers recognise repetitions by the <GlossaryTerm name="messageId">messageId</GlossaryTerm>.
        </>
      }
    >
      {replayId === null ? (
        <ReplayForm onStarted={onStarted} {...form} />
      ) : (
        <ReplayProgress replayId={replayId} onAnother={() => onStarted(null)} />
      )}
    </SectionCard>
  );
}

interface FailedGroupsProps {
  readonly destinationId: string;
  /** Fills the form. Undefined for a role that may not send again. */
  readonly onChoose: ((preset: ReplayPreset) => void) | undefined;
}

/** The newest failed messages by error and event, each with a sample. Renders nothing if there are none. */
function FailedGroups({ destinationId, onChoose }: FailedGroupsProps): ReactElement | null {
  const { data, error, refetch } = useQuery(destinationsApi.failedGroups(destinationId));
  const [shown, setShown] = useState(GROUPS);
  if (data?.looked === 0) return null;
  const columns: readonly (Column<FailedGroup> | false)[] = [
    {
      header: 'Error',
      width: '20%',
      cell: (group) => (
        <>
          <Text fw={600}>
            {group.title} ({group.error})
          </Text>
          <Text variant="aside">{group.advice}</Text>
        </>
      ),
    },
    { header: 'Event', width: '15%', cell: ({ event, type }) => shortened(event ?? type) },
    { header: 'Messages', align: 'end', cell: (group) => count(group.count) },
    { header: 'Last', cell: ({ lastAt }) => <Time at={lastAt} /> },
    {
      header: 'Sample',
      cell: ({ sample }) => (
        <>
          <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {sample.url}
          </Text>
          <Sample sample={sample} />
        </>
      ),
    },
    onChoose !== undefined && {
      header: 'Send again',
      align: 'end',
      // A replay can select by event name, but not by call type. For a call without a name it would send every message with this error.
      cell: ({ event, error: kind }) =>
        event !== null && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Choose ${event} with ${kind}`}
            onClick={() => onChoose({ event, error: kind })}
          >
            Choose
          </Button>
        ),
    },
  ];
  return (
    <Section id="groups" title="By error and event">
      {data?.more && <Text c="dimmed">Of the newest {count(data.looked)}. Count a replay to see all.</Text>}
      <DataTable
        label="Failed messages by error and event"
        columns={columns}
        rows={data?.groups.slice(0, shown)}
        onMore={data && data.groups.length > shown ? () => setShown(shown + GROUPS) : undefined}
        rowKey={({ error: kind, type, event }) => `${kind} ${type} ${event}`}
        error={error}
        onRetry={() => void refetch()}
      />
    </Section>
  );
}
