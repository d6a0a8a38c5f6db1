import { expect, test } from 'vitest';
import { firstInARow } from './trouble.ts';

test('of failures in a row the first is reported, and the first after a success again', () => {
  const reported: unknown[] = [];
  const tried = firstInARow((error) => reported.push(error));
  const [first, second, third] = ['a', 'b', 'c'].map((message) => new Error(message));
  tried();
  tried(first);
  tried(second);
  expect(reported).toEqual([first]);
  tried();
  tried(third);
  expect(reported).toEqual([first, third]);
});
