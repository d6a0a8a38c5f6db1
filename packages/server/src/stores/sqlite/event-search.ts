import type { StatementSync } from 'node:sqlite';
import type { EventPage, EventQuery } from '../../record/contract.ts';
import {
  DISORDER,
  isWithin,
  matchesWords,
  ROWS_PER_PAGE,
  type Row,
  SUMMARY_COLUMNS,
  summaryOf,
  typeOf,
} from './event-rows.ts';
import type { PartitionInfo } from './protocol.ts';

/** The partitions, as searches read them. */
export interface SearchedFiles {
  /** Oldest first. */
  partitions(): readonly PartitionInfo[];
  statement(partition: PartitionInfo, sql: string): StatementSync;
  /** The first seq of a partition received at a time or later; the last seq plus one if there is none. */
  seqAt(partition: PartitionInfo, time: number): number;
  readonly name: (number: number) => string;
  /** Null for a name that was never used. */
  number(name: string): number | null;
}

/**
 * Searches events, newest first. Source and time are searched by an index. Every other word is compared row by row, at most
 * `ROWS_PER_PAGE` a page: an index of its own would cost more, on every append, than the event. Seqs that are known (of a
 * messageId) are looked up. The cursor is the last searched seq.
 */
export class EventSearch {
  readonly #files: SearchedFiles;

  constructor(files: SearchedFiles) {
    this.#files = files;
  }

  /** See DeliveryStore.events. Ignores an exact `query.messageId`. */
  search(query: EventQuery): EventPage {
    const found: Row[] = [];
    let looked = 0;
    for (const row of this.#rows(query)) {
      looked++;
      if (matches(row, query)) found.push(row);
      if (found.length > query.limit) return this.#page(found.slice(0, query.limit), found[query.limit - 1]);
      if (looked >= ROWS_PER_PAGE) return this.#page(found, row);
    }
    return this.#page(found, undefined);
  }

  /** The events at these seqs that match the query. */
  among(seqs: readonly number[], query: EventQuery): EventPage {
    const source = query.sourceId === null ? null : this.#files.number(query.sourceId);
    const before = beforeOf(query);
    const found = seqs
      .filter((seq) => seq < before)
      .toSorted((a, b) => b - a)
      .map((seq) => this.#at(seq))
      .filter((row) => row !== undefined)
      .filter((row) => (query.sourceId === null || row['source'] === source) && matches(row, query));
    const page = found.slice(0, query.limit);
    return this.#page(page, found.length > page.length ? page.at(-1) : undefined);
  }

  #rows(query: EventQuery): Iterable<Row> {
    const { sourceId } = query;
    const before = beforeOf(query);
    if (sourceId === null) return rowsBefore(this.#files, before, query, EVENTS_BEFORE);
    const source = this.#files.number(sourceId);
    return source === null ? [] : rowsBefore(this.#files, before, query, EVENTS_OF_SOURCE_BEFORE, source);
  }

  #at(seq: number): Row | undefined {
    const partition = this.#files.partitions().findLast(({ firstSeq }) => firstSeq <= seq);
    return partition && this.#files.statement(partition, EVENT_AT).get(seq);
  }

  #page(rows: readonly Row[], last: Row | undefined): EventPage {
    const items = rows.map((row) => summaryOf(row, this.#files.name));
    return { items, next: last === undefined ? null : String(last['seq']) };
  }
}

const EVENTS_BEFORE = `SELECT ${SUMMARY_COLUMNS} FROM events e WHERE e.seq >= ? AND e.seq < ? ORDER BY e.seq DESC`;

const EVENTS_OF_SOURCE_BEFORE = `SELECT ${SUMMARY_COLUMNS} FROM events e
  WHERE e.source = ? AND e.seq >= ? AND e.seq < ? ORDER BY e.seq DESC`;

const EVENT_AT = `SELECT ${SUMMARY_COLUMNS} FROM events e WHERE e.seq = ?`;

function beforeOf({ cursor }: EventQuery): number {
  return cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor);
}

function matches(row: Row, query: EventQuery): boolean {
  return (query.type === null || typeOf(row) === query.type) && isWithin(row, query) && matchesWords(row, query);
}

/**
 * What a statement selects before a seq, newest first, in the partitions that may have events of these times. Its last two
 * parameters are the first seq, and the seq after the last one.
 */
export function* rowsBefore(
  files: SearchedFiles,
  before: number,
  { from, to }: Pick<EventQuery, 'from' | 'to'>,
  sql: string,
  ...args: readonly number[]
): Generator<Row> {
  for (const partition of files.partitions().toReversed()) {
    if (partition.firstSeq >= before || (to !== null && partition.startedAt >= to + DISORDER)) continue;
    const end = to === null ? before : Math.min(before, files.seqAt(partition, to + DISORDER));
    const begin = from === null ? 0 : files.seqAt(partition, from - DISORDER);
    yield* files.statement(partition, sql).iterate(...args, begin, Math.min(end, Number.MAX_SAFE_INTEGER));
  }
}

/** The partitions that can contain this seq or later ones, oldest first. */
export function partitionsFrom(partitions: readonly PartitionInfo[], seq: number): readonly PartitionInfo[] {
  const first = partitions.findLastIndex(({ firstSeq }) => firstSeq <= seq);
  return partitions.slice(Math.max(0, first));
}
