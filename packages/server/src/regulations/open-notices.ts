import { isDeepStrictEqual } from 'node:util';
import type { DeliveryResult } from '../core/delivery.ts';
import type { Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { ErasedEvent, Notice, Receipt, Regulation, RegulationStore, Subject, SubjectSource } from './contract.ts';
import { isNotice, isRefused, withResults } from './notice.ts';

export interface OpenNoticesOptions {
  readonly store: Pick<RegulationStore, 'subjects'>;
  readonly lanes: () => Promise<readonly Lane[]>;
  /** All deliveries of one event. */
  readonly deliveriesOf: (position: Position) => Promise<readonly Receipt[]>;
}

/** Notices of one regulation with new results: what is to be saved. */
export interface ChangedNotices {
  readonly subjects: ReadonlyMap<number, Subject>;
  /** The changes of the regulation's counts. */
  readonly ended: number;
  readonly delivered: number;
  readonly failed: number;
  readonly filtered: number;
}

/** A page of notices with new results. */
export interface ChangedPage {
  readonly byRegulation: ReadonlyMap<string, ChangedNotices>;
  /** The ended notices without the failed ones: they are final. */
  readonly over: readonly ErasedEvent[];
}

interface OpenNotice extends ErasedEvent {
  readonly regulationId: string;
  readonly place: number;
}

/** The most notices per page. */
const PAGE = 200;

/** The open delete notices: those that have not ended, and failed ones, which may be replayed. Tells which of them may have changed. */
export class OpenNotices {
  readonly #options: OpenNoticesOptions;
  readonly #open = new Map<Position, OpenNotice>();
  readonly #news = new Set<Position>();
  /** Ids of the regulations that were added. */
  readonly #watched = new Set<string>();

  constructor(options: OpenNoticesOptions) {
    this.#options = options;
  }

  /** Forgets all notices: another process may have changed them since. */
  clear(): void {
    this.#open.clear();
    this.#news.clear();
    this.#watched.clear();
  }

  isWatched({ id }: Regulation): boolean {
    return this.#watched.has(id);
  }

  get hasNews(): boolean {
    return this.#news.size > 0;
  }

  /** Adds the open notices of a regulation to the watched ones. */
  async watch(regulation: Regulation): Promise<void> {
    if (regulation.step === 'delivering') this.#watched.add(regulation.id);
    for await (const open of this.#stored(regulation)) {
      this.#open.set(open.position, open);
      this.#news.add(open.position);
    }
  }

  /** A delivery has a result. Answers whether it is of a watched notice. */
  settled({ entry, state }: Pick<DeliveryResult, 'entry' | 'state'>): boolean {
    if (!isNotice(entry) || state === 'retrying' || !this.#open.has(entry.position)) return false;
    this.#news.add(entry.position);
    return true;
  }

  /** Marks all watched notices for a check: no result arrives if, for example, the destination was deleted. */
  lookAtAll(): void {
    for (const position of this.#open.keys()) this.#news.add(position);
  }

  /** A page of the notices that have a result since they were last checked. */
  async take(): Promise<ChangedPage> {
    const page = [...this.#news].slice(0, PAGE);
    for (const position of page) this.#news.delete(position);
    const byRegulation = new Map<string, ChangedNotices>();
    const over: ErasedEvent[] = [];
    if (page.length === 0) return { byRegulation, over };
    const [lanes, deliveries] = await Promise.all([
      this.#options.lanes(),
      Promise.all(page.map((position) => this.#options.deliveriesOf(position))),
    ]);
    for (const [i, position] of page.entries()) {
      const open = this.#open.get(position);
      if (!open) continue;
      const { regulationId, place, sourceId } = open;
      const taken = byRegulation.get(regulationId) ?? NOTHING;
      const subject = taken.subjects.get(place) ?? (await this.#subject(open));
      const source = subject?.sources.find(({ notice }) => notice?.position === position);
      const before = source?.notice;
      if (!subject || !before) {
        // Another process has deleted the regulation.
        this.#open.delete(position);
        continue;
      }
      const ofSource = lanes.filter((lane) => lane.sourceId === sourceId);
      const notice = withResults(before, ofSource, deliveries[i] ?? []);
      if (notice.state === 'delivered' || notice.state === 'filtered') over.push(open);
      if (isDeepStrictEqual(notice, before)) continue;
      const more = (state: Notice['state']): number => Number(notice.state === state) - Number(before.state === state);
      byRegulation.set(regulationId, {
        subjects: new Map(taken.subjects).set(place, withNotice(subject, source, notice)),
        ended: taken.ended - more('waiting'),
        delivered: taken.delivered + more('delivered'),
        failed: taken.failed + Number(isRefused(notice)) - Number(isRefused(before)),
        filtered: taken.filtered + more('filtered'),
      });
    }
    return { byRegulation, over };
  }

  /** Stops watching these notices. */
  close(notices: readonly ErasedEvent[]): void {
    for (const { position } of notices) this.#open.delete(position);
  }

  /** The open notices of a regulation as stored, watched or not. */
  async of(regulation: Regulation): Promise<readonly ErasedEvent[]> {
    const notices: ErasedEvent[] = [];
    for await (const open of this.#stored(regulation)) notices.push(open);
    return notices;
  }

  /** Stops watching all notices of a regulation. */
  forget(regulationId: string): void {
    for (const [position, open] of this.#open) if (open.regulationId === regulationId) this.#open.delete(position);
  }

  async *#stored({ id, step, notices, users }: Regulation): AsyncGenerator<OpenNotice> {
    if (step !== 'delivering' && (step !== 'finished' || notices.failed === 0)) return;
    for (let from = 0; from < users; from += PAGE) {
      for (const { place, sources } of await this.#options.store.subjects(id, from, PAGE)) {
        for (const { sourceId, notice } of sources) {
          if (notice?.state !== 'waiting' && notice?.state !== 'failed') continue;
          yield { regulationId: id, place, position: notice.position, sourceId };
        }
      }
    }
  }

  async #subject({ regulationId, place }: OpenNotice): Promise<Subject | undefined> {
    const [subject] = await this.#options.store.subjects(regulationId, place, 1);
    return subject;
  }
}

const NOTHING: ChangedNotices = { subjects: new Map(), ended: 0, delivered: 0, failed: 0, filtered: 0 };

function withNotice(subject: Subject, source: SubjectSource, notice: Notice): Subject {
  return { ...subject, sources: subject.sources.map((each) => (each === source ? { ...source, notice } : each)) };
}
