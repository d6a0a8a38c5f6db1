import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { Seldom } from './seldom.ts';

test('what took long is answered again until asking takes no more than its share of the time', async () => {
  const clock = new HandClock();
  let asked = 0;
  const seldom = new Seldom(
    async () => {
      clock.advance(100);
      return ++asked;
    },
    { clock, share: 0.1, keeps: (answer) => answer !== 2 },
  );
  expect(await seldom.get()).toBe(1);
  clock.advance(899);
  expect(await seldom.get()).toBe(1);
  clock.advance(1);
  expect(await seldom.get()).toBe(2);
  // This one may not be kept.
  expect(await seldom.get()).toBe(3);
  expect(await seldom.get()).toBe(3);
});
