import { Bell } from '../core/bell.ts';
import type { Clock } from '../core/clock.ts';
import type { LogEntry, Position } from '../core/event.ts';
import { aborted, pause } from '../core/pause.ts';
import { type Cut, shardBounds } from '../core/position.ts';
import type { EventLog } from '../log/contract.ts';

/** What is needed of the log. */
export type FeedLog = Pick<EventLog, 'scan' | 'nextAppend' | 'countAfter'>;

export interface FeedOptions {
  readonly log: FeedLog;
  /** How many shards the log has. */
  readonly shards: number;
  readonly clock: Clock;
  /** Longest that calls stay in the log while there is no audience and no trait, milliseconds. */
  readonly rest: number;
}

/**
 * What arrives soon after a page goes with the next one: in a flood of calls, steps for a few of them each would be the dearest part. The
 * first call after a rest is there at once.
 */
const LINGER_MS = 50;
/** Most entries of a page. */
const PAGE = 2_000;

/**
 * Reads the log for people/, page by page, each shard from a position of its own, which the profiles keep. While a page is taken in the
 * next one is on its way.
 *
 * While there is no definition, the feed rests when it has come to the end: many calls taken in together cost less than a step every
 * moment.
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #arrived: () => void;
  /** Pages that are on their way, by the position that they begin after. */
  readonly #ahead = new Map<Position, Promise<readonly LogEntry[]>>();
  #isLive = false;
  /** There may be something to read. */
  #isDue = true;
  /** Ends the wait. */
  #waiting = new AbortController();
  #lastPageAt = Number.NEGATIVE_INFINITY;
  /** The shard that has the next turn. */
  #turn = 0;
  /** Rings at the end of the log. */
  readonly #ended = new Bell();

  /** `arrived` is called when there may be a page. */
  constructor(options: FeedOptions, arrived: () => void) {
    this.#options = options;
    this.#arrived = arrived;
  }

  /** Whether something waits for each call. */
  set isLive(isLive: boolean) {
    const begins = isLive && !this.#isLive;
    this.#isLive = isLive;
    if (begins) this.hurry();
  }

  /** Ends the rest: a question or an erasure waits for what there is. */
  hurry(): void {
    if (this.#isDue) return;
    this.#waiting.abort();
    this.#isDue = true;
    this.#arrived();
  }

  /** Resolves when everything was handed out that the log holds now, and the page before the last look is done with. */
  async caughtUp(): Promise<void> {
    const ended = this.#ended.next;
    this.hurry();
    await ended;
  }

  /**
   * The next entries after a cut, all of one shard; up to another cut, where there is one, whether it rests or not. None when there are
   * none, or while it rests.
   */
  async page(reached: Cut, through: Cut | null = null): Promise<readonly LogEntry[]> {
    const { log, shards, clock } = this.#options;
    if (!this.#isDue && through === null) return [];
    // Before it looks: of what comes meanwhile it must hear.
    const appended = log.nextAppend();
    for (let i = 0; i < shards; i++) {
      const shard = (this.#turn + i) % shards;
      const [first, last] = shardBounds(shard);
      const after = reached[shard] ?? first;
      const entries = through === null ? await this.#read(after, last) : await this.#upTo(after, through[shard] ?? 0);
      const end = entries.at(-1)?.position;
      if (end === undefined) continue;
      this.#turn = shard + 1;
      this.#lastPageAt = clock.now();
      if (through === null) this.#readAhead(end, last);
      return entries;
    }
    if (through === null) {
      this.#isDue = false;
      this.#ended.ring();
      void this.#wait(appended);
    }
    return [];
  }

  /** Whether there is something between two cuts. */
  async isBehind(reached: Cut, through: Cut): Promise<boolean> {
    for (const [shard, last] of through.entries()) {
      const after = reached[shard] ?? shardBounds(shard)[0];
      if (after < last && (await this.#options.log.scan(after, 1, last)).length > 0) return true;
    }
    return false;
  }

  /** How many entries come after a cut. */
  async waiting(reached: Cut): Promise<number> {
    const { log, shards } = this.#options;
    const counts = Array.from({ length: shards }, (_, shard) => {
      const [first, last] = shardBounds(shard);
      return log.countAfter(reached[shard] ?? first, last);
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  stop(): void {
    this.#waiting.abort();
    this.#ahead.clear();
  }

  async #wait(appended: Promise<void>): Promise<void> {
    const { clock, rest } = this.#options;
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    if (this.#isLive) {
      await Promise.race([appended, aborted(signal)]);
      await pause(this.#lastPageAt + LINGER_MS - clock.now(), signal, clock);
    } else await pause(rest, signal, clock);
    if (!signal.aborted) this.hurry();
  }

  async #upTo(after: Position, last: Position): Promise<readonly LogEntry[]> {
    this.#ahead.clear();
    return after < last ? this.#options.log.scan(after, PAGE, last) : [];
  }

  async #read(after: Position, last: Position): Promise<readonly LogEntry[]> {
    const ahead = await this.#ahead.get(after);
    this.#ahead.delete(after);
    // It may have looked before the last one was appended.
    return ahead !== undefined && ahead.length > 0 ? ahead : this.#options.log.scan(after, PAGE, last);
  }

  #readAhead(after: Position, last: Position): void {
    const entries = this.#options.log.scan(after, PAGE, last);
    // The turn that reads on from there reports it.
    entries.catch(() => undefined);
    this.#ahead.set(after, entries);
  }
}
