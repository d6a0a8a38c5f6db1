import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { compile } from '../../bench/compiler.ts';
import { need } from '../needs.ts';
import { FileContent } from './file-content.ts';
import { type JournalRecord, readJournal } from './journal.ts';

/** Whether processes can be watched here: by a library that is compiled, and loaded before that of C. */
export async function canWatch(): Promise<boolean> {
  return process.platform === 'linux' && (await need('cc'));
}

interface File {
  /** As processes see it. */
  readonly seen: FileContent;
  /** As the disk has it after every failure. */
  readonly sure: FileContent;
  /** What was done to it since its last sync, the oldest first. */
  unsynced: JournalRecord[];
}

type NameChange = (names: Map<string, File>) => void;

/** The files of a folder, as processes see them and as the disk has them. */
interface Files {
  readonly seen: Map<string, File>;
  readonly sure: Map<string, File>;
  unsynced: { readonly end: number; readonly change: NameChange }[];
}

/**
 * A disk that forgets at a power loss what was not synced, or a part of it: sectors, ends of sectors, lengths, and names that no sync of
 * the folder covers. It learns what a process does to the folder from the journal that journal.c writes.
 */
export class Disk {
  /** For the environment of the process. */
  readonly env: { readonly LD_PRELOAD: string; readonly POWER_JOURNAL: string; readonly POWER_FOLDER: string };
  readonly #folder: string;
  readonly #own: string;
  readonly #journal: string;
  #before: { readonly name: string; readonly inode: bigint; readonly bytes: Buffer }[] = [];

  /** @throws Error when the library can't be compiled. */
  static async of(folder: string): Promise<Disk> {
    const own = mkdtempSync(join(tmpdir(), 'millrace-power-'));
    const library = await compile(join(import.meta.dirname, 'journal.c'), own, '-shared', '-fPIC');
    if (library === null) throw new Error('journal.c could not be compiled');
    return new Disk(folder, own, library);
  }

  private constructor(folder: string, own: string, library: string) {
    this.#folder = folder;
    this.#own = own;
    this.#journal = join(own, 'changes');
    this.env = { LD_PRELOAD: library, POWER_JOURNAL: this.#journal, POWER_FOLDER: folder };
    this.syncAll();
  }

  /** Everything in the folder is durable. To be called before a process starts that is watched. */
  syncAll(): void {
    rmSync(this.#journal, { force: true });
    this.#before = this.#names().map((name) => {
      const path = join(this.#folder, name);
      return { name, inode: statSync(path, { bigint: true }).ino, bytes: readFileSync(path) };
    });
  }

  /**
   * The process was killed, and the machine has lost its power: leaves in the folder what the disk may have then.
   *
   * @throws Error when the journal does not tell what is in the folder: the process does what journal.c does not see.
   */
  losePower(random: () => number): void {
    const records = readJournal(this.#journal);
    const files = this.#replay(records);
    this.#compare(files.seen, records.at(-1));
    const share = [0, 0.5, 0.95][Math.floor(random() * 3)] ?? 0;
    for (const { change } of files.unsynced) if (random() < share) change(files.sure);
    for (const name of readdirSync(this.#folder)) rmSync(join(this.#folder, name));
    for (const [name, { sure, unsynced }] of files.sure) {
      for (const record of unsynced) sure.applyInPart(record, share, random);
      writeFileSync(join(this.#folder, name), sure.bytes, { mode: 0o600 });
    }
    this.syncAll();
  }

  remove(): void {
    rmSync(this.#own, { recursive: true });
  }

  #replay(records: readonly JournalRecord[]): Files {
    const folder = statSync(this.#folder, { bigint: true }).ino;
    const files: Files = { seen: new Map(), sure: new Map(), unsynced: [] };
    const byInode = new Map<bigint, File>();
    for (const { name, inode, bytes } of this.#before) {
      const file = newFile(bytes);
      byInode.set(inode, file);
      for (const names of [files.seen, files.sure]) names.set(name, file);
    }
    for (const record of records) {
      const { kind, inode, offset } = record;
      if (kind === 'create') byInode.set(inode, newFile());
      const file = byInode.get(inode);
      const change = changeOf(record, file);
      if (change) {
        change(files.seen);
        files.unsynced.push({ end: record.end, change });
      } else if (kind === 'sync' && inode === folder) {
        for (const { end, change } of files.unsynced) if (end <= offset) change(files.sure);
        files.unsynced = files.unsynced.filter(({ end }) => end > offset);
      } else if (kind === 'sync') {
        for (const each of file?.unsynced ?? []) if (each.end <= offset) file?.sure.apply(each);
        if (file) file.unsynced = file.unsynced.filter(({ end }) => end > offset);
      } else {
        file?.seen.apply(record);
        file?.unsynced.push(record);
      }
    }
    return files;
  }

  /** The last record may tell of what the kill has prevented: so it is done again to what is there. */
  #compare(seen: ReadonlyMap<string, File>, last: JournalRecord | undefined): void {
    const there = new Map<string, File>();
    for (const name of this.#names()) {
      const path = join(this.#folder, name);
      const file = newFile(readFileSync(path));
      if (statSync(path, { bigint: true }).ino === last?.inode) file.seen.apply(last);
      there.set(name, file);
    }
    if (last) changeOf(last, undefined)?.(there);
    for (const name of new Set([...seen.keys(), ...there.keys()])) {
      const [is, must] = [there.get(name)?.seen.bytes, seen.get(name)?.seen.bytes];
      // The kill came between its making and the record of that.
      if (is?.length === 0 && !must) continue;
      if (!is || !must || !is.equals(must)) throw new Error(`the journal does not tell what is in ${name}`);
    }
  }

  #names(): string[] {
    return readdirSync(this.#folder).filter(isKept);
  }
}

/** What is wrong with the databases of a folder, as SQLite sees it. */
export function damages(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.db'))
    .flatMap((name) => {
      const db = new DatabaseSync(join(folder, name), { readOnly: true });
      try {
        const rows = db.prepare('PRAGMA integrity_check').all();
        return rows.map((row) => `${name}: ${row['integrity_check']}`).filter((said) => said !== `${name}: ok`);
      } finally {
        db.close();
      }
    });
}

/** SQLite makes its shared memory anew after a crash. */
function isKept(name: string): boolean {
  return !name.endsWith('-shm');
}

function newFile(bytes: Uint8Array = new Uint8Array()): File {
  return { seen: new FileContent(Buffer.from(bytes)), sure: new FileContent(Buffer.from(bytes)), unsynced: [] };
}

/** What a record does to the names of the folder; null for one that changes none. */
function changeOf({ kind, data }: JournalRecord, file: File | undefined): NameChange | null {
  const [name = '', to = ''] = data.toString().split('/');
  if (kind === 'create') return (names) => file && isKept(name) && names.set(name, file);
  if (kind === 'unlink') return (names) => names.delete(name);
  if (kind !== 'rename') return null;
  return (names) => {
    const moved = names.get(name);
    names.delete(name);
    if (moved) names.set(to, moved);
  };
}
