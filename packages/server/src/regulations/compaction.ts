import { agedBefore, type Clock } from '../core/clock.ts';
import { JUMP_NOTICED_MS, Loop } from '../core/loop.ts';
import type { Service } from '../core/service.ts';
import type { Trouble } from '../core/trouble.ts';
import type { RegulationStore } from './contract.ts';
import type { Regulations } from './regulations.ts';

export interface CompactionOptions {
  readonly store: Pick<RegulationStore, 'askCompaction' | 'compactionAsked' | 'compactionDone'>;
  readonly regulations: Pick<Regulations, 'expire' | 'uncompacted' | 'compacted'>;
  /** Removes the bytes of erased events, notices and records from the files of the log. */
  readonly purge: (signal: AbortSignal) => Promise<void>;
  /** Removes the bytes of erased profiles from the files of people/. */
  readonly purgeProfiles: (signal: AbortSignal) => Promise<void>;
  /** Time of day, UTC: `02:00`. */
  readonly at: string;
  /** How long finished regulations are kept, milliseconds. */
  readonly keep: number;
  readonly clock: Clock;
  readonly trouble: Trouble;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Longest wait after a failed compaction. The first wait is a minute; each next one is twice as long. */
const LONGEST_RETRY = 60 * MINUTE;

/**
 * Compaction removes the bytes of deleted data from all files. It runs once a day, for all deletions since the last one, and when
 * it is asked for. It writes whole files again, so it costs the same for one deletion as for a thousand.
 *
 * One compaction runs at a time. If it is interrupted, or becomes due while no process runs, it runs after the next start. Before
 * each, and at the start, finished regulations that are older than `keep` are deleted. Of several processes, only the one that works on the
 * regulations is started; every process can ask for a compaction.
 */
export class Compaction implements Service {
  readonly #options: CompactionOptions;
  readonly #loop: Loop;
  /** When the last compaction of this process began; before the first, when the process began to compact. */
  #since = 0;
  #failures = 0;

  constructor(options: CompactionOptions) {
    this.#options = options;
    this.#loop = new Loop(options.clock, (signal) => this.#turn(signal));
  }

  /** Start the regulations first: they tell what is to be compacted. */
  async start(): Promise<void> {
    if (this.#loop.isRunning) return;
    [this.#since, this.#failures] = [this.#options.clock.now(), 0];
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#options.trouble.over();
  }

  /** Asks for a compaction now. The request is durable when this resolves. */
  async ask(): Promise<void> {
    const { store, clock } = this.#options;
    await store.askCompaction({ at: clock.now(), now: true });
    this.#loop.ring();
  }

  /** Another process may have asked for a compaction: reads the store again. */
  follow(): void {
    this.#loop.ring();
  }

  async #turn(signal: AbortSignal): Promise<number> {
    const { clock, regulations, keep, trouble } = this.#options;
    try {
      await regulations.expire(agedBefore(clock, keep));
      const due = await this.#due();
      const now = clock.now();
      if (due <= now) {
        await this.#compact(signal);
        this.#since = now;
      }
      this.#failures = 0;
      trouble.over();
      return due <= now ? 0 : Math.min(due - now, JUMP_NOTICED_MS);
    } catch (error) {
      if (!signal.aborted) trouble.failed(error);
      return Math.min(LONGEST_RETRY, MINUTE * 2 ** this.#failures++);
    }
  }

  /** When the next compaction is due. */
  async #due(): Promise<number> {
    const { store, regulations, at } = this.#options;
    const asked = await store.compactionAsked();
    // Not when it was asked: a clock that was ahead may have said so.
    if (asked?.now) return 0;
    const waiting = (await regulations.uncompacted()).map(({ erasedAt }) => erasedAt);
    return nextTime(at, Math.min(this.#since, asked?.at ?? this.#since, ...waiting));
  }

  async #compact(signal: AbortSignal): Promise<void> {
    const { store, regulations, purge, purgeProfiles } = this.#options;
    const waiting = await regulations.uncompacted();
    const asked = await store.compactionAsked();
    await purge(signal);
    // The profiles' files need it only then: nothing else removes data from them that must leave the files.
    if (waiting.length > 0 || asked) await purgeProfiles(signal);
    await regulations.compacted(waiting);
    if (asked) await store.compactionDone(asked.at);
  }
}

/** The first moment after `after` that has this time of day, UTC. */
function nextTime(time: string, after: number): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const ofDay = (hours * 60 + minutes) * MINUTE;
  return Math.floor((after - ofDay) / DAY) * DAY + DAY + ofDay;
}
