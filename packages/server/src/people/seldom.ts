import type { Clock } from '../core/clock.ts';

export interface SeldomOptions<T> {
  readonly clock: Clock;
  /** Most of the time that questions may take: 0.1 keeps an answer for nine times as long as it took. */
  readonly share: number;
  /** Whether an answer may be kept at all. */
  readonly keeps: (answer: T) => boolean;
}

/** Asks a costly question only as often as its share of time allows; in between it gives the last answer again. */
export function seldom<T>(ask: () => Promise<T>, { clock, share, keeps }: SeldomOptions<T>): () => Promise<T> {
  let kept: { readonly answer: T; readonly until: number } | null = null;
  return async () => {
    const begun = clock.now();
    if (kept && begun < kept.until) return kept.answer;
    const answer = await ask();
    const now = clock.now();
    kept = keeps(answer) ? { answer, until: now + (now - begun) * (1 / share - 1) } : null;
    return answer;
  };
}
