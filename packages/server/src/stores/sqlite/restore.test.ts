import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { smallDiskFor } from '../../../../../test/small-disk.ts';
import { removeFolder } from '../../../../../test/system/kit/leaks.ts';
import type { Backup } from '../../backup/contract.ts';
import { take } from '../../log/conformance.ts';
import { lockFolder } from './database.ts';
import { restoreBackup } from './restore.ts';
import { BackupWorld, partitionsIn } from './test-backups.ts';

const on = new BackupWorld();

test('what is of no use as a backup is refused, and nothing is put in place', async () => {
  await on.append('a', 3);
  const done = await on.backUp();
  await expect(on.open(on.pathOf(done))).rejects.toThrow('is a backup');
  const [events = ''] = partitionsIn(on.pathOf(done));
  const file = join(on.pathOf(done), events);
  const { size } = statSync(file);
  truncateSync(file, size - 1);
  await expect(on.restore(done)).rejects.toThrow(`${events} of the backup ${on.pathOf(done)} is damaged`);
  rmSync(file);
  await expect(on.restore(done)).rejects.toThrow(`${events} is missing`);
  rmSync(join(on.pathOf(done), 'backup.json'));
  await expect(on.restore(done)).rejects.toThrow('is no backup');
  // As a folder that may not be read, which a test that runs as root can't make.
  symlinkSync('backup.json', join(on.pathOf(done), 'backup.json'));
  await expect(on.restore(done)).rejects.toThrow(/The backup\.json of .* can't be read: ELOOP/);
  expect(existsSync(join(on.folder, 'restored'))).toBe(false);
  expect(readdirSync(on.folder)).toEqual(['backups']);
});

describe('restore over a folder that is there', () => {
  let done: Backup;
  beforeEach(async () => {
    await on.append('a', 10);
    done = await on.backUp();
    await on.append('later', 7);
  });

  test('is refused while it is in use, and without being asked for', async () => {
    await expect(on.restore(done, on.world.dataDir)).rejects.toThrow('is not empty');
    await expect(on.restore(done, on.world.dataDir, true)).rejects.toThrow('in use by another Millrace process');
  });

  test('is refused where the backup lies in it, or it in the backup', async () => {
    await on.world.stop();
    for (const target of [on.pathOf(done), join(on.pathOf(done), 'data'), on.folder]) {
      await expect(on.restore(done, target, true)).rejects.toThrow('overlap');
    }
    expect(existsSync(join(on.pathOf(done), 'backup.json'))).toBe(true);
  });

  test('is refused where it is another folder, named by mistake; one that lost a part is put aside', async () => {
    await on.world.stop();
    const other = join(on.folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'notes.txt'), 'x');
    await expect(on.restore(done, other, true)).rejects.toThrow(`${other} has other files and none of Millrace`);
    expect(readdirSync(other)).toEqual(['notes.txt']);
    rmSync(join(on.world.dataDir, 'millrace.db'));
    const { aside } = await on.restore(done, on.world.dataDir, true);
    onTestFinished(() => removeFolder(aside ?? ''));
  });

  test('puts it aside and says what is later in it', async () => {
    const from = on.world.now();
    await on.world.stop();
    const { aside, later } = await on.restore(done, on.world.dataDir, true);
    onTestFinished(() => removeFolder(aside ?? ''));
    expect(later).toEqual({ events: 7, from, to: from });
    expect(partitionsIn(aside ?? '')).toEqual(partitionsIn(on.world.dataDir));
    await on.world.start();
    await on.append('after', 2);
    const entries = await take(on.world.log.read(on.lane.id), 12);
    expect(entries.slice(-2).map(({ messageId }) => messageId)).toEqual(['after0', 'after1']);
    expect(await on.world.store.losses.list()).toEqual([]);
  });

  test('that is a link stays one, and what it leads to is put aside there', async () => {
    await on.world.stop();
    const target = join(on.folder, 'elsewhere');
    const link = join(on.folder, 'link');
    cpSync(on.world.dataDir, target, { recursive: true });
    symlinkSync(target, link);
    const { aside } = await on.restore(done, link, true);
    expect(aside).toMatch(new RegExp(`^${target}[.]before-`));
    expect(readlinkSync(link)).toBe(target);
    expect(partitionsIn(target)).toEqual(partitionsIn(aside ?? ''));
    await on.world.start();
  });

  test('that is a link to nothing is refused, and so is a disk of its own that is not empty', async (context) => {
    const link = join(on.folder, 'dangling');
    symlinkSync(join(on.folder, 'gone'), link);
    await expect(on.restore(done, link)).rejects.toThrow(
      `${link} is a link to ${join(on.folder, 'gone')}, which is not there: make that folder, or remove the link`,
    );
    expect(readdirSync(on.folder)).toEqual(['backups', 'dangling']);
    const disk = smallDiskFor(context, 1);
    writeFileSync(join(disk.folder, 'millrace.db'), '');
    await expect(on.restore(done, disk.folder, true)).rejects.toThrow(
      `${disk.folder} is a mount point, which can't be renamed: move what is in it elsewhere, and restore without --replace`,
    );
  });

  test('is put nowhere, and leaves nothing, once it is interrupted', async () => {
    const dataDir = join(on.folder, 'interrupted');
    const { signal, abort } = interruption();
    const options = { backup: on.pathOf(done), dataDir, replace: false, now: Date.now(), progress: abort, signal };
    await expect(restoreBackup(options)).rejects.toThrow('it was interrupted');
    expect(readdirSync(on.folder).filter((name) => name.startsWith('interrupted'))).toEqual([]);
  });

  test.each([
    ['beside', (dataDir: string) => `${dataDir}.restoring`],
    ['in', (dataDir: string) => join(dataDir, '.restoring')],
  ])('that was killed, with its copies %s the folder, keeps a service from starting with nothing', async (_, at) => {
    const dataDir = join(on.folder, 'cut-off');
    mkdirSync(at(dataDir), { recursive: true });
    await expect(on.open(dataDir)).rejects.toThrow(
      `A restore to ${dataDir} did not come to its end. Run it again; or remove ${at(dataDir)}`,
    );
    await on.restore(done, dataDir);
    const restored = await on.open(dataDir);
    await restored.close();
  });

  test('keeps an empty one for itself: no service begins there meanwhile', async () => {
    const dataDir = join(on.folder, 'empty');
    mkdirSync(dataDir);
    let attempts = 0;
    const progress = (): void => {
      attempts += 1;
      expect(() => lockFolder(dataDir).close()).toThrow('in use by another Millrace process');
    };
    const { signal } = new AbortController();
    await restoreBackup({ backup: on.pathOf(done), dataDir, replace: false, now: Date.now(), progress, signal });
    expect(attempts).toBeGreaterThan(0);
    const restored = await on.open(dataDir);
    await restored.close();
  });

  test('is refused where a service runs that has begun in an empty one', async () => {
    const dataDir = join(on.folder, 'empty');
    mkdirSync(dataDir);
    const lock = lockFolder(dataDir);
    await expect(on.restore(done, dataDir)).rejects.toThrow('in use by another Millrace process');
    lock.close();
    await on.restore(done, dataDir);
  });

  test('goes into an empty one, which may be a disk of its own', async () => {
    const target = join(on.folder, 'empty');
    mkdirSync(join(target, 'lost+found'), { recursive: true });
    writeFileSync(join(target, 'millrace.ballast'), 'x');
    const { ino } = statSync(target);
    expect(await on.restore(done, target)).toMatchObject({ aside: null, later: null });
    expect(statSync(target).ino).toBe(ino);
    expect(readdirSync(target).sort()).toEqual([
      partitionsIn(target)[0],
      'lost+found',
      'millrace.ballast',
      'millrace.db',
      'millrace.lock',
      'people.db',
    ]);
    const linked = partitionsIn(target).some((name) => statSync(join(target, name)).nlink > 1);
    expect(linked).toBe(false);
  });
});

function interruption(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
