import { expect, test } from 'vitest';
import { changeOf, changeOfRate } from './change.ts';

test.each([
  [110, 100, null, '+10.0%', null],
  [50, 100, true, '−50.0%', false],
  [50, 100, false, '−50.0%', true],
  [1200, 100, null, '+1100%', null],
])('%s after %s, more is good: %s', (now, before, moreIsGood, text, good) => {
  expect(changeOf(now, before, moreIsGood)).toMatchObject({ text, good });
});

test('nothing is said where there was nothing, or nothing has changed', () => {
  expect(changeOf(5, 0, true)).toBeNull();
  expect(changeOf(100_001, 100_000, true)).toBeNull();
  expect(changeOfRate({ attempts: 5, attemptsFailed: 0 }, { attempts: 0, attemptsFailed: 0 })).toBeNull();
});

test('a rate changes by percentage points', () => {
  expect(changeOfRate({ attempts: 100, attemptsFailed: 3 }, { attempts: 100, attemptsFailed: 2 })).toMatchObject({
    text: '−1.0 pp',
    good: false,
  });
});
