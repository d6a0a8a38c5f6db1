import type { Clock } from '../core/clock.ts';
import { Fault } from '../core/fault.ts';
import { type Quota, quotaOf, type Source } from '../core/source.ts';
import { LIMITS } from './limits.ts';

/** Seconds of its rate that a source may send at once. */
const BURST_SECONDS = 10;
/** An address may send this part of the rate of a web or mobile source. */
const ADDRESS_SHARE = 1 / 4;
/** More addresses than that are not remembered; the one that was seen longest ago goes first. */
const MAX_ADDRESSES = 10_000;

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
 * The quotas of sources (decisions 8.4). A request is taken while its source, and of a web or mobile source its address, has
 * anything left: so a full batch always fits, and what it takes beyond what was left is waited for afterwards.
 */
export class Quotas {
  readonly #needs: QuotasNeeds;
  readonly #sources = new Map<string, Bucket>();
  readonly #addresses = new Map<string, Bucket>();

  constructor(needs: QuotasNeeds) {
    this.#needs = needs;
  }

  /** @throws Fault `quota_exceeded`, with the seconds to wait. */
  check(source: Source, ip: string): void {
    const quota = quotaOf(source);
    const now = this.#needs.clock.now();
    for (const { bucket, whose } of this.#bucketsOf(source, quota, ip)) {
      const wait = bucket.wait(now);
      if (wait > 0) throw exceeded(`${whose} sends more than its quota.`, wait);
    }
    if (quota.eventsPerDay !== null && this.#needs.today(source.id) >= quota.eventsPerDay) {
      const wait = DAY_SECONDS - (Math.floor(now / 1000) % DAY_SECONDS);
      throw exceeded(`The source has sent the ${quota.eventsPerDay} events of its quota today (UTC).`, wait);
    }
  }

  /** Counts what was sent, whether or not it is taken in the end. */
  charge({ source, ip, calls, bytes }: Sent): void {
    const now = this.#needs.clock.now();
    for (const { bucket } of this.#bucketsOf(source, quotaOf(source), ip)) bucket.take(calls, bytes, now);
  }

  /** Forgets sources that are gone. */
  retain(exists: (sourceId: string) => boolean): void {
    for (const id of this.#sources.keys()) if (!exists(id)) this.#sources.delete(id);
  }

  #bucketsOf(source: Source, quota: Quota, ip: string): readonly { bucket: Bucket; whose: string }[] {
    const rate = { calls: quota.eventsPerSecond, bytes: quota.bytesPerSecond };
    if (rate.calls === null && rate.bytes === null) return NONE;
    const share = 1 / this.#needs.nodes();
    const own = { bucket: bucketIn(this.#sources, source.id, scaled(rate, share)), whose: 'The source' };
    if (source.type === 'server') return [own];
    const key = `${source.id} ${this.#needs.addressKey(ip)}`;
    const bucket = bucketIn(this.#addresses, key, scaled(rate, share * ADDRESS_SHARE));
    // The last one that was seen is the last to go.
    this.#addresses.delete(key);
    this.#addresses.set(key, bucket);
    if (this.#addresses.size > MAX_ADDRESSES) this.#addresses.delete(this.#addresses.keys().next().value ?? '');
    return [{ bucket, whose: 'This address' }, own];
  }
}

const DAY_SECONDS = 86_400;

const NONE: readonly { bucket: Bucket; whose: string }[] = [];

function exceeded(message: string, seconds: number): Fault {
  return new Fault('quota_exceeded', message, { retryAfter: Math.ceil(seconds) });
}

/** A second; null for no bound. */
interface Rate {
  readonly calls: number | null;
  readonly bytes: number | null;
}

function scaled({ calls, bytes }: Rate, share: number): Rate {
  return { calls: calls === null ? null : calls * share, bytes: bytes === null ? null : bytes * share };
}

function bucketIn(buckets: Map<string, Bucket>, key: string, rate: Rate): Bucket {
  const bucket = buckets.get(key) ?? new Bucket();
  buckets.set(key, bucket);
  bucket.rate = rate;
  return bucket;
}

/** Two token buckets, of calls and of bytes. What is left may be less than nothing. */
class Bucket {
  rate: Rate = { calls: null, bytes: null };
  /** Taken and not given back yet. */
  #calls = 0;
  #bytes = 0;
  #at = 0;

  /** Seconds until something is left; 0 when something is. */
  wait(now: number): number {
    this.#refill(now);
    const { calls, bytes } = this.rate;
    return Math.max(
      calls === null ? 0 : owed(this.#calls, calls, LIMITS.batchCalls),
      bytes === null ? 0 : owed(this.#bytes, bytes, LIMITS.batchBytes),
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
    const { calls, bytes } = this.rate;
    this.#calls = calls === null ? 0 : Math.max(0, this.#calls - seconds * calls);
    this.#bytes = bytes === null ? 0 : Math.max(0, this.#bytes - seconds * bytes);
  }
}

/** Seconds until less than the burst is taken. */
function owed(taken: number, rate: number, least: number): number {
  const burst = Math.max(rate * BURST_SECONDS, least);
  return taken < burst ? 0 : (taken - burst + 1) / rate;
}
