import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Bench } from './bench.ts';
import { startProduct } from './product.ts';
import type { CrowdFill } from './sides/crowd-fill.ts';

/** Beyond this age too much has left the sliding windows of the crowd. */
const KEPT_MS = 24 * 3_600_000;

/** What the file follows from, but for how it is decided: that changes too often, and little in the file. */
const MADE_OF = [
  ...['crowd.ts', 'crowd-definitions.ts', 'sides/crowd-fill.ts'],
  ...['people-ledger.ts', 'people-schema.ts', 'person-states.ts', 'profile-store.ts', 'profile-writer.ts'].map(
    (name) => `../packages/server/src/stores/sqlite/${name}`,
  ),
];

/**
 * Makes a data folder with the `people.db` of a crowd. Making it takes minutes, so it is kept for a day beside the other
 * temporary files, and made again when what it is made of has changed.
 */
export async function copyCrowd(bench: Bench, persons: number, dataDir: string): Promise<void> {
  const folder = join(tmpdir(), 'millrace-bench-crowd');
  const mark = join(folder, 'made-of');
  const fingerprint = await fingerprintOf(persons);
  if (!(await isFresh(mark, fingerprint))) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    const { calls, seconds, fileMb } = await bench.processes.run<CrowdFill>({
      name: 'the making of the crowd',
      file: process.execPath,
      args: [join(import.meta.dirname, 'sides/crowd-fill.ts'), folder, String(persons)],
    });
    const size = `${Math.round(fileMb).toLocaleString('en')} MB`;
    console.log(`  ${calls.toLocaleString('en')} past calls taken in and decided in ${Math.round(seconds)} s: ${size}`);
    await writeFile(mark, fingerprint);
  }
  const product = await startProduct(bench, dataDir);
  await product.stop();
  const people = join(dataDir, 'people.db');
  await copyFile(join(folder, 'people.db'), people, constants.COPYFILE_FICLONE);
  const db = new DatabaseSync(people);
  // A folder refuses a file of another one, and its log begins anew.
  db.prepare('ATTACH ? AS own').run(join(dataDir, 'millrace.db'));
  db.exec('INSERT INTO folder SELECT id FROM own.folder; DELETE FROM source');
  db.close();
}

async function isFresh(mark: string, fingerprint: string): Promise<boolean> {
  const found = await stat(mark).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs < KEPT_MS && (await readFile(mark, 'utf8')) === fingerprint;
}

async function fingerprintOf(persons: number): Promise<string> {
  const hash = createHash('sha256').update(String(persons));
  for (const file of MADE_OF) hash.update(await readFile(join(import.meta.dirname, file)));
  return hash.digest('hex');
}
