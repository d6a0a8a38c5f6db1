import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { fillUp, smallDiskFor } from '../small-disk.ts';
import { at, eventually } from './kit/eventually.ts';
import { ask } from './kit/http.ts';
import { removeFolder, temporaryFolder } from './kit/leaks.ts';
import { receive } from './kit/receiver.ts';
import { BIN, startService } from './kit/service.ts';

/** A full pipe that nobody reads. */
function unreadPipe(): number {
  const folder = temporaryFolder();
  const path = join(folder, 'pipe');
  spawnSync('mkfifo', [path]);
  const pipe = openSync(path, constants.O_RDWR);
  // What a pipe holds on Linux.
  writeSync(pipe, Buffer.alloc(65_536));
  onTestFinished(() => {
    closeSync(pipe);
    removeFolder(folder);
  });
  return pipe;
}

test('a log on a full disk stops nothing, and goes on where there is room', async (context) => {
  const disk = smallDiskFor(context, 1);
  const [path, ballast] = [join(disk.folder, 'log'), join(disk.folder, 'ballast')];
  const log = openSync(path, 'a');
  const service = await startService({ MILLRACE_LOG_LEVEL: 'info' }, { log });
  closeSync(log);
  const receiver = await receive(400);
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  fillUp(ballast);
  const before = readFileSync(path, 'utf8').length;
  for (let n = 0; n < 100; n++) await service.accept(source);
  expect(await service.settled(destination, 100)).toMatchObject({ failed: 100 });
  expect((await ask(`${service.url}/health/live`)).status).toBe(200);
  rmSync(ballast);
  await eventually(
    () => readFileSync(path, 'utf8').slice(before).split('"level":"warn"').length,
    (count) => count > 100,
  );
  fillUp(ballast);
  await service.accept(source);
  expect(await service.settled(destination, 101)).toMatchObject({ failed: 101 });
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  expect(() => lines.map((line) => JSON.parse(line))).not.toThrow();
});

test('a standard output that cannot be written is reported, and ends no service', async () => {
  const [folder, full] = [temporaryFolder(), openSync('/dev/full', 'w')];
  const args = [BIN, 'start', '--port', '0', '--data-dir', folder];
  const service = spawn(process.execPath, args, { stdio: ['ignore', full, 'pipe'] });
  onTestFinished(() => {
    service.kill('SIGKILL');
    closeSync(full);
    removeFolder(folder);
  });
  const stderr = service.stderr as Readable;
  const log = text(stderr);
  stderr.on('data', (chunk) => String(chunk).includes('"msg":"started"') && service.kill('SIGTERM'));
  expect(await once(service, 'exit')).toEqual([0, null]);
  expect(await log).toContain("millrace: standard output can't be written: ENOSPC");
  expect(await log).toContain('stopping: finishing what is under way');
});

test('a log that nobody reads keeps no stop', async () => {
  const service = await startService({ MILLRACE_DELIVERY_TIMEOUT: '400ms' }, { log: unreadPipe() });
  const receiver = await receive(200, { keep: false });
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  for (let n = 0; n < 20; n++) await service.accept(source);
  expect(await service.settled(destination, 20)).toMatchObject({ processed: 20 });
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test('nor the end by a second signal', async () => {
  const service = await startService({ MILLRACE_DELIVERY_TIMEOUT: '60s' }, { log: unreadPipe() });
  const receiver = await receive('hang');
  const source = await service.source();
  await service.destination(source, receiver.url());
  for (let n = 0; n < 20; n++) await service.accept(source);
  await receiver.waitFor(1);
  service.signal('SIGTERM');
  await at(Date.now() + 1_100);
  service.signal('SIGTERM');
  expect(await service.exit).toEqual({ code: 1, signal: null });
});
