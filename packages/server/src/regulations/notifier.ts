import type { Event, LogEntry } from '../core/event.ts';
import type { EventLog } from '../log/contract.ts';
import type { Notice, Regulation, RegulationStore, Subject, SubjectSource } from './contract.ts';
import { noticeEvent, noticeId } from './notice.ts';

export interface NotifierOptions {
  readonly store: Pick<RegulationStore, 'subjects'>;
  readonly log: Pick<EventLog, 'append' | 'find' | 'lanes'>;
  /** Whether the source has a destination that is on. */
  readonly isDelivered: (sourceId: string) => boolean;
  readonly clock: { now(): number };
}

/** A page of users whose notices are in the log. */
export interface NotifiedPage {
  /** Empty when there are no more users. */
  readonly subjects: readonly Subject[];
  readonly notices: number;
}

/** Users whose notices are sent in one go. */
const PAGE = 100;

/**
 * Appends delete messages: one per user and source that has seen the user and has a destination that is on. A page that is
 * repeated after a crash looks first which of them are in the log.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  /** Whether a page may have been appended and not saved. */
  #unsure = true;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** What was answered last is saved, or not: then it may come again. */
  saved(isSaved: boolean): void {
    this.#unsure = !isSaved;
  }

  /** Notifies of the users of a regulation from a place on. */
  async notify(regulation: Regulation, from: number): Promise<NotifiedPage> {
    const { store, log, isDelivered, clock } = this.#options;
    const subjects = await store.subjects(regulation.id, from, PAGE);
    const missing: Event[] = [];
    for (const { userId, sources } of subjects) {
      for (const { sourceId } of sources) {
        if (!isDelivered(sourceId)) continue;
        if (this.#unsure && (await this.#find(regulation, userId, sourceId))) continue;
        missing.push(noticeEvent(regulation, userId, sourceId, clock.now()));
      }
    }
    this.#unsure = true;
    if (missing.length > 0) await log.append(missing);
    let notices = 0;
    const notified: Subject[] = [];
    for (const subject of subjects) {
      const sources: SubjectSource[] = [];
      for (const source of subject.sources) {
        // One that a crash cut off from its record is found here though every destination is off now.
        const entry = await this.#find(regulation, subject.userId, source.sourceId);
        if (entry) notices++;
        sources.push({ ...source, notice: entry ? waiting(entry) : null });
      }
      notified.push({ ...subject, sources });
    }
    return { subjects: notified, notices };
  }

  #find({ id }: Regulation, userId: string, sourceId: string): Promise<LogEntry | undefined> {
    return this.#options.log.find(noticeId(id, userId, sourceId), [sourceId]);
  }
}

function waiting({ messageId, position }: LogEntry): Notice {
  return { messageId, position, state: 'waiting', receipts: [] };
}
