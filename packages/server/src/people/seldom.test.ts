import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { seldom } from './seldom.ts';

test('what took long is answered again until asking takes no more than its share of the time', async () => {
  const clock = new HandClock();
  let asked = 0;
  const ask = seldom(
    async () => {
      clock.advance(100);
      return ++asked;
    },
    { clock, share: 0.1, keeps: (answer) => answer !== 2 },
  );
  expect(await ask()).toBe(1);
  clock.advance(899);
  expect(await ask()).toBe(1);
  clock.advance(1);
  expect(await ask()).toBe(2);
  // This one may not be kept.
  expect(await ask()).toBe(3);
  expect(await ask()).toBe(3);
});
