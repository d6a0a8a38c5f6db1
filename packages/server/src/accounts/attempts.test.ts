import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { Attempts, addressKey } from './attempts.ts';

const MINUTE = 60_000;

test('ten failures, then one in thirty seconds, until fifteen minutes after the first', () => {
  const clock = new HandClock();
  const attempts = new Attempts(clock);
  for (let n = 0; n < 10; n++) expect(attempts.take('a')).toBeNull();
  expect(attempts.take('a')).toBe(30);
  expect(attempts.take('b')).toBeNull();
  clock.advance(29_999);
  expect(attempts.take('a')).toBe(1);
  clock.advance(1);
  // Never kept out for longer: the right one may be among them.
  expect(attempts.take('a')).toBeNull();
  expect(attempts.take('a')).toBe(30);
  expect(attempts.failed('a')).toBe(11);
  clock.advance(14.5 * MINUTE);
  expect(attempts.failed('a')).toBe(0);
  for (let n = 0; n < 10; n++) expect(attempts.take('a')).toBeNull();
});

test('a success takes back its own attempt and no failure', () => {
  const attempts = new Attempts(new HandClock());
  for (let n = 0; n < 9; n++) attempts.take('a');
  for (let n = 0; n < 20; n++) {
    expect(attempts.take('a')).toBeNull();
    attempts.succeeded('a');
  }
  expect(attempts.take('a')).toBeNull();
  expect(attempts.take('a')).not.toBeNull();
});

test('attempts side by side count before it is known how they end', () => {
  const attempts = new Attempts(new HandClock());
  const taken = Array.from({ length: 50 }, () => attempts.take('a'));
  expect(taken.filter((wait) => wait === null)).toHaveLength(10);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
])('%s is counted with %s', (address, other) => {
  expect(addressKey(address)).toBe(addressKey(other));
});

test('networks of IPv6 are told apart', () => {
  expect(addressKey('2001:db8:1:2::1')).not.toBe(addressKey('2001:db8:1:3::1'));
});
