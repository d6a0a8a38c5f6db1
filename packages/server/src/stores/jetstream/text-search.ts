import type { Position } from '../../core/event.ts';
import { type FoundText, TextSearch } from '../../core/text-search.ts';
import type { TextPage, TextQuery } from '../../log/contract.ts';
import { restFrom } from '../../log/search-rest.ts';
import type { StreamIndex, TimePlace } from '../../log/stream-index.ts';
import { mayHold } from './batch.ts';
import { type BatchReader, entriesIn } from './batch-reader.ts';
import { MAX_BATCH_EVENTS } from './position.ts';
import type { Traffic } from './traffic.ts';

/** One call of a search answers after this time, milliseconds, or after this many events. */
const CALL_MS = 150;
const CALL_EVENTS = 100_000;
/** Number of events of the first piece, and of the largest. The number doubles while pieces are small, and halves if one is too large. */
const FIRST_EVENTS = 2_000;
const MOST_EVENTS = 20_000;
const PIECE_BYTES = 16 * 1024 * 1024;
/** This many batches are read in parallel. */
const AT_ONCE = 64;

/**
 * See EventLog.search. The index tells which batches have the newest events, and the stream has their bodies. Decodes only
 * batches whose bytes may contain the text. The batches share the connection with appends and deliveries, which have precedence:
 * if there is much traffic, a search rests after each piece.
 */
export async function searchBatches(
  batches: BatchReader,
  index: Pick<StreamIndex, 'newest'>,
  { text, wordsOnly, cursor, limit }: TextQuery,
  traffic: Pick<Traffic, 'isMuch'>,
): Promise<TextPage> {
  const began = performance.now();
  const search = new TextSearch(text, wordsOnly);
  const searched = new Set<Position>();
  const hits: FoundText[] = [];
  const items: FoundText[] = [];
  let before = cursor === null ? NEWEST : parse(cursor);
  let [events, size] = [0, FIRST_EVENTS];
  while (before && items.length < limit && events < CALL_EVENTS && performance.now() - began < CALL_MS) {
    const pieceBegan = performance.now();
    const piece = await index.newest(before, size, MAX_BATCH_EVENTS);
    // A batch may have events of several pieces.
    const fresh = piece.batches.filter((batch) => !searched.has(batch));
    let bytes = 0;
    for (let start = 0; start < fresh.length; start += AT_ONCE) {
      const some = fresh.slice(start, start + AT_ONCE);
      for (const [i, read] of (await batches.bytes(some)).entries()) {
        const batch = some[i] ?? 0;
        searched.add(batch);
        bytes += read?.byteLength ?? 0;
        if (read && mayHold(read, search))
          hits.push(...entriesIn(read, batch).flatMap((entry) => search.find(entry) ?? []));
      }
    }
    const from = before;
    const found = hits.filter((hit) => newestFirst(from, hit) < 0 && !(piece.last && newestFirst(piece.last, hit) < 0));
    items.push(...found.toSorted(newestFirst).slice(0, limit - items.length));
    // A page that is full ends with its last event.
    const last = items.length < limit ? piece.last : (items.at(-1) ?? null);
    events += last === piece.last ? piece.events : (await index.newest(from, size, MAX_BATCH_EVENTS, last)).events;
    before = last;
    size = bytes > PIECE_BYTES ? Math.ceil(size / 2) : Math.min(size * 2, MOST_EVENTS);
    if (!traffic.isMuch()) continue;
    size = FIRST_EVENTS;
    await restFrom(performance.now() - pieceBegan);
  }
  const next = before && `${before.receivedAt}:${before.position}`;
  return { items, next, events, reachedAt: events > 0 && before ? before.receivedAt : null };
}

const NEWEST: TimePlace = { receivedAt: Number.MAX_SAFE_INTEGER, position: 0 };

function newestFirst(a: TimePlace, b: TimePlace): number {
  return b.receivedAt - a.receivedAt || b.position - a.position;
}

/** Reads the cursor. With one that is invalid, the search is over. */
function parse(cursor: string): TimePlace | null {
  const [receivedAt = Number.NaN, position = Number.NaN] = cursor.split(':').map(Number);
  return Number.isSafeInteger(receivedAt) && Number.isSafeInteger(position) ? { receivedAt, position } : null;
}
