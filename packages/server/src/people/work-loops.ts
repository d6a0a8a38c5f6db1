import type { Bell } from '../core/bell.ts';
import { pause } from '../core/pause.ts';
import { Trouble } from '../core/trouble.ts';
import type { PeopleWorld } from './world.ts';

export interface WorkLoopsOptions extends Pick<PeopleWorld, 'clock' | 'report'> {
  /** Rings when there may be something to do. */
  readonly news: Bell;
  /** When time alone brings something to do, epoch milliseconds; null for never. */
  readonly nextDue: () => number | null;
}

/** A machine that slept, or whose clock was set forward, is noticed after so long, milliseconds. */
const LONGEST_MS = 30_000;
/** Wait after an error. */
const RETRY_MS = 1_000;

/** The loops of people/, and what stands in their way. */
export class WorkLoops {
  readonly #options: WorkLoopsOptions;
  /** Of the loops that run. */
  readonly #troubles = new Set<Trouble>();

  constructor(options: WorkLoopsOptions) {
    this.#options = options;
  }

  /** What could not be done at its last try, in words; null where nothing failed. */
  trouble(): string | null {
    const all = Array.from(this.#troubles, (trouble) => trouble.words());
    return all.find((words) => words !== null) ?? null;
  }

  /**
   * Takes turns until the signal aborts; waits where a turn found nothing to do, and after an error. `what` says what did not
   * happen where a turn rejects.
   */
  async run(signal: AbortSignal, turn: () => Promise<boolean>, what: string): Promise<void> {
    const { news, nextDue, clock, report } = this.#options;
    const trouble = new Trouble(what, report);
    this.#troubles.add(trouble);
    while (!signal.aborted) {
      const next = news.next;
      try {
        const worked = await turn();
        trouble.over();
        if (worked) continue;
        const due = nextDue();
        const wait = due === null ? null : Math.min(Math.max(0, due - clock.now()), LONGEST_MS);
        await (wait === null ? next : news.heard(next, wait, clock));
      } catch (error) {
        if (signal.aborted) break;
        trouble.failed(error);
        await pause(RETRY_MS, signal, clock);
      }
    }
    this.#troubles.delete(trouble);
  }
}
