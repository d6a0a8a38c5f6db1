import { finderOf, type Sought } from '../../core/carried-ids.ts';
import { EVENT_TYPES, type Position } from '../../core/event.ts';
import { type Offsets, SHARD_POSITIONS, shardOf } from '../../core/position.ts';
import type { FoundEvent, FoundPage } from '../../regulations/contract.ts';
import type { Dictionary } from '../relational/dictionary.ts';
import type { Database } from './database.ts';
import { fromTextOrNull, toText } from './text.ts';

/** How many rows one page searches. */
const ROWS_PER_PAGE = 20_000;

const DELETE = EVENT_TYPES.indexOf('delete');

const IDS = '(SELECT unnest($3::text[]))';

/**
 * There is no index from users to events: it would cost more, on every append, than the event. A removed event has none of
 * these ids. The last row of a full page is returned once more, without a source.
 */
const EVENTS_OF_IDS = `WITH looked AS MATERIALIZED (
  SELECT position, source, type, user_id, anonymous_id, previous_id FROM events
  WHERE position > $1 AND position <= $2 ORDER BY position LIMIT ${ROWS_PER_PAGE})
SELECT position, source, type, user_id, anonymous_id, previous_id FROM looked
WHERE type <> ${DELETE} AND (user_id IN ${IDS} OR anonymous_id IN ${IDS} OR previous_id IN ${IDS})
UNION ALL SELECT max(position), NULL, NULL, NULL, NULL, NULL FROM looked HAVING count(*) = ${ROWS_PER_PAGE}
ORDER BY position, source NULLS LAST`;

interface FoundRow {
  readonly position: number;
  readonly source: number | null;
  readonly type: number;
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly previous_id: string | null;
}

/** See Erasure.find. Searches one shard after the other. */
export async function findUsers(
  database: Database,
  dictionary: Dictionary,
  sought: Sought,
  { after, through }: { after: Position; through: Offsets },
): Promise<FoundPage> {
  const shard = shardOf(after);
  const rows = await database.queryByIndex<FoundRow>(EVENTS_OF_IDS, [
    after,
    through[shard] ?? 0,
    sought.ids.map(toText),
  ]);
  const idOf = await dictionary.ids(rows.map(({ source }) => source).filter((source) => source !== null));
  const foundBy = finderOf(sought);
  const events = rows.flatMap(({ position, source, ...row }) => {
    if (source === null) return [];
    const ids = foundBy({
      type: EVENT_TYPES[row.type] ?? 'track',
      userId: fromTextOrNull(row.user_id),
      anonymousId: fromTextOrNull(row.anonymous_id),
      previousId: fromTextOrNull(row.previous_id),
    });
    return ids.map((id): FoundEvent => ({ position, sourceId: idOf(source), id }));
  });
  const end = rows.at(-1);
  if (end?.source === null) return { events, next: end.position };
  return { events, next: shard < through.length - 1 ? (shard + 1) * SHARD_POSITIONS : null };
}
