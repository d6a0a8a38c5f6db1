import { type FoundText, TextSearch } from '../../core/text-search.ts';
import type { TextQuery } from '../../log/contract.ts';
import { type SummaryRow, summaryOf } from '../relational/message-rows.ts';
import { SUMMARY } from './event-rows.ts';
import type { PartitionFiles } from './partition-files.ts';

export interface WantedPiece extends Pick<TextQuery, 'text' | 'wordsOnly'> {
  /** Only events before this seq. */
  readonly before: number;
  /** The most events that are searched. */
  readonly rows: number;
  /** The most events in the answer. */
  readonly limit: number;
}

/** The result of searching some events of one partition, newest first. */
export interface Piece {
  readonly found: readonly FoundText[];
  /** How many events were searched. */
  readonly events: number;
  /** The last searched event; null if no event was left to search. */
  readonly reached: { readonly seq: number; readonly receivedAt: number } | null;
  /** How long the search took, milliseconds. */
  readonly ms: number;
}

/**
 * Searches the events of one piece, newest first. SQLite compares the bodies in its own memory, and returns only those with
 * the text.
 */
export function lookThrough(files: PartitionFiles, { text, wordsOnly, before, rows, limit }: WantedPiece): Piece {
  const began = performance.now();
  const search = new TextSearch(text, wordsOnly);
  const found: FoundText[] = [];
  for (const partition of files.partitions.toReversed()) {
    if (partition.firstSeq >= before) continue;
    const last = files.statement(partition, LAST).get()?.['seq'] ?? null;
    if (last === null) continue;
    const end = Math.min(before, Number(last) + 1);
    const begin = Math.max(partition.firstSeq, end - rows);
    const sql = search.needles.length === 1 ? HOLDING : HOLDING_EITHER;
    const { folded, needles } = search;
    let seq = begin;
    for (const row of files.statement(partition, sql).iterate(begin, end, folded, ...needles)) {
      const { event: name, ...summary } = summaryOf(row as object as SummaryRow, files);
      const hit = search.find({ ...summary, name, body: row['body'] as Uint8Array });
      if (hit) found.push(hit);
      if (found.length < limit) continue;
      seq = summary.position;
      break;
    }
    const receivedAt = Number(files.statement(partition, RECEIVED_AT).get(seq)?.['received_at'] ?? partition.startedAt);
    return { found, events: end - seq, reached: { seq, receivedAt }, ms: performance.now() - began };
  }
  return { found, events: 0, reached: null, ms: performance.now() - began };
}

const LAST = 'SELECT max(seq) AS seq FROM events';

const RECEIVED_AT = 'SELECT received_at FROM events WHERE seq = ?';

/**
 * Removed events have no body. The condition on the length skips them without reading bodies. User ids and message ids match
 * only from their beginning.
 */
const holding = (bodies: string): string => `SELECT ${SUMMARY.text}, body FROM events e
  WHERE seq >= ?1 AND seq < ?2 AND length(body) > 0 AND (${bodies} OR instr(lower(name), ?3)
    OR substr(lower(user_id), 1, length(?3)) = ?3 OR substr(lower(message_id), 1, length(?3)) = ?3)
  ORDER BY seq DESC`;

const HOLDING = holding('instr(body, ?4)');

const HOLDING_EITHER = holding('instr(body, ?4) OR instr(body, ?5)');
