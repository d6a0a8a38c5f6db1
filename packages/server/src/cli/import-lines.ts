import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { CommandFailure, usageFailure } from './io.ts';

/** A line of the file. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Null: it is too long, or no UTF-8. */
  readonly text: string | null;
  /** Byte after its line feed, in the text of the file: of what is unpacked, where the file is packed. */
  readonly end: number;
}

export interface LineFile {
  lines(from: { readonly offset: number; readonly line: number }): AsyncGenerator<Line>;
  /** How much of the file was read, from 0 to 1. */
  share(): number;
}

/** Longer than any call may be; what is longer is not kept in memory. */
const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/** Opens a file of lines, packed with gzip or not. @throws CommandFailure when it can't be read. */
export async function openLines(path: string): Promise<LineFile> {
  const { size, packed } = await look(path);
  let source: ReturnType<typeof createReadStream> | null = null;
  let skipped = 0;
  return {
    share: () => (size === 0 ? 1 : (skipped + (source?.bytesRead ?? 0)) / size),
    async *lines({ offset, line }) {
      if (!packed && offset > size) throw changed(path);
      skipped = packed ? 0 : offset;
      source = createReadStream(path, { start: skipped });
      const unpacked: AsyncIterable<Buffer> = packed ? gunzipped(source) : source;
      try {
        yield* split(packed ? skipTo(offset, unpacked, path) : unpacked, offset, line);
      } catch (error) {
        if (error instanceof CommandFailure) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        throw new CommandFailure(`cannot read ${path}: ${reason}`, { cause: error });
      } finally {
        source.destroy();
      }
    },
  };
}

export function changed(path: string): CommandFailure {
  return usageFailure(
    `${path} is not the file whose import was begun (see ${path}.millrace-import). To import all of it from its beginning: --restart`,
  );
}

async function look(path: string): Promise<{ size: number; packed: boolean }> {
  try {
    await using file = await open(path);
    const stats = await file.stat();
    if (!stats.isFile()) throw usageFailure(`${path} is not a file`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    const packed = bytesRead >= 2 && buffer.readUInt16BE() === 0x1f8b;
    if (!packed && buffer.toString('latin1', 0, bytesRead).trimStart().startsWith('[')) {
      throw usageFailure(
        `${path} is a JSON array; an import takes NDJSON, one call on each line. To make it: jq -c '.[]' FILE > FILE.ndjson`,
      );
    }
    return { size: stats.size, packed };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw usageFailure(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

async function* gunzipped(source: ReturnType<typeof createReadStream>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  yield* source.pipe(gunzip) as AsyncIterable<Buffer>;
}

async function* skipTo(offset: number, chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  let left = offset;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
  if (left > 0) throw changed(path);
}

async function* split(chunks: AsyncIterable<Buffer>, offset: number, line: number): AsyncGenerator<Line> {
  let [end, number] = [offset, line];
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length <= MAX_LINE_BYTES) parts.push(part);
  };
  const take = (): Line => {
    const text = length > MAX_LINE_BYTES ? null : decode(Buffer.concat(parts));
    parts = [];
    length = 0;
    number += 1;
    return { number, text, end };
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

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    // Whoever asked gets null for what is no text.
    return null;
  }
}
