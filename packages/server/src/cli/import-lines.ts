import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { BEGINNING_BYTES, ChangedFile, kindOf, type LineFile, linesIn, startOf } from '../import/lines.ts';
import { type CommandFailure, EXIT, failing, usageFailure } from './io.ts';

/** Opens a file of lines, packed with gzip or plain. @throws CommandFailure if it can't be read. */
export async function openLines(path: string): Promise<LineFile> {
  const { size, packed } = await look(path).catch(failing(`cannot read ${path}`, EXIT.usage));
  let source: ReturnType<typeof createReadStream> | null = null;
  return {
    share: ({ offset }) => (packed ? (source?.bytesRead ?? 0) : offset) / size,
    async *lines(from) {
      // A packed file must be unpacked from its beginning.
      const skipped = packed ? 0 : startOf(from);
      source = createReadStream(path, { start: skipped });
      const unpacked: AsyncIterable<Buffer> = packed ? gunzipped(source) : source;
      try {
        yield* linesIn(unpacked, from, skipped);
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
