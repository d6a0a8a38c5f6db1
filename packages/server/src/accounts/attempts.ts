import ipaddr from 'ipaddr.js';
import type { Clock } from '../core/clock.ts';

const MAX_FAILURES = 10;
const WINDOW = 15 * 60 * 1000;
/** More keys than that are not remembered; the oldest goes first. */
const MAX_KEYS = 10_000;

interface Failures {
  count: number;
  /** When they are forgotten, milliseconds since the epoch. */
  readonly until: number;
}

/** Counts failed attempts by key: ten in fifteen minutes, then no more until those are over. In memory, bounded. */
export class Attempts {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes an attempt, which counts as failed until `succeeded` says otherwise: those that run side by side count too.
   * Answers null, or how many seconds to wait; then nothing was counted.
   */
  take(keys: readonly string[]): number | null {
    const now = this.#clock.now();
    const waits = keys.map((key) => {
      const failures = this.#failures.get(key);
      return failures && failures.until > now && failures.count >= MAX_FAILURES ? failures.until - now : 0;
    });
    const wait = Math.max(0, ...waits);
    if (wait > 0) return Math.ceil(wait / 1000);
    for (const key of keys) this.#count(key, now);
    return null;
  }

  /** Takes back what `take` counted for these keys. Failures from before stay: one's own success buys no more guesses. */
  succeeded(keys: readonly string[]): void {
    for (const key of keys) {
      const failures = this.#failures.get(key);
      if (failures && --failures.count === 0) this.#failures.delete(key);
    }
  }

  #count(key: string, now: number): void {
    const failures = this.#failures.get(key);
    if (failures && failures.until > now) {
      failures.count++;
      return;
    }
    this.#failures.delete(key);
    this.#failures.set(key, { count: 1, until: now + WINDOW });
    if (this.#failures.size > MAX_KEYS) {
      const [oldest] = this.#failures.keys();
      if (oldest !== undefined) this.#failures.delete(oldest);
    }
  }
}

/** The address as attempts are counted by: of IPv6 the first 64 bits, all of which one caller may have. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
