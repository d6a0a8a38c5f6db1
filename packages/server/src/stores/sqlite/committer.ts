import type { Clock } from '../../core/clock.ts';
import type { DeliveryResult } from '../../core/delivery.ts';
import type { Event, NewEvent } from '../../core/event.ts';
import { Fault } from '../../core/fault.ts';
import { pause } from '../../core/pause.ts';
import { weightOf } from '../../core/weight.ts';
import type { AppendResult } from '../../log/contract.ts';
import type { Thread } from '../../threads/thread.ts';
import { appendColumns, BodyBlock, resultRows } from './commits.ts';
import { storageFault } from './failure.ts';
import type { CommitRequest, CommitResult, PartitionInfo, StoreError } from './protocol.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/** The largest commit. Larger ones gain nothing and let all callers wait longer. */
const MAX_COMMIT_EVENTS = 10_000;
const MAX_COMMIT_BYTES = 8 * 1024 * 1024;
/** Time between the beginnings of two commits. A commit begins at once if `FULL_COMMIT` requests or batches of results wait. */
const COMMIT_INTERVAL_MS = 3;
/** The same if only delivery results wait: no caller waits for them, so they can wait for a commit of events. */
const RESULTS_INTERVAL_MS = 10;
const FULL_COMMIT = 64;
/** Most bytes of events that wait for a commit; further events are refused as `overloaded`. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** A commit that takes longer than this means that the disk is too slow: new events are refused until it ends. */
const SLOW_COMMIT_MS = 2_000;
/** Delivery results that could not be written are written again after this time. */
const RETRY_MS = 500;
/** A failure is reported as trouble for this long. After that, only new events can show whether it persists. */
const TROUBLE_MS = 10_000;
/** Time between two saves of the lanes' positions. */
const POSITIONS_MS = 250;

interface WaitingAppend {
  readonly events: readonly Event[];
  readonly bytes: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

interface WaitingResults {
  readonly results: readonly DeliveryResult[];
  readonly resolve: () => void;
}

export interface CommitterOptions {
  readonly writer: Thread<Writer>;
  readonly readers: readonly Thread<Reader>[];
  /** The partitions that exist at the start. */
  readonly partitions: readonly PartitionInfo[];
  readonly clock: Clock;
  /** Lower-case values of userId that identify no person, in addition to the usual ones. */
  readonly placeholderIds?: ReadonlySet<string> | undefined;
  readonly onCommit?: ((ms: number, rows: number) => void) | undefined;
}

/**
 * Group commit: while one commit is synced, new appends and delivery results wait for the next one. So commits are larger on a
 * slower disk, and one sync is shared by many events.
 */
export class Committer {
  readonly #options: CommitterOptions;
  /** The partitions that the readers know. */
  partitions: readonly PartitionInfo[];
  #appends: WaitingAppend[] = [];
  #waitingBytes = 0;
  readonly #block = new BodyBlock();
  #results: WaitingResults[] = [];
  #underway: Promise<void> | null = null;
  /** When the next commit begins, in the time of `performance.now`, and a function that cancels it; null if none is planned. */
  #next: { readonly at: number; readonly callOff: () => void } | null = null;
  #startedAt = 0;
  #positionsSavedAt = 0;
  #failure: { readonly at: number; readonly message: string } | null = null;
  #appended: (events: readonly Event[], result: CommitResult) => void = () => undefined;
  #takePositions: () => [number, number][] = () => [];

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.partitions = options.partitions;
  }

  /** Sets the log, which distributes appended events and knows the lanes' positions. */
  serve(log: {
    appended(events: readonly Event[], result: CommitResult): void;
    takePositions(): [lane: number, position: number][];
  }): void {
    this.#appended = (events, result) => log.appended(events, result);
    this.#takePositions = () => log.takePositions();
  }

  /** Why nothing can be written now, in words; null if writing works. */
  trouble(): string | null {
    const failure = this.#failure;
    if (failure && this.#options.clock.now() - failure.at < TROUBLE_MS) return failure.message;
    return this.#refusal(0)?.message ?? null;
  }

  append(events: readonly NewEvent[]): Promise<AppendResult> {
    if (events.length === 0) return Promise.resolve({ duplicates: [] });
    return new Promise((resolve, reject) => {
      let bytes = 0;
      for (const event of events) bytes += weightOf(event);
      const refusal = this.#refusal(bytes);
      if (refusal) return reject(refusal);
      this.#waitingBytes += bytes;
      this.#appends.push({ events, bytes, resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when every earlier append is durable or refused. */
  async caughtUp(): Promise<void> {
    await new Promise<unknown>((resolve, reject) => {
      this.#appends.push({ events: [], bytes: 0, resolve, reject });
      this.#schedule();
    });
  }

  settle(results: readonly DeliveryResult[]): Promise<void> {
    return new Promise((resolve) => {
      this.#results.push({ results, resolve });
      this.#schedule();
    });
  }

  /**
   * Tells the readers which partitions exist. Every question asked after this call sees them. A reader's thread that starts
   * later gets them at its start. The promise resolves when no earlier question is still being answered.
   */
  async tellReaders(partitions: readonly PartitionInfo[]): Promise<void> {
    this.partitions = partitions;
    const begun = this.#options.readers.filter(({ hasBegun }) => hasBegun);
    await Promise.all(begun.map((reader) => reader.remote.files.use(partitions)));
  }

  /** Commits everything that waits, and saves the positions. */
  async close(): Promise<void> {
    while (this.#underway) await this.#underway;
    this.#next?.callOff();
    while (this.#appends.length > 0) await this.#commit();
    if (this.#results.length > 0) await this.#commit();
    await this.savePositions();
  }

  async savePositions(): Promise<void> {
    const positions = this.#takePositions();
    await this.#options.writer.remote.commit({
      now: this.#options.clock.now(),
      appends: null,
      results: [],
      positions,
    });
  }

  #refusal(bytes: number): Fault | null {
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES && this.#waitingBytes > 0) {
      return new Fault('overloaded', 'Events arrive faster than storage can take them. Try again shortly.', {
        retryAfter: 1,
      });
    }
    if (this.#underway && performance.now() - this.#startedAt > SLOW_COMMIT_MS) {
      return new Fault('storage_unavailable', 'Storage does not answer in time. Try again shortly.', { retryAfter: 5 });
    }
    return null;
  }

  /**
   * Puts all arrivals of one turn of the event loop into one commit, and under load all arrivals of a few milliseconds: a
   * commit costs about as much as a few dozen rows. The first commit after a pause begins at once.
   */
  #schedule(): void {
    if (this.#underway) return;
    const isFull = this.#appends.length + this.#results.length >= FULL_COMMIT;
    const interval = this.#appends.length > 0 ? COMMIT_INTERVAL_MS : RESULTS_INTERVAL_MS;
    const at = isFull ? 0 : this.#startedAt + interval;
    if (this.#next && this.#next.at <= at) return;
    this.#next?.callOff();
    const linger = at - performance.now();
    if (linger < 1) {
      const immediate = setImmediate(() => this.#begin());
      this.#next = { at, callOff: () => clearImmediate(immediate) };
    } else {
      const timer = setTimeout(() => this.#begin(), linger);
      this.#next = { at, callOff: () => clearTimeout(timer) };
    }
  }

  #begin(): void {
    this.#next = null;
    this.#underway = this.#commit().finally(() => {
      this.#underway = null;
      if (this.#appends.length > 0 || this.#results.length > 0) this.#schedule();
    });
  }

  async #commit(): Promise<void> {
    const { writer, clock, placeholderIds, onCommit } = this.#options;
    const appends = this.#takeAppends();
    const events = appends.length === 1 ? (appends[0]?.events ?? []) : appends.flatMap((each) => each.events);
    const waiting = this.#results;
    this.#results = [];
    const results = waiting.length === 1 ? (waiting[0]?.results ?? []) : waiting.flatMap((w) => w.results);
    const now = clock.now();
    const savePositions = now - this.#positionsSavedAt >= POSITIONS_MS;
    if (savePositions) this.#positionsSavedAt = now;
    const request: CommitRequest = {
      now,
      appends: events.length > 0 ? appendColumns(events, this.#block, placeholderIds) : null,
      results: resultRows(results),
      positions: savePositions ? this.#takePositions() : [],
    };
    // `performance.now`, not the clock: a clock that is set forward must not cause a refusal.
    this.#startedAt = performance.now();
    const result = await writer.remote.commit(request).catch(unanswered);
    onCommit?.(performance.now() - this.#startedAt, events.length + results.length);
    const failure = result.appendError ?? result.settleError;
    this.#failure = failure && { at: now, message: failure.message };
    // Not awaited: a long search on a reader must not delay a commit. A reader that has ended reports that when it is asked.
    if (result.partitions) this.tellReaders(result.partitions).catch(() => undefined);
    if (result.appendError) {
      const fault = storageFault(result.appendError);
      for (const { reject } of appends) reject(fault);
    } else if (appends.length > 0) {
      this.#appended(events, result);
      resolveAppends(appends, result.duplicates);
      // If this fails, commits fail too. It is tried again after the next commit.
      if (result.untidy) writer.remote.tidy().catch(() => undefined);
    }
    for (const { bytes } of appends) this.#waitingBytes -= bytes;
    if (result.settleError) await this.#putBack(waiting);
    else for (const { resolve } of waiting) resolve();
  }

  #takeAppends(): WaitingAppend[] {
    let events = 0;
    let bytes = 0;
    let count = 0;
    for (const append of this.#appends) {
      if (count > 0 && (events + append.events.length > MAX_COMMIT_EVENTS || bytes + append.bytes > MAX_COMMIT_BYTES))
        break;
      events += append.events.length;
      bytes += append.bytes;
      count++;
    }
    return this.#appends.splice(0, count);
  }

  /** Queues delivery results again. They are never dropped: they wait for the disk, and the lanes wait with them. */
  async #putBack(waiting: readonly WaitingResults[]): Promise<void> {
    this.#results = [...waiting, ...this.#results];
    await pause(RETRY_MS, undefined, this.#options.clock);
  }
}

/** The result of a commit if the writer's thread has ended: both parts failed. */
function unanswered(error: Error): CommitResult {
  const failure: StoreError = { full: false, message: error.message };
  return { firstSeq: 0, duplicates: [], appendError: failure, settleError: failure, untidy: false, partitions: null };
}

/** Resolves each append with the duplicates among its own events. */
function resolveAppends(appends: readonly WaitingAppend[], duplicates: readonly number[]): void {
  let first = 0;
  let at = 0;
  for (const { events, resolve } of appends) {
    const own: number[] = [];
    for (let index = duplicates[at]; index !== undefined && index < first + events.length; index = duplicates[++at]) {
      own.push(index - first);
    }
    resolve({ duplicates: own });
    first += events.length;
  }
}
