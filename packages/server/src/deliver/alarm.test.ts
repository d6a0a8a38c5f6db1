import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { Alarm } from './alarm.ts';

test('rings at the earliest of its times, also when the clock has been set forward past the one before', () => {
  const clock = new HandClock();
  let ahead = 0;
  const now = (): number => clock.now() + ahead;
  const rung: number[] = [];
  const begun = clock.now();
  const alarm = new Alarm({ now, after: (ms, run) => clock.after(ms, run) }, () => rung.push(clock.now() - begun));
  alarm.set(now(), now() + 8_000);
  alarm.set(now(), now() + 5_000);
  alarm.set(now(), now() + 6_000);
  clock.advance(1_000);
  ahead = 60_000;
  alarm.set(now(), now() + 500);
  clock.advance(20_000);
  expect(rung).toEqual([1_500]);
});
