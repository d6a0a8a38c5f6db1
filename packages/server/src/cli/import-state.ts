import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { readJson } from '../core/json.ts';
import { type RejectedLine, rejectedJson } from '../import/batches.ts';
import { digest } from '../import/digest.ts';
import { NOTHING_YET, type Progress } from '../import/run.ts';
import { changed } from './import-lines.ts';
import { EXIT, failing, usageFailure } from './io.ts';

/** The progress as stored in a file. Files of an older version have no `untimed`. */
export interface ImportState extends Progress {
  readonly version: 1;
  /** Digest of the first line. An import is not resumed with another file. */
  readonly identity: string;
  /** Digest of the service's address and the write key. If they change, the user must confirm that the source is the same. */
  readonly into: string;
}

/** The files of an import, beside the imported one: `FILE.millrace-import` and `FILE.rejected.ndjson`. */
export class ImportFiles {
  readonly #file: string;
  readonly statePath: string;
  readonly rejectedPath: string;

  constructor(file: string) {
    this.#file = file;
    this.statePath = `${file}.millrace-import`;
    this.rejectedPath = `${file}.rejected.ndjson`;
  }

  /**
   * Locks the import until the answer is closed or the process ends in any way. The lock file is never deleted: else two
   * processes could lock two files of the same name.
   *
   * @throws CommandFailure if another process imports the file, or nothing can be written.
   */
  async lock(): Promise<DatabaseSync> {
    const path = `${this.statePath}.lock`;
    let lock: DatabaseSync | undefined;
    try {
      // Created here, because an error of SQLite would not tell why it can't be created.
      await appendFile(path, '');
      lock = new DatabaseSync(path);
      lock.exec('BEGIN EXCLUSIVE');
      return lock;
    } catch (cause) {
      lock?.close();
      if ((cause as { readonly errcode?: number }).errcode !== SQLITE_BUSY) failing(UNWRITABLE, EXIT.usage)(cause);
      throw usageFailure(`another import of ${this.#file} is under way. Wait for its end, or stop it first`, cause);
    }
  }

  /**
   * Where to continue: the stored state, or the beginning.
   *
   * @throws CommandFailure if the stored state is of another file, or of another address or write key without `sameSource`.
   */
  async begin(
    firstLine: string,
    into: string,
    { restart = false, sameSource = false }: { readonly restart?: boolean; readonly sameSource?: boolean },
  ): Promise<ImportState> {
    const identity = digest(firstLine);
    const kept = restart ? null : await this.#read();
    if (kept === null) {
      const begun: ImportState = { version: 1, identity, into: digest(into), ...NOTHING_YET };
      // Overwritten first: a crash must not leave the old state to continue from.
      if (restart) await this.advance(begun, []);
      else await this.#tryToWrite();
      await rm(this.rejectedPath, { force: true });
      return begun;
    }
    if (kept.identity !== identity) throw changed(this.#file);
    if (kept.into !== digest(into) && !sameSource) {
      throw usageFailure(
        `the import of ${this.#file} was begun with another address or write key (see ${this.statePath}). To go on, where it is ` +
          'the same source: --same-source. To import all of it from its beginning: --restart',
      );
    }
    return { ...kept, into: digest(into) };
  }

  /** Writes the refused lines before the state: so all lines before the stored place are written. @throws CommandFailure on an error. */
  async advance(state: ImportState, rejected: readonly RejectedLine[]): Promise<void> {
    try {
      if (rejected.length > 0) {
        await appendFile(this.rejectedPath, rejected.map(rejectedJson).join(''), { mode: 0o600 });
      }
      const next = `${this.statePath}.new`;
      await writeFile(next, `${JSON.stringify(state)}\n`);
      await rename(next, this.statePath);
    } catch (cause) {
      failing(UNWRITABLE)(cause);
    }
  }

  /** Checks that the state can be written, before anything is sent. @throws CommandFailure */
  async #tryToWrite(): Promise<void> {
    const probe = `${this.statePath}.new`;
    const tried = writeFile(probe, '').then(() => rm(probe));
    await tried.catch(failing(UNWRITABLE, EXIT.usage));
  }

  async #read(): Promise<ImportState | null> {
    const text = await readFile(this.statePath, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw usageFailure(`cannot read ${this.statePath}: ${error.message}`, error);
    });
    if (text === null) return null;
    const state = readJson(text);
    if (isState(state)) return { ...NOTHING_YET, ...state };
    throw usageFailure(`${this.statePath} is damaged. To import all of ${this.#file} from its beginning: --restart`);
  }
}

const SQLITE_BUSY = 5;

const UNWRITABLE = "how far the import is can't be written";

function isState(value: unknown): value is ImportState {
  if (typeof value !== 'object' || value === null) return false;
  const numbers = ['offset', 'line', 'accepted', 'rejected'].every((name) => {
    return Number.isSafeInteger(Reflect.get(value, name));
  });
  return numbers && Reflect.get(value, 'version') === 1 && typeof Reflect.get(value, 'identity') === 'string';
}
