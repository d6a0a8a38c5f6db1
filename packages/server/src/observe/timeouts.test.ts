import { expect, test } from 'vitest';
import { Timeouts } from './timeouts.ts';

test('a timeout is said at once, and what follows once a minute, by destination', () => {
  let now = 0;
  const said: [string, number][] = [];
  const timeouts = new Timeouts(
    () => now,
    (...what) => said.push(what),
  );
  timeouts.attempted('a', { error: null });
  timeouts.attempted('a', { error: 'connection_refused' });
  expect(said).toEqual([]);
  for (let i = 0; i < 5; i += 1) timeouts.attempted('a', { error: 'timeout' });
  timeouts.attempted('b', { error: 'timeout' });
  expect(said).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
  now = 59_999;
  timeouts.attempted('a', { error: 'timeout' });
  now = 60_000;
  timeouts.attempted('a', { error: 'timeout' });
  // A clock that was set back holds nothing back.
  now = 10;
  timeouts.attempted('a', { error: 'timeout' });
  expect(said.slice(2)).toEqual([
    ['a', 6],
    ['a', 1],
  ]);
});
