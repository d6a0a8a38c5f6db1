import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type LookupAll, sharedLookup } from './look-up.ts';

type Answer = Parameters<LookupAll>[2];

/** A resolver that answers when a test says so. */
function resolver() {
  const asked: string[] = [];
  const answers = new Map<string, Answer>();
  const look = sharedLookup((hostname, _options, answer) => {
    asked.push(hostname);
    answers.set(hostname, answer);
  });
  const find = (hostname: string): Promise<string> =>
    new Promise((resolve) => {
      look(hostname, { all: true }, (error, addresses) => resolve(error?.message ?? addresses[0]?.address ?? ''));
    });
  const address = (hostname: string) => answers.get(hostname)?.(null, [{ address: `of ${hostname}`, family: 4 }]);
  const fail = (hostname: string) => answers.get(hostname)?.(new Error(`no ${hostname}`), []);
  return { asked, find, address, fail };
}

test('a name is asked for once by all that wait for it, and again when it was answered', async () => {
  const { asked, find, address } = resolver();
  const all = [find('a'), find('a'), find('b')];
  await setImmediate();
  expect(asked).toEqual(['a', 'b']);
  address('a');
  address('b');
  expect(await Promise.all(all)).toEqual(['of a', 'of a', 'of b']);
  void find('a');
  await setImmediate();
  expect(asked).toEqual(['a', 'b', 'a']);
});

test('names that took long last are asked for two at a time, and others beside them at once', async () => {
  let time = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => time);
  onTestFinished(() => void vi.restoreAllMocks());
  const { asked, find, address, fail } = resolver();
  const names = ['x', 'y', 'z'];
  const first = names.map(find);
  const failed = find('failed');
  await setImmediate();
  expect(asked).toEqual([...names, 'failed']);
  fail('failed');
  expect(await failed).toBe('no failed');
  time += 1_001;
  for (const name of names) fail(name);
  expect(await Promise.all(first)).toEqual(['no x', 'no y', 'no z']);
  asked.length = 0;
  const again = names.map(find);
  const good = find('good');
  void find('failed');
  await setImmediate();
  expect(asked.toSorted()).toEqual(['failed', 'good', 'x', 'y']);
  address('good');
  expect(await good).toBe('of good');
  address('x');
  await setImmediate();
  expect(asked.toSorted()).toEqual(['failed', 'good', 'x', 'y', 'z']);
  fail('y');
  address('z');
  expect(await Promise.all(again)).toEqual(['of x', 'no y', 'of z']);
  // One that is answered soon again is no longer among them.
  asked.length = 0;
  void find('y');
  void find('x');
  void find('z');
  await setImmediate();
  expect(asked.toSorted()).toEqual(['x', 'y', 'z']);
});

test('a name that waited behind others is not slow for that', async () => {
  let time = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => time);
  onTestFinished(() => void vi.restoreAllMocks());
  const { asked, find, address, fail } = resolver();
  const hung = Array.from({ length: 4 }, (_, index) => `hung ${index}`);
  const first = [...hung, 'good'].map(find);
  await setImmediate();
  expect(asked).toEqual(hung);
  time += 10_000;
  for (const name of hung) fail(name);
  await setImmediate();
  address('good');
  expect((await Promise.all(first)).at(-1)).toBe('of good');
  asked.length = 0;
  for (const name of [...hung, 'good']) void find(name);
  await setImmediate();
  expect(asked.toSorted()).toEqual(['good', 'hung 0', 'hung 1']);
});
