import { expect, test } from 'vitest';
import { alone, perStep, stackedEdges, timeLabels } from './chart-data.ts';

test.each([
  [60, 'per minute'],
  [300, 'per 5 minutes'],
  [7200, 'per 2 hours'],
  [86_400, 'per day'],
])('a step of %i s is %s', (step, words) => {
  expect(perStep(step)).toBe(words);
});

test('areas stand on top of each other; what is missing is no height', () => {
  const edges = stackedEdges([
    { name: 'delivered', color: 'good', values: [1, 2, null] },
    { name: 'failed', color: 'bad', values: [10, 0, 5] },
  ]);
  expect(edges).toEqual([
    [1, 2, 0],
    [11, 2, 5],
  ]);
});

test('a value with no neighbour stands alone', () => {
  expect(alone([1, null, 2, 3, null, null, 0])).toEqual([0, 6]);
  expect(alone([5])).toEqual([0]);
  expect(alone([null, 1, 2, undefined])).toEqual([]);
});

test('the day stands where it begins and where it changes', () => {
  const noon = new Date(2026, 10, 20, 12).getTime() / 1_000;
  const labels = timeLabels([noon, noon + 21_600, noon + 43_200], 21_600);
  expect(labels.map((label) => label.includes('\n'))).toEqual([true, false, true]);
  expect(labels[0]).toContain('20');
  expect(labels[2]).toContain('21');
});

test('steps of whole days have no time of day', () => {
  expect(timeLabels([0, 86_400], 86_400).every((label) => !label.includes(':'))).toBe(true);
});
