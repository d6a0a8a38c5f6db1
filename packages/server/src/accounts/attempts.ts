import ipaddr from 'ipaddr.js';
import { BoundedMap } from '../core/bounded-map.ts';
import type { Clock } from '../core/clock.ts';

export interface AttemptLimits {
  /** Failures that are free. */
  readonly free: number;
  /** From then on one attempt is let through in this time, milliseconds. */
  readonly every: number;
}

/** Failures are forgotten this long after the first one, milliseconds. */
const WINDOW = 15 * 60 * 1000;
/** More keys than that are not remembered; the oldest goes first. */
const MAX_KEYS = 10_000;

interface Failures {
  count: number;
  /** When one was let through last. */
  last: number;
  /** When they are forgotten, milliseconds since the epoch. */
  readonly until: number;
}

/**
 * Counts failed attempts by key and slows down who has many: never so far that the right secret is kept out for good. In
 * memory, bounded.
 */
export class Attempts {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limits: AttemptLimits;
  readonly #failures = new BoundedMap<string, Failures>(MAX_KEYS);

  constructor(clock: Pick<Clock, 'now'>, limits: AttemptLimits = { free: 10, every: 30_000 }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Takes an attempt, which counts as failed until `succeeded` says otherwise: those that run side by side count too.
   * Answers null, or how many seconds to wait; then nothing was counted.
   */
  take(keys: readonly string[]): number | null {
    const wait = this.wait(keys);
    if (wait === null) for (const key of keys) this.#count(key, this.#clock.now());
    return wait;
  }

  /** What `take` would answer; counts nothing. */
  wait(keys: readonly string[]): number | null {
    const now = this.#clock.now();
    const wait = Math.max(0, ...keys.map((key) => this.#waitOf(key, now)));
    return wait > 0 ? Math.ceil(wait / 1000) : null;
  }

  /** Takes back what `take` counted for these keys. Failures from before stay: one's own success buys no more guesses. */
  succeeded(keys: readonly string[]): void {
    for (const key of keys) {
      const failures = this.#failures.get(key);
      if (failures && --failures.count === 0) this.#failures.delete(key);
    }
  }

  /** How many have failed lately. */
  failed(key: string): number {
    const failures = this.#failures.get(key);
    return failures && failures.until > this.#clock.now() ? failures.count : 0;
  }

  #waitOf(key: string, now: number): number {
    const failures = this.#failures.get(key);
    if (!failures || failures.until <= now || failures.count < this.#limits.free) return 0;
    return Math.min(failures.last + this.#limits.every, failures.until) - now;
  }

  #count(key: string, now: number): void {
    const failures = this.#failures.get(key);
    if (failures && failures.until > now) {
      failures.count += 1;
      failures.last = now;
      return;
    }
    this.#failures.set(key, { count: 1, last: now, until: now + WINDOW });
  }
}

/** The address as attempts are counted by: of IPv6 the first 64 bits, all of which one caller may have. */
export function addressKey(address: string): string {
  // Of IPv4 it is the address itself, and most are.
  if (!address.includes(':')) return address;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
