import { Bell } from '../core/bell.ts';
import type { Clock } from '../core/clock.ts';
import type { Service } from '../core/service.ts';
import { nextRound, type RetryPolicy } from '../deliver/schedule.ts';
import type { Address, AlertStore, Notice } from './contract.ts';
import type { SendNotice, Sent } from './sending.ts';

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
/** Wait after an error of the store. */
const STORE_RETRY_MS = 5_000;
const LOOK_MS = 60_000;
/** Most notices that wait; the oldest beyond them go. */
const MOST_WAITING = 1_000;

/**
 * Sends what was written into the outbox, to each address one after the other in the order of writing, at least once. A notice that
 * fails is tried again by the schedule of deliveries (5 s to 10 min, for 24 h); one that the receiver refuses is given up. No
 * address waits for another.
 */
export class Outbox implements Service {
  readonly #options: OutboxOptions;
  readonly #news = new Bell();
  /** In the order of writing; null until they were read. */
  #waiting: Notice[] | null = null;
  /** Sent or given up, and still in the store. */
  readonly #over = new Set<string>();
  /** Addresses whose newest attempt failed. */
  readonly #failing = new Set<string>();
  #stopping = false;
  #running: Promise<void> | null = null;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#stopping = false;
    this.#waiting = null;
    this.#running ??= this.#run();
  }

  /** Attempts that are under way are waited for. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#news.ring();
    await this.#running;
    this.#running = null;
    this.#failing.clear();
  }

  /** How many addresses the newest attempt did not reach, in words; null where it reached each. */
  async trouble(): Promise<string | null> {
    const all = await this.#options.addresses();
    const failing = all.filter(({ id }) => this.#failing.has(id)).length;
    return failing === 0
      ? null
      : `notices of alerts did not reach ${failing} of ${all.length} addresses at the last try`;
  }

  /** These were written into the store. */
  add(notices: readonly Notice[]): void {
    this.#waiting?.push(...notices);
    this.#news.ring();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const next = this.#news.next;
      const wait = await this.#pass().catch((error: unknown) => {
        this.#options.log.error({ err: error }, 'notices of alerts could not be read or written; trying again');
        return STORE_RETRY_MS;
      });
      if (!this.#stopping && wait > 0) await this.#news.heard(next, wait, this.#options.clock);
    }
  }

  /** Makes an attempt for each address whose turn has come; answers how long nothing is due, milliseconds. */
  async #pass(): Promise<number> {
    const { store, clock, addresses, log } = this.#options;
    await this.#remove();
    this.#waiting ??= [...(await store.notices())];
    if (this.#waiting.length === 0) return LOOK_MS;
    const known = new Map((await addresses()).map((address) => [address.id, address]));
    const wanted = this.#waiting.filter(({ addressId }) => known.has(addressId));
    const kept = wanted.slice(-MOST_WAITING);
    const tooMany = wanted.length - kept.length;
    if (tooMany > 0) log.error({ notices: tooMany }, 'too many notices of alerts wait: the oldest were given up');
    await this.#drop(this.#waiting.filter((notice) => !kept.includes(notice)));
    const heads = [...Map.groupBy(kept, ({ addressId }) => addressId).values()].flatMap(([first]) => first ?? []);
    const due = heads.filter(({ dueAt }) => dueAt <= clock.now());
    await Promise.all(due.map((notice) => this.#attempt(notice, known.get(notice.addressId) as Address)));
    if (due.length > 0) return 0;
    return Math.max(1, Math.min(LOOK_MS, ...heads.map(({ dueAt }) => dueAt - clock.now())));
  }

  async #attempt(notice: Notice, address: Address): Promise<void> {
    const { store, clock, send, random, log } = this.#options;
    const firstAt = notice.firstAt ?? clock.now();
    const sent = await send(address, notice);
    if (sent.outcome === 'sent') {
      this.#failing.delete(address.id);
      return this.#drop([notice]);
    }
    this.#failing.add(address.id);
    const rounds = notice.rounds + 1;
    const next = this.#next(sent, { rounds, firstAt, now: clock.now(), random: random() });
    const told = { addressId: address.id, kind: address.kind, type: notice.type, rounds, detail: sent.detail };
    if (next === null) {
      log.error(told, 'a notice of an alert was given up');
      return this.#drop([notice]);
    }
    log.warn(told, 'a notice of an alert could not be sent; trying again');
    const later = { ...notice, rounds, firstAt, dueAt: next.dueAt };
    this.#waiting?.splice(this.#waiting.indexOf(notice), 1, later);
    await store.saveNotice(later);
  }

  #next({ outcome, retryAfter }: Sent, state: Omit<Parameters<typeof nextRound>[0], 'retryAfter'>) {
    return outcome === 'refused' ? null : nextRound({ ...state, retryAfter }, POLICY);
  }

  async #drop(notices: readonly Notice[]): Promise<void> {
    // First here: while the store takes nothing, none is sent again.
    this.#waiting = this.#waiting?.filter((notice) => !notices.includes(notice)) ?? null;
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
