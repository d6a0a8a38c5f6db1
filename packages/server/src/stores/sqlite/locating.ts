import { ownerOf } from '../../core/event.ts';
import { CARRIED_COLUMNS, carriedIn, type Row, textOrNull } from './event-rows.ts';
import { type Hash, hashId } from './hash.ts';
import type { Ids } from './ids.ts';
import type { Live } from './live.ts';
import type { Totals } from './partition.ts';
import type { Partitions } from './partitions.ts';

const ID = 'SELECT source, message_id, received_at FROM events WHERE seq = ?';
const OWNER = `SELECT ${CARRIED_COLUMNS}, age, length(body) AS size FROM events WHERE seq = ?`;

/** Finds events by their messageIds. */
export class Locating {
  readonly #live: Live;
  readonly #ids: Ids;
  readonly #partitions: Partitions;
  readonly #totals: ReadonlyMap<number, Totals>;

  /** `totals` are by number of source. */
  constructor(live: Live, ids: Ids, partitions: Partitions, totals: ReadonlyMap<number, Totals>) {
    this.#live = live;
    this.#ids = ids;
    this.#partitions = partitions;
    this.#totals = totals;
  }

  /** Seq of the newest kept event with this messageId in any of the sources, of this owner (null: of any); null if there is none. */
  newest(messageId: string, sourceIds: readonly string[], owner: string | null): number | null {
    let newest: number | null = null;
    const isTheirs = (seq: number): boolean => {
      const row = this.#ownerRow(seq);
      return row !== undefined && !isRemoved(row) && (owner === null || ownerIn(row) === owner.toWellFormed());
    };
    for (const sourceId of sourceIds) {
      const source = this.#live.knownNumber(sourceId);
      if (source === null) continue;
      const isIt = (seq: number): boolean => this.isEvent(seq, source, messageId, 0) && isTheirs(seq);
      const seq = this.#ids.find(this.#hashOf(source, messageId), isIt);
      if (seq !== null && seq > (newest ?? 0)) newest = seq;
    }
    return newest;
  }

  /** Seqs of all events with a messageId, of one source (null: of every source that ever sent an event). */
  all(messageId: string, sourceId: string | null): number[] {
    const named = sourceId === null ? [...this.#totals.keys()] : [this.#live.knownNumber(sourceId)];
    const seqs: number[] = [];
    for (const source of named) {
      if (source === null) continue;
      this.#ids.find(this.#hashOf(source, messageId), (candidate) => {
        if (this.isEvent(candidate, source, messageId, 0)) seqs.push(candidate);
        return false;
      });
    }
    return seqs;
  }

  /** Whether an event with this source and messageId exists at this seq, received at `since` or later. */
  isEvent(seq: number, source: number, messageId: string, since: number): boolean {
    const row = this.#partitions.of(seq)?.prepare(ID).get(seq);
    return (
      row !== undefined &&
      row['source'] === source &&
      row['message_id'] === messageId &&
      Number(row['received_at']) >= since
    );
  }

  /** Whether an event belongs to this owner, or belonged to it before its removal. `owner` must be well-formed. */
  isOf(seq: number, owner: string): boolean {
    const row = this.#ownerRow(seq);
    if (row === undefined) return false;
    return isRemoved(row) ? row['age'] === this.#markOf(seq, owner) : ownerIn(row) === owner;
  }

  /**
   * The mark of its owner that a removed event keeps. With the id at hand, the mark tells whether a call is a duplicate. It
   * does not reveal the id: one in 65,536 ids has the same mark, and each event of a user has a different one.
   */
  markAt(seq: number): number {
    const row = this.#ownerRow(seq);
    return row === undefined || isRemoved(row) ? Number(row?.['age'] ?? 0) : this.#markOf(seq, ownerIn(row));
  }

  #ownerRow(seq: number): Row | undefined {
    return this.#partitions.of(seq)?.prepare(OWNER).get(seq);
  }

  /**
   * A mark depends on the seed, which no caller knows: with it, a caller could make ids that have the same mark. It is never 0,
   * which means no mark.
   */
  #markOf(seq: number, owner: string): number {
    const hash: Hash = { high: 0, low: 0 };
    hashId(this.#live.seed, seq, owner, hash);
    return (hash.low & 0xffff) + 1;
  }

  #hashOf(source: number, messageId: string): Hash {
    const hash: Hash = { high: 0, low: 0 };
    hashId(this.#live.seed, source, messageId, hash);
    return hash;
  }
}

function isRemoved({ size }: Row): boolean {
  return size === 0;
}

function ownerIn(row: Row): string {
  return ownerOf({ userId: textOrNull(row['user_id']), anonymousId: carriedIn(row).anonymousId }).toWellFormed();
}
