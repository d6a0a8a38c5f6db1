import { describe, expect, test } from 'vitest';
import type { Outcome } from '../core/delivery.ts';
import type { LogEntry } from '../core/event.ts';
import {
  decide,
  endWithout,
  fresh,
  isLasting,
  type Message,
  putOff,
  type RoundResult,
  retried,
  verdictOf,
} from './round.ts';
import { down, entryOf, refused, success } from './test-world.ts';

const policy = { base: 5_000, cap: 600_000, window: 14_400_000 };
const entry = entryOf('m7');
const busy: Outcome = { ...down, status: 429, retryAfter: 60_000 };

function result(...outcomes: Outcome[]): RoundResult {
  const numbered = outcomes.map((outcome, i) => ({ id: `url_${i + 1}`, outcome }));
  const attempts = numbered.map(({ id }) => ({
    webhookId: id,
    url: 'https://a.test',
    at: 100,
    ms: 1,
    status: null,
    error: null,
    detail: null,
    answer: null,
  }));
  return { startedAt: 100, attempts, outcomes: numbered, held: [], isResumed: false };
}

const first = fresh(3, 'dst_1', entry);
const second = retried({
  laneId: 3,
  destinationId: 'dst_1',
  entry,
  rounds: 4,
  firstAt: 50,
  urlsLeft: ['url_2'],
  isReplay: false,
});

/** A destination that asks for one URL. */
const ANY = { webhooks: [] };

describe('the verdict of a round', () => {
  test.each<[string, Outcome[], string]>([
    ['one success', [success], 'success'],
    ['any success', [down, refused, success], 'success'],
    ['one that may pass', [refused, down], 'temporary'],
    ['nothing that may pass', [refused, refused], 'permanent'],
  ])('%s', (_, outcomes, expected) => {
    expect(verdictOf(result(...outcomes))).toBe(expected);
  });
});

describe('what becomes of a message', () => {
  test.each<[string, Outcome[], object]>([
    [
      'any success and it is processed',
      [down, success],
      { state: 'processed', reason: null, dueAt: null, urlsLeft: null },
    ],
    ['refused everywhere', [refused, refused], { state: 'failed', reason: 'rejected', dueAt: null, urlsLeft: null }],
    ['down', [down], { state: 'retrying', reason: null, dueAt: 3_700, urlsLeft: ['url_1'] }],
    ['refused here and down there', [refused, down], { state: 'retrying', dueAt: 3_700, urlsLeft: ['url_2'] }],
    ['asked to wait', [down, busy], { dueAt: 61_200, urlsLeft: ['url_1', 'url_2'] }],
  ])('%s', (_, outcomes, expected) => {
    const decided = decide(first, result(...outcomes), 1_200, 0, policy, ANY);
    expect(decided).toMatchObject({ ...expected, rounds: 1, firstAt: 100, at: 1_200, laneId: 3, entry });
    expect(decided.attempts).toHaveLength(outcomes.length);
  });

  test('a Retry-After of a URL that is not asked again does not count', () => {
    const permanent: Outcome = { ...refused, retryAfter: 3_600_000 };
    expect(decide(first, result(permanent, down), 1_200, 0, policy, ANY)).toMatchObject({ dueAt: 3_700 });
  });

  test('rounds and the window are counted from the first', () => {
    const decided = decide(second, result(down), 1_200, 0, policy, ANY);
    expect(decided).toMatchObject({ state: 'retrying', rounds: 5, firstAt: 50, dueAt: 1_200 + 40_000 });
  });

  test('the last round is at the end of the window, and then it has failed', () => {
    const end = 50 + policy.window;
    expect(decide(second, result(down), end - 1, 0, policy, ANY)).toMatchObject({ state: 'retrying', dueAt: end });
    expect(decide(second, result(down), end, 0, policy, ANY)).toMatchObject({
      state: 'failed',
      reason: 'window_ended',
      rounds: 5,
    });
    expect(decide(second, result(success), end, 0, policy, ANY)).toMatchObject({ state: 'processed' });
    expect(decide(second, result(refused), end, 0, policy, ANY)).toMatchObject({ state: 'failed', reason: 'rejected' });
  });
});

describe('a delete notice', () => {
  const notice: LogEntry = { ...entry, type: 'delete' };

  test('is the only message that lasts', () => {
    expect([isLasting(notice), isLasting(entry)]).toEqual([true, false]);
  });

  test('is tried for as long as it takes, with the longest wait between; a refusal ends it as any other', () => {
    const old = { ...second, entry: notice, rounds: 100 };
    const now = 50 + 100 * policy.window;
    const again = { state: 'retrying', rounds: 101, firstAt: 50, urlsLeft: ['url_1'] };
    expect(decide(old, result(down), now, 0, policy, ANY)).toMatchObject({ ...again, dueAt: now + policy.cap / 2 });
    expect(decide(old, result(busy), now, 0, policy, ANY)).toMatchObject({ ...again, dueAt: now + policy.cap / 2 });
    expect(decide(old, result(refused), now, 0, policy, ANY)).toMatchObject({ state: 'failed', reason: 'rejected' });
  });

  test('that is put off keeps its rounds and has made no attempt', () => {
    const put = { state: 'retrying', reason: null, attempts: [], dueAt: 1_000 + policy.cap, at: 1_000 };
    expect(putOff(first, 1_000, policy)).toMatchObject({ ...put, rounds: 0, firstAt: null });
    expect(putOff(second, 1_000, policy)).toMatchObject({ ...put, rounds: 4, firstAt: 50 });
  });
});

test.each<[string, Message, object]>([
  ['one that was never tried', first, { rounds: 0, firstAt: null }],
  ['one from the retry queue', second, { rounds: 4, firstAt: 50 }],
])('an end without an attempt keeps what is known of %s', (_, message, known) => {
  const decided = endWithout(message, 'filtered', 'integrations', 9);
  expect(decided).toMatchObject({
    ...known,
    state: 'filtered',
    reason: 'integrations',
    attempts: [],
    dueAt: null,
    at: 9,
  });
});
