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
