import pLimit from 'p-limit';
import { Bell } from '../core/bell.ts';
import type { Clock } from '../core/clock.ts';
import type { DeliveryResult } from '../core/delivery.ts';
import type { Position } from '../core/event.ts';
import { Fault } from '../core/fault.ts';
import { BEYOND_ALL } from '../core/position.ts';
import type { Service } from '../core/service.ts';
import type { Trouble } from '../core/trouble.ts';
import type {
  ErasedEvent,
  Erasure,
  Profiles,
  Receipt,
  Regulation,
  RegulationStore,
  RegulationType,
  Subject,
} from './contract.ts';
import { Notifier, type NotifierOptions } from './notifier.ts';
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
  /** These events were removed: the deliverer lets go of them. */
  readonly withdraw: (positions: ReadonlySet<Position>) => void;
  /** What is known of users beside their events (people/). */
  readonly profiles: Profiles;
  /** Everybody else who keeps something of users, outside of the log: removes it. Each is idempotent, and may be asked again. */
  readonly removers: readonly ((userIds: ReadonlySet<string>) => Promise<void>)[];
  readonly clock: Clock;
  /** Notices are looked at this often though no one here has said that they ended, milliseconds. */
  readonly lookEvery: number;
  /** A new id, `reg_…`. */
  readonly newId: () => string;
  readonly trouble: Trouble;
}

/** A regulation whose users were removed at a time, milliseconds since the epoch. */
export interface Uncompacted {
  readonly id: string;
  readonly erasedAt: number;
}

/** Wait after an error of the store. */
const STORE_RETRY_MS = 1_000;

/**
 * Deletion requests (contract 10.1). Each is durable, its suppressions too, when `create` resolves, and goes on from its
 * last step after a restart:
 *
 *     searching ──► erasing ──► notifying ──► delivering ──► finished
 *
 * - **searching**: the users' profiles are erased at the log's end, which is noted; events after it are another life of
 *   theirs. All ids of the persons they were stay known to people/ until the erasing is over. Everything up to that end is
 *   looked through for these ids, and how many events of each user each source has is saved. Offsets off, the search starts over.
 * - **erasing**: page by page the events are removed and taken from all who hold them, and the page is saved. Offsets off
 *   between the two, the page has nothing left to remove. From then on nothing reads them; the bytes go with the next
 *   compaction (compaction.ts), which runs beside the other steps.
 * - **notifying**: one delete message per user and source that has seen the user and has a destination that is on, appended
 *   by pages of users. Its messageId follows from regulation, user and source: a page that is repeated after a crash looks
 *   first which of them are in the log. They follow the removal, so that no receiver gets an event after its deletion.
 * - **delivering**: until each has ended at each destination. Then its receipts are saved and it is removed itself; one that
 *   failed is kept so that it can be replayed, and what comes of that is saved too, though the regulation is finished.
 * - **finished**: nothing has the users now, except the regulation, its failed notices and suppressions.
 *
 * Of several processes, one is started and does the work. In all of them regulations can be begun, forgotten and looked at:
 * that is asked of the store, where the one that works finds it.
 */
export class Regulations implements Service {
  readonly #options: RegulationsOptions;
  readonly #regulations = new Map<string, Regulation>();
  readonly #notices: OpenNotices;
  readonly #news = new Bell();
  #stopping = new AbortController();
  readonly #notifier: Notifier;
  #search: Search | null = null;
  /** Events that were removed, or are about to be, and that a lane or a reader may still hold. */
  readonly #toWithdraw = new Set<Position>();
  readonly #saving = pLimit(1);
  /** What is withdrawn was removed: one that is done sooner must not take along what another still removes. */
  readonly #erasing = pLimit(1);
  #lookedAt = 0;
  /** Whether what is stored is what is known here. */
  #isSure = true;
  #running: Promise<void> | null = null;

  constructor(options: RegulationsOptions) {
    this.#options = options;
    const { store, log, deliveriesOf } = options;
    this.#notifier = new Notifier(options);
    this.#notices = new OpenNotices({ store, deliveriesOf, lanes: () => log.lanes() });
  }

  async start(): Promise<void> {
    if (this.#running) return;
    this.#search = null;
    this.#regulations.clear();
    this.#notices.clear();
    await this.#look();
    this.#lookedAt = 0;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#news.ring();
    await this.#running;
    this.#running = null;
    // A process that leads no more is still asked to forget and to lift.
    this.#stopping = new AbortController();
  }

  /** Another process may have begun or forgotten one. */
  async follow(): Promise<void> {
    if (!this.#running) return;
    await this.#look();
    this.#news.ring();
  }

  /** Begins a regulation: durable, and suppressing where it is asked to, when it resolves. Ids that are given twice count once. */
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
      notices: { total: 0, ended: 0, failed: 0, filtered: 0 },
    };
    await store.create(regulation, userIds);
    if (regulationType === 'SUPPRESS_WITH_DELETE') {
      suppressions.add(userIds.map((userId) => ({ userId, since: regulation.createdAt })));
    }
    // The process that works has perhaps found it already.
    if (this.#running && !this.#regulations.has(regulation.id)) this.#regulations.set(regulation.id, regulation);
    this.#news.ring();
    return regulation;
  }

  /** What a regulation of these users would reach if it began now; nothing is done. */
  reach(subjectIds: readonly string[]): Promise<Reach> {
    return reachOf(distinct(subjectIds), this.#options);
  }

  list(): Promise<readonly Regulation[]> {
    return this.#options.store.regulations();
  }

  async get(id: string): Promise<Regulation | undefined> {
    return (await this.list()).find((regulation) => regulation.id === id);
  }

  subjects(id: string, from: number, limit: number): Promise<readonly Subject[]> {
    return this.#options.store.subjects(id, from, limit);
  }

  /**
   * Forgets a finished regulation, and with it the last that is known of its users.
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
    this.#regulations.delete(id);
    // Nothing else knows that its users are in files still.
    if (regulation.compactedAt === null) await store.askCompaction({ at: clock.now(), now: false });
    await store.delete(id);
  }

  /** Forgets those that were finished before a time. */
  async expire(before: number): Promise<void> {
    const old = [...this.#regulations.values()].filter(({ finishedAt }) => finishedAt !== null && finishedAt < before);
    for (const { id } of old) await this.delete(id);
  }

  /** Those whose users nothing reads now, and whose bytes may still be in files; when that began. */
  uncompacted(): readonly Uncompacted[] {
    return [...this.#regulations.values()].flatMap(({ id, erasedAt, compactedAt }) =>
      erasedAt != null && compactedAt === null ? [{ id, erasedAt }] : [],
    );
  }

  /** No file now holds the events and the profiles of these. */
  async compacted(regulations: readonly Uncompacted[]): Promise<void> {
    const compactedAt = this.#options.clock.now();
    for (const { id } of regulations) await this.#save(id, { compactedAt });
  }

  /** Something has become of a message: it may be a notice. */
  settled(result: Pick<DeliveryResult, 'entry' | 'state'>): void {
    if (this.#notices.settled(result)) this.#news.ring();
  }

  /** Page after page, until it is stopped. Never rejects. */
  async #run(): Promise<void> {
    const { clock, trouble, lookEvery } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const news = this.#news.next;
      const next = [...this.#regulations.values()].find(({ step }) => step !== 'delivering' && step !== 'finished');
      try {
        if (clock.now() - this.#lookedAt >= lookEvery) {
          // What another process began while this one started, nothing told.
          await this.#look();
          this.#notices.lookAtAll();
          this.#lookedAt = clock.now();
          continue;
        }
        await this.#receive();
        if (next) await this.#step(next);
        trouble.over();
        if (!next && !this.#notices.hasNews) await this.#news.heard(news, lookEvery, clock);
      } catch (error) {
        this.#notifier.saved(false);
        // A page may have been counted and not saved, or saved and its answer lost.
        this.#search = null;
        this.#lookedAt = 0;
        this.#isSure = false;
        if (this.#stopping.signal.aborted) break;
        trouble.failed(error, next && { regulationId: next.id });
        await this.#news.heard(news, STORE_RETRY_MS, clock);
      }
    }
    trouble.over();
  }

  /** Takes up what is not known here, and lets go of what is gone; what is known is newer here, except after a failure. */
  #look(): Promise<void> {
    // In turn with what is saved: what was read before that is older.
    return this.#saving(async () => {
      const isSure = this.#isSure;
      this.#isSure = true;
      await this.#takeUp(isSure).catch((error: unknown) => {
        this.#isSure = false;
        throw error;
      });
    });
  }

  async #takeUp(isSure: boolean): Promise<void> {
    const known = [...this.#regulations.keys()];
    const stored = await this.list();
    const ids = new Set(stored.map(({ id }) => id));
    for (const id of known) {
      if (ids.has(id)) continue;
      this.#regulations.delete(id);
      this.#notices.forget(id);
    }
    for (const regulation of stored) {
      if (isSure && this.#regulations.has(regulation.id)) continue;
      this.#regulations.set(regulation.id, regulation);
      await this.#notices.watch(regulation);
    }
  }

  #step(regulation: Regulation): Promise<void> {
    if (regulation.step === 'searching') return this.#searchPage(regulation);
    return regulation.step === 'erasing' ? this.#erasePage(regulation) : this.#notifyPage(regulation);
  }

  async #searchPage(regulation: Regulation): Promise<void> {
    const { erasure } = this.#options;
    const begins = this.#search?.regulationId !== regulation.id;
    const search = await this.#searchOf(regulation);
    if (regulation.through === null) {
      await this.#save(regulation.id, { through: search.through });
      return;
    }
    const { events, next } = await erasure.find(search.ids, begins ? 0 : regulation.after, search.through);
    search.add(events);
    if (next !== null) {
      // Only in memory: a search that is cut off starts over.
      this.#regulations.set(regulation.id, { ...regulation, after: next });
      return;
    }
    const { found, subjects, ids } = search;
    const reached = { ids: ids.length, events: { found, erased: 0 } };
    await this.#save(regulation.id, { ...reached, step: 'erasing', after: 0 }, subjects);
  }

  async #erasePage(regulation: Regulation): Promise<void> {
    const { erasure, removers, profiles, clock } = this.#options;
    const { found } = regulation.events;
    if (regulation.after === BEYOND_ALL) {
      await profiles.finishErasure(regulation.id, this.#stopping.signal);
      const events = { found, erased: found };
      await this.#save(regulation.id, { step: 'notifying', after: 0, events, erasedAt: clock.now() });
      this.#search = null;
      return;
    }
    const { ids } = await this.#searchOf(regulation);
    const { events, next } = await erasure.find(ids, regulation.after, regulation.through ?? []);
    await this.#erase(events);
    const users = new Set(ids);
    if (next === null) for (const remove of removers) await remove(users);
    const removed = new Set(events.map(({ position }) => position)).size;
    const erased = Math.min(found, regulation.events.erased + removed);
    await this.#save(regulation.id, { after: next ?? BEYOND_ALL, events: { found, erased } });
  }

  async #notifyPage(regulation: Regulation): Promise<void> {
    const page = await this.#notifier.notify(regulation, regulation.after);
    const last = page.subjects.at(-1);
    if (!last) {
      await this.#save(regulation.id, { step: 'delivering' });
      await this.#notices.watch({ ...regulation, step: 'delivering' });
      return;
    }
    const notices = { ...regulation.notices, total: regulation.notices.total + page.notices };
    await this.#save(regulation.id, { after: last.place + 1, notices }, page.subjects);
    this.#notifier.saved(true);
  }

  /** Takes in what has become of notices, and finishes what has none left. */
  async #receive(): Promise<void> {
    const { byRegulation, over } = await this.#notices.take();
    // Before it is saved: what became of them can be asked for again when this is cut off.
    await this.#erase(over);
    for (const [id, { subjects, ...more }] of byRegulation) {
      const regulation = this.#regulations.get(id);
      if (!regulation) continue;
      const { total, ended, failed, filtered = 0 } = regulation.notices;
      const notices = {
        ...{ total, ended: ended + more.ended },
        ...{ failed: failed + more.failed, filtered: filtered + more.filtered },
      };
      await this.#save(id, { notices }, [...subjects.values()]);
    }
    this.#notices.close(over);
    for (const regulation of this.#regulations.values()) {
      const { id, step, notices } = regulation;
      if (step !== 'delivering' || notices.ended < notices.total) continue;
      await this.#save(id, { step: 'finished', finishedAt: this.#options.clock.now() });
    }
  }

  /** Removes events, and takes them from all who hold them: also those whose removal an error cut off from that. */
  #erase(events: readonly ErasedEvent[]): Promise<void> {
    return this.#erasing(async () => {
      if (events.length === 0 && this.#toWithdraw.size === 0) return;
      for (const { position } of events) this.#toWithdraw.add(position);
      await this.#options.erasure.erase(events);
      this.#options.withdraw(new Set(this.#toWithdraw));
      this.#toWithdraw.clear();
    });
  }

  async #searchOf({ id }: Regulation): Promise<Search> {
    if (this.#search?.regulationId !== id) {
      const { store, profiles } = this.#options;
      const subjects = await store.subjects(id, 0, Number.MAX_SAFE_INTEGER);
      const userIds = subjects.map(({ userId }) => userId);
      this.#search = new Search(id, userIds, await profiles.erase(id, userIds, this.#stopping.signal));
    }
    return this.#search;
  }

  /** In turn: a compaction saves what it did beside the step that runs. */
  #save(id: string, changes: Partial<Regulation>, subjects: readonly Subject[] = []): Promise<void> {
    return this.#saving(async () => {
      const known = this.#regulations.get(id);
      if (!known) return;
      const regulation = { ...known, ...changes };
      await this.#options.store.save(regulation, subjects);
      this.#regulations.set(id, regulation);
    });
  }
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.toWellFormed()))];
}
