import type { Clock } from '../../core/clock.ts';
import type { Position } from '../../core/event.ts';
import { PEOPLE } from '../../core/lane.ts';
import type { LostMessages, Retention } from '../../record/contract.ts';
import type { Database, Queries } from './database.ts';
import { RETRYING } from './delivery-rows.ts';
import { failLost } from './lost-events.ts';
import type { OldestWaiting, WaitingRow } from './oldest-waiting.ts';
import type { Partition, Partitions } from './partitions.ts';
import { expireStats } from './stats-store.ts';
import { toText } from './text.ts';
import { DISORDER } from './time-bounds.ts';

export interface PostgresRetentionOptions {
  readonly database: Database;
  readonly partitions: Partitions;
  readonly oldest: Pick<OldestWaiting, 'inLanes'>;
  /** Where each shard of the log begins. */
  readonly beginnings: () => Promise<readonly Position[]>;
  /** Which rows of the counts this node writes. */
  readonly slot: number;
  readonly clock: Clock;
  /** Is told of messages that failed because the log had dropped them. */
  readonly lost: (messages: LostMessages) => void;
}

/** Longest wait for who reads a partition that goes; whoever comes meanwhile waits behind. */
const LOCK_WAIT = '1s';

/** Drops partitions; see record/contract.ts. One node does so at a time. */
export class PostgresRetention implements Retention {
  readonly #options: PostgresRetentionOptions;

  constructor(options: PostgresRetentionOptions) {
    this.#options = options;
  }

  async expire(before: number): Promise<number> {
    const { database, partitions, beginnings, slot, clock, lost } = this.#options;
    await failLost(database, await this.#waiting(), await beginnings(), { slot, now: clock.now(), lost });
    let dropped = 0;
    for (const partition of await partitions.all()) {
      if (!(await this.#isOver(partition, before))) continue;
      await database.transaction(async (queries) => {
        await queries.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
        await partitions.drop(queries, partition);
      });
      dropped++;
    }
    if (dropped > 0) await partitions.all();
    await expireStats(database, before);
    return dropped;
  }

  async #isOver({ number, begins, ends }: Partition, before: number): Promise<boolean> {
    const { database } = this.#options;
    if (begins >= before) return false;
    if (ends > before && !(await isOlder(database, number, before))) return false;
    const [shelved] = await database.query(
      `SELECT FROM lanes l CROSS JOIN LATERAL (SELECT FROM deliveries_${number} d
         WHERE d.destination = l.destination AND d.state <> 0 AND d.state = ${RETRYING} AND d.lane = l.id LIMIT 1) s LIMIT 1`,
    );
    if (shelved) return false;
    return (await this.#waiting()).every(({ received_at }) => received_at >= ends + DISORDER);
  }

  /** The first event that each lane still waits for; those of people have no deliveries, and read the stream alone. */
  async #waiting(): Promise<readonly WaitingRow[]> {
    const { database, oldest } = this.#options;
    const lanes = await database.query<{ destination: number }>(
      `SELECT DISTINCT destination FROM lanes
       WHERE destination IS DISTINCT FROM (SELECT number FROM names WHERE name = $1)`,
      [toText(PEOPLE)],
    );
    return oldest.inLanes(lanes.map(({ destination }) => destination));
  }
}

/** Whether everything in a partition was received before a time. */
async function isOlder(queries: Queries, number: number, before: number): Promise<boolean> {
  const [newer] = await queries.query(`SELECT FROM events_${number} WHERE received_at >= $1 LIMIT 1`, [before]);
  return !newer;
}
