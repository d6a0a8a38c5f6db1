import { EVENT_TYPES } from '../../core/event.ts';
import type { FoundEvent, FoundPage } from '../../regulations/contract.ts';
import type { SearchedFiles } from './event-search.ts';

/** Positions that one page looks at: reading them delays no query of people for long. */
const POSITIONS_PER_PAGE = 20_000;

const ALIAS = EVENT_TYPES.indexOf('alias');
const DELETE = EVENT_TYPES.indexOf('delete');

/**
 * The users are handed over as one JSON array, which SQLite makes a set of; no index leads from a user to events, since it
 * would cost more, on every append, than the event. An alias call's earlier identity is in its body only.
 */
const EVENTS_OF_USERS = `SELECT seq, source, user_id, CASE WHEN type = ${ALIAS} THEN body END AS alias FROM events
  WHERE seq > ? AND seq <= ? AND type <> ${DELETE} AND length(body) > 0
    AND (type = ${ALIAS} OR user_id IN (SELECT value FROM json_each(?)))`;

/** See Erasure.find. */
export function findUsers(files: SearchedFiles, userIds: readonly string[], after: number, through: number): FoundPage {
  const partitions = files.partitions();
  const begin = Math.max(after, (partitions[0]?.firstSeq ?? 1) - 1);
  const end = Math.min(begin + POSITIONS_PER_PAGE, through);
  const known = new Set(userIds);
  const json = JSON.stringify(userIds);
  const events: FoundEvent[] = [];
  for (const [i, partition] of partitions.entries()) {
    const next = partitions[i + 1]?.firstSeq ?? Infinity;
    if (partition.firstSeq > end || next <= begin + 1) continue;
    for (const row of files.statement(partition, EVENTS_OF_USERS).iterate(begin, end, json)) {
      const named = new Set([row['user_id'], previousId(row['alias'])]);
      for (const userId of named) {
        if (typeof userId !== 'string' || !known.has(userId)) continue;
        events.push({ position: Number(row['seq']), sourceId: files.name(Number(row['source'])), userId });
      }
    }
  }
  return { events, next: end < through ? end : null };
}

/** Null where the body is none of an alias call. */
function previousId(body: unknown): unknown {
  if (!(body instanceof Uint8Array)) return null;
  try {
    return (JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>)['Previous ID'] ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
