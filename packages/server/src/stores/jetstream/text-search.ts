import type { Position } from '../../core/event.ts';
import { SHARD_POSITIONS, shardOf } from '../../core/position.ts';
import { type FoundText, TextSearch } from '../../core/text-search.ts';
import type { TextPage, TextQuery } from '../../log/contract.ts';
import { restFrom } from '../../log/search-rest.ts';
import { decodeBatch, entriesOf, mayHold, receivedTimes } from './batch.ts';
import type { BatchReader, StreamEnds } from './batch-reader.ts';
import { beginOf, seqOf } from './position.ts';
import type { Traffic } from './traffic.ts';

/** One call of a search answers after this time, milliseconds, or after this many events. */
const CALL_MS = 150;
const CALL_EVENTS = 100_000;
/** Number of batches of the first piece, and of the largest. The number doubles while pieces are small, and halves if one is too large. */
const FIRST_BATCHES = 16;
const MOST_BATCHES = 512;
/** This many batches are read in parallel. A piece ends once it has this many bytes. */
const STEP = 64;
const PIECE_BYTES = 4 * 1024 * 1024;

/** How far a search has come in a shard. */
interface Reached {
  /** Everything from this position on has been searched. */
  readonly before: Position;
  /** The earliest time of the searched events. Infinity if none was searched, -Infinity if none is left. */
  readonly at: number;
}

/**
 * A found event. `at` is at most its time, and never grows towards older positions of a shard: times themselves may, because
 * batches are appended in parallel.
 */
interface Found {
  readonly at: number;
  readonly event: FoundText;
}

/** The positions of a batch: the first one, and the one after the last. */
interface Span {
  readonly begin: Position;
  readonly end: Position;
}

/** An existing batch with its sequence in a shard's stream. */
interface Batch {
  readonly seq: number;
  readonly bytes: Uint8Array;
  /** When its events were received. */
  readonly times: readonly number[];
}

/** Batches of a shard, newest first. */
interface Piece {
  readonly shard: number;
  readonly batches: readonly Batch[];
  readonly from: Reached;
  readonly reached: Reached;
}

/**
 * See EventLog.search. Reads batches from the newest on, always from the shard whose searched events reach least far back.
 * Decodes only batches whose bytes may contain the text. The batches share the connection with appends and deliveries, which
 * have precedence: only if there is little traffic, the next batches are read while others are searched.
 */
export async function searchBatches(
  batches: BatchReader,
  shards: number,
  query: TextQuery,
  traffic: Pick<Traffic, 'isMuch'>,
): Promise<TextPage> {
  const began = performance.now();
  const search = new TextSearch(query.text);
  const ends = await Promise.all(Array.from({ length: shards }, (_, shard) => batches.ends(shard)));
  const reached = parse(query.cursor, shards);
  const begun = [...reached];
  const found: Found[] = [];
  const spans: Span[] = [];
  let [events, size] = [0, FIRST_BATCHES];
  const ask = (): Promise<Piece> | null => {
    if (events >= CALL_EVENTS || performance.now() - began >= CALL_MS) return null;
    const newest = Math.max(...reached.map(({ at }) => at));
    // No later result can be newer than these.
    if (newest === -Infinity || found.filter(({ at }) => at >= newest).length >= query.limit) return null;
    const shard = reached.findIndex(({ at }) => at === newest);
    return pieceBefore(batches, shard, ends[shard] ?? NOTHING, reached[shard] ?? ENDED, size);
  };
  for (let asked = ask(); asked; ) {
    const pieceBegan = performance.now();
    const piece = await asked;
    reached[piece.shard] = piece.reached;
    spans.push(...piece.batches.map(({ seq, times }) => spanOf(piece.shard, seq, times.length)));
    events += piece.batches.reduce((sum, { times }) => sum + times.length, 0);
    const bytes = piece.batches.reduce((sum, batch) => sum + batch.bytes.byteLength, 0);
    const rests = traffic.isMuch();
    if (rests) size = FIRST_BATCHES;
    else size = bytes > PIECE_BYTES ? Math.max(1, Math.floor(size / 2)) : Math.min(size * 2, MOST_BATCHES);
    asked = rests ? null : ask();
    found.push(...lookThrough(piece, search));
    if (!rests) continue;
    await restFrom(performance.now() - pieceBegan);
    asked = ask();
  }
  const page = pageOf(found, reached, query.limit);
  return { ...page, events: countBetween(spans, begun, reached) };
}

/** Counts the events between the beginnings of this page and the next. Both can be in the middle of a batch, which both pages read. */
function countBetween(spans: readonly Span[], begun: readonly Reached[], reached: readonly Reached[]): number {
  const before = (ends: readonly Reached[], { begin }: Span): number => ends[shardOf(begin)]?.before ?? 0;
  return spans.reduce((sum, span) => {
    const low = Math.max(span.begin, before(reached, span));
    const high = Math.min(span.end, before(begun, span));
    return sum + Math.max(0, high - low);
  }, 0);
}

const NOTHING: StreamEnds = { first: 0, last: 0 };
const ENDED: Reached = { before: 0, at: -Infinity };

function spanOf(shard: number, seq: number, events: number): Span {
  const begin = beginOf(shard, seq);
  return { begin, end: begin + events };
}

/** Reads at most `size` batches of a shard, backwards from where the search stopped. */
async function pieceBefore(
  reader: BatchReader,
  shard: number,
  { first, last }: StreamEnds,
  from: Reached,
  size: number,
): Promise<Piece> {
  // The batch of `before` may have further events.
  let end = Math.min(seqOf(from.before - 1), last);
  // Before the stream's first batch, only this batch is known to exist.
  if (end < first) end = await reader.lastReplaced(shard, end + 1);
  const most = end < first ? end : Math.max(first, end - size + 1);
  const batches: Batch[] = [];
  let begin = end + 1;
  for (let read = 0; end > 0 && begin > most && read < PIECE_BYTES; ) {
    const asked = Array.from({ length: Math.min(STEP, begin - most) }, () => beginOf(shard, --begin));
    for (const [i, bytes] of (await reader.bytes(asked)).entries()) {
      if (!bytes) continue;
      read += bytes.byteLength;
      batches.push({ seq: seqOf(asked[i] ?? 0), bytes, times: receivedTimes(bytes) });
    }
  }
  const at = batches.reduce((earliest, { times }) => earliestOf(times, earliest), from.at);
  return { shard, batches, from, reached: begin > 1 ? { before: beginOf(shard, begin), at } : ENDED };
}

function lookThrough({ shard, batches, from }: Piece, search: TextSearch): Found[] {
  const found: Found[] = [];
  let { at } = from;
  for (const { seq, bytes, times } of batches) {
    const entries = mayHold(bytes, search) ? entriesOf(decodeBatch(bytes), shard, seq) : [];
    for (const entry of entries.toReversed()) {
      const event = entry.position < from.before ? search.find(entry) : null;
      if (!event) continue;
      at = Math.min(at, event.receivedAt);
      found.push({ at, event });
    }
    at = earliestOf(times, at);
  }
  return found;
}

function earliestOf(times: readonly number[], at: number): number {
  return times.reduce((earliest, time) => Math.min(earliest, time), at);
}

/**
 * The page: results that are newer than everything not searched yet, at most `limit`. A shard with further results is searched
 * again from the first of them.
 */
function pageOf(found: readonly Found[], reached: Reached[], limit: number): Omit<TextPage, 'events'> {
  const newest = Math.max(...reached.map(({ at }) => at));
  const sorted = found.toSorted((a, b) => b.at - a.at || b.event.position - a.event.position);
  const settled = sorted.filter(({ at }) => at >= newest).length;
  const length = Math.min(limit, settled);
  for (const { at, event } of sorted.slice(length).toReversed()) {
    reached[shardOf(event.position)] = { before: event.position + 1, at };
  }
  const isOver = reached.every(({ at }) => at === -Infinity);
  const reachedAt = Math.max(...reached.map(({ at }) => at));
  return {
    items: sorted.slice(0, length).map(({ event }) => event),
    next: isOver ? null : reached.map(({ before, at }) => `${before}:${at}`).join(' '),
    reachedAt: Number.isFinite(reachedAt) ? reachedAt : null,
  };
}

/** Reads the cursor. A shard without a valid part counts as finished. */
function parse(cursor: string | null, shards: number): Reached[] {
  const parts = cursor?.split(' ');
  return Array.from({ length: shards }, (_, shard): Reached => {
    const [begin, end] = [beginOf(shard, 0), (shard + 1) * SHARD_POSITIONS];
    if (!parts) return { before: end, at: Infinity };
    const [before = 0, at = Number.NaN] = (parts[shard] ?? '').split(':').map(Number);
    return Number.isInteger(before) && before > begin && before <= end && at > -Infinity ? { before, at } : ENDED;
  });
}
