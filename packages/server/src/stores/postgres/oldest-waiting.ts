import type { Position } from '../../core/event.ts';
import type { Database } from './database.ts';
import { RETRYING } from './delivery-rows.ts';
import { COUNTED_LANES, type CountedLane } from './lane-counts.ts';
import type { Names } from './names.ts';
import { HIGHEST } from './piecewise.ts';

/** A lane's mark is written down when it has moved on by so much: positions of about a thousand messages of the stream. */
const WORTH_NOTING = 2 ** 20;

/**
 * See DeliveryStore.oldestWaiting. Of a lane only what comes after the last known oldest is looked at, and of lanes that
 * have nothing to wait for, nothing.
 */
export class OldestWaiting {
  readonly #database: Database;
  readonly #names: Names;
  /** Up to there every event of a lane has a delivery, by lane. */
  readonly #settledThrough = new Map<number, Position>();

  constructor(database: Database, names: Names) {
    this.#database = database;
    this.#names = names;
  }

  async of(destinationIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const numbers = await this.#names.known(destinationIds);
    const names = await this.#names.names(numbers);
    const oldest = new Map<string, number>();
    const note = (destination: number, receivedAt: number): void => {
      const id = names.get(destination) ?? '';
      oldest.set(id, Math.min(receivedAt, oldest.get(id) ?? Number.POSITIVE_INFINITY));
    };
    for (const { destination, received_at } of await this.#shelved(numbers)) note(destination, received_at);
    for (const { destination, received_at } of await this.inLanes(numbers)) note(destination, received_at);
    return oldest;
  }

  /** The first event without a delivery of each lane that has one, of these destinations. */
  async inLanes(destinations: readonly number[]): Promise<readonly WaitingRow[]> {
    const counted = await this.#database.query<CountedLane>(`${COUNTED_LANES} WHERE l.destination = ANY($1::int[])`, [
      destinations,
    ]);
    const lanes = counted.filter(
      (lane) => lane.accepted > lane.processed + lane.failed + lane.filtered + lane.retrying,
    );
    if (lanes.length === 0) return [];
    const rows = await this.#database.query<WaitingRow & { settled_through: number }>(FIRST_OF_LANE, [
      lanes.map(({ lane }) => lane),
      lanes.map(({ lane }) => this.#settledThrough.get(lane) ?? 0),
    ]);
    const moved = rows.filter((row) => row.position - row.settled_through > WORTH_NOTING);
    for (const { lane, position } of rows) this.#settledThrough.set(lane, position - 1);
    if (moved.length > 0) {
      await this.#database.query(
        `WITH held AS MATERIALIZED (SELECT id FROM lanes WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE)
         UPDATE lanes l SET settled_through = m.through FROM unnest($1::int[], $2::bigint[]) m(lane, through)
         WHERE l.id = m.lane AND l.id IN (SELECT id FROM held) AND l.settled_through < m.through`,
        [moved.map(({ lane }) => lane), moved.map(({ position }) => position - 1)],
      );
    }
    return rows;
  }

  #shelved(destinations: readonly number[]): Promise<{ destination: number; received_at: number }[]> {
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

/** The first event that a lane still waits for. */
export interface WaitingRow {
  readonly lane: number;
  readonly destination: number;
  readonly position: number;
  readonly received_at: number;
}

const FIRST_OF_LANE = `SELECT l.id AS lane, l.destination, w.position, w.received_at, l.settled_through
  FROM unnest($1::int[], $2::bigint[]) x(lane, through) JOIN lanes l ON l.id = x.lane CROSS JOIN LATERAL (
    SELECT e.position, e.received_at FROM events e
    WHERE e.source = l.source AND e.position > greatest(l.settled_through, x.through)
      AND e.position <= coalesce(l.until, ${HIGHEST})
      AND NOT EXISTS (SELECT FROM deliveries d
        WHERE d.position = e.position AND d.destination = l.destination AND d.received_at = e.received_at)
    ORDER BY e.position LIMIT 1) w`;
