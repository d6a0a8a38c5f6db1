import type { Bell } from '../core/bell.ts';
import type { Clock } from '../core/clock.ts';
import { pause } from '../core/pause.ts';

export interface WorkLoopsOptions {
  /** Rings when there may be something to do. */
  readonly news: Bell;
  /** When time alone brings something to do, epoch milliseconds; null for never. */
  readonly nextDue: () => number | null;
  readonly clock: Clock;
  /** Is told what went wrong, and that it is tried again. */
  readonly report: (error: unknown, what: string) => void;
}

/** Wait after an error. */
const RETRY_MS = 1_000;

/** The loops of people/, and what stands in their way. */
export class WorkLoops {
  readonly #options: WorkLoopsOptions;
  /** What failed at its last try, and why. */
  readonly #failing = new Map<string, string>();

  constructor(options: WorkLoopsOptions) {
    this.#options = options;
  }

  /** What could not be done at its last try, in words; null where nothing failed. */
  trouble(): string | null {
    const [first] = this.#failing;
    return first ? first.join(': ') : null;
  }

  /**
   * Takes turns until the signal aborts; waits where a turn found nothing to do, and after an error. `what` says what did not
   * happen where a turn rejects.
   */
  async run(signal: AbortSignal, turn: () => Promise<boolean>, what: string): Promise<void> {
    const { news, nextDue, clock, report } = this.#options;
    while (!signal.aborted) {
      const next = news.next;
      try {
        const worked = await turn();
        this.#failing.delete(what);
        if (worked) continue;
        const due = nextDue();
        await (due === null ? next : news.heard(next, Math.max(0, due - clock.now()), clock));
      } catch (error) {
        if (signal.aborted) break;
        this.#failing.set(what, (error as Error).message);
        report(error, `${what}; trying again`);
        await pause(RETRY_MS, signal, clock);
      }
    }
    this.#failing.delete(what);
  }
}
