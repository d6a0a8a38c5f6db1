import { finderOf, type Sought } from '../../core/carried-ids.ts';
import { EVENT_TYPES } from '../../core/event.ts';
import type { FoundEvent, FoundPage } from '../../regulations/contract.ts';
import { CARRIED_COLUMNS, carriedIn, IN_BODY, textOrNull, typeOf } from './event-rows.ts';
import type { SearchedFiles } from './searched-files.ts';

/** How many positions one page searches, so that it does not delay other queries of people for long. */
const POSITIONS_PER_PAGE = 20_000;

const DELETE = EVENT_TYPES.indexOf('delete');

const IDS = '(SELECT value FROM json_each(:ids))';

/**
 * The ids are one JSON array, which SQLite converts to a set. There is no index from users to events: it would cost more, on
 * every append, than the event.
 */
const EVENTS_OF_IDS = `SELECT seq, source, ${CARRIED_COLUMNS}
  FROM events WHERE seq > :after AND seq <= :through AND type <> ${DELETE} AND length(body) > 0
    AND (user_id IN ${IDS} OR anonymous_id IN ${IDS} OR previous_id IN ${IDS} OR ${IN_BODY})`;

/** See Erasure.find. */
export function findUsers(files: SearchedFiles, sought: Sought, after: number, through: number): FoundPage {
  const partitions = files.partitions();
  const begin = Math.max(after, (partitions[0]?.firstSeq ?? 1) - 1);
  const end = Math.min(begin + POSITIONS_PER_PAGE, through);
  const foundBy = finderOf(sought);
  const ids = JSON.stringify(sought.ids);
  const events: FoundEvent[] = [];
  for (const [i, partition] of partitions.entries()) {
    const next = partitions[i + 1]?.firstSeq ?? Infinity;
    if (partition.firstSeq > end || next <= begin + 1) continue;
    for (const row of files.statement(partition, EVENTS_OF_IDS).iterate({ after: begin, through: end, ids })) {
      for (const id of foundBy({ type: typeOf(row), userId: textOrNull(row['user_id']), ...carriedIn(row) })) {
        events.push({ position: Number(row['seq']), sourceId: files.idOf(Number(row['source'])), id });
      }
    }
  }
  return { events, next: end < through ? end : null };
}
