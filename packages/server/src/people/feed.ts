import type { Position } from '../core/event.ts';
import { aborted, pause, within } from '../core/pause.ts';
import { type Offsets, shardBounds } from '../core/position.ts';
import type { EntryPage } from '../log/contract.ts';
import type { PeopleWorld } from './world.ts';

type FeedWorld = Pick<PeopleWorld, 'log' | 'end' | 'shards' | 'clock' | 'rest'>;

/** Most entries of a page. */
const PAGE = 2_000;
/**
 * A page of fewer entries waits for what comes soon: in a steady flow, a step for a few calls each would cost most. The first
 * call after a rest is read at once.
 */
const FEW = 100;
const LINGER_MS = 50;
/** Longest time that a look at the rest of the log may take. */
const LOOK_MS = 500;

/** A question that waits until everything was handed out that the log had when it was asked. */
interface Question {
  readonly end: Offsets;
  readonly answer: () => void;
}

/**
 * Reads the log for people/ page by page, each shard from its own position, which the profiles store. The next page is read while
 * one is taken in.
 *
 * While there is no definition, the feed reads up to the end that the log had when the feed began, and then rests: many calls
 * taken in together cost less than steps of a few.
 */
export class Feed {
  readonly #world: FeedWorld;
  readonly #arrived: () => void;
  /** Pages that are being read, by the position before them. */
  readonly #ahead = new Map<Position, Promise<EntryPage>>();
  readonly #questions = new Set<Question>();
  #isLive = false;
  /** Whether there may be something to read. */
  #isDue = true;
  /** The log's end when the feed began to read; null where the feed may not rest there. */
  #end: Promise<Offsets> | null = null;
  /** Counts calls of `hurry`: a look at the log that began before the last one does not count. */
  #hurries = 0;
  /** Ends the wait. */
  #waiting = new AbortController();
  #lastPageAt = Number.NEGATIVE_INFINITY;
  /** The shard whose turn is next. */
  #turn = 0;

  /** `arrived` is called when there may be a page. */
  constructor(world: FeedWorld, arrived: () => void) {
    this.#world = world;
    this.#arrived = arrived;
  }

  /** Whether calls must be taken in as they come, because there are definitions. */
  set isLive(isLive: boolean) {
    const begins = isLive && !this.#isLive;
    this.#isLive = isLive;
    if (begins) this.hurry();
  }

  /** Ends the rest, because a question or an erasure waits. */
  hurry(): void {
    this.#end = null;
    this.#hurries++;
    if (this.#isDue) return;
    this.#waiting.abort();
    this.#isDue = true;
    this.#arrived();
  }

  /** Resolves when everything that the log has now was handed out and taken in. */
  async caughtUp(): Promise<void> {
    const end = await this.#world.end();
    await new Promise<void>((answer) => {
      this.#questions.add({ end, answer });
      this.hurry();
    });
  }

  /**
   * The next entries after these offsets, all of one shard. `through`: the offsets to stop at, whether the feed rests or not.
   * Null where there are none, or while the feed rests. Calling it says that the page before is taken in.
   */
  async page(reached: Offsets, through: Offsets | null = null): Promise<EntryPage | null> {
    const { log, shards, clock } = this.#world;
    this.#answer((end) => end.every((position, shard) => position <= (reached[shard] ?? 0)));
    if (!this.#isDue && through === null) return null;
    // Taken before the look: an entry that comes meanwhile must end the wait.
    const appended = log.nextAppend();
    const hurries = this.#hurries;
    const end = through ?? (await this.#restsAt());
    // Pages that are being read may go beyond that end.
    if (through !== null) this.#ahead.clear();
    for (let i = 0; i < shards; i++) {
      const shard = (this.#turn + i) % shards;
      const [first, last] = shardBounds(shard);
      const until = end === null ? last : (end[shard] ?? 0);
      const entries = await this.#read(reached[shard] ?? first, until);
      const at = entries?.positions.at(-1);
      if (!entries || at === undefined) continue;
      this.#turn = shard + 1;
      this.#lastPageAt = clock.now();
      if (through === null) this.#readAhead(at, until);
      const goesOn = end !== null || entries.positions.length >= FEW || hurries !== this.#hurries;
      if (!goesOn) void this.#wait((signal) => this.#linger(signal));
      return entries;
    }
    if (through !== null) return null;
    if (hurries !== this.#hurries) return this.page(reached);
    // Other entries that the questions waited for were removed.
    this.#answer(() => true);
    void this.#wait((signal) => this.#rest(appended, signal));
    return null;
  }

  /** Whether the log has something between these offsets. */
  async isBehind(reached: Offsets, through: Offsets): Promise<boolean> {
    for (const [shard, last] of through.entries()) {
      const after = reached[shard] ?? shardBounds(shard)[0];
      if (after < last && (await this.#isLeft(after, last))) return true;
    }
    return false;
  }

  /**
   * How far the log counts as taken in where these offsets are: to its end, in a shard that has nothing left to hand out. Where
   * its end can't be told, as on a full disk, to these offsets.
   */
  async takenIn(reached: Offsets): Promise<Offsets> {
    const end = await this.#world.end().catch(() => reached);
    const shards = Array.from({ length: this.#world.shards }, async (_, shard) => {
      const after = reached[shard] ?? shardBounds(shard)[0];
      const last = end[shard] ?? 0;
      return after < last && !(await this.#isLeft(after, last)) ? last : after;
    });
    return Promise.all(shards);
  }

  /** Whether the log holds an entry after a position and at or before another one of its shard. */
  async #isLeft(after: Position, last: Position): Promise<boolean> {
    return (await this.#world.log.scan(after, 1, last)).positions.length > 0;
  }

  /** How many entries come after these offsets, removed ones included; 0 where none of them is left to hand out. */
  async waiting(reached: Offsets): Promise<number> {
    const { log, shards, clock } = this.#world;
    const counts = Array.from({ length: shards }, async (_, shard) => {
      const [first, last] = shardBounds(shard);
      const after = reached[shard] ?? first;
      const count = await log.countAfter(after, last);
      if (count === 0) return 0;
      // An entry that can't be looked for in time counts as there.
      const isLeft = await within(LOOK_MS, this.#isLeft(after, last), () => true, clock).catch(() => true);
      return isLeft ? count : 0;
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  stop(): void {
    this.#waiting.abort();
    this.#ahead.clear();
  }

  /** Answers the questions for whose offsets `isOver` answers true. */
  #answer(isOver: (end: Offsets) => boolean): void {
    for (const question of this.#questions) {
      if (!isOver(question.end)) continue;
      this.#questions.delete(question);
      question.answer();
    }
  }

  /** The offsets at which the feed rests; null where it does not rest. */
  #restsAt(): Promise<Offsets> | null {
    if (this.#isLive) return null;
    this.#end ??= this.#world.end().catch((error: unknown) => {
      this.#end = null;
      throw error;
    });
    return this.#end;
  }

  /** Reads nothing until `over` resolves or `hurry` is called. */
  async #wait(over: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#isDue = false;
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    await over(signal);
    if (!signal.aborted) this.hurry();
  }

  #linger(signal: AbortSignal): Promise<void> {
    const { clock } = this.#world;
    return pause(this.#lastPageAt + LINGER_MS - clock.now(), signal, clock);
  }

  async #rest(appended: Promise<void>, signal: AbortSignal): Promise<void> {
    if (!this.#isLive) return pause(this.#world.rest, signal, this.#world.clock);
    await Promise.race([appended, aborted(signal)]);
    await this.#linger(signal);
  }

  async #read(after: Position, last: Position): Promise<EntryPage | null> {
    const reading = this.#ahead.get(after);
    // Removed first: a read that fails is done again by the next turn.
    this.#ahead.delete(after);
    const ahead = await reading;
    // The read may have begun before the last entry was appended.
    if (ahead !== undefined && ahead.positions.length > 0) return ahead;
    return after < last ? this.#world.log.scan(after, PAGE, last) : null;
  }

  #readAhead(after: Position, last: Position): void {
    if (after >= last) return;
    const entries = this.#world.log.scan(after, PAGE, last);
    // The error is reported by the turn that continues there.
    entries.catch(() => undefined);
    this.#ahead.set(after, entries);
  }
}
