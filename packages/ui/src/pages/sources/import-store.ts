import type { Progress } from '../../../../server/src/import/run.ts';

/** An import of a source as this browser keeps it, so that it goes on after the page was loaded again. */
export interface KeptImport {
  readonly sourceId: string;
  /** Digest of the file's first line: another file is not gone on with. */
  readonly identity: string;
  readonly name: string;
  readonly size: number;
  /** How much of the file is done, from 0 to 1. */
  readonly share: number;
  readonly progress: Progress;
  readonly isOver: boolean;
  /** Characters of refused lines that are kept. */
  readonly refusedLength: number;
}

const DATABASE = 'millrace-imports';
const IMPORTS = 'imports';
const REFUSED = 'refused';

/** The browser's database of imports: one of each source, and the lines that were refused. */
export const importStore = {
  async get(sourceId: string): Promise<KeptImport | null> {
    return inStore('readonly', async (transaction) => {
      return (await answer<KeptImport | undefined>(transaction.objectStore(IMPORTS).get(sourceId))) ?? null;
    });
  },

  /** In the place of what was kept of the source. */
  async begin(begun: KeptImport): Promise<void> {
    await inStore('readwrite', async (transaction) => {
      transaction.objectStore(REFUSED).delete(linesOf(begun.sourceId));
      transaction.objectStore(IMPORTS).put(begun);
    });
  },

  /** What is told to be done and the lines that were refused are kept together. @throws Error when another tab went on. */
  async advance(before: KeptImport, next: KeptImport, refused: string): Promise<void> {
    await inStore('readwrite', async (transaction) => {
      const imports = transaction.objectStore(IMPORTS);
      const kept = await answer<KeptImport | undefined>(imports.get(next.sourceId));
      if (kept?.identity !== before.identity || kept.progress.offset !== before.progress.offset) {
        throw new Error('Another tab goes on with this import, or has removed it. Load this page again.');
      }
      imports.put(next);
      if (refused !== '') transaction.objectStore(REFUSED).put(refused, [next.sourceId, before.progress.line]);
    });
  },

  /** Texts of refused lines in their order, NDJSON; as many as `isEnough` wants. */
  async refused(sourceId: string, isEnough: (texts: readonly string[]) => boolean = () => false): Promise<string[]> {
    return inStore('readonly', async (transaction) => {
      const texts: string[] = [];
      const request = transaction.objectStore(REFUSED).openCursor(linesOf(sourceId));
      for (let cursor = await answer(request); cursor && !isEnough(texts); cursor = await answer(request)) {
        texts.push(cursor.value as string);
        cursor.continue();
      }
      return texts;
    });
  },

  /** Of every source. */
  async removeAll(): Promise<void> {
    await answer(indexedDB.deleteDatabase(DATABASE));
  },

  async remove(sourceId: string): Promise<void> {
    await inStore('readwrite', async (transaction) => {
      transaction.objectStore(REFUSED).delete(linesOf(sourceId));
      transaction.objectStore(IMPORTS).delete(sourceId);
    });
  },
};

function linesOf(sourceId: string): IDBKeyRange {
  return IDBKeyRange.bound([sourceId, 0], [sourceId, Number.MAX_SAFE_INTEGER]);
}

async function inStore<T>(mode: IDBTransactionMode, act: (transaction: IDBTransaction) => Promise<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(IMPORTS, { keyPath: 'sourceId' });
    opening.result.createObjectStore(REFUSED);
  };
  const database = await answer(opening);
  try {
    const transaction = database.transaction([IMPORTS, REFUSED], mode);
    const over = ended(transaction);
    const acted = act(transaction).catch((error: unknown) => {
      transaction.abort();
      throw error;
    });
    // The reason why it was called off says more than that it was.
    const [result] = await Promise.all([acted, over]);
    return result;
  } finally {
    database.close();
  }
}

function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('The browser kept nothing.'));
  });
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
