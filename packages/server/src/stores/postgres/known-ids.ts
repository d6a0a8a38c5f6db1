import type { Database } from './database.ts';
import { toText } from './text.ts';

interface Asked {
  readonly sourceId: string;
  readonly messageIds: readonly string[];
  readonly since: number;
  readonly resolve: (known: ReadonlySet<string>) => void;
  readonly reject: (error: unknown) => void;
}

/** Most ids of one lookup. */
const MOST_IDS = 8_192;

/**
 * Looks up messageIds of events. While one lookup is under way, whatever is asked gathers for the next: thousands of
 * sources that each send a call cost a handful of queries.
 */
export class KnownIds {
  readonly #database: Database;
  #waiting: Asked[] = [];
  #looking = false;

  constructor(database: Database) {
    this.#database = database;
  }

  known(sourceId: string, messageIds: readonly string[], since: number): Promise<ReadonlySet<string>> {
    if (messageIds.length === 0) return Promise.resolve(new Set());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sourceId, messageIds, since, resolve, reject });
      if (!this.#looking) void this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#looking = true;
    // One turn of the microtask queue gathers what the same moment brings.
    await null;
    while (this.#waiting.length > 0) {
      const asked = this.#next();
      try {
        const known = await this.#find(asked);
        for (const [i, { resolve }] of asked.entries()) resolve(known[i] ?? new Set());
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    this.#looking = false;
  }

  #next(): Asked[] {
    let [count, ids] = [0, 0];
    for (const { messageIds } of this.#waiting) {
      ids += messageIds.length;
      if (count > 0 && ids > MOST_IDS) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #find(asked: readonly Asked[]): Promise<Set<string>[]> {
    const rows = asked.flatMap(({ messageIds, sourceId, since }, i) =>
      messageIds.map((id) => ({ i, id, sourceId, since })),
    );
    // The hash of the id is what finds an event; whose it is, is asked last.
    const found = await this.#database.query<{ n: number }>(
      `SELECT i.n::int AS n FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY i(source, id, since, n)
       CROSS JOIN LATERAL (SELECT FROM events e
         WHERE hashtextextended(e.message_id, 0) = hashtextextended(i.id, 0) AND e.message_id = i.id
         AND e.received_at >= $4 AND e.received_at >= i.since
         AND e.source + 0 = (SELECT number FROM names WHERE name = i.source) LIMIT 1) found`,
      [
        rows.map(({ sourceId }) => toText(sourceId)),
        rows.map(({ id }) => toText(id)),
        rows.map(({ since }) => since),
        Math.min(...asked.map(({ since }) => since)),
      ],
    );
    const known = asked.map(() => new Set<string>());
    for (const { n } of found) {
      const row = rows[n - 1];
      if (row) known[row.i]?.add(row.id);
    }
    return known;
  }
}
