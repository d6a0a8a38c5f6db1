import type { Clock } from '../core/clock.ts';
import { Loop } from '../core/loop.ts';
import { pause } from '../core/pause.ts';
import type { Service } from '../core/service.ts';
import { nextRound, type RetryPolicy } from '../deliver/schedule.ts';
import type { Address, AlertStore, Notice } from './contract.ts';
import type { SendNotice } from './sending.ts';

export interface OutboxOptions {
  readonly store: Pick<AlertStore, 'settings' | 'notices' | 'saveNotice' | 'removeNotices'>;
  readonly addresses: () => Promise<readonly Address[]>;
  readonly send: SendNotice;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Record<'warn' | 'error', (what: object, words: string) => void>;
}

const POLICY: RetryPolicy = { base: 5_000, cap: 600_000, window: 86_400_000 };
/** Wait after an error of the store, milliseconds. */
const STORE_RETRY_MS = 5_000;
const LOOK_MS = 60_000;
const NOT_WRITTEN = 'notices of alerts could not be read or written; trying again';
/** The most notices that wait. Beyond that, the oldest are given up. */
const MOST_WAITING = 1_000;

/**
 * Sends the notices of the outbox at least once, to each address in the order of writing. A failed notice is tried again by the
 * schedule of deliveries (5 s to 10 min, for 24 h). A notice that the receiver refuses is given up. Addresses do not wait for
 * each other.
 */
export class Outbox implements Service {
  readonly #options: OutboxOptions;
  readonly #loop: Loop;
  /** Ids of notices that were sent or given up, but are still in the store. */
  readonly #over = new Set<string>();
  /** Ids of addresses whose latest attempt failed. */
  readonly #failing = new Set<string>();
  /** Running attempts, by address. None of the promises rejects. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#loop = new Loop(options.clock, (signal) =>
      this.#pass(signal).catch((error: unknown) => {
        options.log.error({ err: error }, NOT_WRITTEN);
        return STORE_RETRY_MS;
      }),
    );
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  /** Aborts running attempts. Their notices are sent after the next start. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#underWay.values());
    this.#failing.clear();
  }

  /** In words, how many addresses the latest attempt did not reach; null if all were reached. */
  async trouble(): Promise<string | null> {
    const all = await this.#options.addresses();
    const failing = all.filter(({ id }) => this.#failing.has(id)).length;
    return failing === 0
      ? null
      : `notices of alerts did not reach ${failing} of ${all.length} addresses at the last try`;
  }

  /** New notices may be in the store. */
  wake(): void {
    this.#loop.ring();
  }

  /** Starts an attempt for each address that has a due notice. Answers the time until the next look, milliseconds. */
  async #pass(signal: AbortSignal): Promise<number> {
    const { clock, addresses, log } = this.#options;
    // Taken before the read, which may not have what an attempt writes at its end. That attempt wakes the loop.
    const busy = new Set(this.#underWay.keys());
    await this.#remove();
    const waiting = await this.#read();
    const known = new Map((await addresses()).map((address) => [address.id, address]));
    const wanted = waiting.filter(({ addressId }) => known.has(addressId));
    const kept = wanted.slice(-MOST_WAITING);
    const tooMany = wanted.length - kept.length;
    if (tooMany > 0) log.error({ notices: tooMany }, 'too many notices of alerts wait: the oldest were given up');
    await this.#drop(waiting.filter((notice) => !kept.includes(notice)));
    const heads = [...Map.groupBy(kept, ({ addressId }) => addressId).values()].flatMap(([first]) => first ?? []);
    const free = heads.filter(({ addressId }) => !busy.has(addressId));
    const now = clock.now();
    for (const notice of free.filter(({ dueAt }) => dueAt <= now))
      this.#begin(notice, known.get(notice.addressId) as Address, signal);
    return Math.max(1, Math.min(LOOK_MS, ...free.map(({ dueAt }) => dueAt - now).filter((wait) => wait > 0)));
  }

  #begin(notice: Notice, address: Address, signal: AbortSignal): void {
    const { clock, log } = this.#options;
    const attempt = this.#attempt(notice, address, signal)
      .catch((error: unknown) => {
        log.error({ err: error }, NOT_WRITTEN);
        return pause(STORE_RETRY_MS, signal, clock);
      })
      .finally(() => {
        this.#underWay.delete(address.id);
        this.#loop.ring();
      });
    this.#underWay.set(address.id, attempt);
  }

  async #read(): Promise<Notice[]> {
    const { store, clock } = this.#options;
    const notices = (await store.notices()).filter(({ id }) => !this.#over.has(id));
    const now = clock.now();
    // A first attempt in the future was noted when the clock was wrong.
    const isWrong = ({ firstAt }: Notice): boolean => firstAt !== null && firstAt > now;
    return notices.map((notice) => (isWrong(notice) ? { ...notice, rounds: 0, firstAt: null, dueAt: now } : notice));
  }

  async #attempt(notice: Notice, address: Address, signal: AbortSignal): Promise<void> {
    const { store, clock, send, random, log } = this.#options;
    const firstAt = notice.firstAt ?? clock.now();
    const sent = await send(address, notice, signal);
    if (sent.outcome === 'sent') {
      this.#failing.delete(address.id);
      return this.#drop([notice]);
    }
    // An aborted attempt says nothing about the address.
    if (signal.aborted && sent.outcome === 'failed') return;
    this.#failing.add(address.id);
    const rounds = notice.rounds + 1;
    // Later notices to this address wait for this one, so a receiver's wish is limited to the longest wait of the schedule.
    const retryAfter = Math.min(sent.retryAfter ?? 0, POLICY.cap);
    const state = { rounds, firstAt, now: clock.now(), retryAfter, random: random() };
    const dueAt = sent.outcome === 'refused' ? null : nextRound(state, POLICY);
    const told = { addressId: address.id, kind: address.kind, type: notice.type, rounds, detail: sent.detail };
    if (dueAt === null) {
      log.error(told, 'a notice of an alert was given up');
      return this.#drop([notice]);
    }
    log.warn(told, 'a notice of an alert could not be sent; trying again');
    await store.saveNotice({ ...notice, rounds, firstAt, dueAt });
  }

  async #drop(notices: readonly Notice[]): Promise<void> {
    // Noted in memory first: so a notice is not sent again while the store fails.
    for (const { id } of notices) this.#over.add(id);
    await this.#remove();
  }

  async #remove(): Promise<void> {
    const ids = [...this.#over];
    if (ids.length === 0) return;
    await this.#options.store.removeNotices(ids);
    for (const id of ids) this.#over.delete(id);
  }
}
