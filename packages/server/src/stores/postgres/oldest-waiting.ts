import pLimit from 'p-limit';
import type { Position } from '../../core/event.ts';
import type { Dictionary } from '../relational/dictionary.ts';
import { HIGHEST } from '../relational/piecewise.ts';
import type { Database } from './database.ts';
import { RETRYING } from './delivery-rows.ts';
import { COUNTED_LANES, type CountedLane } from './lane-counts.ts';
import { columnsOf } from './text.ts';

/** A lane's mark is stored once it has moved by this much: the positions of about a thousand messages of the stream. */
const WORTH_NOTING = 2 ** 20;
/** Events of a lane in the first piece, which mostly suffice; the growth of the next pieces; and the most events per statement. */
const FIRST_PIECE = 500;
const GROWTH = 8;
const LARGEST_PIECE = 32_000;

/**
 * See DeliveryStore.oldestWaiting. Searches only lanes in which something waits, each from its last known mark. Every statement
 * is short, however much was settled since, and no event is searched twice.
 */
export class OldestWaiting {
  readonly #database: Database;
  readonly #dictionary: Dictionary;
  /** By lane: up to this position, every event has a delivery. */
  readonly #settledThrough = new Map<number, Position>();
  readonly #turns = pLimit(1);

  constructor(database: Database, dictionary: Dictionary) {
    this.#database = database;
    this.#dictionary = dictionary;
  }

  async of(destinationIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const numbers = await this.#dictionary.known(destinationIds);
    const idOf = await this.#dictionary.ids(numbers);
    const oldest = new Map<string, number>();
    const note = (destination: number, receivedAt: number): void => {
      const id = idOf(destination);
      oldest.set(id, Math.min(receivedAt, oldest.get(id) ?? Number.POSITIVE_INFINITY));
    };
    for (const { destination, received_at } of await this.#queued(numbers)) note(destination, received_at);
    const counted = await this.#database.query<CountedLane>(`${COUNTED_LANES} WHERE l.destination = ANY($1::int[])`, [
      numbers,
    ]);
    const waiting = counted.filter(
      (lane) => lane.accepted > lane.processed + lane.failed + lane.filtered + lane.retrying,
    );
    const first = await this.#inTurn(waiting.map(({ lane }) => lane));
    for (const { destination, received_at } of first) note(destination, received_at);
    return oldest;
  }

  /** The first event without a delivery of each lane of these destinations that has one. */
  async inLanes(destinations: readonly number[]): Promise<readonly WaitingRow[]> {
    const lanes = await this.#database.query<{ id: number }>(
      'SELECT id FROM lanes WHERE destination = ANY($1::int[])',
      [destinations],
    );
    return this.#inTurn(lanes.map(({ id }) => id));
  }

  /** A position up to which every event of the lane has a delivery. */
  async settledThrough(lane: number): Promise<Position> {
    await this.#inTurn([lane]);
    const sql = 'SELECT settled_through AS through FROM lanes WHERE id = $1';
    const [noted] = await this.#database.query<{ through: Position }>(sql, [lane]);
    return Math.max(noted?.through ?? 0, this.#settledThrough.get(lane) ?? 0);
  }

  /** One search at a time: later ones start from the marks of earlier ones. */
  #inTurn(lanes: readonly number[]): Promise<WaitingRow[]> {
    return this.#turns(() => this.#first(lanes));
  }

  /** Searches some events of some lanes at a time. Remembers how far it came, also if it finds nothing. */
  async #first(lanes: readonly number[]): Promise<WaitingRow[]> {
    const found: WaitingRow[] = [];
    let left = lanes;
    for (let piece = FIRST_PIECE; left.length > 0; piece = Math.min(piece * GROWTH, LARGEST_PIECE)) {
      const on: number[] = [];
      const together = Math.floor(LARGEST_PIECE / piece);
      for (let i = 0; i < left.length; i += together) {
        const some = left.slice(i, i + together);
        const rows = await this.#database.query<LookedRow>(PIECE_OF_LANES, [
          some,
          some.map((lane) => this.#settledThrough.get(lane) ?? 0),
          piece,
        ]);
        await this.#note(rows);
        for (const { lane, destination, position, received_at, looked } of rows) {
          if (position !== null && received_at !== null) found.push({ lane, destination, position, received_at });
          else if (looked === piece) on.push(lane);
        }
      }
      left = on;
    }
    return found;
  }

  async #note(rows: readonly LookedRow[]): Promise<void> {
    const marks = rows.map(({ lane, position, last, settled_through: before }) => {
      return { lane, through: position === null ? (last ?? 0) : position - 1, before };
    });
    for (const { lane, through } of marks) {
      this.#settledThrough.set(lane, Math.max(through, this.#settledThrough.get(lane) ?? 0));
    }
    const moved = marks.filter(({ through, before }) => through - before > WORTH_NOTING);
    if (moved.length === 0) return;
    await this.#database.query(
      `WITH held AS MATERIALIZED (SELECT id FROM lanes WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE)
       UPDATE lanes l SET settled_through = m.through FROM unnest($1::int[], $2::bigint[]) m(lane, through)
       WHERE l.id = m.lane AND l.id IN (SELECT id FROM held) AND l.settled_through < m.through`,
      columnsOf(moved, 'lane', 'through'),
    );
  }

  #queued(destinations: readonly number[]): Promise<{ destination: number; received_at: number }[]> {
    return this.#database.query(
      `SELECT x.number AS destination, s.received_at FROM unnest($1::int[]) x(number) CROSS JOIN LATERAL (
         SELECT d.received_at FROM deliveries d
         WHERE d.destination = x.number AND d.state <> 0 AND d.state = ${RETRYING}
           AND EXISTS (SELECT FROM lanes l WHERE l.id = d.lane)
         ORDER BY d.received_at, d.position LIMIT 1) s`,
      [destinations],
    );
  }
}

/** The first event for which a lane still waits. */
export interface WaitingRow {
  readonly lane: number;
  readonly destination: number;
  readonly position: number;
  readonly received_at: number;
}

/** The result of searching a piece of a lane. */
interface LookedRow {
  readonly lane: number;
  readonly destination: number;
  readonly settled_through: number;
  /** The first event of the piece that waits; null if none waits. */
  readonly position: number | null;
  readonly received_at: number | null;
  /** The last event of the piece, and how many events it has. */
  readonly last: number | null;
  readonly looked: number;
}

const PIECE_OF_LANES = `SELECT l.id AS lane, l.destination, l.settled_through, w.position, w.received_at, p.last, p.looked
  FROM unnest($1::int[], $2::bigint[]) x(lane, through) JOIN lanes l ON l.id = x.lane
  CROSS JOIN LATERAL (SELECT greatest(l.settled_through, x.through) AS begin) b
  CROSS JOIN LATERAL (SELECT max(position) AS last, count(*) AS looked FROM (
    SELECT e.position FROM events e WHERE e.source = l.source AND e.position > b.begin
      AND e.position <= coalesce(l.until, ${HIGHEST}) ORDER BY e.position LIMIT $3) piece) p
  LEFT JOIN LATERAL (SELECT e.position, e.received_at FROM events e
    WHERE e.source = l.source AND e.position > b.begin AND e.position <= p.last
      AND NOT EXISTS (SELECT FROM deliveries d
        WHERE d.position = e.position AND d.destination = l.destination AND d.received_at = e.received_at)
    ORDER BY e.position LIMIT 1) w ON true`;
