import ipaddr from 'ipaddr.js';
import { BoundedMap } from '../core/bounded-map.ts';
import type { Clock } from '../core/clock.ts';

export interface AttemptLimits {
  /** Failures before attempts are slowed down. */
  readonly free: number;
  /** After these failures, one attempt is allowed in this time, milliseconds. */
  readonly every: number;
}

/** Failures are forgotten this long after the first one, milliseconds. */
const WINDOW = 15 * 60 * 1000;
/** The most keys remembered. The oldest is dropped first. */
const MAX_KEYS = 10_000;

interface Failures {
  count: number;
  /** When an attempt was last allowed, milliseconds since the epoch. */
  last: number;
  /** When the failures are forgotten, milliseconds since the epoch. */
  readonly until: number;
}

/** Counts failed attempts by key, and slows down a key that has many. The right secret is never locked out for good. In memory, bounded. */
export class Attempts {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limits: AttemptLimits;
  readonly #failures = new BoundedMap<string, Failures>(MAX_KEYS);

  constructor(clock: Pick<Clock, 'now'>, limits: AttemptLimits = { free: 10, every: 30_000 }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Counts an attempt, as failed until `succeeded` is called: so attempts that run at the same time count too. Answers null if
   * the attempt may run. Else answers the seconds to wait, and counts nothing.
   */
  take(key: string): number | null {
    const wait = this.wait(key);
    if (wait !== null) return wait;
    const now = this.#clock.now();
    const failures = this.#failures.get(key);
    if (failures && failures.until > now) Object.assign(failures, { count: failures.count + 1, last: now });
    else this.#failures.set(key, { count: 1, last: now, until: now + WINDOW });
    return null;
  }

  /** The answer that `take` would give. Counts nothing. */
  wait(key: string): number | null {
    const now = this.#clock.now();
    const failures = this.#failures.get(key);
    if (!failures || failures.count < this.#limits.free) return null;
    const wait = Math.min(failures.last + this.#limits.every, failures.until) - now;
    return wait > 0 ? Math.ceil(wait / 1000) : null;
  }

  /** Undoes what `take` counted. Earlier failures stay: a success on an own account buys no more guesses on others. */
  succeeded(key: string): void {
    const failures = this.#failures.get(key);
    if (failures && --failures.count === 0) this.#failures.delete(key);
  }

  /** Failures that are not yet forgotten. */
  failed(key: string): number {
    const failures = this.#failures.get(key);
    return failures && failures.until > this.#clock.now() ? failures.count : 0;
  }
}

/** The key of an address for counting attempts. For IPv6 its first 64 bits: one caller may have all addresses below them. */
export function addressKey(address: string): string {
  // A quick answer for IPv4, the most frequent: the address itself.
  if (!address.includes(':')) return address;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
