import { Bell } from '../core/bell.ts';
import type { Clock } from '../core/clock.ts';
import type { Service } from '../core/service.ts';
import type { Trouble } from '../core/trouble.ts';
import type { RegulationStore } from './contract.ts';
import type { Regulations } from './regulations.ts';

export interface CompactionOptions {
  readonly store: Pick<RegulationStore, 'askCompaction' | 'compactionAsked' | 'compactionDone'>;
  readonly regulations: Pick<Regulations, 'expire' | 'uncompacted' | 'compacted'>;
  /** Takes the bytes of removed events, notices and records out of the files. */
  readonly purge: (signal: AbortSignal) => Promise<void>;
  /** The same for the profiles. */
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
/** Longest wait after a compaction that failed; the first wait is a minute, and each is twice the one before. */
const LONGEST_RETRY = 60 * MINUTE;

/**
 * Takes the bytes of what deletions removed out of all files: once a day for all deletions since the last time, and when it is
 * asked for. A compaction costs the same for one deletion and for a thousand, because whole files are written anew.
 *
 * One runs at a time. One that is cut off, or was due while no process ran, is made after the next start. With each, finished
 * regulations that are too old are forgotten. Of several processes, the one that works on the regulations is started; all can ask.
 */
export class Compaction implements Service {
  readonly #options: CompactionOptions;
  readonly #news = new Bell();
  #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /** The regulations must have been started. */
  async start(): Promise<void> {
    if (this.#running) return;
    this.#stopping = new AbortController();
    this.#running = this.#run(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#news.ring();
    await this.#running;
    this.#running = null;
    this.#options.trouble.over();
  }

  /** Asks for one now: durable when it resolves. */
  async ask(): Promise<void> {
    const { store, clock } = this.#options;
    await store.askCompaction({ at: clock.now(), now: true });
    this.#news.ring();
  }

  /** Another process may have asked for one. */
  follow(): void {
    this.#news.ring();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, trouble } = this.#options;
    let since = clock.now();
    let failures = 0;
    while (!signal.aborted) {
      const news = this.#news.next;
      let wait: number;
      try {
        wait = (await this.#due(since)) - clock.now();
        if (wait <= 0) {
          const begun = clock.now();
          await this.#compact(begun, signal);
          [since, failures] = [begun, 0];
          trouble.over();
          continue;
        }
      } catch (error) {
        if (signal.aborted) return;
        trouble.failed(error);
        wait = Math.min(LONGEST_RETRY, MINUTE * 2 ** failures++);
      }
      await this.#news.heard(news, wait, clock);
    }
  }

  /** When the next one is to be made. */
  async #due(since: number): Promise<number> {
    const { store, regulations, at } = this.#options;
    const asked = await store.compactionAsked();
    if (asked?.now) return asked.at;
    const waiting = regulations.uncompacted().map(({ erasedAt }) => erasedAt);
    return nextTime(at, Math.min(since, asked?.at ?? since, ...waiting));
  }

  async #compact(now: number, signal: AbortSignal): Promise<void> {
    const { store, regulations, purge, purgeProfiles, keep } = this.#options;
    await regulations.expire(now - keep);
    const waiting = regulations.uncompacted();
    const asked = await store.compactionAsked();
    await purge(signal);
    // Nothing else takes something out of the profiles that must not stay in their files.
    if (waiting.length > 0 || asked) await purgeProfiles(signal);
    await regulations.compacted(waiting);
    await store.compactionDone(now);
  }
}

/** The first moment after another that has this time of day, UTC. */
function nextTime(time: string, after: number): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const ofDay = (hours * 60 + minutes) * MINUTE;
  return Math.floor((after - ofDay) / DAY) * DAY + DAY + ofDay;
}
