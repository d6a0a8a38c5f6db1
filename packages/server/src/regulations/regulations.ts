import pLimit from 'p-limit';
import type { Clock } from '../core/clock.ts';
import type { DeliveryResult } from '../core/delivery.ts';
import type { Position } from '../core/event.ts';
import { Fault } from '../core/fault.ts';
import { Loop } from '../core/loop.ts';
import { BEYOND_ALL } from '../core/position.ts';
import type { Service } from '../core/service.ts';
import type { Trouble } from '../core/trouble.ts';
import type {
  ErasedEvent,
  Erasure,
  Profiles,
  Receipt,
  Regulation,
  RegulationStep,
  RegulationStore,
  RegulationType,
  Subject,
} from './contract.ts';
import { countsOf } from './notice.ts';
import { type NotifierOptions, notify } from './notifier.ts';
import { OpenNotices } from './open-notices.ts';
import { type Reach, reachOf } from './reach.ts';
import { Search } from './search.ts';
import type { Suppressions } from './suppressions.ts';

export interface RegulationsOptions {
  readonly store: RegulationStore;
  readonly erasure: Erasure;
  readonly suppressions: Suppressions;
  readonly log: NotifierOptions['log'];
  /** All deliveries of one event. */
  readonly deliveriesOf: (position: Position) => Promise<readonly Receipt[]>;
  /** Whether the source has a destination that is on. */
  readonly isDelivered: (sourceId: string) => boolean;
  /** The deliverer drops these events: they were removed. */
  readonly withdraw: (positions: ReadonlySet<Position>) => void;
  /** The profiles of users (people/). */
  readonly profiles: Profiles;
  /** All other places that keep data of users outside the log: each removes it. Each is idempotent and may be called again. */
  readonly removers: readonly ((userIds: ReadonlySet<string>) => Promise<void>)[];
  readonly clock: Clock;
  /** Notices are checked at least this often, even if no result was reported, milliseconds. */
  readonly lookEvery: number;
  /** A new id, `reg_…`. */
  readonly newId: () => string;
  readonly trouble: Trouble;
}

/** A regulation whose users were removed, with the time of that, milliseconds since the epoch. */
export interface Uncompacted {
  readonly id: string;
  readonly erasedAt: number;
}

/** Wait after an error of the store, milliseconds. */
const STORE_RETRY_MS = 1_000;

/**
 * Deletion requests (contract 10.1). A request and its suppressions are durable when `create` resolves. After a restart it
 * continues from its last saved step:
 *
 *     searching ──► erasing ──► notifying ──► delivering ──► finished
 *
 * - **searching**: erases the users' profiles at the current end of the log and notes that end. Later events belong to new
 *   profiles. Until the erasing is over, people/ keeps all ids of the users' persons. The log up to the noted end is searched
 *   for these ids. The number of each user's events from each source is saved. After an interruption the search starts over.
 * - **erasing**: removes the events page by page, takes them from all who hold them, then saves the page. A page that is
 *   repeated after an interruption finds nothing left to remove. From then on nothing can read the events. Their bytes leave
 *   the files with the next compaction (compaction.ts), which runs at the same time as the other steps.
 * - **notifying**: appends delete messages, by pages of users: one per user and source, if the source has seen the user and
 *   has a destination that is on. The messageId is derived from regulation, user and source, so a page that is repeated after
 *   a crash finds the messages already in the log. It follows the removal: no receiver gets an event after its deletion.
 * - **delivering**: saves the receipt of each destination as it comes, waits until each message has ended at each destination, and
 *   removes the message. A failed message stays so that it can be replayed; the result is saved even after the regulation is finished.
 * - **finished**: only the regulation, its failed notices and the suppressions still name the users.
 *
 * Of several processes, the one that is started does the work. Every process can create, delete and read regulations. The store
 * alone knows them: the working process reads each step from it, so it finds what others began or deleted, and what a write did
 * whose answer was lost.
 */
export class Regulations implements Service {
  readonly #options: RegulationsOptions;
  readonly #notices: OpenNotices;
  /** Works page by page. */
  readonly #loop: Loop;
  #search: Search | null = null;
  /** Removed events, or events about to be removed, that a lane or a reader may still hold. */
  readonly #toWithdraw = new Set<Position>();
  readonly #saving = pLimit(1);
  /** One removal at a time: else the first to end would withdraw events that another has not yet removed. */
  readonly #erasing = pLimit(1);
  /** When all open notices were last checked; null if some may not be watched. */
  #lookedAt: number | null = null;

  constructor(options: RegulationsOptions) {
    this.#options = options;
    const { store, log, deliveriesOf, clock } = options;
    this.#loop = new Loop(clock, (signal) => this.#turn(signal));
    this.#notices = new OpenNotices({ store, deliveriesOf, lanes: () => log.lanes() });
  }

  async start(): Promise<void> {
    if (this.#loop.isRunning) return;
    this.#search = null;
    this.#notices.clear();
    this.#lookedAt = null;
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#options.trouble.over();
  }

  /** Another process may have begun or deleted a regulation: reads the store again. */
  follow(): void {
    this.#loop.ring();
  }

  /** Begins a regulation. When it resolves, the regulation is durable, and suppresses if its type says so. Repeated ids count once. */
  async create(regulationType: RegulationType, subjectIds: readonly string[]): Promise<Regulation> {
    const { store, suppressions, clock, newId } = this.#options;
    const userIds = distinct(subjectIds);
    const regulation: Regulation = {
      id: newId(),
      regulationType,
      step: 'searching',
      createdAt: clock.now(),
      finishedAt: null,
      users: userIds.length,
      ids: null,
      erasedAt: null,
      compactedAt: null,
      through: null,
      after: 0,
      events: { found: 0, erased: 0 },
      notices: countsOf({ total: 0, ended: 0, failed: 0 }),
    };
    await store.create(regulation, userIds);
    if (regulationType === 'SUPPRESS_WITH_DELETE') {
      suppressions.add(userIds.map((userId) => ({ userId, since: regulation.createdAt })));
    }
    this.#loop.ring();
    return regulation;
  }

  /** What a regulation of these users would affect now. Changes nothing. */
  reach(subjectIds: readonly string[]): Promise<Reach> {
    return reachOf(distinct(subjectIds), this.#options);
  }

  list(): Promise<readonly Regulation[]> {
    return this.#options.store.regulations();
  }

  async get(id: string): Promise<Regulation | undefined> {
    return (await this.#options.store.regulations({ id }))[0];
  }

  subjects(id: string, from: number, limit: number): Promise<readonly Subject[]> {
    return this.#options.store.subjects(id, from, limit);
  }

  /**
   * Deletes a finished regulation, and with it the last data about its users.
   *
   * @throws Fault `conflict` while it runs.
   */
  async delete(id: string): Promise<void> {
    const { store, clock } = this.#options;
    const regulation = await this.get(id);
    if (regulation === undefined) return;
    if (regulation.step !== 'finished')
      throw new Fault('conflict', `Regulation ${id} still runs: wait until it is finished`);
    const notices = await this.#notices.of(regulation);
    this.#notices.forget(id);
    await this.#erase(notices);
    // Without the regulation nothing would remember that files still contain its users' bytes.
    if (regulation.compactedAt === null) await store.askCompaction({ at: clock.now(), now: false });
    await store.delete(id);
  }

  /** Deletes the regulations that finished before a time. */
  async expire(before: number): Promise<void> {
    const old = (await this.list()).filter(({ finishedAt }) => finishedAt !== null && finishedAt < before);
    for (const { id } of old) await this.delete(id);
  }

  /** Regulations whose users are removed, but whose bytes may still be in files. */
  async uncompacted(): Promise<readonly Uncompacted[]> {
    return (await this.list()).flatMap(({ id, erasedAt, compactedAt }) =>
      erasedAt != null && compactedAt === null ? [{ id, erasedAt }] : [],
    );
  }

  /** No file contains the events and profiles of these regulations any more. */
  async compacted(regulations: readonly Uncompacted[]): Promise<void> {
    const compactedAt = this.#options.clock.now();
    for (const { id } of regulations) await this.#save(id, { compactedAt });
  }

  /** A delivery has a result. It may be the delivery of a notice. */
  settled(result: Pick<DeliveryResult, 'entry' | 'state'>): void {
    if (this.#notices.settled(result)) this.#loop.ring();
  }

  async #turn(signal: AbortSignal): Promise<number> {
    const { store, clock, trouble, lookEvery } = this.#options;
    let next: Regulation | undefined;
    try {
      if (this.#lookedAt === null) {
        for (const regulation of await this.list()) await this.#notices.watch(regulation);
        this.#lookedAt = clock.now();
      } else if (clock.now() - this.#lookedAt >= lookEvery) {
        this.#notices.lookAtAll();
        this.#lookedAt = clock.now();
      }
      await this.#receive();
      const running = await store.regulations('running');
      for (const regulation of running) {
        const { id, step, notices } = regulation;
        // Another process that led before may have begun this step.
        if (step === 'delivering' && !this.#notices.isWatched(regulation)) await this.#notices.watch(regulation);
        if (step !== 'delivering' || notices.ended < notices.total) continue;
        await this.#save(id, { step: 'finished', finishedAt: clock.now() });
      }
      next = running.find(({ step }) => step !== 'delivering');
      if (next) await this.#step(next, signal);
      trouble.over();
      return next || this.#notices.hasNews ? 0 : lookEvery;
    } catch (error) {
      // A page may have been counted but not saved, or a notice forgotten whose result was not saved.
      this.#search = null;
      this.#lookedAt = null;
      if (!signal.aborted) trouble.failed(error, next && { regulationId: next.id });
      return STORE_RETRY_MS;
    }
  }

  #step(regulation: Regulation, signal: AbortSignal): Promise<void> {
    if (regulation.step === 'searching') return this.#searchPage(regulation, signal);
    return regulation.step === 'erasing' ? this.#erasePage(regulation, signal) : this.#notifyPage(regulation);
  }

  async #searchPage(regulation: Regulation, signal: AbortSignal): Promise<void> {
    const { erasure } = this.#options;
    const search = await this.#searchOf(regulation, signal);
    if (regulation.through === null) {
      await this.#save(regulation.id, { through: search.through });
      return;
    }
    const { ids, anonymousIds, after } = search;
    const page = await erasure.find(ids, after, search.through, anonymousIds);
    search.add(page);
    if (page.next !== null) return;
    const { found, subjects } = search;
    const reached = { ids: ids.length, events: { found, erased: 0 } };
    await this.#save(regulation.id, { ...reached, step: 'erasing', after: 0 }, subjects);
  }

  async #erasePage(regulation: Regulation, signal: AbortSignal): Promise<void> {
    const { erasure, removers, profiles, clock } = this.#options;
    const { found } = regulation.events;
    if (regulation.after === BEYOND_ALL) {
      await profiles.finishErasure(regulation.id, signal);
      const events = { found, erased: found };
      await this.#save(regulation.id, { step: 'notifying', after: 0, events, erasedAt: clock.now() });
      this.#search = null;
      return;
    }
    const { ids, anonymousIds } = await this.#searchOf(regulation, signal);
    const { events, next } = await erasure.find(ids, regulation.after, regulation.through ?? [], anonymousIds);
    await this.#erase(events);
    const users = new Set(ids);
    if (next === null) for (const remove of removers) await remove(users);
    const removed = new Set(events.map(({ position }) => position)).size;
    const erased = Math.min(found, regulation.events.erased + removed);
    await this.#save(regulation.id, { after: next ?? BEYOND_ALL, events: { found, erased } }, [], regulation.step);
  }

  async #notifyPage(regulation: Regulation): Promise<void> {
    const page = await notify(this.#options, regulation, regulation.after);
    const last = page.subjects.at(-1);
    if (!last) {
      await this.#save(regulation.id, { step: 'delivering' });
      await this.#notices.watch({ ...regulation, step: 'delivering' });
      return;
    }
    const notices = { ...regulation.notices, total: regulation.notices.total + page.notices };
    await this.#save(regulation.id, { after: last.place + 1, notices }, page.subjects, regulation.step);
  }

  /** Saves the results of notices. */
  async #receive(): Promise<void> {
    const { byRegulation, over } = await this.#notices.take();
    // Erased before the results are saved: after an interruption the results can be read again.
    await this.#erase(over);
    for (const [id, { subjects, ...more }] of byRegulation) {
      const regulation = await this.get(id);
      if (!regulation) continue;
      const { total, ended, delivered, failed, filtered } = countsOf(regulation.notices);
      const notices = {
        ...{ total, ended: ended + more.ended, delivered: delivered + more.delivered },
        ...{ failed: failed + more.failed, filtered: filtered + more.filtered },
      };
      await this.#save(id, { notices }, [...subjects.values()]);
    }
    this.#notices.close(over);
  }

  /** Removes events, then takes them from all who hold them. Includes events whose withdrawal an earlier error prevented. */
  #erase(events: readonly ErasedEvent[]): Promise<void> {
    return this.#erasing(async () => {
      if (events.length === 0 && this.#toWithdraw.size === 0) return;
      for (const { position } of events) this.#toWithdraw.add(position);
      await this.#options.erasure.erase(events);
      this.#options.withdraw(new Set(this.#toWithdraw));
      this.#toWithdraw.clear();
    });
  }

  async #searchOf({ id }: Regulation, signal: AbortSignal): Promise<Search> {
    if (this.#search?.regulationId !== id) {
      const { store, profiles } = this.#options;
      const subjects = await store.subjects(id, 0, Number.MAX_SAFE_INTEGER);
      const userIds = subjects.map(({ userId }) => userId);
      this.#search = new Search(id, userIds, await profiles.erase(id, userIds, signal));
    }
    return this.#search;
  }

  /** One save at a time: a compaction saves its result while a step runs. */
  #save(
    id: string,
    changes: Partial<Regulation>,
    subjects: readonly Subject[] = [],
    at?: RegulationStep,
  ): Promise<void> {
    return this.#saving(async () => {
      const known = await this.get(id);
      if (known && (at === undefined || known.step === at))
        await this.#options.store.save({ ...known, ...changes }, subjects);
    });
  }
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.toWellFormed()))];
}
