import { expect, test } from 'vitest';
import { windowErrors } from './options-input.ts';

test('where events are kept for less than the shortest window, the reason is told, and no range without a value', () => {
  expect(windowErrors('retryWindow', '1m', 1_000)).toEqual([
    { path: 'retryWindow', message: expect.stringContaining('events are kept for less than 1m') },
  ]);
  expect(windowErrors('retryWindow', undefined, 1_000)).toEqual([]);
  expect(windowErrors('retryWindow', '1m', 60_000)).toEqual([]);
});
