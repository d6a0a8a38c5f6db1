import type { Clock } from '../core/clock.ts';
import type { Settlement } from '../core/delivery.ts';
import type { Event, LogEntry, Position } from '../core/event.ts';
import { Fault } from '../core/fault.ts';
import type { Lane } from '../core/lane.ts';
import type { Service } from '../core/service.ts';
import type {
  ErasedEvent,
  Erasure,
  Notice,
  Regulation,
  RegulationStore,
  RegulationType,
  Subject,
  SubjectSource,
} from './contract.ts';
import { type NoticeDelivery, noticeEvent, noticeId } from './notice.ts';
import { OpenNotices } from './open-notices.ts';
import { Pause } from './pause.ts';
import type { Suppressions } from './suppressions.ts';

export interface RegulationsOptions {
  readonly store: RegulationStore;
  readonly erasure: Erasure;
  readonly suppressions: Suppressions;
  readonly log: NoticeLog;
  /** All deliveries of one event. */
  readonly deliveriesOf: (position: Position) => Promise<readonly NoticeDelivery[]>;
  /** Whether the source has a destination that is on. */
  readonly isDelivered: (sourceId: string) => boolean;
  /** These events were removed: whoever delivers lets go of them. */
  readonly withdraw: (positions: ReadonlySet<Position>) => void;
  /** Everybody else who keeps something of users, outside of the log: removes it. Each is idempotent, and may be asked again. */
  readonly removers: readonly ((userIds: ReadonlySet<string>) => Promise<void>)[];
  readonly clock: Clock;
  /** A new id, `reg_…`. */
  readonly newId: () => string;
  readonly report: (error: unknown, regulationId: string) => void;
}

/** What is needed of the log (log/contract.ts). */
export interface NoticeLog {
  append(events: readonly Event[]): Promise<unknown>;
  find(messageId: string, sourceIds: readonly string[]): Promise<LogEntry | undefined>;
  lanes(): Promise<readonly Lane[]>;
}

/** Users whose notices are sent in one go. */
const PAGE = 100;
/** Wait after an error of the store. */
const STORE_RETRY_MS = 1_000;
/** Notices are looked at this often though nobody has said that they ended: their destination may be gone. */
const LOOK_MS = 60_000;

/** What is known of the regulation under way, beside what is saved. */
interface Search {
  readonly regulationId: string;
  readonly userIds: readonly string[];
  /** Events by source, by user. */
  readonly seen: Map<string, Map<string, number>>;
}

/**
 * Deletion requests (decisions 10.1). Each is durable, its suppressions too, when `create` resolves, and goes on from its
 * last step after a restart:
 *
 *     searching ──► erasing ──► notifying ──► delivering ──► finished
 *
 * - **searching**: the log's end is noted; events after it are another life of the user. Everything before it is looked
 *   through, and how many events of each user each source has is saved. Cut off, the search starts over: it only reads.
 * - **erasing**: page by page the user's events are removed and taken from whoever holds them, and the page is saved. Cut
 *   off between the two, the page has nothing left to remove. Then the files are purged.
 * - **notifying**: one delete message per user and source that has seen the user and has a destination that is on, appended
 *   by pages of users. Its messageId follows from regulation, user and source: a page that is repeated after a crash looks
 *   first which of them are in the log. They follow the removal, so that no receiver gets an event after its deletion.
 * - **delivering**: until each has ended at each destination. Then its receipts are saved and it is removed itself; one that
 *   failed is kept so that it can be replayed, and what comes of that is saved too, though the regulation is finished.
 * - **finished**: no file holds the users any more, except the regulation, its failed notices and suppressions.
 */
export class Regulations implements Service {
  readonly #options: RegulationsOptions;
  readonly #regulations = new Map<string, Regulation>();
  readonly #notices: OpenNotices;
  readonly #pause: Pause;
  readonly #stopping = new AbortController();
  #search: Search | null = null;
  /** Whether a page of notices may have been appended and not saved. */
  #unsure = true;
  #lookedAt = 0;
  #running: Promise<void> | null = null;

  constructor(options: RegulationsOptions) {
    this.#options = options;
    this.#pause = new Pause(options.clock);
    const { store, log, deliveriesOf } = options;
    this.#notices = new OpenNotices({ store, deliveriesOf, lanes: () => log.lanes() });
  }

  async start(): Promise<void> {
    if (this.#running) return;
    for (const regulation of await this.#options.store.regulations()) {
      this.#regulations.set(regulation.id, regulation);
      await this.#notices.watch(regulation);
    }
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#pause.end();
    await this.#running;
  }

  /** Begins a regulation: durable, and suppressing where it is asked to, when it resolves. Ids that are given twice count once. */
  async create(regulationType: RegulationType, subjectIds: readonly string[]): Promise<Regulation> {
    const { store, suppressions, clock, newId } = this.#options;
    const userIds = [...new Set(subjectIds.map((id) => id.toWellFormed()))];
    const regulation: Regulation = {
      id: newId(),
      regulationType,
      step: 'searching',
      createdAt: clock.now(),
      finishedAt: null,
      users: userIds.length,
      through: null,
      after: 0,
      events: { found: 0, erased: 0 },
      notices: { total: 0, ended: 0, failed: 0 },
    };
    await store.create(regulation, userIds);
    if (regulationType === 'SUPPRESS_WITH_DELETE') {
      suppressions.add(userIds.map((userId) => ({ userId, since: regulation.createdAt })));
    }
    this.#regulations.set(regulation.id, regulation);
    this.#pause.end();
    return regulation;
  }

  list(): readonly Regulation[] {
    return [...this.#regulations.values()];
  }

  get(id: string): Regulation | undefined {
    return this.#regulations.get(id);
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
    const { store, erasure } = this.#options;
    const regulation = this.#regulations.get(id);
    if (regulation === undefined) return;
    if (regulation.step !== 'finished')
      throw new Fault('conflict', `Regulation ${id} still runs: wait until it is finished`);
    const notices = this.#notices.of(id);
    this.#notices.close(notices);
    await this.#eraseNotices(notices);
    this.#regulations.delete(id);
    await store.delete(id);
    await erasure.purge(this.#stopping.signal);
  }

  /** Ends a suppression; answers whether there was one. */
  async lift(userId: string): Promise<boolean> {
    const lifted = await this.#options.suppressions.lift(userId);
    if (lifted) await this.#options.erasure.purge(this.#stopping.signal);
    return lifted;
  }

  /** Something has become of a message: it may be a notice. */
  settled(settlement: Pick<Settlement, 'entry' | 'state'>): void {
    if (this.#notices.settled(settlement)) this.#pause.end();
  }

  /** Page after page, until it is stopped. Never rejects. */
  async #run(): Promise<void> {
    const { clock, report } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const next = this.list().find(({ step }) => step !== 'delivering' && step !== 'finished');
      try {
        if (clock.now() - this.#lookedAt >= LOOK_MS) {
          this.#notices.lookAtAll();
          this.#lookedAt = clock.now();
        }
        await this.#receive();
        if (next) await this.#step(next);
        else if (!this.#notices.hasNews) await this.#pause.wait(LOOK_MS);
      } catch (error) {
        this.#unsure = true;
        this.#lookedAt = 0;
        if (this.#stopping.signal.aborted) return;
        report(error, next?.id ?? '');
        await this.#pause.wait(STORE_RETRY_MS);
      }
    }
  }

  #step(regulation: Regulation): Promise<void> {
    if (regulation.step === 'searching') return this.#searchPage(regulation);
    return regulation.step === 'erasing' ? this.#erasePage(regulation) : this.#notifyPage(regulation);
  }

  async #searchPage(regulation: Regulation): Promise<void> {
    const { erasure } = this.#options;
    if (regulation.through === null) {
      await this.#save({ ...regulation, through: await erasure.end() });
      return;
    }
    const begins = this.#search?.regulationId !== regulation.id;
    const { seen, userIds } = await this.#searchOf(regulation.id);
    const { events, next } = await erasure.find(userIds, begins ? 0 : regulation.after, regulation.through);
    for (const { userId, sourceId } of events) {
      const sources = seen.get(userId) ?? new Map<string, number>();
      seen.set(userId, sources.set(sourceId, (sources.get(sourceId) ?? 0) + 1));
    }
    if (next !== null) {
      // Only in memory: a search that is cut off starts over.
      this.#regulations.set(regulation.id, { ...regulation, after: next });
      return;
    }
    const subjects = userIds.map((userId, place) => ({ place, userId, sources: sourcesOf(seen.get(userId)) }));
    const found = subjects.flatMap(({ sources }) => sources).reduce((sum, { events }) => sum + events, 0);
    await this.#save({ ...regulation, step: 'erasing', after: 0, events: { found, erased: 0 } }, subjects);
  }

  async #erasePage(regulation: Regulation): Promise<void> {
    const { erasure, removers, withdraw } = this.#options;
    const { userIds } = await this.#searchOf(regulation.id);
    const { events, next } = await erasure.find(userIds, regulation.after, regulation.through ?? 0);
    if (events.length > 0) {
      await erasure.erase(events);
      withdraw(new Set(events.map(({ position }) => position)));
    }
    const { found } = regulation.events;
    const erased = Math.min(found, regulation.events.erased + events.length);
    if (next !== null) {
      await this.#save({ ...regulation, after: next, events: { found, erased } });
      return;
    }
    const users = new Set(userIds);
    for (const remove of removers) await remove(users);
    await erasure.purge(this.#stopping.signal);
    await this.#save({ ...regulation, step: 'notifying', after: 0, events: { found, erased: found } });
    this.#search = null;
  }

  async #notifyPage(regulation: Regulation): Promise<void> {
    const { store, log, isDelivered, clock } = this.#options;
    const subjects = await store.subjects(regulation.id, regulation.after, PAGE);
    if (subjects.length === 0) {
      const next = await this.#save({ ...regulation, step: 'delivering' });
      await this.#notices.watch(next);
      return;
    }
    const wanted = subjects.flatMap(({ userId, sources }) =>
      sources.filter(({ sourceId }) => isDelivered(sourceId)).map(({ sourceId }) => ({ userId, sourceId })),
    );
    const find = (userId: string, sourceId: string): Promise<LogEntry | undefined> =>
      log.find(noticeId(regulation.id, userId, sourceId), [sourceId]);
    const missing: Event[] = [];
    for (const { userId, sourceId } of wanted) {
      if (this.#unsure && (await find(userId, sourceId))) continue;
      missing.push(noticeEvent(regulation, userId, sourceId, clock.now()));
    }
    this.#unsure = true;
    if (missing.length > 0) await log.append(missing);
    let total = 0;
    const notified: Subject[] = [];
    for (const subject of subjects) {
      const sources: SubjectSource[] = [];
      for (const source of subject.sources) {
        // One that a crash cut off from its record is found here though no destination is on any more.
        const entry = await find(subject.userId, source.sourceId);
        const notice = entry ? waiting(entry) : null;
        if (notice) total++;
        sources.push({ ...source, notice });
      }
      notified.push({ ...subject, sources });
    }
    const notices = { ...regulation.notices, total: regulation.notices.total + total };
    await this.#save({ ...regulation, after: (subjects.at(-1)?.place ?? 0) + 1, notices }, notified);
    this.#unsure = false;
  }

  /** Takes in what has become of notices, and finishes what has none left. */
  async #receive(): Promise<void> {
    const { byRegulation, over } = await this.#notices.take();
    // Before it is saved: what became of them can be asked for again, whatever is cut off here.
    await this.#eraseNotices(over);
    let late = false;
    for (const [id, { subjects, ended, failed }] of byRegulation) {
      const regulation = this.#regulations.get(id);
      if (!regulation) continue;
      late ||= regulation.step === 'finished';
      const { notices } = regulation;
      const now = { total: notices.total, ended: notices.ended + ended, failed: notices.failed + failed };
      await this.#save({ ...regulation, notices: now }, [...subjects.values()]);
    }
    if (late) await this.#options.erasure.purge(this.#stopping.signal);
    this.#notices.close(over);
    for (const regulation of this.#regulations.values()) {
      const { step, notices } = regulation;
      if (step !== 'delivering' || notices.ended < notices.total) continue;
      await this.#options.erasure.purge(this.#stopping.signal);
      await this.#save({ ...regulation, step: 'finished', finishedAt: this.#options.clock.now() });
    }
  }

  async #eraseNotices(notices: readonly ErasedEvent[]): Promise<void> {
    if (notices.length === 0) return;
    await this.#options.erasure.erase(notices);
    this.#options.withdraw(new Set(notices.map(({ position }) => position)));
  }

  async #searchOf(regulationId: string): Promise<Search> {
    if (this.#search?.regulationId !== regulationId) {
      const subjects = await this.#options.store.subjects(regulationId, 0, Number.MAX_SAFE_INTEGER);
      this.#search = { regulationId, userIds: subjects.map(({ userId }) => userId), seen: new Map() };
    }
    return this.#search;
  }

  async #save(regulation: Regulation, subjects: readonly Subject[] = []): Promise<Regulation> {
    await this.#options.store.save(regulation, subjects);
    this.#regulations.set(regulation.id, regulation);
    return regulation;
  }
}

function waiting({ messageId, position }: LogEntry): Notice {
  return { messageId, position, state: 'waiting', receipts: [] };
}

function sourcesOf(events: ReadonlyMap<string, number> | undefined): SubjectSource[] {
  return [...(events ?? [])].map(([sourceId, count]) => ({ sourceId, events: count, notice: null }));
}
