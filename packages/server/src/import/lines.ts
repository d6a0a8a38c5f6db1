/** A line of the file. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Null: it is too long. What is no UTF-8 is read as Latin-1. */
  readonly text: string | null;
  readonly isUtf8: boolean;
  /** Byte after its line feed, in the text of the file: of what is unpacked, where the file is packed. */
  readonly end: number;
}

/** After a line: the byte that the next one begins with, and how many lines stand before it. */
export interface Place {
  readonly offset: number;
  readonly line: number;
}

/** A file of lines, opened by a runtime. */
export interface LineFile {
  /** @throws ChangedFile when the file is shorter than that. */
  lines(from: Place): AsyncGenerator<Line>;
  /** How much of the file was read, from 0 to 1. */
  share(): number;
}

/** Its digest tells one file from another. */
export async function firstLine(file: LineFile): Promise<string> {
  for await (const { text } of file.lines({ offset: 0, line: 0 })) return text ?? '';
  return '';
}

/** The file is not the one whose import was begun. */
export class ChangedFile extends Error {
  override readonly name = 'ChangedFile';
}

/** Longer than any call may be; what is longer is not kept in memory. */
const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/** What a file holds, by its first bytes: lines, lines packed with gzip, or a JSON array, which is no file of lines. */
export function kindOf(beginning: Uint8Array): 'lines' | 'gzip' | 'array' {
  if (beginning[0] === 0x1f && beginning[1] === 0x8b) return 'gzip';
  return new TextDecoder('latin1').decode(beginning).trimStart().startsWith('[') ? 'array' : 'lines';
}

/** Bytes that `kindOf` asks for. */
export const BEGINNING_BYTES = 64;

/** What is left of a text whose first bytes are done. @throws ChangedFile when it has no more than fewer of them. */
export async function* skipTo(offset: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = offset;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
  if (left > 0) throw new ChangedFile();
}

/** The lines of a text that comes in chunks and begins at the place. */
export async function* linesIn(chunks: AsyncIterable<Uint8Array>, { offset, line }: Place): AsyncGenerator<Line> {
  let [end, number] = [offset, line];
  let parts: Uint8Array[] = [];
  let length = 0;
  const keep = (part: Uint8Array): void => {
    length += part.length;
    if (length <= MAX_LINE_BYTES) parts.push(part);
  };
  const take = (): Line => {
    const read = length > MAX_LINE_BYTES ? { text: null, isUtf8: false } : decode(joined(parts, length));
    parts = [];
    length = 0;
    number += 1;
    return { number, ...read, end };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed !== -1; feed = chunk.indexOf(LINE_FEED, start)) {
      keep(chunk.subarray(start, feed));
      end += feed + 1 - start;
      start = feed + 1;
      yield take();
    }
    keep(chunk.subarray(start));
    end += chunk.length - start;
  }
  if (length > 0) yield take();
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
