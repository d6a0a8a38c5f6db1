import { expect, test } from 'vitest';
import type { Attempt } from './delivery.ts';
import { keptAttempts, MOST_ATTEMPTS } from './kept-attempts.ts';

function attemptAt(at: number, webhookId = 'a', status: number | null = 500): Attempt {
  const error = status === null ? 'url_stalled' : null;
  return { webhookId, url: `https://${webhookId}.test/`, at, ms: 1, status, error, detail: null, answer: null };
}

/** The number of attempts that a list stands for. */
function made(attempts: readonly Attempt[]): number {
  return attempts.reduce((sum, { leftOut = 0 }) => sum + 1 + leftOut, 0);
}

test('as many as fit stay as they are', () => {
  const attempts = Array.from({ length: MOST_ATTEMPTS }, (_, at) => attemptAt(at));
  expect(keptAttempts(attempts)).toBe(attempts);
});

test('of more, the first and the last stay, and say how many are between them', () => {
  const kept = keptAttempts(Array.from({ length: 1_000 }, (_, at) => attemptAt(at)));
  expect(kept).toHaveLength(MOST_ATTEMPTS);
  expect(kept.slice(0, 10).map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(kept.slice(10).map(({ at }) => at)).toEqual(Array.from({ length: 50 }, (_, i) => 950 + i));
  expect(kept.flatMap(({ at, leftOut }) => (leftOut === undefined ? [] : [[at, leftOut]]))).toEqual([[950, 940]]);
});

test('one after the other or all at once, the same stay and nothing is counted twice', () => {
  const attempts = Array.from({ length: 300 }, (_, at) => attemptAt(at, 'abcde'[at % 5]));
  let kept: readonly Attempt[] = [];
  for (const attempt of attempts) kept = keptAttempts([...kept, attempt]);
  expect(made(kept)).toBe(300);
  expect(kept).toEqual(keptAttempts(attempts));
});

test('no URL loses its first failure, its last failure, its last success or its last attempt without a request', () => {
  const attempts = [
    ...Array.from({ length: 100 }, (_, at) => attemptAt(at)),
    attemptAt(100, 'late'),
    attemptAt(101, 'late', null),
    attemptAt(102, 'took', 503),
    attemptAt(103, 'took', 200),
    ...Array.from({ length: 50 }, (_, i) => attemptAt(200 + i)),
    attemptAt(300, 'late', 502),
    ...Array.from({ length: 400 }, (_, i) => attemptAt(1_000 + i)),
  ];
  const kept = keptAttempts(attempts);
  expect(kept.map(({ at }) => at)).toEqual(expect.arrayContaining([0, 100, 101, 102, 103, 300, 1_399]));
  expect([kept.length, made(kept)]).toEqual([MOST_ATTEMPTS, attempts.length]);
});

test('a destination whose URLs are replaced again and again keeps the bound, and the attempts of its newest URLs', () => {
  const attempts = Array.from({ length: 2_000 }, (_, at) => attemptAt(at, `url_${Math.floor(at / 3)}`));
  const kept = keptAttempts(attempts);
  expect([kept.length, made(kept)]).toEqual([MOST_ATTEMPTS, 2_000]);
  expect(kept.slice(-20).map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, i) => 1_980 + i));
});
