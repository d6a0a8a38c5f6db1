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

test('entries that weigh more leave room for fewer', () => {
  const map = new BoundedMap<string, number>(4, (key) => key.length);
  map.set('a', 1).set('b', 2).set('cc', 3).set('a', 4);
  expect([...map.keys()]).toEqual(['b', 'cc', 'a']);
  expect([...map.set('ddd', 5).keys()]).toEqual(['a', 'ddd']);
  map.delete('ddd');
  expect([...map.set('eee', 6).keys()]).toEqual(['a', 'eee']);
  expect(map.set('fffff', 7).size).toBe(0);
  map.set('g', 8).clear();
  expect([...map.set('hhhh', 9).keys()]).toEqual(['hhhh']);
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
