import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { sharedRun } from './shared-run.ts';

test('those who ask before a run begins share it, and those who ask during it share the next one', async () => {
  const ends: (() => void)[] = [];
  let runs = 0;
  const ask = sharedRun(pLimit(1), async () => {
    const run = ++runs;
    await new Promise<void>((resolve) => ends.push(resolve));
    return run;
  });
  const first = [ask(), ask()];
  await expect.poll(() => ends.length).toBe(1);
  const second = [ask(), ask()];
  ends[0]?.();
  expect(await Promise.all(first)).toEqual([1, 1]);
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.();
  expect(await Promise.all(second)).toEqual([2, 2]);
});
