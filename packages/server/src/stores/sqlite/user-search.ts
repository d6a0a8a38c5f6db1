import { finderOf, type Sought } from '../../core/carried-ids.ts';
import { EVENT_TYPES } from '../../core/event.ts';
import type { FoundEvent, FoundPage } from '../../regulations/contract.ts';
import { CARRIED_COLUMNS, carriedIn, IN_BODY, textOrNull, typeOf } from './event-rows.ts';
import type { PartitionFiles } from './partition-files.ts';

/** How many positions one page searches, so that it does not delay other queries of people for long. */
const POSITIONS_PER_PAGE = 20_000;

const DELETE = EVENT_TYPES.indexOf('delete');

const IDS = '(SELECT value FROM json_each(:ids))';

/**
 * The ids are one JSON array, which SQLite converts to a set. There is no index from users to events: it would cost more, on
 * every append, than the event.
 */
const EVENTS_OF_IDS = `SELECT seq, source, ${CARRIED_COLUMNS}
  FROM events WHERE seq >= :first AND seq < :end AND type <> ${DELETE} AND length(body) > 0
    AND (user_id IN ${IDS} OR anonymous_id IN ${IDS} OR previous_id IN ${IDS} OR ${IN_BODY})`;

/** See Erasure.find. */
export function findUsers(files: PartitionFiles, sought: Sought, after: number, through: number): FoundPage {
  const begin = Math.max(after, (files.partitions[0]?.firstSeq ?? 1) - 1);
  const last = Math.min(begin + POSITIONS_PER_PAGE, through);
  const foundBy = finderOf(sought);
  const ids = JSON.stringify(sought.ids);
  const events: FoundEvent[] = [];
  for (const { partition, begin: first, end } of files.stretches({ after: begin, before: last + 1 })) {
    for (const row of files.statement(partition, EVENTS_OF_IDS).iterate({ first, end, ids })) {
      for (const id of foundBy({ type: typeOf(row), userId: textOrNull(row['user_id']), ...carriedIn(row) })) {
        events.push({ position: Number(row['seq']), sourceId: files.idOf(Number(row['source'])), id });
      }
    }
  }
  return { events, next: last < through ? last : null };
}
