import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { smallDiskFor } from '../../../../../test/small-disk.ts';
import type { Backup } from '../../backup/contract.ts';
import { sampleEvent, take } from '../../log/conformance.ts';
import { readRecord } from './backup-record.ts';
import { livePath } from './live.ts';
import { BackupWorld, HOUR, partitionsIn } from './test-backups.ts';

const on = new BackupWorld();

/** Makes files look as if they were last written at this time; by default, an hour ago. */
function rest(at = Date.now() - HOUR): void {
  const then = at / 1_000;
  for (const name of readdirSync(on.world.dataDir)) {
    if (name.startsWith('events-')) utimesSync(join(on.world.dataDir, name), then, then);
  }
}

test('a backup under load is of one moment: everything before it, nothing after it, no gap', {
  timeout: 60_000,
}, async () => {
  await on.append('before', 200);
  const entries = await take(on.world.log.read(on.lane.id), 50);
  await on.world.settle(on.lane, entries);
  let going = true;
  let appended = 200;
  const load = (async () => {
    for (let batch = 0; going; batch++) {
      await on.append(`load${batch}-`, 40);
      appended += 40;
      if (batch % 20 === 19) on.world.advance(HOUR);
    }
  })();
  const done = await on.backUp();
  const atEnd = appended;
  going = false;
  await load;
  expect(done).toMatchObject({ state: 'complete', reason: null });
  expect(done.pausedMs).toBeGreaterThan(0);
  expect(done.lastPosition).toBeGreaterThanOrEqual(200);
  // The writer went on while the files were copied.
  expect(done.lastPosition).toBeLessThan(atEnd);

  const { record } = await on.restore(done);
  expect(record.sources).toEqual([{ id: 's', accepted: done.lastPosition, duplicates: 0 }]);
  const copy = await on.open(join(on.folder, 'restored'));
  onTestFinished(() => copy.close());
  expect(await copy.store.losses.list()).toEqual([]);
  const [counts] = await copy.deliveries.counts(['d']);
  expect(counts?.counts).toMatchObject({ accepted: done.lastPosition, processed: 50, failed: 0 });
  const waiting = await take(copy.log.read(on.lane.id), (done.lastPosition ?? 0) - 50);
  expect(waiting.map(({ position }) => position)).toEqual(waiting.map((_, i) => i + 51));
  expect((await copy.log.append([sampleEvent('s', 'before0')])).duplicates).toEqual([0]);
});

test('the files are of their user alone, and none is left of the making', async () => {
  await on.append('a', 3);
  const done = await on.backUp();
  expect(statSync(on.pathOf(done)).mode & 0o777).toBe(0o700);
  const names = readdirSync(on.pathOf(done));
  expect(names.sort()).toEqual(['backup.json', partitionsIn(on.world.dataDir)[0], 'millrace.db', 'people.db']);
  for (const name of names) expect(statSync(join(on.pathOf(done), name)).mode & 0o777).toBe(0o600);
  expect(readdirSync(on.directory)).toEqual([done.id]);
});

describe('a file that has not changed since the backup before', () => {
  const inodes = (backup: Backup): number[] =>
    partitionsIn(on.pathOf(backup)).map((name) => statSync(join(on.pathOf(backup), name)).ino);

  test('is linked, one that has changed is copied', async () => {
    await on.append('old', 20);
    on.world.advance(HOUR);
    await on.append('new', 5);
    rest();
    const first = await on.backUp();
    await on.append('more', 5);
    const second = await on.backUp();
    const [old, active] = inodes(first);
    expect(inodes(second)[0]).toBe(old);
    expect(inodes(second)[1]).not.toBe(active);
    await on.world.settle(on.lane, await take(on.world.log.read(on.lane.id), 1));
    const third = await on.backUp();
    expect(inodes(third)[0]).not.toBe(old);
    expect(third.lastPosition).toBe(30);
  });

  test('is copied where it was written in the moment of that backup, or its link would be damaged', async () => {
    await on.append('old', 20);
    const first = await on.backUp();
    // Just written, however long the first backup took: another write could have had the same time.
    rest(Date.now() + HOUR);
    const second = await on.backUp();
    expect(inodes(second)).not.toEqual(inodes(first));
    rest();
    const third = await on.backUp();
    const [name = ''] = partitionsIn(on.pathOf(third));
    appendFileSync(join(on.pathOf(third), name), 'x');
    const fourth = await on.backUp();
    expect(inodes(fourth)).not.toEqual(inodes(third));
    await on.restore(fourth);
  });
});

test('a file of events whose making was cut off by a crash is in the list after the next start, and so in backups', async () => {
  await on.append('a', 3);
  await on.world.stop();
  // As a crash leaves it between the two: the file is there, and not in the list.
  const live = new DatabaseSync(livePath(on.world.dataDir));
  live.exec("DELETE FROM kept_files WHERE file LIKE 'events-%'");
  live.close();
  await on.world.start();
  await on.append('b', 2);
  const done = await on.backUp();
  expect(done).toMatchObject({ state: 'complete', lastPosition: 5 });
  expect(partitionsIn(on.pathOf(done))).toHaveLength(1);
});

test('only one runs at a time, and what is under way when the store is closed leaves nothing', async () => {
  await on.append('a', 100);
  await on.world.store.backups.begin(null);
  await expect(on.world.store.backups.begin(null)).rejects.toMatchObject({ code: 'conflict' });
  expect(await on.world.store.backups.list()).toMatchObject([{ state: 'running' }]);
  await on.world.stop();
  expect(existsSync(on.directory) ? readdirSync(on.directory) : []).toEqual([]);
  await on.world.start();
  expect(await on.backUp()).toMatchObject({ state: 'complete' });
});

test('what a killed process has left is gone after the next backup, and so are the oldest where that is asked for', async () => {
  await on.append('a', 3);
  const first = await on.backUp();
  mkdirSync(join(on.directory, `.partial-${readRecord(on.pathOf(first)).folder}`));
  const second = await on.backUp();
  const third = await on.backUp(2);
  expect(readdirSync(on.directory).sort()).toEqual([second.id, third.id]);
  expect((await on.world.store.backups.list()).map(({ id }) => id)).toEqual([third.id, second.id]);
});

test('the removal of an old one may end half-way: what is left of it is no backup, and goes with the next one', async (context) => {
  await on.append('a', 3);
  const old = await on.backUp();
  // A mount point can't be removed.
  const disk = smallDiskFor(context, 1);
  const held = join(on.pathOf(old), 'held');
  mkdirSync(held);
  spawnSync('mount', ['--bind', disk.folder, held]);
  onTestFinished(() => void spawnSync('umount', ['-l', held]));
  const second = await on.backUp(1);
  expect(second).toMatchObject({ reason: expect.stringContaining('older ones could not be removed') });
  const left = readdirSync(on.directory).filter((name) => name !== second.id);
  expect(left).toEqual([expect.stringMatching(/^\.removing-/)]);
  expect(await on.backUp(2)).toMatchObject({ reason: expect.stringContaining('older ones could not be removed') });
  spawnSync('umount', ['-l', join(on.directory, left[0] ?? '', 'held')]);
  const third = await on.backUp(1);
  expect(third).toMatchObject({ state: 'complete', reason: null });
  expect(readdirSync(on.directory)).toEqual([third.id]);
});

test.each<[string, object]>([
  ['no time', { at: undefined }],
  ['a time with control characters', { at: '2026-11-26T20:00:00.000Z\u001b[31m' }],
  ['no position', { lastPosition: undefined }],
  ['a file that is none', { files: [null] }],
  ['a file without a size', { files: [{ name: 'millrace.db' }] }],
])('a backup whose record has %s is refused before anything is put in place', async (_, damage) => {
  await on.append('a', 3);
  const done = await on.backUp();
  const path = on.pathOf(done);
  const record = readRecord(path);
  writeFileSync(join(path, 'backup.json'), JSON.stringify({ ...record, ...damage }));
  await expect(on.restore(done)).rejects.toThrow(`The record of ${path} is damaged`);
  expect(existsSync(join(on.folder, 'restored'))).toBe(false);
});

test('a directory that can not be read fails the backup with the reason, and only that', async () => {
  await on.append('a', 3);
  const whole = await on.backUp();
  expect(on.world.store.backups.trouble).toBe(null);
  renameSync(on.directory, `${on.directory}.aside`);
  writeFileSync(on.directory, '');
  const failed = await on.backUp();
  expect(failed).toMatchObject({ state: 'failed', reason: expect.stringContaining(on.directory) });
  expect(await on.world.store.backups.list()).toEqual([failed]);
  expect(on.world.store.backups.trouble).toContain('ENOTDIR');
  rmSync(on.directory);
  renameSync(`${on.directory}.aside`, on.directory);
  expect(await on.world.store.backups.list()).toEqual([failed, whole]);
  expect(on.world.store.backups.trouble).toBe(null);
});

test.each(['backup.json', 'people.db'])('one that has lost its %s is none', async (name) => {
  await on.append('a', 3);
  const [older, newer] = [await on.backUp(), await on.backUp()];
  const ids = async (): Promise<string[]> => (await on.world.store.backups.list()).map(({ id }) => id);
  expect(await ids()).toEqual([newer.id, older.id]);
  rmSync(join(on.pathOf(newer), name));
  expect(await ids()).toEqual([older.id]);
});

test('a full disk fails with the reason and leaves no half backup', async (context) => {
  const disk = smallDiskFor(context, 1);
  writeFileSync(join(disk.folder, 'ballast'), Buffer.alloc(700_000));
  await on.moveTo(join(disk.folder, 'backups'));
  await on.append('a', 2_000);
  const failed = await on.backUp();
  const reason = expect.stringContaining(`The disk of ${on.directory} is full`);
  expect(failed).toMatchObject({ state: 'failed', reason });
  expect(readdirSync(on.directory)).toEqual([]);
  expect(await on.world.store.backups.list()).toEqual([failed]);
  await on.append('b', 1);
  rmSync(join(disk.folder, 'ballast'));
  expect(await on.backUp()).toMatchObject({ state: 'complete' });
});

test('a backup to a disk that is read-only says so, also where its directory is not there yet', async (context) => {
  const disk = smallDiskFor(context, 1);
  spawnSync('mount', ['-o', 'remount,ro', disk.folder]);
  for (const directory of [join(disk.folder, 'backups'), disk.folder]) {
    await on.moveTo(directory);
    const reason = `The disk of ${directory} is read-only: mount it for writing`;
    expect(await on.backUp()).toMatchObject({ state: 'failed', reason });
  }
});
