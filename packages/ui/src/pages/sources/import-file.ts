import {
  BEGINNING_BYTES,
  ChangedFile,
  kindOf,
  type LineFile,
  linesIn,
  startOf,
} from '../../../../server/src/import/lines.ts';

/** Bytes that are read at once. A packed slice may be a thousand times larger once it is unpacked. */
const SLICE_BYTES = 65_536;

/** The lines of a chosen file, packed with gzip or not. The file is read slice by slice. @throws Error if it has no lines. */
export async function openFile(file: File): Promise<LineFile> {
  const kind = kindOf(new Uint8Array(await file.slice(0, BEGINNING_BYTES).arrayBuffer()));
  if (kind === 'array') {
    throw new Error(`${file.name} is a JSON array; an import takes NDJSON, one call on each line.`);
  }
  const isPacked = kind === 'gzip';
  let read = 0;
  return {
    share: ({ offset }) => (isPacked ? read : offset) / file.size,
    async *lines(from) {
      // A packed file can only be unpacked from its beginning.
      const start = isPacked ? 0 : startOf(from);
      const slices = slicesOf(file, start, (at) => {
        read = at;
      });
      const bytes = isPacked ? slices.pipeThrough(new DecompressionStream('gzip')) : slices;
      try {
        yield* linesIn(chunksOf(bytes), from, start);
      } catch (error) {
        if (error instanceof ChangedFile) throw error;
        throw new Error(`${file.name} can’t be read: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
      }
    },
  };
}

function slicesOf(file: File, from: number, onRead: (at: number) => void): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = from;
  return new ReadableStream({
    async pull(controller) {
      if (at >= file.size) return controller.close();
      const slice = await file.slice(at, at + SLICE_BYTES).arrayBuffer();
      at += slice.byteLength;
      onRead(at);
      controller.enqueue(new Uint8Array(slice));
    },
  });
}

/** Some browsers can't read a stream with `for await`. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // The stream is no longer needed, so a failed cancel is ignored.
    void reader.cancel().catch(() => undefined);
  }
}
