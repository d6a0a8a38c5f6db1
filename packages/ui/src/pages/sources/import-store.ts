import type { Progress } from '../../../../server/src/import/run.ts';

/** The import of a source as this browser stores it. So it can continue after the page was loaded again. */
export interface KeptImport {
  readonly sourceId: string;
  /** Digest of the file's first line: the import does not continue with another file. */
  readonly identity: string;
  readonly name: string;
  readonly size: number;
  /** The share of the file that is done, from 0 to 1. */
  readonly share: number;
  readonly progress: Progress;
  readonly isOver: boolean;
  /** Characters of the refused lines that are stored. */
  readonly refusedLength: number;
}

const DATABASE = 'millrace-imports';
const IMPORTS = 'imports';
const REFUSED = 'refused';

/** The browser's database of imports: one for each source, with its refused lines. */
export const importStore = {
  async get(sourceId: string): Promise<KeptImport | null> {
    return inStore('readonly', async (transaction) => {
      return (await answer<KeptImport | undefined>(transaction.objectStore(IMPORTS).get(sourceId))) ?? null;
    });
  },

  /** Replaces the stored import of the source. */
  async begin(begun: KeptImport): Promise<void> {
    await inStore('readwrite', async (transaction) => {
      transaction.objectStore(REFUSED).delete(linesOf(begun.sourceId));
      transaction.objectStore(IMPORTS).put(begun);
    });
  },

  /** Stores the progress and the refused lines in one transaction. @throws Error if another tab has continued the import. */
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

  /** Texts of refused lines in order, as NDJSON, until `isEnough` is true. */
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

  /** Removes the imports of every source. */
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
    // Both promises may reject. `acted` rejects first: its reason says more than that the transaction was aborted.
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
