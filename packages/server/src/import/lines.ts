import { digest } from './digest.ts';

/** A line of a file. */
export interface Line {
  /** Line number, from 1. */
  readonly number: number;
  /** Null if the line is too long. A line that is not UTF-8 is decoded as Latin-1. */
  readonly text: string | null;
  readonly isUtf8: boolean;
  /** Byte offset after the line feed, in the unpacked text. */
  readonly end: number;
  /** The last bytes of the file before `end`. */
  readonly before: Uint8Array;
}

/** A place between two lines: the byte offset of the next line, and the number of lines before it. */
export interface Place {
  readonly offset: number;
  readonly line: number;
  /** Digest of the last bytes before the place: checks that the file is still the same. Places stored by an older version may have none. */
  readonly before?: string;
}

/** The place after a line. */
export function placeAfter({ number, end, before }: Line): Place {
  return { offset: end, line: number, before: digestOf(before) };
}

/** A file of lines. The command line and the page each open it in their own way. */
export interface LineFile {
  /** @throws ChangedFile, before the first line, if the file is not the one that was read up to this place. */
  lines(from: Place): AsyncGenerator<Line>;
  /**
   * The share of the file that lies before a place, from 0 to 1. Of a packed file it is the share that was read, which is more by
   * what waits to be sent.
   */
  share(before: Place): number;
}

/** The first line. Its digest distinguishes files. */
export async function firstLine(file: LineFile): Promise<string> {
  for await (const { text } of file.lines({ offset: 0, line: 0 })) return text ?? '';
  return '';
}

/** The file is not the one with which the import was begun. */
export class ChangedFile extends Error {
  override readonly name = 'ChangedFile';
}

/** More than any call may have. Longer lines are not kept in memory. */
const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const BEFORE_BYTES = 1_024;

/** The kind of a file, by its first bytes: lines, lines packed with gzip, or a JSON array, which can't be imported. */
export function kindOf(beginning: Uint8Array): 'lines' | 'gzip' | 'array' {
  if (beginning[0] === 0x1f && beginning[1] === 0x8b) return 'gzip';
  return new TextDecoder('latin1').decode(beginning).trimStart().startsWith('[') ? 'array' : 'lines';
}

/** Number of bytes that `kindOf` needs. */
export const BEGINNING_BYTES = 64;

/** The byte offset at which reading must start, to continue at a place and check the bytes before it. */
export function startOf({ offset }: Place): number {
  return Math.max(0, offset - BEFORE_BYTES);
}

/**
 * The lines after a place, from a text that comes in chunks.
 *
 * @param start byte offset of the first chunk: `startOf` the place, or less.
 * @throws ChangedFile, before the first line, if the text is not the one that was read up to the place.
 */
export async function* linesIn(
  chunks: AsyncIterable<Uint8Array>,
  { offset, line, before }: Place,
  start: number,
): AsyncGenerator<Line> {
  let [end, number] = [offset, line];
  let done = start;
  let tail: Uint8Array = new Uint8Array();
  let parts: Uint8Array[] = [];
  let length = 0;
  const keep = (part: Uint8Array): void => {
    length += part.length;
    if (part.length > 0 && length <= MAX_LINE_BYTES) parts.push(part);
  };
  const take = (last: Uint8Array): Line => {
    const read = length > MAX_LINE_BYTES ? { text: null, isUtf8: false } : decode(joined(parts, length));
    parts = [];
    length = 0;
    number += 1;
    return { number, ...read, end, before: last };
  };
  for await (const chunk of chunks) {
    let at = Math.min(offset - done, chunk.length);
    done += at;
    const isReached = at > 0 && done === offset;
    if (isReached && before && digestOf(ending(tail, chunk.subarray(0, at))) !== before) throw new ChangedFile();
    for (let feed = chunk.indexOf(LINE_FEED, at); feed !== -1; feed = chunk.indexOf(LINE_FEED, at)) {
      keep(chunk.subarray(at, feed));
      end += feed + 1 - at;
      at = feed + 1;
      yield take(ending(tail, chunk.subarray(0, at)));
    }
    keep(chunk.subarray(at));
    end += chunk.length - at;
    tail = ending(tail, chunk);
  }
  if (done < offset) throw new ChangedFile();
  if (length > 0) yield take(tail);
}

/** The last `BEFORE_BYTES` bytes of two consecutive pieces. */
function ending(before: Uint8Array, piece: Uint8Array): Uint8Array {
  if (piece.length >= BEFORE_BYTES) return piece.subarray(-BEFORE_BYTES);
  const kept = before.subarray(piece.length - BEFORE_BYTES);
  return joined([kept, piece], kept.length + piece.length);
}

function digestOf(bytes: Uint8Array): string {
  return digest(String.fromCharCode(...bytes));
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const latin1 = new TextDecoder('latin1');

function decode(bytes: Uint8Array): Pick<Line, 'text' | 'isUtf8'> {
  try {
    return { text: utf8.decode(bytes), isUtf8: true };
  } catch {
    return { text: latin1.decode(bytes), isUtf8: false };
  }
}
