import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluationOrder } from './cycles.ts';
import type { Condition } from './definition.ts';

function asking(questions: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, Condition> {
  return new Map(
    Object.entries(questions).map(([id, asked]): [string, Condition] => {
      return [id, { any: [{ trait: 't', is: { exists: true } }, ...asked.map((audience) => ({ audience }))] }];
    }),
  );
}

test.each<[string, Record<string, string[]>, unknown]>([
  ['nobody', {}, { order: [] }],
  ['a chain', { a: ['b'], b: ['c'], c: [] }, { order: ['c', 'b', 'a'] }],
  ['one that two ask about', { a: ['c'], b: ['c', 'a'], c: [] }, { order: ['c', 'a', 'b'] }],
  ['one that is gone', { a: ['gone'] }, { order: ['a'] }],
  ['itself', { a: ['a'] }, { circle: ['a', 'a'] }],
  ['two', { a: ['b'], b: ['a'] }, { circle: ['a', 'b', 'a'] }],
  ['a circle behind a way in', { x: ['a'], a: ['b'], b: ['c'], c: ['a'], d: [] }, { circle: ['a', 'b', 'c', 'a'] }],
])('%s', (_name, questions, expected) => {
  expect(evaluationOrder(asking(questions))).toEqual(expected);
});

test('an order has everyone after those they ask about, and a circle is one', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const questions = fc.record(Object.fromEntries(ids.map((id) => [id, fc.subarray(ids, { maxLength: 2 })])));
  fc.assert(
    fc.property(questions, (asked) => {
      const found = evaluationOrder(asking(asked));
      if ('order' in found) {
        expect([...found.order].sort()).toEqual(ids);
        for (const [place, id] of found.order.entries()) {
          for (const other of asked[id] ?? []) expect(found.order.indexOf(other)).toBeLessThan(place);
        }
      } else {
        expect(found.circle[0]).toBe(found.circle.at(-1));
        for (const [i, id] of found.circle.slice(1).entries()) expect(asked[found.circle[i] ?? '']).toContain(id);
      }
    }),
  );
});
