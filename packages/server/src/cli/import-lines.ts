import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { digest } from '../import/digest.ts';
import { BEGINNING_BYTES, ChangedFile, kindOf, type LineFile, linesIn, skipTo } from '../import/lines.ts';
import { type CommandFailure, EXIT, failing, usageFailure } from './io.ts';

const BEFORE_BYTES = 1_024;

/** A file of lines on a disk. */
export interface StoredLines extends LineFile {
  /** Digest of what stands before a place, which tells that it is still the file that was read up to there; empty where that is not known, as of a packed one. */
  before(offset: number): Promise<string>;
}

/** Opens a file of lines, packed with gzip or not. @throws CommandFailure when it can't be read. */
export async function openLines(path: string): Promise<StoredLines> {
  const { size, packed } = await look(path).catch(failing(`cannot read ${path}`, EXIT.usage));
  let source: ReturnType<typeof createReadStream> | null = null;
  let skipped = 0;
  return {
    async before(offset) {
      // One that was moved away meanwhile is read to its end all the same.
      const opened = packed ? null : await open(path).catch(() => null);
      if (opened === null) return '';
      await using file = opened;
      const length = Math.min(offset, BEFORE_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset - length);
      return digest(buffer.toString('latin1', 0, bytesRead));
    },
    share: () => (size === 0 ? 1 : (skipped + (source?.bytesRead ?? 0)) / size),
    async *lines({ offset, line }) {
      if (!packed && offset > size) throw changed(path);
      skipped = packed ? 0 : offset;
      source = createReadStream(path, { start: skipped });
      const unpacked: AsyncIterable<Buffer> = packed ? gunzipped(source) : source;
      try {
        yield* linesIn(packed ? skipTo(offset, unpacked) : unpacked, { offset, line });
      } catch (error) {
        if (error instanceof ChangedFile) throw changed(path);
        failing(`cannot read ${path}`)(error);
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
  await using file = await open(path);
  const stats = await file.stat();
  if (!stats.isFile()) throw usageFailure(`${path} is not a file`);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
  const kind = kindOf(buffer.subarray(0, bytesRead));
  if (kind === 'array') {
    throw usageFailure(
      `${path} is a JSON array; an import takes NDJSON, one call on each line. To make it: jq -c '.[]' FILE > FILE.ndjson`,
    );
  }
  return { size: stats.size, packed: kind === 'gzip' };
}

async function* gunzipped(source: ReturnType<typeof createReadStream>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  yield* source.pipe(gunzip) as AsyncIterable<Buffer>;
}
