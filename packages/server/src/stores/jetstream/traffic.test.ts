import { expect, test } from 'vitest';
import { Traffic } from './traffic.ts';

const MEGABYTE = 1024 * 1024;

test('much traffic is more than a megabyte in this second or in the one before', () => {
  let now = 5_200;
  const traffic = new Traffic(() => now);
  traffic.add(MEGABYTE);
  expect(traffic.isMuch()).toBe(false);
  traffic.add(1);
  expect(traffic.isMuch()).toBe(true);
  now = 6_900;
  expect(traffic.isMuch()).toBe(true);
  traffic.add(MEGABYTE);
  now = 7_000;
  expect(traffic.isMuch()).toBe(false);
});

test('what came seconds ago is over, also where nothing came since', () => {
  let now = 0;
  const traffic = new Traffic(() => now);
  traffic.add(2 * MEGABYTE);
  now = 2_500;
  expect(traffic.isMuch()).toBe(false);
});
