import { isObject, readJson } from '../core/json.ts';
import { readStamp } from '../core/stamp.ts';
import { digest } from './digest.ts';
import { type Line, type Place, placeAfter } from './lines.ts';

/** The limits of one request (contract 8.5). */
const MAX_BATCH_BYTES = 500_000;
const MAX_BATCH_CALLS = 2_500;
const MAX_CALL_BYTES = 32_768;
/** The most characters of refused lines in memory. */
const MAX_REJECTED_LENGTH = 4_000_000;

/** A line that this import or the service has refused. */
export interface RejectedLine {
  readonly line: number;
  readonly code: string;
  readonly message: string;
  /** The line as in the file; null if it is too long to keep. */
  readonly text: string | null;
}

export interface SentLine {
  readonly number: number;
  readonly text: string;
  /** The call has no time of its own: it gets the time of the import. */
  readonly isUntimed: boolean;
}

/** One request, and the place in the file that is reached when it is done. */
export interface Batch {
  readonly body: string;
  /** The lines whose calls are in the body, in order. */
  readonly lines: readonly SentLine[];
  /** Lines refused before sending. */
  readonly rejected: readonly RejectedLine[];
  readonly end: Place;
}

/**
 * Packs lines into batches within the limits.
 *
 * A call without a `messageId` gets one, derived from the import's identity, the line's number and its text. It is the same after
 * the import is resumed, so the service recognises calls it already has.
 */
export async function* batchesOf(lines: AsyncIterable<Line>, identity: string): AsyncGenerator<Batch> {
  let open = emptyBatch();
  for await (const line of lines) {
    const read = readLine(line, identity);
    if (read !== null && 'body' in read) {
      if (open.bytes + read.bytes + 1 > MAX_BATCH_BYTES || open.calls.length === MAX_BATCH_CALLS) {
        if (open.calls.length > 0) yield closed(open);
        open = emptyBatch();
      }
      open.calls.push(read.body);
      open.lines.push(read.line);
      open.bytes += read.bytes + 1;
    } else if (read !== null) {
      open.rejected.push(read);
      open.rejectedLength += read.text?.length ?? 0;
    }
    open.last = line;
    // Close a batch that has only refused lines too: so the import moves on in a file of bad lines.
    if (open.rejected.length === MAX_BATCH_CALLS || open.rejectedLength > MAX_REJECTED_LENGTH) {
      yield closed(open);
      open = emptyBatch();
    }
  }
  if (open.last !== null) yield closed(open);
}

interface OpenBatch {
  readonly calls: string[];
  readonly lines: SentLine[];
  readonly rejected: RejectedLine[];
  rejectedLength: number;
  bytes: number;
  last: Line | null;
}

const HEAD = '{"batch":[';
const TAIL = ']}';

function emptyBatch(): OpenBatch {
  return {
    calls: [],
    lines: [],
    rejected: [],
    rejectedLength: 0,
    bytes: HEAD.length + TAIL.length,
    last: null,
  };
}

function closed({ calls, lines, rejected, last }: OpenBatch): Batch {
  return {
    body: `${HEAD}${calls.join(',')}${TAIL}`,
    lines,
    rejected,
    end: last === null ? { offset: 0, line: 0 } : placeAfter(last),
  };
}

interface ReadCall {
  readonly body: string;
  readonly bytes: number;
  readonly line: SentLine;
}

/** Null for an empty line. */
function readLine({ number, text, isUtf8 }: Line, identity: string): ReadCall | RejectedLine | null {
  const reject = (code: string, message: string): RejectedLine => ({ line: number, code, message, text });
  if (text === null) return reject('call_too_large', 'The line is longer than 1 MiB.');
  if (!isUtf8) return reject('invalid_json', 'The line is not UTF-8; it is shown as Latin-1.');
  if (text.trim() === '') return null;
  const json = readJson(text);
  if (json === undefined) return reject('invalid_json', 'The line is not valid JSON.');
  if (!isObject(json)) return reject('call_not_object', 'A call must be a JSON object.');
  const call: Record<string, unknown> = { ...json };
  if (!isGiven(call['messageId'])) call['messageId'] = stableId(identity, number, text);
  const body = JSON.stringify(call);
  const bytes = encoder.encode(body).length;
  if (bytes > MAX_CALL_BYTES)
    return reject('call_too_large', `The call has ${bytes} bytes; ${MAX_CALL_BYTES} are allowed.`);
  const stamp = readStamp(call['timestamp']) ?? readStamp(call['originalTimestamp']);
  const isUntimed = stamp === null || Number.isNaN(stamp.instant);
  return { body, bytes, line: { number, text, isUntimed } };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function stableId(identity: string, number: number, text: string): string {
  return `import-${digest(`${identity}\n${number}\n${text}`)}`;
}

const encoder = new TextEncoder();

/** A refused line in the format of the file of refused lines. */
export function rejectedJson({ line, code, message, text }: RejectedLine): string {
  const call = text === null ? null : (readJson(text) ?? text);
  return `${JSON.stringify({ line, code, message, call })}\n`;
}
