import { expect, test } from 'vitest';
import { madeOf } from './attempts.ts';

test('what was not sent is no attempt, and what is no longer kept was one', () => {
  const [sent, reset] = [{ error: null }, { error: 'connection_reset', leftOut: 7 }];
  expect(madeOf([sent, { error: 'url_stalled' }, { error: 'paused' }, reset])).toBe(9);
});
