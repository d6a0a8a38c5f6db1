import type { Outcome } from '../core/delivery.ts';

/** A destination is logged this often at most. */
const QUIET_MS = 60_000;

/** Logs that a destination does not answer in time: at once, and then each minute with the count. */
export class Timeouts {
  readonly #now: () => number;
  readonly #say: (destinationId: string, timeouts: number) => void;
  /** When a destination was logged last, and its timeouts since. */
  readonly #said = new Map<string, { readonly at: number; more: number }>();

  constructor(now: () => number, say: (destinationId: string, timeouts: number) => void) {
    this.#now = now;
    this.#say = say;
  }

  attempted(destinationId: string, { error }: Pick<Outcome, 'error'>): void {
    if (error !== 'timeout') return;
    const now = this.#now();
    const said = this.#said.get(destinationId);
    if (said !== undefined && now - said.at < QUIET_MS && now >= said.at) {
      said.more += 1;
      return;
    }
    this.#said.set(destinationId, { at: now, more: 0 });
    this.#say(destinationId, 1 + (said?.more ?? 0));
  }
}
