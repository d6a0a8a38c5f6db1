import { onceAMinute } from './once-a-minute.ts';

/** How long failures must go on before they are shown, milliseconds: most errors are over at the next try, a second later. */
const LASTING_MS = 10_000;
/** A failure that is older than this is over, milliseconds. */
const OVER_MS = 15_000;
/** So many destinations are named. */
const NAMED = 3;

interface Failures {
  readonly since: number;
  readonly lastAt: number;
  readonly words: string;
}

export interface DeliveryTroubleOptions {
  readonly now: () => number;
  /** Writes a log line: at most one a minute for each destination. `failures`: how many there were since the last line. */
  readonly log: (fields: { err: unknown; destinationId: string | null; failures: number }, message: string) => void;
}

/**
 * Failures to read what is to be delivered, and to record what became of it. All of these are tried again every second, for good; a
 * try that waits for new events does not say that it has succeeded. So what counts is whether failures keep coming.
 */
export class DeliveryTrouble {
  readonly #now: () => number;
  readonly #log: DeliveryTroubleOptions['log'];
  readonly #lineDue: (subject: string) => number | null;
  /** By destination; null: it concerns all. */
  readonly #failures = new Map<string | null, Failures>();

  constructor({ now, log }: DeliveryTroubleOptions) {
    this.#now = now;
    this.#log = log;
    this.#lineDue = onceAMinute(now);
  }

  /** `what`: what did not happen, in words. */
  failed(what: string, error: unknown, destinationId: string | null = null): void {
    const now = this.#now();
    const before = this.#failures.get(destinationId);
    const since = before && now - before.lastAt <= OVER_MS ? before.since : now;
    const words = `${what}: ${error instanceof Error ? error.message : String(error)}`;
    this.#failures.set(destinationId, { since, lastAt: now, words });
    const failures = this.#lineDue(destinationId ?? '');
    if (failures !== null) this.#log({ err: error, destinationId, failures }, `${what}; trying again`);
  }

  /** What has kept failing, why, and for which destinations; null where nothing has. */
  words(): string | null {
    const now = this.#now();
    for (const [id, { lastAt }] of this.#failures) if (now - lastAt > OVER_MS) this.#failures.delete(id);
    const lasting = [...this.#failures].filter(([, { since, lastAt }]) => lastAt - since >= LASTING_MS);
    const [first] = lasting;
    if (!first) return null;
    const ids = lasting.flatMap(([id]) => id ?? []);
    const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : '';
    return `${first[1].words}${ids.length === 0 ? '' : ` (${ids.slice(0, NAMED).join(', ')}${more})`}`;
  }
}
