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
 * Appends the delete messages for a page of a regulation's users, beginning with the place `from`: one per user and source, if the
 * source has seen the user and has a destination that is on. When a page is repeated after a crash, the messages already in the
 * log are not appended again.
 */
export async function notify(
  { store, log, isDelivered, clock }: NotifierOptions,
  regulation: Regulation,
  from: number,
): Promise<NotifiedPage> {
  const find = (userId: string, sourceId: string): Promise<LogEntry | undefined> =>
    log.find(noticeId(regulation.id, userId, sourceId), [sourceId]);
  const subjects = await store.subjects(regulation.id, from, PAGE);
  const missing: Event[] = [];
  for (const { userId, sources } of subjects) {
    for (const { sourceId } of sources) {
      if (!isDelivered(sourceId) || (await find(userId, sourceId))) continue;
      missing.push(noticeEvent(regulation, userId, sourceId, clock.now()));
    }
  }
  if (missing.length > 0) await log.append(missing);
  let notices = 0;
  const notified: Subject[] = [];
  for (const subject of subjects) {
    const sources: SubjectSource[] = [];
    for (const source of subject.sources) {
      // Also finds a notice that was appended before a crash, even if every destination is off now.
      const entry = await find(subject.userId, source.sourceId);
      if (entry) notices++;
      sources.push({ ...source, notice: entry ? waiting(entry) : null });
    }
    notified.push({ ...subject, sources });
  }
  return { subjects: notified, notices };
}

function waiting({ messageId, position }: LogEntry): Notice {
  return { messageId, position, state: 'waiting', receipts: [] };
}
