import { beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '../core/delivery.ts';
import { Endpoint, type Job } from './endpoint.ts';
import { Limiter } from './limiter.ts';
import { Pace } from './pace.ts';
import type { Sender } from './sender.ts';
import { down, refused, success } from './test-world.ts';

const timeout: Outcome = { ...down, status: null, error: 'timeout', detail: 'No response headers came in time' };

class ClosingSender implements Sender {
  closed = 0;
  send(): void {
    throw new Error('An endpoint leaves sending to its jobs.');
  }
  async close(): Promise<void> {
    this.closed++;
  }
}

let sender: ClosingSender;
let endpoint: Endpoint;
let log: string[];
beforeEach(() => {
  sender = new ClosingSender();
  endpoint = new Endpoint(
    { id: 'a', url: 'https://a.test', headers: {} },
    sender,
    new Limiter(
      () => 2,
      () => 1,
    ),
    new Pace(() => Infinity),
    () => 14_400_000,
  );
  log = [];
});

function job(name: string): Job {
  return {
    ...{ position: 1, bytes: 1, isRetry: false, isLasting: false },
    start: () => log.push(`start ${name}`),
    skip: ({ error }) => log.push(`skip ${name} ${error}`),
  };
}

test('it starts what it has room for, and the rest in its turn', () => {
  for (const name of ['a', 'b', 'c', 'd']) endpoint.add(job(name), 0);
  expect(log).toEqual(['start a', 'start b']);
  expect(endpoint).toMatchObject({ inFlight: 2, waiting: 2 });
  expect(endpoint.free(0)).toBe(false);
  endpoint.ended(success, 5, 5);
  endpoint.startWaiting(5);
  expect(log).toEqual(['start a', 'start b', 'start c']);
  expect(endpoint).toMatchObject({ inFlight: 2, waiting: 1 });
});

test('no request overtakes those that wait', () => {
  for (const name of ['a', 'b', 'c']) endpoint.add(job(name), 0);
  endpoint.ended(success, 5, 5);
  endpoint.add(job('d'), 5);
  endpoint.startWaiting(5);
  expect(log).toEqual(['start a', 'start b', 'start c']);
});

test('of two answers that ask it to be spared the longer wait holds', () => {
  for (const name of ['a', 'b']) endpoint.add(job(name), 0);
  endpoint.ended({ ...down, status: 429, retryAfter: 25_000 }, 5, 200);
  endpoint.ended({ ...down, retryAfter: 1_000 }, 5, 400);
  expect(endpoint.pausedUntil).toBe(25_200);
});

test('what waits can be given up', () => {
  for (const name of ['a', 'b', 'c', 'd']) endpoint.add(job(name), 0);
  endpoint.skipWaiting(timeout);
  expect(log).toEqual(['start a', 'start b', 'skip c timeout', 'skip d timeout']);
  expect(endpoint).toMatchObject({ inFlight: 2, waiting: 0 });
});

describe('stalled', () => {
  test.each<[string, Outcome[], boolean]>([
    ['after 8 failures in a row', Array(8).fill(down), true],
    ['not after 7', Array(7).fill(timeout), false],
    ['not where a success came between', [...Array(7).fill(down), success, ...Array(7).fill(down)], false],
    ['not where it answered that it does not want this one', [...Array(7).fill(down), refused, down], false],
  ])('%s', (_, outcomes, stalled) => {
    for (const outcome of outcomes) {
      endpoint.add(job('x'), 0);
      endpoint.ended(outcome, 5, 0);
    }
    expect(endpoint.stalled).toBe(stalled);
  });
});

describe('a pause', () => {
  test.each<[string, Outcome, number]>([
    ['429 with Retry-After', { ...down, status: 429, retryAfter: 2_000 }, 3_000],
    ['503 with Retry-After', { ...down, retryAfter: 2_000 }, 3_000],
    ['half a minute at most', { ...down, retryAfter: 3_600_000 }, 31_000],
    ['500 with Retry-After speaks of its message only', { ...down, status: 500, retryAfter: 2_000 }, 0],
    ['429 without', { ...down, status: 429 }, 0],
  ])('%s', (_, outcome, until) => {
    endpoint.add(job('a'), 0);
    endpoint.ended(outcome, 5, 1_000);
    expect(endpoint.pausedUntil).toBe(until);
    if (until === 0) return;
    expect(endpoint.free(until - 1)).toBe(false);
    expect(endpoint.free(until)).toBe(true);
    endpoint.restart();
    expect(endpoint.free(1_000)).toBe(true);
  });
});

test.each<[Outcome, string | null]>([
  [timeout, 'No response headers came in time'],
  [down, 'HTTP 503'],
  [refused, 'HTTP 400'],
  [success, null],
])('it remembers how the last request ended', (outcome, words) => {
  endpoint.add(job('a'), 0);
  endpoint.ended(outcome, 5, 0);
  expect(endpoint.lastError).toBe(words);
});

describe('a retired one', () => {
  test('closes its connections at once where nothing is under way', () => {
    endpoint.retire();
    expect(sender.closed).toBe(1);
  });

  test('closes them when the last request has ended', () => {
    endpoint.add(job('a'), 0);
    endpoint.add(job('b'), 0);
    endpoint.retire();
    endpoint.ended(success, 5, 5);
    expect(sender.closed).toBe(0);
    endpoint.ended(success, 5, 5);
    expect(sender.closed).toBe(1);
  });
});
