import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addUp } from './kit/admin.ts';
import { eventually } from './kit/eventually.ts';
import { ask } from './kit/http.ts';
import { removeFolder, temporaryFolder } from './kit/leaks.ts';
import { Load } from './kit/load.ts';
import { receive } from './kit/receiver.ts';
import { startService } from './kit/service.ts';

const MEGABYTE = 1_048_576;

/** A file system of its own, so small that it can be filled; null where this process may not make one. */
function smallDisk(megabytes: number): string | null {
  const folder = temporaryFolder();
  const made =
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' }).status === 0;
  onTestFinished(() => {
    if (made) execFileSync('umount', ['-l', folder]);
    removeFolder(folder);
  });
  return made ? folder : null;
}

/** Takes all the room there is, but for so many bytes. */
function fill(disk: string, left: number): string {
  const { bavail, bsize } = statfsSync(disk);
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  return ballast;
}

test('decisions 8.4: a full disk is 503 storage_full with Retry-After; it recovers by itself, and loses nothing', {
  timeout: 90_000,
}, async (context) => {
  const disk = smallDisk(48);
  if (disk === null) {
    process.stderr.write('\n!!! SKIPPED: a tmpfs cannot be mounted here (root can). A full disk goes untested.\n\n');
    context.skip();
    return;
  }
  const service = await startService(
    { MILLRACE_LOG_LEVEL: 'info' },
    { dataDir: join(disk, 'data'), mayLogErrors: true },
  );
  const receiver = await receive(200, { keep: true });
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  const load = new Load(service, source, { parallel: 4, size: () => 200 });
  for (let n = 0; n < 5; n++) expect(await load.send()).toBe(true);

  for (const round of [1, 2]) {
    const ballast = fill(disk, MEGABYTE);
    const before = load.others.get(503) ?? 0;
    load.start();
    await eventually(
      () => load.others.get(503) ?? 0,
      (count) => count > before + 20,
    );
    expect([...load.others.keys()]).toEqual([503]);
    expect(JSON.parse(load.refusal?.text ?? '')).toMatchObject({ success: false, code: 'storage_full' });
    expect(Number(load.refusal?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask(`${service.url}/health/live`)).status).toBe(200);
    addUp(await service.counts(destination));
    // Nobody restarts it: there is room again, and it goes on.
    rmSync(ballast);
    const accepted = load.accepted.size;
    await eventually(
      () => load.accepted.size,
      (count) => count > accepted + 1_000,
    );
    await load.stop();
    expect(await service.settled(destination, load.accepted.size, 30_000)).toMatchObject({
      processed: load.accepted.size,
    });
    if (round === 1) {
      await service.kill();
      await service.start();
    }
  }
  const came = new Set(receiver.arrivals.map(({ message }) => message['messageId']));
  expect([...load.accepted].filter((id) => !came.has(id))).toEqual([]);
});
