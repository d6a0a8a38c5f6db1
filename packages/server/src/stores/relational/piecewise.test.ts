import { expect, test } from 'vitest';
import { searchPiecewise } from './piecewise.ts';

const compare = (a: number, b: number): number => a - b;

test('a page of many streams looks at few rows of each', async () => {
  let looked = 0;
  const page = await searchPiecewise<number, number>({
    ...{ limit: 500, start: 0, streams: 300, compare },
    async look(after, each) {
      looked += each * 300;
      return { rows: [], ends: Array.from({ length: 300 }, (_, i) => after + each * 300 + i) };
    },
  });
  expect(page.rows).toEqual([]);
  expect(page.last).toBeGreaterThan(0);
  expect(looked).toBeLessThan(21_000);
});

test('without a stream there is nothing to look at', async () => {
  const look = () => Promise.reject(new Error('looked'));
  expect(await searchPiecewise({ ...{ limit: 5, start: 0, streams: 0, compare }, look })).toEqual({
    rows: [],
    last: null,
  });
});
