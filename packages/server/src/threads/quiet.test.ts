import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { releaseWhenQuiet } from './quiet.ts';

test('a thread that is quiet after it was busy releases what it holds, and V8 collects the rest', async () => {
  const large = new WeakRef(garbage());
  const { promise: released, resolve } = Promise.withResolvers<void>();
  const end = releaseWhenQuiet(resolve, 10);
  const until = performance.now() + 50;
  while (performance.now() < until);
  await released;
  await setImmediate();
  end();
  expect(large.deref()).toBeUndefined();
});

test('a thread that was never busy releases once what its start took', async () => {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  let times = 0;
  const end = releaseWhenQuiet(() => {
    times += 1;
    resolve();
  }, 300);
  await released;
  end();
  expect(times).toBe(1);
});

function garbage(): object {
  return { bytes: new Uint8Array(1_000_000) };
}
