import { cpSync, rmSync, statfsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fillUp, smallDiskFor } from '../small-disk.ts';
import { addUp } from './kit/admin.ts';
import { eventually } from './kit/eventually.ts';
import { ask } from './kit/http.ts';
import { removeFolder, temporaryFolder } from './kit/leaks.ts';
import { Load } from './kit/load.ts';
import { receive } from './kit/receiver.ts';
import { startService } from './kit/service.ts';

const MEGABYTE = 1_048_576;

/** Takes all the room there is, but for so many bytes. */
function fill(disk: string, left: number): string {
  const { bavail, bsize } = statfsSync(disk);
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  return ballast;
}

test('a stop on a full disk says what was not written, and ends with 1', { timeout: 90_000 }, async (context) => {
  const disk = smallDiskFor(context, 24);
  const [dataDir, elsewhere] = [join(disk.folder, 'data'), temporaryFolder()];
  onTestFinished(() => removeFolder(elsewhere));
  const service = await startService({ MILLRACE_DELIVERY_TIMEOUT: '2s' }, { dataDir, mayLogErrors: true });
  await service.stop();
  // So that no room comes free when it is closed.
  cpSync(service.file('people.db'), join(elsewhere, 'people.db'));
  rmSync(service.file('people.db'));
  symlinkSync(join(elsewhere, 'people.db'), service.file('people.db'));
  await service.start();
  const held = Promise.withResolvers<200>();
  const receiver = await receive(() => held.promise);
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  for (let n = 0; n < 40; n++) await service.accept(source);
  await receiver.waitFor(1);
  const ballast = join(disk.folder, 'ballast');
  fillUp(ballast);
  held.resolve(200);
  expect(await service.stop()).toEqual({ code: 1, signal: null });
  expect(service.stderr).toMatch(
    /millrace: not everything was written at the stop: .*outcomes of deliveries were not written/,
  );
  rmSync(ballast);
  await service.start();
  expect(await service.settled(destination, 40)).toMatchObject({ processed: 40 });
});

test('a start on a full disk has the room of the ballast; without it the start says that the disk is full', async (context) => {
  const disk = smallDiskFor(context, 24);
  const service = await startService({}, { dataDir: join(disk.folder, 'data'), mayLogErrors: true });
  const size = (): number => statSync(service.file('millrace.ballast'), { throwIfNoEntry: false })?.size ?? 0;
  // Made at the first look for old data.
  await eventually(size, (bytes) => bytes === 4 * MEGABYTE);
  await service.stop();
  fillUp(join(disk.folder, 'filler'));
  await service.start();
  expect(await service.must('GET', '/api/sources')).toMatchObject({ items: [] });
  await service.stop();
  rmSync(service.file('millrace.ballast'));
  fillUp(join(disk.folder, 'filler2'));
  await expect(service.start()).rejects.toThrow(/Cannot use .*: its disk is full \(.*\): make room/);
});

test('contract 8.4: a full disk is 503 storage_full with Retry-After; it recovers by itself, and loses nothing', {
  timeout: 90_000,
}, async (context) => {
  const disk = smallDiskFor(context, 48);
  const service = await startService(
    { MILLRACE_LOG_LEVEL: 'info' },
    { dataDir: join(disk.folder, 'data'), mayLogErrors: true },
  );
  const receiver = await receive(200, { keep: true });
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  const load = new Load(service, source, { parallel: 4, size: () => 200 });
  for (let n = 0; n < 5; n++) expect(await load.send()).toBe(true);

  for (const round of [1, 2]) {
    const ballast = fill(disk.folder, MEGABYTE);
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
    // Without a restart: there is room again, and it goes on.
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
