import type { Clock } from '../core/clock.ts';

export interface SeldomOptions<T> {
  readonly clock: Clock;
  /** Most of the time that questions may take: 0.1 keeps an answer for nine times as long as it took. */
  readonly share: number;
  /** Whether an answer may be kept at all. */
  readonly keeps: (answer: T) => boolean;
}

/** Asks a costly question only as often as its share of time allows; in between it gives the last answer again. */
export class Seldom<T> {
  readonly #ask: () => Promise<T>;
  readonly #options: SeldomOptions<T>;
  #kept: { readonly answer: T; readonly until: number } | null = null;

  constructor(ask: () => Promise<T>, options: SeldomOptions<T>) {
    this.#ask = ask;
    this.#options = options;
  }

  async get(): Promise<T> {
    const { clock, share, keeps } = this.#options;
    const begun = clock.now();
    if (this.#kept && begun < this.#kept.until) return this.#kept.answer;
    const answer = await this.#ask();
    const now = clock.now();
    this.#kept = keeps(answer) ? { answer, until: now + (now - begun) * (1 / share - 1) } : null;
    return answer;
  }
}
