import type { Bell } from '../core/bell.ts';
import { pause } from '../core/pause.ts';
import { Trouble } from '../core/trouble.ts';
import type { PeopleWorld } from './world.ts';

export interface WorkLoopsOptions extends Pick<PeopleWorld, 'clock' | 'report'> {
  /** Rings when there may be something to do. */
  readonly news: Bell;
  /** When something becomes due, milliseconds since the epoch; null for never. */
  readonly nextDue: () => number | null;
}

/** A jump of the clock, or a sleep of the machine, is noticed after this long, milliseconds. */
const LONGEST_MS = 30_000;
/** Wait after an error. */
const RETRY_MS = 1_000;

/** The loops of people/, and what failed in them. */
export class WorkLoops {
  readonly #options: WorkLoopsOptions;
  /** One for each loop that runs. */
  readonly #troubles = new Set<Trouble>();

  constructor(options: WorkLoopsOptions) {
    this.#options = options;
  }

  /** What failed at the last try, in words; null where nothing did. */
  trouble(): string | null {
    const all = Array.from(this.#troubles, (trouble) => trouble.words());
    return all.find((words) => words !== null) ?? null;
  }

  /**
   * Calls `turn` until the signal aborts, and waits where a turn found nothing to do, or failed. `what`: what did not happen when
   * a turn rejects, in words.
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
