import { Checkbox, Stack, Text } from '@mantine/core';
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import type { Attempt, Delivery, Page } from '../../../../server/src/admin/contract.ts';
import { deliveriesApi } from '../../api/deliveries.ts';
import type { ReadPage } from '../../api/query.ts';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { ListFreshness } from '../../components/list-freshness.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { Time, Until } from '../../components/time.tsx';
import { useBounds } from '../../components/use-bounds.ts';
import { isSent, leftOutOf, madeOf } from '../../format/attempts.ts';
import { count, many } from '../../format/number.ts';
import type { RangeSearch, Texts } from '../../format/range.ts';
import { errorInWords, NO_ATTEMPT, reasonInWords } from '../../format/reasons.ts';
import { shortened } from '../../format/shortened.ts';
import { HELD } from '../messages/lane-verdict.tsx';
import { MessageLink } from '../messages/message-link.tsx';
import { toneOf } from '../messages/tone-of.ts';

interface DeliveriesTableProps {
  readonly destinationId: string;
  readonly search: DeliverySearch;
  readonly empty: ReactNode;
  /** The ticked rows, by position, and the function called on a click. Absent if rows can't be ticked. */
  readonly chosen?: Pick<ReadonlySet<number>, 'has'>;
  readonly onChoose?: ((position: number) => void) | undefined;
}

const COLUMNS: readonly Column<Delivery>[] = [
  { header: 'Event', cell: (delivery) => <MessageLink {...delivery} /> },
  { header: 'State', cell: ({ state, reason }) => <StateBadge state={state} reason={reason} /> },
  { header: 'Outcome', cell: (delivery) => <Outcome {...delivery} /> },
  { header: 'Attempts', align: 'end', cell: ({ attempts }) => madeOf(attempts) },
  { header: 'User', cell: ({ userId }) => shortened(userId ?? '–') },
  { header: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
];

/** Deliveries of one destination, page by page. */
export function DeliveriesTable({
  destinationId,
  search,
  empty,
  chosen,
  onChoose,
}: DeliveriesTableProps): ReactElement {
  const list = useDeliveries(destinationId, search);
  return (
    <Stack gap="xs">
      <ListFreshness list={list} />
      <DataTable
        label="Deliveries"
        columns={onChoose ? [choice(chosen, onChoose), ...COLUMNS] : COLUMNS}
        {...rowsOf(list)}
        empty={empty}
      />
    </Stack>
  );
}

/** The rows and the state of the table for a search. */
export function useDeliveries(
  destinationId: string,
  search: DeliverySearch,
): UseInfiniteQueryResult<InfiniteData<ReadPage<Page<Delivery>>>> {
  const { event, userId } = search;
  const state = isState(search.state) ? search.state : undefined;
  const bounds = useBounds(search, `${destinationId} ${JSON.stringify(search)}`);
  return useInfiniteQuery(deliveriesApi.list({ destinationId, state, event, userId, ...bounds }));
}

function choice(chosen: DeliveriesTableProps['chosen'], onChoose: (position: number) => void): Column<Delivery> {
  return {
    header: 'Choose',
    cell: (delivery) => (
      <Checkbox
        aria-label={`Choose ${delivery.event ?? delivery.type} ${delivery.messageId}`}
        checked={chosen?.has(delivery.position) ?? false}
        onChange={() => onChoose(delivery.position)}
      />
    ),
  };
}

/** The reason and the errors, or how many URLs took the message; and the time of the next attempt. */
function Outcome({ state, reason, attempts, nextAttemptAt, heldFor }: Delivery): ReactElement {
  const met =
    state === 'processed' ? taken(attempts) : state === 'failed' ? ledThere(attempts) : lastMet(attempts.at(-1));
  return (
    <>
      {reason !== null && <Text>{reasonInWords(reason)}</Text>}
      {met && (
        <Text size={reason === null ? 'sm' : 'xs'} c="dimmed">
          {met}
        </Text>
      )}
      {nextAttemptAt !== null && (
        <Text variant="aside">
          {/* A due message waits for its turn, or for the next attempt at the endpoint. */}
          {heldFor ? (
            HELD[heldFor]
          ) : (
            <Until at={nextAttemptAt} then="next attempt as soon as it has its turn">
              next attempt <Time at={nextAttemptAt} />
            </Until>
          )}
        </Text>
      )}
    </>
  );
}

/** The errors of the attempts that led to a failure. */
function ledThere(attempts: readonly Attempt[]): string {
  if (madeOf(attempts) === 0) return NO_ATTEMPT;
  const sent = attempts.filter(isSent);
  const met = Map.groupBy(sent, ({ status, error }) => String(status ?? error));
  const kinds = Array.from(met, ([kind, of]) => `${of.length} × ${kind}`).join(', ');
  const leftOut = leftOutOf(attempts);
  const kept = leftOut === 0 ? kinds : `${kinds}, ${count(leftOut)} no longer kept`;
  return `${many(madeOf(attempts), 'attempt')}: ${kept}. ${lastMet(sent.at(-1)) ?? ''}`;
}

function taken(attempts: readonly Attempt[]): string {
  const urls = new Set(attempts.map(({ webhookId }) => webhookId));
  const took = new Set(attempts.filter((attempt) => toneOf(attempt) === 'good').map(({ webhookId }) => webhookId));
  return `Taken by ${took.size} of ${many(urls.size, 'URL')}`;
}

function lastMet(attempt: Attempt | undefined): string | null {
  if (!attempt) return null;
  return attempt.status === null ? errorInWords(attempt.error) : `Last answer: ${attempt.status}`;
}

/** Filters of deliveries as parameters of an address. */
export type DeliverySearch = RangeSearch & Texts<'state' | 'event' | 'userId'>;

export const STATES: readonly Delivery['state'][] = ['processed', 'failed', 'filtered', 'retrying'];

export function isState(text: string | undefined): text is Delivery['state'] {
  return STATES.some((state) => state === text);
}
