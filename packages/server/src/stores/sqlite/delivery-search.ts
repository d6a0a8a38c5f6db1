import {
  type Attempt,
  endedWithDestination,
  numbersSeenAs,
  stateOf,
  stateWithoutDestination,
} from '../../core/delivery.ts';
import { failureOf, isEnd, lastFailure } from '../../core/tally.ts';
import type {
  CandidatePage,
  Delivery,
  DeliveryPage,
  DeliveryQuery,
  DeliveryStateOf,
  ReplayCandidate,
  ReplayQuery,
} from '../../record/contract.ts';
import { readAttempts, SELECT_ANSWERS } from './answers.ts';
import { destinationsIn, NEXT_DESTINATION } from './erasing.ts';
import {
  DISORDER,
  isWithin,
  KEPT,
  matchesNames,
  numberOrNull,
  ROWS_PER_PAGE,
  type Row,
  SUMMARY_COLUMNS,
  summaryOf,
  textOrNull,
} from './event-rows.ts';
import { partitionsFrom, rowsBefore, type SearchedFiles } from './event-search.ts';
import type { PartitionInfo } from './protocol.ts';

/** Searches deliveries, and the events that a replay would take. */
export class DeliverySearch {
  readonly #files: SearchedFiles;
  /** Numbers of the destinations that have lanes. */
  readonly #destinationNumbers: () => readonly number[];

  constructor(files: SearchedFiles, destinationNumbers: () => readonly number[]) {
    this.#files = files;
    this.#destinationNumbers = destinationNumbers;
  }

  /** See DeliveryStore.list. Ordered by (seq, destination), descending. The cursor is the last such pair of the page or of the search. */
  list(query: DeliveryQuery): DeliveryPage {
    const start = query.cursor === null ? { seq: Infinity, destination: 0 } : parseCursor(query.cursor);
    const existing = this.#destinationNumbers();
    const destinations = query.destinationId === null ? existing : [this.#files.number(query.destinationId)];
    const found: { row: Row; at: Cursor }[] = [];
    // All deliveries at or above this point were searched, in every destination.
    let looked: Cursor | null = null;
    for (const destination of destinations) {
      if (destination === null) continue;
      const before = destination < start.destination ? start.seq + 1 : start.seq;
      const rows = ROWS_PER_PAGE / destinations.length;
      const states = query.state && numbersSeenAs(query.state, existing.includes(destination));
      const { matches, stoppedAt } = this.#search(destination, before, { ...query, states }, rows);
      for (const row of matches) found.push({ row, at: { seq: Number(row['seq']), destination } });
      if (stoppedAt !== null && stoppedAt > (looked?.seq ?? -1)) looked = { seq: stoppedAt, destination: 0 };
    }
    const reached = looked?.seq ?? 0;
    const complete = found.filter(({ at }) => at.seq >= reached);
    complete.sort((a, b) => b.at.seq - a.at.seq || b.at.destination - a.at.destination);
    const page = complete.slice(0, query.limit);
    const next = complete.length > query.limit ? (page.at(-1)?.at ?? null) : looked;
    return {
      items: page.map(({ row }) => this.#delivery(row, existing)),
      next: next && `${next.seq}-${next.destination}`,
    };
  }

  deliveriesOf(seq: number): Delivery[] {
    const partition = this.#files.partitions().findLast(({ firstSeq }) => firstSeq <= seq);
    if (!partition) return [];
    // No index leads from an event to its deliveries: their key begins with the destination. There are few destinations.
    const statement = this.#files.statement(partition, `${DELIVERIES} WHERE d.destination = ? AND d.seq = ?`);
    const existing = this.#destinationNumbers();
    return this.#destinationsIn(partition).flatMap((destination) => {
      const found = statement.get(destination, seq);
      return found ? [this.#delivery(found, existing)] : [];
    });
  }

  /** See DeliveryStore.statesOf. */
  statesOf(seqs: readonly number[]): DeliveryStateOf[] {
    const existing = this.#destinationNumbers();
    const destinationsOf = new Map<PartitionInfo, readonly number[]>();
    return seqs.flatMap((position) => {
      const partition = this.#files.partitions().findLast(({ firstSeq }) => firstSeq <= position);
      if (!partition) return [];
      const statement = this.#files.statement(partition, STATE);
      const destinations = destinationsOf.get(partition) ?? this.#destinationsIn(partition);
      destinationsOf.set(partition, destinations);
      return destinations.flatMap((destination) => {
        const found = statement.get(destination, position);
        if (!found) return [];
        const state = stateOf(Number(found['state']));
        const destinationId = this.#files.name(destination);
        const isThere = existing.includes(destination);
        return [{ position, destinationId, state: isThere ? state : stateWithoutDestination(state) }];
      });
    });
  }

  /** See DeliveryStore.candidates. */
  candidates(query: ReplayQuery): CandidatePage {
    const destination = this.#files.number(query.destinationId);
    const sources = new Set(query.sourceIds.map((id) => this.#files.number(id)));
    const items: ReplayCandidate[] = [];
    let looked = 0;
    for (const partition of partitionsFrom(this.#files.partitions(), query.after + 1)) {
      if (query.to !== null && partition.startedAt >= query.to + DISORDER) continue;
      const begin = query.from === null ? 0 : this.#files.seqAt(partition, query.from - DISORDER);
      const after = Math.max(query.after, begin - 1);
      const rows =
        query.state === 'failed'
          ? this.#files.statement(partition, FAILED_EVENTS).iterate(destination, after)
          : this.#files.statement(partition, EVENTS_AFTER).iterate(after);
      for (const row of rows) {
        const receivedAt = Number(row['received_at']);
        if (query.to !== null && receivedAt >= query.to + DISORDER) break;
        looked++;
        const error = query.state === 'failed' ? failedBy(row) : null;
        const isAsked = query.error === null || isEnd(error, query.error);
        if (isAsked && isWithin(row, query) && sources.has(Number(row['source'])) && matchesNames(row, query)) {
          items.push({ ...summaryOf(row, this.#files.name), error });
        }
        if (items.length >= query.limit || looked >= ROWS_PER_PAGE) return { items, next: Number(row['seq']) };
      }
    }
    return { items, next: null };
  }

  /** Searches the deliveries of one destination before a seq, newest first. Stops if the page is full or `maxRows` rows were searched. */
  #search(
    destination: number,
    before: number,
    { states, ...query }: Omit<DeliveryQuery, 'state'> & { readonly states: readonly number[] | null },
    maxRows: number,
  ): { matches: Row[]; stoppedAt: number | null } {
    if (states?.length === 0) return { matches: [], stoppedAt: null };
    // The state is named twice so that the partial index applies. No index contains processed deliveries: other states are left
    // out below, where each row counts as searched. SQLite would search on until it finds one.
    const indexed = states?.length === 1 && states[0] !== 0 ? states : [];
    const sql = `${DELIVERIES} WHERE ${indexed.length > 0 ? 'd.state <> 0 AND d.state = ? AND' : ''} d.destination = ?
      AND d.seq >= ? AND d.seq < ? ORDER BY d.seq DESC`;
    const matches: Row[] = [];
    let looked = 0;
    for (const row of rowsBefore(this.#files, before, query, sql, ...indexed, destination)) {
      looked++;
      const isWanted = states === null || states.includes(Number(row['state']));
      if (isWanted && isWithin(row, query) && matchesNames(row, query)) matches.push(row);
      if (matches.length > query.limit || looked >= maxRows) return { matches, stoppedAt: Number(row['seq']) };
    }
    return { matches, stoppedAt: null };
  }

  #destinationsIn(partition: PartitionInfo): number[] {
    return destinationsIn(this.#files.statement(partition, NEXT_DESTINATION));
  }

  /** Read for the rows of a page alone: what a search looks through may be long. */
  #attempts(partition: PartitionInfo, { destination, seq }: Row): Attempt[] {
    const found = this.#files.statement(partition, ATTEMPTS).get(destination ?? null, seq ?? null);
    return readAttempts(String(found?.['attempts'] ?? ''), this.#files.statement(partition, SELECT_ANSWERS));
  }

  /** `existing`: numbers of the destinations that are not deleted. */
  #delivery(row: Row, existing: readonly number[]): Delivery {
    const partition = this.#files.partitions().findLast(({ firstSeq }) => firstSeq <= Number(row['seq']));
    const delivery = {
      destinationId: this.#files.name(Number(row['destination'])),
      ...summaryOf(row, this.#files.name),
      state: stateOf(Number(row['state'])),
      reason: textOrNull(row['reason']),
      attempts: partition ? this.#attempts(partition, row) : [],
      rounds: Number(row['rounds']),
      dueAt: numberOrNull(row['due_at']),
      urlsLeft: row['urls_left'] === null ? null : (JSON.parse(String(row['urls_left'])) as string[]),
      at: Number(row['at']),
    };
    return existing.includes(Number(row['destination'])) ? delivery : endedWithDestination(delivery);
  }
}

interface Cursor {
  readonly seq: number;
  readonly destination: number;
}

const DELIVERIES = `SELECT d.destination, d.seq, d.state, d.reason, d.rounds, d.due_at, d.urls_left, d.at,
  e.source, e.message_id, e.type, e.name, e.user_id, e.received_at FROM deliveries d JOIN events e ON e.seq = d.seq`;

const ATTEMPTS = 'SELECT attempts FROM deliveries WHERE destination = ? AND seq = ?';
const STATE = 'SELECT state FROM deliveries WHERE destination = ? AND seq = ?';
const EVENTS_AFTER = `SELECT ${SUMMARY_COLUMNS} FROM events e WHERE e.seq > ? AND ${KEPT} ORDER BY e.seq`;

const FAILED_EVENTS = `SELECT ${SUMMARY_COLUMNS}, d.attempts, d.reason FROM deliveries d JOIN events e ON e.seq = d.seq
  WHERE d.destination = ? AND d.state <> 0 AND d.state = 1 AND d.seq > ? AND ${KEPT} ORDER BY d.seq`;

/** Why a delivery failed; see ReplayCandidate. */
function failedBy(row: Row): string | null {
  // The other lines refer to answers; see answers.ts.
  const lines = String(row['attempts']).split('\n');
  const attempts = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Attempt);
  return failureOf(lastFailure(attempts), textOrNull(row['reason']));
}

function parseCursor(text: string): Cursor {
  const [seq, destination] = text.split('-').map(Number);
  return { seq: seq ?? 0, destination: destination ?? 0 };
}
