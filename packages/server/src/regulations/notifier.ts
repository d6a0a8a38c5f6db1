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
  /** Empty after the last user. */
  readonly subjects: readonly Subject[];
  readonly notices: number;
}

/** Users per page. */
const PAGE = 100;

/**
 * Appends delete messages: one per user and source, if the source has seen the user and has a destination that is on. When a page
 * is repeated after a crash, the messages already in the log are not appended again.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  /** Whether a page may have been appended but not saved. */
  #unsure = true;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Tells whether the last answered page was saved. If not, the page may be asked for again. */
  saved(isSaved: boolean): void {
    this.#unsure = !isSaved;
  }

  /** Sends the notices for a page of a regulation's users, beginning with the place `from`. */
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
        // Also finds a notice that was appended before a crash, even if every destination is off now.
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
