import pLimit from 'p-limit';
import type { Clock } from '../core/clock.ts';
import type { DeliveryResult, DeliveryState } from '../core/delivery.ts';
import { Recurring } from '../core/recurring.ts';
import type { Service } from '../core/service.ts';
import { addTallies, boundedTallies, endOf } from '../core/tally.ts';
import type { StatsAddition, StatsStore, UndoneEnds } from './contract.ts';
import { LATENCY_BUCKETS, latencyBucket } from './latency.ts';
import { Rate } from './rate.ts';

export interface StatsCounterOptions {
  readonly store: Pick<StatsStore, 'add'>;
  readonly clock: Clock;
  /** Called for each error of the store; the counter tries again. */
  readonly failed: (error: unknown) => void;
}

const MINUTE = 60_000;
/** Counts are written to the store this often. */
const FLUSH_MS = 5_000;
/** Most additions of one call, so that the store's commits go on in between. */
const CHUNK = 256;
/** How long counts are kept for a store that takes nothing; older minutes are dropped. */
const KEPT_MS = 60 * MINUTE;
/** This many rows are kept beyond that (a row is one minute of one source or destination): a replay may subtract what was counted over days. */
const MOST_ROWS = 10_000;

// Indexes in a row of numbers: these, and from LATENCY on the counts by bucket.
const ACCEPTED = 0;
const REJECTED = 1;
const STATES: Readonly<Record<DeliveryState, number>> = { processed: 2, failed: 3, filtered: 4, retrying: 5 };
const LAST_AT = 6;
const TRIED_AT = 7;
const LATENCY = 8;

interface Row {
  readonly numbers: Float64Array;
  /** Attempts by their end and the URL's id. */
  readonly attempts: Map<string, [count: number, firstAt: number, lastAt: number]>;
}

interface Counted {
  /** Start of its minute. */
  readonly at: number;
  readonly subject: string;
  readonly row: Row;
}

/**
 * Counts what happens by the minute, per source and per destination, and writes it to the store every few seconds and at the
 * stop. Made for the hot path: a count is one addition to a number in memory. These are statistics: a crash loses the last
 * seconds, and a delivery that is recorded again after it is counted twice. The exact counts are `DeliveryStore.counts`.
 */
export class StatsCounter implements Service {
  readonly #options: StatsCounterOptions;
  readonly #rate = new Rate();
  /** Rows that the store does not have yet, by the start of their minute and by subject. */
  #minutes = new Map<number, Map<string, Row>>();
  readonly #flushing: Recurring;
  readonly #inTurn = pLimit(1);

  constructor(options: StatsCounterOptions) {
    this.#options = options;
    this.#flushing = new Recurring({
      clock: options.clock,
      every: FLUSH_MS,
      run: async () => void (await this.flush()),
    });
  }

  start(): Promise<void> {
    return this.#flushing.start();
  }

  /** @throws Error if the store does not take the last counts: they are lost. */
  async stop(): Promise<void> {
    await this.#flushing.stop();
    if (!(await this.flush())) throw new Error('the newest counts were not written');
  }

  /** Events of a source were accepted. */
  accepted(sourceId: string, events: number): void {
    const now = this.#options.clock.now();
    this.#rate.add(events, now);
    const row = this.#row(sourceId, now);
    add(row, ACCEPTED, events);
    if (events > 0) row.numbers[LAST_AT] = now;
  }

  /** A call of a source, or a request in its name, was refused. */
  rejected(sourceId: string): void {
    add(this.#row(sourceId, this.#options.clock.now()), REJECTED, 1);
  }

  /** A delivery was recorded: it counts for its destination, and for the source of its event. */
  settled({ destinationId, entry, state, at, attempts }: DeliveryResult): void {
    const now = this.#options.clock.now();
    const destination = this.#row(destinationId, now);
    const source = this.#row(entry.sourceId, now);
    let hasFailed = false;
    for (const attempt of attempts) {
      const end = endOf(attempt);
      if (end === null) continue;
      tally(destination, `${end} ${attempt.webhookId ?? attempt.url}`, attempt.at);
      tally(source, `${end} `, attempt.at);
      destination.numbers[TRIED_AT] = now;
      if (end !== 'ok') hasFailed = true;
    }
    // It waits for a paused URL, or for an earlier call of its user: nothing was tried in vain.
    if (state === 'retrying' && !hasFailed) return;
    add(destination, STATES[state], 1);
    add(source, STATES[state], 1);
    if (state !== 'processed') return;
    const bucket = LATENCY + latencyBucket(at - entry.receivedAt);
    add(destination, bucket, 1);
    add(source, bucket, 1);
    destination.numbers[LAST_AT] = now;
  }

  /** Messages of a source failed at a destination, and were not counted one by one. */
  failed(sourceId: string, destinationId: string, messages: number): void {
    const now = this.#options.clock.now();
    for (const subject of [destinationId, sourceId]) add(this.#row(subject, now), STATES.failed, messages);
  }

  /** Messages that had an end are sent again: their ends are subtracted from the minutes in which they were counted. */
  undone(destinationId: string, ends: readonly UndoneEnds[]): void {
    for (const { sourceId, state, at, messages } of ends) {
      for (const subject of [destinationId, sourceId]) add(this.#row(subject, at), STATES[state], -messages);
    }
  }

  /** Events that this process accepted a second, mean of the last 10 s. */
  perSecond(): number {
    return this.#rate.mean(this.#options.clock.now());
  }

  /** Writes all counts so far to the store. Answers false if the store refused some: these stay for the next time. */
  flush(): Promise<boolean> {
    return this.#inTurn(() => this.#save());
  }

  async #save(): Promise<boolean> {
    const taken = this.#minutes;
    this.#minutes = new Map();
    const { store, clock } = this.#options;
    const counted = [...taken].flatMap(([at, rows]) => [...rows].map(([subject, row]) => ({ at, subject, row })));
    for (let i = 0; i < counted.length; i += CHUNK) {
      try {
        await store.add(counted.slice(i, i + CHUNK).map(addition), clock.now());
      } catch (error) {
        this.#options.failed(error);
        this.#putBack(counted.slice(i));
        return false;
      }
    }
    return true;
  }

  #putBack(counted: readonly Counted[]): void {
    for (const { at, subject, row } of counted) {
      const rows = this.#rowsOf(at);
      const newer = rows.get(subject);
      if (newer) {
        for (const [i, value] of row.numbers.entries()) {
          if (i === LAST_AT || i === TRIED_AT) newer.numbers[i] = Math.max(newer.numbers[i] ?? 0, value);
          else add(newer, i, value);
        }
        addTallies(newer.attempts, row.attempts);
      } else rows.set(subject, row);
    }
    let rows = [...this.#minutes.values()].reduce((sum, { size }) => sum + size, 0);
    const kept = Math.max(...this.#minutes.keys()) - KEPT_MS;
    for (const [minute, { size }] of [...this.#minutes].toSorted(([a], [b]) => a - b)) {
      if (rows <= MOST_ROWS || minute > kept) break;
      this.#minutes.delete(minute);
      rows -= size;
    }
  }

  #row(subject: string, now: number): Row {
    const rows = this.#rowsOf(now - (now % MINUTE));
    let row = rows.get(subject);
    if (!row) {
      row = { numbers: new Float64Array(LATENCY + LATENCY_BUCKETS), attempts: new Map() };
      rows.set(subject, row);
    }
    return row;
  }

  #rowsOf(minute: number): Map<string, Row> {
    let rows = this.#minutes.get(minute);
    if (!rows) {
      rows = new Map();
      this.#minutes.set(minute, rows);
    }
    return rows;
  }
}

/** Counts an attempt that began at a time, by its end and the id of its URL. */
function tally({ attempts }: Row, key: string, at: number): void {
  const known = attempts.get(key);
  if (!known) {
    attempts.set(key, [1, at, at]);
    return;
  }
  known[0]++;
  known[1] = Math.min(known[1], at);
  known[2] = Math.max(known[2], at);
}

function add({ numbers }: Row, index: number, count: number): void {
  numbers[index] = (numbers[index] ?? 0) + count;
}

function addition({ at, subject, row }: Counted): StatsAddition {
  const number = (index: number): number => row.numbers[index] ?? 0;
  const time = (index: number): number | null => (number(index) === 0 ? null : number(index));
  return {
    subject,
    at,
    accepted: number(ACCEPTED),
    rejected: number(REJECTED),
    processed: number(STATES.processed),
    failed: number(STATES.failed),
    filtered: number(STATES.filtered),
    retried: number(STATES.retrying),
    latency: Uint32Array.from(row.numbers.subarray(LATENCY)),
    attempts: boundedTallies(row.attempts),
    lastAt: time(LAST_AT),
    triedAt: time(TRIED_AT),
  };
}
