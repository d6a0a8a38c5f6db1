import { EVENT_TYPES } from '../../core/event.ts';
import type { FoundEvent, FoundPage } from '../../regulations/contract.ts';
import type { SearchedFiles } from './event-search.ts';

/** Positions that one page looks at: reading them delays no query of people for long. */
const POSITIONS_PER_PAGE = 20_000;

const ALIAS = EVENT_TYPES.indexOf('alias');
const DELETE = EVENT_TYPES.indexOf('delete');

/**
 * The ids are handed over as one JSON array, which SQLite makes a set of; no index leads from a user to events, since it
 * would cost more, on every append, than the event. An anonymousId and an alias call's earlier identity are in the body only.
 */
const EVENTS_OF_IDS = `SELECT seq, source, user_id, CASE WHEN type = ${ALIAS} OR user_id IS NULL THEN body END AS body
  FROM events WHERE seq > ? AND seq <= ? AND type <> ${DELETE} AND length(body) > 0
    AND (type = ${ALIAS} OR user_id IS NULL OR user_id IN (SELECT value FROM json_each(?)))`;

/** See Erasure.find. */
export function findUsers(files: SearchedFiles, ids: readonly string[], after: number, through: number): FoundPage {
  const partitions = files.partitions();
  const begin = Math.max(after, (partitions[0]?.firstSeq ?? 1) - 1);
  const end = Math.min(begin + POSITIONS_PER_PAGE, through);
  const known = new Set(ids);
  const json = JSON.stringify(ids);
  const events: FoundEvent[] = [];
  for (const [i, partition] of partitions.entries()) {
    const next = partitions[i + 1]?.firstSeq ?? Infinity;
    if (partition.firstSeq > end || next <= begin + 1) continue;
    for (const row of files.statement(partition, EVENTS_OF_IDS).iterate(begin, end, json)) {
      for (const id of new Set([row['user_id'], ...idsIn(row['body'])])) {
        if (typeof id !== 'string' || !known.has(id)) continue;
        events.push({ position: Number(row['seq']), sourceId: files.name(Number(row['source'])), id });
      }
    }
  }
  return { events, next: end < through ? end : null };
}

/** Ids that the body of a call names beside its userId; well-formed, as ids are stored. */
function idsIn(body: unknown): readonly unknown[] {
  if (!(body instanceof Uint8Array)) return [];
  try {
    const call = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>;
    const ids = [call['anonymousId'], call['Previous ID']];
    return ids.map((id) => (typeof id === 'string' ? id.toWellFormed() : null));
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
