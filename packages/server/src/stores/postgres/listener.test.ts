import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connected, isGiven } from '../../../../../test/cluster/postgres.ts';
import { sharedPostgres } from '../../../../../test/cluster/shared-postgres.ts';
import { startTcpProxy } from '../../../../../test/cluster/tcp-proxy.ts';
import { eventually } from '../../../../../test/system/kit/eventually.ts';
import { findSourceIn } from '../../collect/write-key.ts';
import { Fault } from '../../core/fault.ts';
import { pause } from '../../core/pause.ts';
import type { Source } from '../../core/source.ts';
import { Listener } from './listener.ts';

const postgres = await sharedPostgres();

/** A listener to the channel `news`, and what finds the source of the write key `wk`, which is all that it knows. */
async function listening(heard: () => Promise<void>) {
  const url = await postgres.createDatabase();
  const failures: unknown[] = [];
  const proxy = await startTcpProxy(Number(new URL(url).port));
  onTestFinished(() => proxy.close());
  const listenerUrl = Object.assign(new URL(url), { port: proxy.port }).href;
  const listener = new Listener({ url: listenerUrl, failed: (error) => void failures.push(error) });
  onTestFinished(() => listener.close());
  listener.listen('news', heard);
  await eventually(() => listener.caughtUp(), Boolean);
  const settings = { sourceByWriteKey: (key: string) => (key === 'wk' ? ({ id: 'src_1' } as Source) : undefined) };
  const find = findSourceIn(settings, listener);
  const notify = async (): Promise<void> => {
    await using client = await connected(url);
    await client.query('NOTIFY news');
  };
  return { listener, proxy, failures, notify, find: async (key: string) => find(key) };
}

/** Keeps this process from running for longer than the listener's limit. */
function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
}

/** Waits until a call with the known write key is taken. This process may stand still once more meanwhile. */
async function eventuallyTaken(find: (key: string) => Promise<Source | undefined>): Promise<void> {
  await eventually(
    () => find('wk').catch(() => null),
    (source) => source !== null,
  );
}

const UNAVAILABLE = { code: 'storage_unavailable' };

test('after a process stood still, a hearing that fails although the database answers refuses no known write key', async () => {
  let fails = false;
  const { listener, failures, notify, find } = await listening(async () => {
    if (fails) throw new Error('The key of the secrets is missing.');
  });
  fails = true;
  await notify();
  await eventually(
    () => failures,
    ({ length }) => length > 0,
  );
  standStill();
  expect(listener.isCurrent()).toBe(false);
  await eventuallyTaken(find);
  await expect(find('none')).rejects.toMatchObject(UNAVAILABLE);
});

test('after a process stood still, a hearing that the database does not answer refuses calls until it is answered', async () => {
  let fails = false;
  let attempts = 0;
  const { listener, failures, notify, find } = await listening(async () => {
    attempts++;
    if (fails) throw new Fault('storage_unavailable', 'PostgreSQL does not answer.');
  });
  fails = true;
  await notify();
  await eventually(
    () => failures,
    ({ length }) => length > 0,
  );
  standStill();
  const before = attempts;
  await expect(find('wk')).rejects.toMatchObject(UNAVAILABLE);
  await eventually(
    () => attempts,
    (count) => count > before + 2,
  );
  expect(failures).toHaveLength(1);
  expect(listener.isCurrent()).toBe(false);
  expect(listener.trouble()).toContain('does not say in time');
  fails = false;
  await eventuallyTaken(find);
});

test('after a process stood still, a hearing that began before is waited for, and the one after it', async () => {
  const calls: PromiseWithResolvers<void>[] = [];
  let waits = false;
  const { listener, notify, find } = await listening(async () => {
    if (!waits) return;
    const call = Promise.withResolvers<void>();
    calls.push(call);
    await call.promise;
  });
  // The end of the test waits for what still runs.
  onTestFinished(() => {
    waits = false;
    for (const { resolve } of calls) resolve();
  });
  const begun = (count: number) =>
    eventually(
      () => calls,
      ({ length }) => length === count,
    );
  waits = true;
  await notify();
  await begun(1);
  await notify();
  standStill();
  await expect(find('wk')).rejects.toMatchObject(UNAVAILABLE);
  calls[0]?.resolve();
  await begun(2);
  expect(listener.isCurrent()).toBe(false);
  waits = false;
  calls[1]?.resolve();
  await eventuallyTaken(find);
});

test('a hearing that takes over a second refuses no known write key while the connection answers', async () => {
  let call: PromiseWithResolvers<void> | null = null;
  let begun = 0;
  const { listener, notify, find } = await listening(async () => {
    begun++;
    await call?.promise;
  });
  onTestFinished(() => call?.resolve());
  await eventually(
    async () => {
      const before = begun;
      call = Promise.withResolvers<void>();
      await notify();
      await eventually(
        () => begun,
        (count) => count > before,
      );
      // This takes a second.
      expect(await listener.caughtUp()).toBe(false);
      await notify();
      const source = await find('wk').catch(() => null);
      call.resolve();
      return source;
    },
    // This process may have stood still meanwhile: then once more.
    (source) => source !== null,
  );
});

test.each([
  ['is lost', 'close'],
  ['says nothing more', 'block'],
] as const)(
  'after its connection %s, it reads what has changed, and refuses calls where it can not',
  async (_, how) => {
    let fails = false;
    let heard = 0;
    const { listener, proxy, find } = await listening(async () => {
      if (fails) throw new Fault('storage_unavailable', 'PostgreSQL does not answer.');
      heard++;
    });
    await proxy[how]();
    for (const before of [heard, heard + 1]) {
      await eventually(
        () => heard,
        (count) => count > before,
      );
    }
    await eventuallyTaken(find);
    await expect(find('none')).rejects.toMatchObject(UNAVAILABLE);
    await eventually(() => listener.trouble(), Boolean);
    fails = true;
    await eventually(
      () => listener.isCurrent(),
      (is) => !is,
    );
    await expect(find('wk')).rejects.toMatchObject(UNAVAILABLE);
    fails = false;
    await eventuallyTaken(find);
  },
);

test('while its connection says nothing, it refuses no known write key, though listeners take some time', async () => {
  let heard = 0;
  const { proxy, find } = await listening(async () => {
    await pause(300);
    heard++;
  });
  proxy.block();
  const calls: Promise<unknown>[] = [];
  const before = heard;
  await eventually(
    () => {
      calls.push(find('wk').catch((error: unknown) => error));
      return heard;
    },
    (count) => count > before + 5,
  );
  for (const found of await Promise.all(calls)) expect(found).toMatchObject({ id: 'src_1' });
});

test('while PostgreSQL answers too slowly to know changes in time, it refuses calls, and says so', async () => {
  let delay = 0;
  // Reading takes two round trips.
  const { listener, proxy, failures, find } = await listening(() => pause(4 * delay));
  expect(listener.trouble()).toBeNull();
  delay = 300;
  proxy.delay(delay);
  await eventually(
    () => failures,
    ({ length }) => length > 0,
  );
  await eventually(
    () => find('wk').catch((error: unknown) => error),
    (found) => found instanceof Fault,
  );
  expect(listener.trouble()).toContain('takes over 500 ms');
  expect(failures).toHaveLength(1);
  delay = 0;
  proxy.delay(delay);
  await eventuallyTaken(find);
  await eventually(
    () => listener.trouble(),
    (trouble) => trouble === null,
  );
});

test('messages are heard while the connection answers, and may have been missed before each connection', async () => {
  const { listener, proxy } = await listening(async () => undefined);
  const heard: string[] = [];
  listener.onMessage('peers', { heard: (message) => heard.push(message), missed: () => heard.push('missed') });
  await eventually(() => listener.hears(), Boolean);
  proxy.block();
  await eventually(
    () => listener.hears(),
    (hears) => !hears,
  );
  expect(heard).toEqual([]);
  proxy.unblock();
  await eventually(() => listener.hears(), Boolean);
  proxy.cut();
  await eventually(
    () => heard,
    ({ length }) => length > 0,
  );
  expect(heard).toEqual(['missed']);
});

// It is the last of this file, because the server stays a standby.
test.skipIf(isGiven)(
  'after a process stood still, it hears what has changed from a standby, which refuses to notify it',
  async () => {
    let heard = 0;
    let isDown = false;
    const { listener, find } = await listening(async () => {
      if (isDown) throw new Fault('storage_unavailable', 'PostgreSQL does not answer.');
      heard++;
    });
    isDown = true;
    await postgres.kill();
    await eventually(
      () => listener.caughtUp(),
      (has) => !has,
    );
    standStill();
    await expect(find('wk')).rejects.toMatchObject(UNAVAILABLE);
    writeFileSync(join(postgres.folder ?? '', 'standby.signal'), '');
    await postgres.start();
    isDown = false;
    const before = heard;
    await eventuallyTaken(find);
    expect(heard).toBeGreaterThan(before);
    await expect(find('none')).rejects.toMatchObject(UNAVAILABLE);
  },
);
