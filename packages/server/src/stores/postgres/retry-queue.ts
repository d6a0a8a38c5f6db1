import pLimit, { type LimitFunction } from 'p-limit';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { Claimed, Retry } from '../../core/delivery.ts';
import type { LogEntry, Position } from '../../core/event.ts';
import type { EventLog } from '../../log/contract.ts';
import type { Claim, DeliveryStore, EventSummary } from '../../record/contract.ts';
import { type SummaryRow, summaryOf, urlsIn } from '../relational/message-rows.ts';
import { HIGHEST, LOWEST } from '../relational/piecewise.ts';
import { RETRYING, SUMMARY } from './delivery-rows.ts';
import type { Node } from './node.ts';
import { fromText } from './text.ts';
import type { PostgresWorld } from './world.ts';

/** A node that can't read the log waits this long before its next claim, milliseconds. */
const UNFIT_MS = 1_000;

/** Rows of a retry queue that one statement searches for claims to give back. */
const PIECE = 5_000;

/** How many removed events are remembered: far more than the claims under way can contain. */
const MOST_REMOVED = 100_000;

export interface RetryQueue extends Pick<DeliveryStore, 'claimDue' | 'release' | 'hasten'> {
  /** These messages were settled. They are no longer held, and their rows are not claimed any more. */
  settled(results: readonly Claimed[]): void;
  /** These events were removed, and their messages have ended. */
  forget(positions: ReadonlySet<Position>): void;
  /**
   * Destinations with due messages that no living node holds: messages of a node that died, or that another node queued. The
   * node that finds such a destination wakes its runner.
   */
  due(now: number): Promise<readonly string[]>;
  /** Resolves when no statement is under way. */
  idle(): Promise<void>;
}

/**
 * The retry queues, which all nodes share: each message is given to one node. This node also keeps its claims in memory. So if
 * the answer to a claim is lost, that claim is given back before the next one.
 */
export function retryQueue(
  { database, dictionary, node, isFit }: PostgresWorld,
  log: Pick<EventLog, 'fetch'>,
): RetryQueue {
  /** Messages that were returned and are not settled or released yet, by destination. */
  const held = new Map<string, Set<Position>>();
  /** Destinations that may have rows claimed by this node but not in `held`, with the place in the queue after which they are. */
  const loose = new Map<string, Place>();
  /** Recently removed events. A claim under way may still return their messages, which have ended. */
  const removed = new BoundedMap<Position, true>(MOST_REMOVED);
  const turns = new Map<string, LimitFunction>();

  /** Claims of one destination run one after the other. */
  function inTurn<T>(destinationId: string, run: () => Promise<T>): Promise<T> {
    const turn = turns.get(destinationId) ?? pLimit(1);
    turns.set(destinationId, turn);
    return turn(run);
  }

  async function claim(destinationId: string, now: number, max: number): Promise<Claim> {
    await letGo(destinationId);
    if (!isFit()) return { items: [], nextDueAt: now + UNFIT_MS };
    const [destination] = await dictionary.known([destinationId]);
    if (destination === undefined) return { items: [], nextDueAt: null };
    const here = held.get(destinationId) ?? new Set();
    held.set(destinationId, here);
    loose.set(destinationId, FRONT);
    const rows = await database.query<FreeRow>(claimSql(node), [destination, now, max]);
    loose.delete(destinationId);
    const taken = rows.filter((row) => row.taken);
    const { entries, bodiless } = await read(destinationId, taken);
    const items: Retry[] = [];
    const gone: Retry[] = [];
    for (const [i, { position, lane, rounds, first_at, urls_left, is_replay }] of taken.entries()) {
      const entry = entries[i] ?? bodiless.get(position);
      if (!entry || removed.has(position)) continue;
      const urlsLeft = urlsIn(urls_left);
      const retry = { laneId: lane, destinationId, entry, rounds, firstAt: first_at, urlsLeft, isReplay: is_replay };
      if (entries[i]) items.push(retry);
      else gone.push(retry);
    }
    for (const { position } of taken) if (!removed.has(position)) here.add(position);
    const nextDueAt = rows.find((row) => !row.taken)?.due_at ?? null;
    return gone.length > 0 ? { items, gone, nextDueAt } : { items, nextDueAt };
  }

  /**
   * The events of claimed rows. If the stream has dropped an event, what the index knows of it. If reading fails here, another
   * node may succeed: then the rows are given back at once.
   */
  async function read(destinationId: string, rows: readonly FreeRow[]): Promise<ReadRows> {
    const positions = rows.map(({ position }) => position);
    try {
      const entries = await log.fetch(positions);
      return { entries, bodiless: await bodilessAt(positions.filter((_, i) => !entries[i])) };
    } catch (error) {
      // If this fails, it happens before the next claim, or when this node counts as dead.
      await giveBack(destinationId, positions).catch(() => undefined);
      throw error;
    }
  }

  async function bodilessAt(positions: readonly Position[]): Promise<ReadonlyMap<Position, LogEntry>> {
    if (positions.length === 0) return new Map();
    const rows = await database.queryByIndex<SummaryRow>(
      `SELECT ${SUMMARY.text} FROM unnest($1::bigint[]) p(position) JOIN events e ON e.position = p.position WHERE NOT e.erased`,
      [positions],
    );
    const idOf = await dictionary.ids(rows.map(({ source }) => source));
    return new Map(rows.map((row) => [row.position, bodilessOf(summaryOf(row, { fromText, idOf }))]));
  }

  async function giveBack(destinationId: string, positions: readonly Position[]): Promise<void> {
    try {
      const [destination] = await dictionary.known([destinationId]);
      await database.query(GIVE_BACK, [destination, positions, node.id]);
    } catch (error) {
      loose.set(destinationId, FRONT);
      throw error;
    }
  }

  /** Removes this node's claim from rows that are not in `held`, piece by piece. After a failure it goes on where it stopped. */
  async function letGo(destinationId: string): Promise<void> {
    let place = loose.get(destinationId);
    loose.delete(destinationId);
    try {
      while (place) {
        const [destination] = await dictionary.known([destinationId]);
        const here = [...(held.get(destinationId) ?? [])];
        [place] = await database.query<Place>(LET_GO, [destination, place.due_at, place.position, node.id, here]);
      }
    } catch (error) {
      if (place) loose.set(destinationId, place);
      throw error;
    }
  }

  function drop(ended: readonly Claimed[]): void {
    for (const { destinationId, entry } of ended) held.get(destinationId)?.delete(entry.position);
  }

  return {
    claimDue: (destinationId, now, max) => inTurn(destinationId, () => claim(destinationId, now, max)),

    release(claimed) {
      drop(claimed);
      for (const [destinationId, of] of Map.groupBy(claimed, (one) => one.destinationId)) {
        const positions = of.map(({ entry }) => entry.position);
        // If this fails, it happens before the next claim, or when this node counts as dead.
        inTurn(destinationId, () => giveBack(destinationId, positions)).catch(() => undefined);
      }
    },

    async hasten(destinationId, now, of) {
      const [destination] = await dictionary.known([destinationId]);
      const statement = typeof of === 'number' ? HASTEN_SOME : HASTEN_THESE;
      const [row] = await database.query<{ hastened: number }>(statement, [destination, now, of]);
      return row?.hastened ?? 0;
    },

    settled: drop,

    forget(positions) {
      for (const position of positions) removed.set(position, true);
      for (const here of held.values()) for (const position of positions) here.delete(position);
    },

    async due(now) {
      const rows = await database.query<{ name: string }>(
        `SELECT n.name FROM (SELECT DISTINCT destination FROM lanes) l JOIN names n ON n.number = l.destination
         WHERE EXISTS (SELECT FROM deliveries d WHERE d.destination = l.destination AND d.state = ${RETRYING}
           AND d.due_at <= $1 AND NOT ${node.isHeld('d.claimed_by')})`,
        [now],
      );
      return rows.map(({ name }) => fromText(name));
    },

    async idle() {
      await Promise.all([...turns.values()].map((turn) => turn(async () => undefined)));
    },
  };
}

function bodilessOf({ event, ...summary }: EventSummary): LogEntry {
  const { receivedAt } = summary;
  return { ...summary, name: event, timestamp: receivedAt, integrations: null, unsent: null, body: new Uint8Array() };
}

/** A place in a retry queue. Rows are ordered by due time, then by position. */
interface Place {
  readonly due_at: number;
  readonly position: Position;
}

const FRONT: Place = { due_at: LOWEST, position: LOWEST };

/** Waits for rows that another statement has locked, and looks at them again: none is left out. */
const hasten = (which: string): string => `WITH later AS MATERIALIZED (
  SELECT position, received_at FROM deliveries WHERE destination = $1 AND state = ${RETRYING} AND due_at > $2 ${which}
  FOR UPDATE),
hastened AS (
  UPDATE deliveries d SET due_at = $2 FROM later l
  WHERE d.destination = $1 AND d.position = l.position AND d.received_at = l.received_at RETURNING 1)
SELECT count(*)::int AS hastened FROM hastened`;

const HASTEN_SOME = hasten('AND at <= $2::bigint + 1000 ORDER BY due_at, position LIMIT $3::int');
const HASTEN_THESE = hasten('AND position = ANY($3::bigint[]) ORDER BY position');

const GIVE_BACK = `UPDATE deliveries SET claimed_by = NULL
  WHERE position = ANY($2::bigint[]) AND destination = $1 AND claimed_by = $3`;

/** Selects where the next piece begins; no row if nothing is left. */
const LET_GO = `WITH piece AS MATERIALIZED (
  SELECT position, received_at, due_at, claimed_by FROM deliveries
  WHERE destination = $1 AND state = ${RETRYING} AND (due_at, position) > ($2, $3)
  ORDER BY due_at, position LIMIT ${PIECE}),
free AS (
  UPDATE deliveries d SET claimed_by = NULL FROM piece p
  WHERE p.claimed_by = $4 AND NOT p.position = ANY($5::bigint[]) AND d.destination = $1 AND d.position = p.position
    AND d.received_at = p.received_at AND d.claimed_by = $4)
SELECT due_at, position FROM piece ORDER BY due_at, position OFFSET ${PIECE - 1}`;

interface ReadRows {
  readonly entries: readonly (LogEntry | undefined)[];
  readonly bodiless: ReadonlyMap<Position, LogEntry>;
}

interface FreeRow {
  readonly position: number;
  readonly lane: number;
  readonly rounds: number;
  readonly first_at: number | null;
  readonly due_at: number;
  readonly urls_left: string | null;
  readonly is_replay: boolean;
  readonly taken: boolean;
}

/**
 * Locks due rows only: a row that waits for its time may be made due at any moment. Skips rows that another node is claiming at
 * this moment, and answers when the first row after those it takes is due.
 */
function claimSql(node: Node): string {
  const rows = `SELECT d.position, d.received_at, d.lane, d.rounds, d.first_at, d.due_at, d.urls_left, d.replay IS NOT NULL AS is_replay
  FROM deliveries d WHERE d.destination = $1 AND d.state = ${RETRYING} AND NOT ${node.isHeld('d.claimed_by')}`;
  return `WITH free AS MATERIALIZED (
  ${rows} AND d.due_at <= $2 ORDER BY d.due_at, d.position LIMIT $3::int FOR UPDATE OF d SKIP LOCKED),
taken AS (
  UPDATE deliveries d SET claimed_by = ${node.id} FROM free f
  WHERE d.destination = $1 AND d.position = f.position AND d.received_at = f.received_at),
last AS (
  (SELECT due_at, position FROM free ORDER BY due_at, position OFFSET $3::int - 1)
  UNION ALL (SELECT $2::bigint, ${HIGHEST}) ORDER BY due_at, position LIMIT 1),
later AS (
  ${rows} AND (d.due_at, d.position) > (SELECT due_at, position FROM last) ORDER BY d.due_at, d.position LIMIT 1)
SELECT *, true AS taken FROM free UNION ALL SELECT *, false FROM later ORDER BY due_at, position`;
}
