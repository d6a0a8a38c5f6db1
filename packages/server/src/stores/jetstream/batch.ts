import { EVENT_TYPES, type Event, type LogEntry } from '../../core/event.ts';
import type { TextSearch } from '../../core/text-search.ts';
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

/** The layout that this code writes. There is no other one so far. */
const VERSION = 1;
/** Bytes before the words: the version, and the length of the words. */
const HEAD = 5;

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

/** Layout: one byte of version, the length of the words (32 bits, little-endian), the words as JSON, the bodies one after another. */
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
  bytes[0] = VERSION;
  new DataView(bytes.buffer).setUint32(1, head.byteLength, true);
  bytes.set(head, HEAD);
  let at = HEAD + head.byteLength;
  for (const { body } of events) {
    bytes.set(body, at);
    at += body.byteLength;
  }
  return bytes;
}

/**
 * Bodies are not copied: they are views of these bytes.
 *
 * @throws Error if this is no batch, or one of a version that this code does not know.
 */
export function decodeBatch(bytes: Uint8Array): Batch {
  const version = bytes[0];
  if (version !== VERSION) {
    throw new Error(
      `A batch has layout ${version}; this version reads ${VERSION}. A newer Millrace wrote it: upgrade this node.`,
    );
  }
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(1, true);
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

/** False if neither a body nor a word of the batch contains the text. True only means that the batch must be searched. */
export function mayHold(bytes: Uint8Array, { needles, folded }: TextSearch): boolean {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (needles.some((needle) => all.indexOf(needle) >= 0)) return true;
  const words = all.subarray(HEAD, HEAD + all.readUInt32LE(1)).toString();
  return words.toLowerCase().includes(JSON.stringify(folded).slice(1, -1).toLowerCase());
}
