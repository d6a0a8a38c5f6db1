import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

test('the entry that was set longest ago makes room for a new one', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2);
  map.set('a', 3);
  expect([...map.set('c', 4)]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});

test('an entry that is set again and again keeps no memory', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const map = new BoundedMap<string, number>(2);
  const used = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  for (let i = 0; i < 200_000; i++) map.set('a', i);
  expect(used() - before).toBeLessThan(10_000_000);
  // Until here the map itself is not garbage.
  expect(map.get('a')).toBe(199_999);
});
