import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { smallDisk } from '../../../../../test/small-disk.ts';
import { removeFolder, temporaryFolder } from '../../../../../test/system/kit/leaks.ts';
import type { Backup } from '../../backup/contract.ts';
import type { Lane } from '../../core/lane.ts';
import { sampleEvent, take } from '../../log/conformance.ts';
import { CutFiles } from './backup-cut.ts';
import { checkDatabase, copySnapshot } from './backup-files.ts';
import { giveUp, newHold } from './backup-hold.ts';
import { BackupJob } from './backup-job.ts';
import { backupId, readRecord } from './backup-record.ts';
import { openReadOnly } from './database.ts';
import { restoreBackup } from './restore.ts';
import { openWorld, SMALL, type SqliteWorld } from './test-world.ts';

const HOUR = 60 * 60 * 1000;

let folder: string;
let directory: string;
let world: SqliteWorld;
let lane: Lane;
let ended: (backup: Backup) => void = () => undefined;
beforeEach(async () => {
  folder = temporaryFolder();
  directory = join(folder, 'backups');
  world = await open();
  lane = await world.log.openLane('s', 'd');
});
afterEach(async () => {
  await world.close();
  removeFolder(folder);
});

const open = (dataDir?: string): Promise<SqliteWorld> =>
  openWorld({
    ...SMALL,
    partitionLength: HOUR,
    backupDir: directory,
    onBackup: (backup) => ended(backup),
    ...(dataDir !== undefined && { dataDir }),
  });

const append = (prefix: string, count: number) =>
  world.log.append(
    Array.from({ length: count }, (_, i) => sampleEvent('s', `${prefix}${i}`, { receivedAt: world.now() })),
  );

/** Resolves when the backup is complete or has failed. */
async function backUp(keep: number | null = null): Promise<Backup> {
  const end = Promise.withResolvers<Backup>();
  ended = end.resolve;
  await world.store.backups.begin(keep);
  return end.promise;
}

const pathOf = ({ id }: Backup): string => join(directory, id);
const partitionsIn = (path: string): string[] =>
  readdirSync(path)
    .filter((name) => /^events-.*\.db$/.test(name))
    .sort();

async function restore(backup: Backup, dataDir = join(folder, 'restored'), replace = false) {
  return restoreBackup({ backup: pathOf(backup), dataDir, replace, now: Date.now(), progress: () => undefined });
}

/** Makes files look as if nothing was written to them for an hour. */
function rest(): void {
  const then = Date.now() / 1_000 - 3_600;
  for (const name of readdirSync(world.dataDir)) {
    if (name.startsWith('events-')) utimesSync(join(world.dataDir, name), then, then);
  }
}

test('a backup under load is of one moment: everything before it, nothing after it, no gap', {
  timeout: 60_000,
}, async () => {
  await append('before', 200);
  const entries = await take(world.log.read(lane.id), 50);
  await world.settle(lane, entries);
  let going = true;
  let appended = 200;
  const load = (async () => {
    for (let batch = 0; going; batch++) {
      await append(`load${batch}-`, 40);
      appended += 40;
      if (batch % 20 === 19) world.advance(HOUR);
    }
  })();
  const done = await backUp();
  const atEnd = appended;
  going = false;
  await load;
  expect(done).toMatchObject({ state: 'complete', reason: null });
  expect(done.pausedMs).toBeGreaterThan(0);
  expect(done.lastPosition).toBeGreaterThanOrEqual(200);
  // The writer went on while the files were copied.
  expect(done.lastPosition).toBeLessThan(atEnd);

  const { record } = await restore(done);
  expect(record.sources).toEqual([{ id: 's', accepted: done.lastPosition, duplicates: 0 }]);
  const copy = await open(join(folder, 'restored'));
  onTestFinished(() => copy.close());
  expect(await copy.store.losses.list()).toEqual([]);
  const [counts] = await copy.deliveries.counts(['d']);
  expect(counts?.counts).toMatchObject({ accepted: done.lastPosition, processed: 50, failed: 0 });
  const waiting = await take(copy.log.read(lane.id), (done.lastPosition ?? 0) - 50);
  expect(waiting.map(({ position }) => position)).toEqual(waiting.map((_, i) => i + 51));
  expect((await copy.log.append([sampleEvent('s', 'before0')])).duplicates).toEqual([0]);
});

test('the files are of their user alone, and none is left of the making', async () => {
  await append('a', 3);
  const done = await backUp();
  expect(statSync(pathOf(done)).mode & 0o777).toBe(0o700);
  const names = readdirSync(pathOf(done));
  expect(names.sort()).toEqual(['backup.json', partitionsIn(world.dataDir)[0], 'millrace.db', 'people.db']);
  for (const name of names) expect(statSync(join(pathOf(done), name)).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual([done.id]);
});

describe('a file that has not changed since the backup before', () => {
  const inodes = (backup: Backup): number[] =>
    partitionsIn(pathOf(backup)).map((name) => statSync(join(pathOf(backup), name)).ino);

  test('is linked, one that has changed is copied', async () => {
    await append('old', 20);
    world.advance(HOUR);
    await append('new', 5);
    rest();
    const first = await backUp();
    await append('more', 5);
    const second = await backUp();
    const [old, active] = inodes(first);
    expect(inodes(second)[0]).toBe(old);
    expect(inodes(second)[1]).not.toBe(active);
    await world.settle(lane, await take(world.log.read(lane.id), 1));
    const third = await backUp();
    expect(inodes(third)[0]).not.toBe(old);
    expect(third.lastPosition).toBe(30);
  });

  test('is copied where it was written in the moment of that backup, or its link would be damaged', async () => {
    await append('old', 20);
    const first = await backUp();
    // Just written: another write could have had the same time.
    const second = await backUp();
    expect(inodes(second)).not.toEqual(inodes(first));
    rest();
    const third = await backUp();
    const [name = ''] = partitionsIn(pathOf(third));
    appendFileSync(join(pathOf(third), name), 'x');
    const fourth = await backUp();
    expect(inodes(fourth)).not.toEqual(inodes(third));
    await restore(fourth);
  });
});

test('only one runs at a time, and what is under way when the store is closed leaves nothing', async () => {
  await append('a', 100);
  await world.store.backups.begin(null);
  await expect(world.store.backups.begin(null)).rejects.toMatchObject({ code: 'conflict' });
  expect(await world.store.backups.list()).toMatchObject([{ state: 'running' }]);
  await world.stop();
  expect(existsSync(directory) ? readdirSync(directory) : []).toEqual([]);
  await world.start();
  expect(await backUp()).toMatchObject({ state: 'complete' });
});

test('what a killed process has left is gone after the next backup, and so are the oldest where that is asked for', async () => {
  await append('a', 3);
  const first = await backUp();
  mkdirSync(join(directory, `.partial-${readRecord(pathOf(first)).folder}`));
  const second = await backUp();
  const third = await backUp(2);
  expect(readdirSync(directory).sort()).toEqual([second.id, third.id]);
  expect((await world.store.backups.list()).map(({ id }) => id)).toEqual([third.id, second.id]);
});

test('what is of no use as a backup is refused, and nothing is put in place', async () => {
  await append('a', 3);
  const done = await backUp();
  await expect(open(pathOf(done))).rejects.toThrow('is a backup');
  const [events = ''] = partitionsIn(pathOf(done));
  const file = join(pathOf(done), events);
  const { size } = statSync(file);
  truncateSync(file, size - 1);
  await expect(restore(done)).rejects.toThrow(`${events} of the backup ${pathOf(done)} is damaged`);
  rmSync(file);
  await expect(restore(done)).rejects.toThrow(`${events} is missing`);
  rmSync(join(pathOf(done), 'backup.json'));
  await expect(restore(done)).rejects.toThrow('is no backup');
  expect(existsSync(join(folder, 'restored'))).toBe(false);
  expect(readdirSync(folder)).toEqual(['backups']);
});

describe('restore over a folder that is there', () => {
  let done: Backup;
  beforeEach(async () => {
    await append('a', 10);
    done = await backUp();
    await append('later', 7);
  });

  test('is refused while it is in use, and without being asked for', async () => {
    await expect(restore(done, world.dataDir)).rejects.toThrow('is not empty');
    await expect(restore(done, world.dataDir, true)).rejects.toThrow('in use by another Millrace process');
  });

  test('puts it aside and says what is later in it', async () => {
    const from = world.now();
    await world.stop();
    const { aside, later } = await restore(done, world.dataDir, true);
    onTestFinished(() => removeFolder(aside ?? ''));
    expect(later).toEqual({ events: 7, from, to: from });
    expect(partitionsIn(aside ?? '')).toEqual(partitionsIn(world.dataDir));
    await world.start();
    await append('after', 2);
    const entries = await take(world.log.read(lane.id), 12);
    expect(entries.slice(-2).map(({ messageId }) => messageId)).toEqual(['after0', 'after1']);
    expect(await world.store.losses.list()).toEqual([]);
  });

  test('goes into an empty one, which may be a disk of its own', async () => {
    const target = join(folder, 'empty');
    mkdirSync(join(target, 'lost+found'), { recursive: true });
    const { ino } = statSync(target);
    expect(await restore(done, target)).toMatchObject({ aside: null, later: null });
    expect(statSync(target).ino).toBe(ino);
    expect(readdirSync(target).sort()).toEqual([partitionsIn(target)[0], 'lost+found', 'millrace.db', 'people.db']);
    const linked = partitionsIn(target).some((name) => statSync(join(target, name)).nlink > 1);
    expect(linked).toBe(false);
  });
});

test('a copy that is damaged, of another folder or of other numbers is told when it is checked', async () => {
  await append('a', 200);
  const done = await backUp();
  const { folder: id, files } = readRecord(pathOf(done));
  const [name = ''] = partitionsIn(pathOf(done));
  const census = files.find((file) => file.name === name)?.census ?? '';
  const path = join(folder, name);
  copyFileSync(join(pathOf(done), name), path);
  checkDatabase(name, path, { folder: id, census });
  expect(() => checkDatabase(name, path, { folder: 'other', census })).toThrow('belongs to another data folder');
  expect(() => checkDatabase(name, path, { folder: id, census: '201 events' })).toThrow('should hold 201 events');
  const file = openSync(path, 'r+');
  for (let page = 2; page < 12; page++) writeSync(file, 'damage', page * 8192);
  closeSync(file);
  expect(() => checkDatabase(name, path, { folder: id, census })).toThrow(`${name} is damaged`);
});

test('no cut is taken while the writer writes', async () => {
  const hold = newHold();
  const progress = new Float64Array(2);
  const options = { dataDir: world.dataDir, directory, id: backupId(0), keep: null, version: '0', hold, progress };
  const job = new BackupJob(options);
  onTestFinished(() => job.close());
  job.prepare();
  giveUp(hold);
  await expect(job.run()).rejects.toThrow('did not come to rest');
  expect(existsSync(directory)).toBe(false);
});

test('a copy is of the cut, though the writer goes on before it and beside it', async () => {
  await append('a', 10);
  const files = new CutFiles(world.dataDir);
  onTestFinished(() => files.close());
  const { snapshots } = files.take();
  const snapshot = snapshots.find(({ name }) => name.startsWith('events-'));
  if (!snapshot) throw new Error('There is no partition');
  // Many times what the writer keeps in its log before it writes it back to the file.
  await append('b', 20_000);
  const path = join(folder, snapshot.name);
  const reports: number[] = [];
  const copied = copySnapshot(snapshot, { path, folder: files.folder, done: (bytes) => reports.push(bytes) });
  await append('c', 500);
  expect(await copied).toMatchObject({ census: '10 events to 10, 0 deliveries' });
  expect(reports.at(-1)).toBe(snapshot.bytes);
  const copy = openReadOnly(path);
  expect(copy.prepare('SELECT max(seq) AS seq FROM events').get()).toEqual({ seq: 10 });
  copy.close();
});

test('a full disk fails with the reason and leaves no half backup', async (context) => {
  const disk = smallDisk(1);
  if (disk === null) {
    context.skip();
    return;
  }
  onTestFinished(() => disk.remove());
  writeFileSync(join(disk.folder, 'ballast'), Buffer.alloc(700_000));
  await world.close();
  directory = join(disk.folder, 'backups');
  world = await open();
  await append('a', 2_000);
  const failed = await backUp();
  const reason = expect.stringContaining(`The disk of ${directory} is full`);
  expect(failed).toMatchObject({ state: 'failed', reason });
  expect(readdirSync(directory)).toEqual([]);
  expect(await world.store.backups.list()).toEqual([failed]);
  await append('b', 1);
  rmSync(join(disk.folder, 'ballast'));
  expect(await backUp()).toMatchObject({ state: 'complete' });
});
