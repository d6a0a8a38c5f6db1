import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { EVENT_TYPES, type Event, type LogEntry } from '../../core/event.ts';
import type { TextSearch } from '../../core/text-search.ts';
import { COMPRESSED } from '../../log/stream-index.ts';
import { positionOf } from './position.ts';

/** The content of one message in a stream: events of one source that arrived together. */
export interface Batch {
  readonly sourceId: string;
  readonly events: readonly Event[];
  /** How many further events of the source were left out as duplicates. */
  readonly duplicates: number;
  /** The index of each event in the batch, if other events of the batch were removed. */
  readonly places?: readonly number[] | undefined;
}

/** The layout of a plain batch. One of the layout `COMPRESSED` is a plain one in zstd's format. */
const PLAIN = 1;
/** Bytes before the content: the layout, and a length (32 bits, little-endian): that of the words, or of the plain batch. */
const HEAD = 5;
/** Smaller batches stay plain: each would cost the time of some twenty events. */
const LEAST_COMPRESSED = 16 * 1024;
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Everything except the bodies, as columns. */
interface Words {
  readonly source: string;
  readonly duplicates: number;
  readonly places?: readonly number[] | undefined;
  readonly ids: readonly string[];
  /** Indexes into EVENT_TYPES, which only ever grows at its end. */
  readonly types: readonly number[];
  readonly names: readonly (string | null)[];
  readonly users: readonly (string | null)[];
  readonly received: readonly number[];
  /** When each event happened. */
  readonly times: readonly number[];
  readonly integrations: readonly (string | null)[];
  readonly unsent: readonly (string | null)[];
  readonly lengths: readonly number[];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A plain batch: the head, the words as JSON, the bodies one after another. */
export function encodeBatch({ sourceId, events, duplicates, places }: Batch): Uint8Array {
  const words: Words = {
    source: sourceId,
    duplicates,
    places,
    ids: events.map(({ messageId }) => messageId),
    types: events.map(({ type }) => EVENT_TYPES.indexOf(type)),
    names: events.map(({ name }) => name),
    users: events.map(({ userId }) => userId),
    received: events.map(({ receivedAt }) => receivedAt),
    times: events.map(({ timestamp }) => timestamp),
    integrations: events.map(({ integrations }) => integrations),
    unsent: events.map(({ unsent }) => unsent),
    lengths: events.map(({ body }) => body.byteLength),
  };
  const head = encoder.encode(JSON.stringify(words));
  const bodies = words.lengths.reduce((sum, length) => sum + length, 0);
  const bytes = new Uint8Array(HEAD + head.byteLength + bodies);
  putHead(bytes, PLAIN, head.byteLength);
  bytes.set(head, HEAD);
  let at = HEAD + head.byteLength;
  for (const { body } of events) {
    bytes.set(body, at);
    at += body.byteLength;
  }
  return bytes;
}

/** A plain batch as it is stored where every node reads compressed ones. */
export function compressBatch(plain: Uint8Array): Uint8Array {
  if (plain.byteLength < LEAST_COMPRESSED) return plain;
  const content = zstdCompressSync(plain, FAST);
  const bytes = new Uint8Array(HEAD + content.byteLength);
  putHead(bytes, COMPRESSED, plain.byteLength);
  bytes.set(content, HEAD);
  return bytes;
}

/** A stored batch as a plain one. */
export function plainBatch(stored: Uint8Array): Uint8Array {
  if (stored[0] !== COMPRESSED) return stored;
  const length = lengthIn(stored);
  // One byte more than needed: a chunk that is full would be followed by another one.
  return zstdDecompressSync(stored.subarray(HEAD), { chunkSize: length + 1, maxOutputLength: length });
}

/** How many bytes a stored batch has when it is plain. */
export function plainLength(stored: Uint8Array): number {
  return stored[0] === COMPRESSED ? lengthIn(stored) : stored.byteLength;
}

function putHead(bytes: Uint8Array, layout: number, length: number): void {
  bytes[0] = layout;
  new DataView(bytes.buffer).setUint32(1, length, true);
}

function lengthIn({ buffer, byteOffset, byteLength }: Uint8Array): number {
  return new DataView(buffer, byteOffset, byteLength).getUint32(1, true);
}

/**
 * Reads a stored batch. Bodies are not copied: they are views of the plain batch.
 *
 * @throws Error if this is no batch, or one of a layout that this code does not know.
 */
export function decodeBatch(stored: Uint8Array): Batch {
  const bytes = plainBatch(stored);
  if (bytes[0] !== PLAIN) {
    throw new Error(
      `A batch has layout ${bytes[0]}; this version reads ${PLAIN} and ${COMPRESSED}. A newer Millrace wrote it: upgrade this node.`,
    );
  }
  const length = lengthIn(bytes);
  const words = JSON.parse(decoder.decode(bytes.subarray(HEAD, HEAD + length))) as Words;
  let at = HEAD + length;
  const events = words.ids.map((messageId, i): Event => {
    const type = EVENT_TYPES[words.types[i] ?? -1];
    if (type === undefined) throw new Error('A batch has an event of an unknown type: upgrade this node.');
    const begin = at;
    at += words.lengths[i] ?? 0;
    return {
      sourceId: words.source,
      messageId,
      type,
      name: words.names[i] ?? null,
      userId: words.users[i] ?? null,
      receivedAt: words.received[i] ?? 0,
      timestamp: words.times[i] ?? 0,
      integrations: words.integrations[i] ?? null,
      unsent: words.unsent[i] ?? null,
      body: bytes.subarray(begin, at),
    };
  });
  return { sourceId: words.source, events, duplicates: words.duplicates, places: words.places };
}

/** The events of a batch with their positions. */
export function entriesOf({ events, places }: Batch, shard: number, seq: number): LogEntry[] {
  return events.map((event, i) => ({ ...event, position: positionOf(shard, seq, places?.[i] ?? i) }));
}

/** False if neither a body nor a word of the plain batch contains the text. True only means that the batch must be searched. */
export function mayHold(bytes: Uint8Array, { needles, folded }: TextSearch): boolean {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (needles.some((needle) => all.indexOf(needle) >= 0)) return true;
  const words = all.subarray(HEAD, HEAD + all.readUInt32LE(1)).toString();
  return words.toLowerCase().includes(JSON.stringify(folded).slice(1, -1).toLowerCase());
}
