import { BoundedMap } from '../core/bounded-map.ts';
import type { Clock } from '../core/clock.ts';
import { Fault } from '../core/fault.ts';
import { type Quota, quotaOf, type Source } from '../core/source.ts';
import { LIMITS } from './limits.ts';

/** Seconds of its rate that a source may send at once. */
const BURST_SECONDS = 10;
/** An address may send this part of the rate of a web or mobile source. */
const ADDRESS_SHARE = 1 / 4;
/** More sources, and more addresses, than that are not remembered; what sent longest ago goes first. */
const MOST_REMEMBERED = 10_000;

export interface QuotasNeeds {
  readonly clock: Pick<Clock, 'now'>;
  /** Processes that take calls for the same sources: each allows its part of the rates. */
  nodes(): number;
  /** Events of a source that were accepted today (UTC), on all nodes, as far as is known. */
  today(sourceId: string): number;
  /** What one caller has of an address: of IPv6, many. */
  addressKey(address: string): string;
}

/** Who sends how much. */
export interface Sent {
  readonly source: Source;
  readonly ip: string;
  readonly calls: number;
  /** Bytes that are stored of them. */
  readonly bytes: number;
}

/**
 * The quotas of sources (contract 8.4). A request is taken while its source, and of a web or mobile source its address, has
 * anything left: so a full batch always fits, and what it takes beyond what was left is waited for afterwards.
 */
export class Quotas {
  readonly #needs: QuotasNeeds;
  readonly #sources = new BoundedMap<string, Bucket>(MOST_REMEMBERED);
  readonly #addresses = new BoundedMap<string, Bucket>(MOST_REMEMBERED);

  constructor(needs: QuotasNeeds) {
    this.#needs = needs;
  }

  /** @throws Fault `quota_exceeded`, with the seconds to wait. */
  check(source: Source, ip: string): void {
    const quota = quotaOf(source);
    const now = this.#needs.clock.now();
    // The address first: one visitor must not use up what all others have.
    refuseOver('This address', this.#ofAddress(source, quota, ip), now);
    refuseOver('The source', this.#ofSource(source, quota), now);
    if (quota.eventsPerDay !== null && this.#needs.today(source.id) >= quota.eventsPerDay) {
      const wait = DAY_SECONDS - (Math.floor(now / 1000) % DAY_SECONDS);
      throw exceeded(`The source has used up its quota of ${quota.eventsPerDay} events a day (UTC).`, wait);
    }
  }

  /** Counts what was sent, whether or not it is taken in the end. */
  charge({ source, ip, calls, bytes }: Sent): void {
    const quota = quotaOf(source);
    const now = this.#needs.clock.now();
    this.#ofAddress(source, quota, ip)?.take(calls, bytes, now);
    this.#ofSource(source, quota)?.take(calls, bytes, now);
  }

  #ofSource(source: Source, quota: Quota): Bucket | null {
    return isUnbounded(quota) ? null : bucketIn(this.#sources, source.id).at(quota, 1 / this.#needs.nodes());
  }

  #ofAddress(source: Source, quota: Quota, ip: string): Bucket | null {
    if (source.type === 'server' || isUnbounded(quota)) return null;
    const key = `${source.id} ${this.#needs.addressKey(ip)}`;
    return bucketIn(this.#addresses, key).at(quota, ADDRESS_SHARE / this.#needs.nodes());
  }
}

function bucketIn(buckets: BoundedMap<string, Bucket>, key: string): Bucket {
  const bucket = buckets.get(key) ?? new Bucket();
  // The last one that was seen is the last to go.
  buckets.set(key, bucket);
  return bucket;
}

const DAY_SECONDS = 86_400;

function isUnbounded({ eventsPerSecond, bytesPerSecond }: Quota): boolean {
  return eventsPerSecond === null && bytesPerSecond === null;
}

function refuseOver(whose: string, bucket: Bucket | null, now: number): void {
  const wait = bucket === null ? 0 : bucket.wait(now);
  if (wait > 0) throw exceeded(`${whose} sends more than its quota.`, wait);
}

function exceeded(message: string, seconds: number): Fault {
  return new Fault('quota_exceeded', message, { retryAfter: Math.ceil(seconds) });
}

/** Two token buckets, of calls and of bytes. What is left may be less than nothing. */
class Bucket {
  /** A second; null for no bound. */
  #callRate: number | null = null;
  #byteRate: number | null = null;
  /** Taken and not given back yet. */
  #calls = 0;
  #bytes = 0;
  #at = 0;

  /** The same with a part of the rates of a quota, which may be new. */
  at({ eventsPerSecond, bytesPerSecond }: Quota, share: number): this {
    this.#callRate = eventsPerSecond === null ? null : eventsPerSecond * share;
    this.#byteRate = bytesPerSecond === null ? null : bytesPerSecond * share;
    return this;
  }

  /** Seconds until something is left; 0 when something is. */
  wait(now: number): number {
    this.#refill(now);
    return Math.max(
      this.#callRate === null ? 0 : owed(this.#calls, this.#callRate, LIMITS.batchCalls),
      this.#byteRate === null ? 0 : owed(this.#bytes, this.#byteRate, LIMITS.batchBytes),
    );
  }

  take(calls: number, bytes: number, now: number): void {
    this.#refill(now);
    this.#calls += calls;
    this.#bytes += bytes;
  }

  /** A clock that was set back gives nothing back. */
  #refill(now: number): void {
    const seconds = Math.max(0, now - this.#at) / 1000;
    this.#at = now;
    this.#calls = this.#callRate === null ? 0 : Math.max(0, this.#calls - seconds * this.#callRate);
    this.#bytes = this.#byteRate === null ? 0 : Math.max(0, this.#bytes - seconds * this.#byteRate);
  }
}

/** Seconds until less than the burst is taken. */
function owed(taken: number, rate: number, least: number): number {
  const burst = Math.max(rate * BURST_SECONDS, least);
  return taken < burst ? 0 : (taken - burst + 1) / rate;
}
