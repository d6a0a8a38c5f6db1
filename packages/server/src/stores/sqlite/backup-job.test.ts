import { closeSync, copyFileSync, existsSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkDatabase, copySnapshot } from './backup-files.ts';
import { giveUp, newHold } from './backup-hold.ts';
import { BackupJob } from './backup-job.ts';
import { backupId, readRecord } from './backup-record.ts';
import { SnapshotFiles } from './backup-snapshot.ts';
import { openReadOnly } from './database.ts';
import { BackupWorld, partitionsIn } from './test-backups.ts';

const on = new BackupWorld();

test('a copy that is damaged, of another folder or of other numbers is told when it is checked', async () => {
  await on.append('a', 200);
  const done = await on.backUp();
  const { folder: id, files } = readRecord(on.pathOf(done));
  const [name = ''] = partitionsIn(on.pathOf(done));
  const census = files.find((file) => file.name === name)?.census ?? '';
  const path = join(on.folder, name);
  copyFileSync(join(on.pathOf(done), name), path);
  checkDatabase(name, path, { folder: id, census });
  expect(() => checkDatabase(name, path, { folder: 'other', census })).toThrow('belongs to another data folder');
  expect(() => checkDatabase(name, path, { folder: id, census: '201 events' })).toThrow('should hold 201 events');
  const file = openSync(path, 'r+');
  for (let page = 2; page < 12; page++) writeSync(file, 'damage', page * 8192);
  closeSync(file);
  expect(() => checkDatabase(name, path, { folder: id, census })).toThrow(`${name} is damaged`);
});

test('no snapshot is taken while the writer writes', async () => {
  const hold = newHold();
  const progress = new Float64Array(2);
  const options = {
    dataDir: on.world.dataDir,
    directory: on.directory,
    id: backupId(0),
    keep: null,
    version: '0',
    hold,
    progress,
  };
  const job = new BackupJob(options);
  onTestFinished(() => job.close());
  job.prepare();
  giveUp(hold);
  await expect(job.run()).rejects.toThrow('did not come to rest');
  expect(existsSync(on.directory)).toBe(false);
});

test('what is interrupted leaves nothing', async () => {
  await on.append('a', 10);
  const names = { dataDir: on.world.dataDir, directory: on.directory, id: backupId(0), keep: null, version: '0' };
  const job = new BackupJob({ ...names, hold: null, progress: new Float64Array(2), signal: AbortSignal.abort() });
  onTestFinished(() => job.close());
  job.prepare();
  await expect(job.run()).rejects.toThrow('The backup was interrupted');
  expect(readdirSync(on.directory)).toEqual([]);
});

test('a copy is of the snapshot, though the writer goes on before it and beside it', async () => {
  await on.append('a', 10);
  const files = new SnapshotFiles(on.world.dataDir);
  onTestFinished(() => files.close());
  const { snapshots } = files.take();
  const snapshot = snapshots.find(({ name }) => name.startsWith('events-'));
  if (!snapshot) throw new Error('There is no partition');
  // Many times what the writer keeps in its log before it writes it back to the file.
  await on.append('b', 20_000);
  const path = join(on.folder, snapshot.name);
  const reports: number[] = [];
  const copied = copySnapshot(snapshot, { path, folder: files.folder, done: (bytes) => reports.push(bytes) });
  await on.append('c', 500);
  expect(await copied).toMatchObject({ census: '10 events to 10, 0 deliveries' });
  expect(reports.at(-1)).toBe(snapshot.bytes);
  const copy = openReadOnly(path);
  expect(copy.prepare('SELECT max(seq) AS seq FROM events').get()).toEqual({ seq: 10 });
  copy.close();
});
