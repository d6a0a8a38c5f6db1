import { beforeEach, describe, expect, test } from 'vitest';
import type { Retry } from '../core/delivery.ts';
import { type Claims, RetryQueue } from './retry-queue.ts';
import { retryOf } from './test-world.ts';

type Answer = Awaited<ReturnType<Claims['claimDue']>>;

/** Claims that are answered when the test says so. */
class ScriptedClaims implements Claims {
  readonly asked: { now: number; max: number }[] = [];
  readonly released: string[] = [];
  #answer: PromiseWithResolvers<Answer> = Promise.withResolvers();

  claimDue(_: string, now: number, max: number): Promise<Answer> {
    this.asked.push({ now, max });
    this.#answer = Promise.withResolvers();
    return this.#answer.promise;
  }

  release(retries: readonly Retry[]): void {
    this.released.push(...retries.map(({ entry }) => entry.messageId));
  }

  async answer(items: readonly Retry[], nextDueAt: number | null, gone: readonly Retry[] = []): Promise<void> {
    this.#answer.resolve({ items, gone, nextDueAt });
    await this.#answer.promise;
  }

  async fail(): Promise<void> {
    this.#answer.reject(new Error('The store is not well.'));
    await this.#answer.promise.catch(() => undefined);
  }
}

let claims: ScriptedClaims;
let retryQueue: RetryQueue;
let log: string[];
beforeEach(() => {
  claims = new ScriptedClaims();
  retryQueue = new RetryQueue('dst_1', claims);
  log = [];
});

function refill(now: number, enough = 1): void {
  retryQueue.refill(
    now,
    enough,
    () => log.push('arrived'),
    () => {
      log.push('failed');
      return now + 1_000;
    },
  );
}

test('it looks at first, and then when something is due', async () => {
  refill(100);
  refill(100);
  expect(claims.asked).toEqual([{ now: 100, max: 64 }]);
  expect(retryQueue.nextDueAt).toBe(null);
  await claims.answer([], 500);
  expect(log).toEqual(['arrived']);
  expect(retryQueue.nextDueAt).toBe(500);
  refill(499);
  expect(claims.asked).toHaveLength(1);
  refill(500);
  expect(claims.asked).toHaveLength(2);
});

test('an empty retry queue is asked again only when something was put there', async () => {
  refill(100);
  await claims.answer([], null);
  refill(1e12);
  expect(claims.asked).toHaveLength(1);
  retryQueue.added(700);
  retryQueue.added(900);
  expect(retryQueue.nextDueAt).toBe(700);
  refill(700);
  expect(claims.asked).toHaveLength(2);
});

test('what is put there during a claim counts beside its answer', async () => {
  refill(100);
  retryQueue.added(300);
  await claims.answer([], 500);
  expect(retryQueue.nextDueAt).toBe(300);
});

test('messages are taken one by one, and more are claimed when few are left', async () => {
  refill(100);
  await claims.answer([retryOf('a'), retryOf('b')], 100);
  refill(100);
  expect(claims.asked).toHaveLength(1);
  expect(retryQueue.peek()?.entry.messageId).toBe('a');
  expect(retryQueue.take()?.entry.messageId).toBe('a');
  expect(retryQueue.take()?.entry.messageId).toBe('b');
  expect(retryQueue.take()).toBeUndefined();
  refill(100);
  await claims.answer([retryOf('c')], 100);
  refill(100, 3);
  await claims.answer([retryOf('d'), retryOf('e')], 100);
  refill(100, 3);
  expect(claims.asked).toHaveLength(3);
});

test('some are taken out of their turn, no more than are wanted', async () => {
  refill(100);
  await claims.answer(
    ['a', 'b', 'c', 'd'].map((id) => retryOf(id)),
    null,
  );
  const odd = retryQueue.takeWhere(({ entry }) => entry.messageId !== 'b', 2);
  expect(odd.map(({ entry }) => entry.messageId)).toEqual(['a', 'c']);
  expect([retryQueue.take()?.entry.messageId, retryQueue.take()?.entry.messageId]).toEqual(['b', 'd']);
});

test('messages that were removed are let go, and no others are', async () => {
  refill(100);
  const retries = ['a', 'b', 'c'].map((id, position) => ({
    ...retryOf(id),
    entry: { ...retryOf(id).entry, position },
  }));
  await claims.answer(retries, null);
  retryQueue.take();
  retryQueue.withdraw(new Set([0, 1]));
  expect(claims.released).toEqual(['b']);
  expect([retryQueue.take()?.entry.messageId, retryQueue.take()]).toEqual(['c', undefined]);
});

test('messages whose bodies are gone are handed out apart, and given back by a stop', async () => {
  refill(100);
  const gone = ['a', 'b', 'c', 'd'].map((id, position) => ({
    ...retryOf(id),
    entry: { ...retryOf(id).entry, position },
  }));
  await claims.answer([retryOf('e')], null, gone);
  expect(retryQueue.takeGone(1).map(({ entry }) => entry.messageId)).toEqual(['a']);
  retryQueue.withdraw(new Set([2]));
  expect(retryQueue.peek()?.entry.messageId).toBe('e');
  retryQueue.stop();
  expect(claims.released).toEqual(['e', 'b', 'd']);
});

test('a claim that failed is tried again after a rest', async () => {
  refill(100);
  await claims.fail();
  expect(log).toEqual(['failed']);
  refill(1_099);
  expect(claims.asked).toHaveLength(1);
  refill(1_100);
  expect(claims.asked).toHaveLength(2);
});

describe('a stop', () => {
  test('gives back what was not begun', async () => {
    refill(100);
    await claims.answer([retryOf('a'), retryOf('b')], null);
    retryQueue.take();
    retryQueue.stop();
    expect(claims.released).toEqual(['b']);
    expect(retryQueue.peek()).toBeUndefined();
  });

  test('gives back what a claim under way still brings, and claims no more', async () => {
    refill(100);
    retryQueue.stop();
    await claims.answer([retryOf('a')], null);
    expect(claims.released).toEqual(['a']);
    expect(log).toEqual([]);
    retryQueue.added(0);
    refill(100);
    expect(claims.asked).toHaveLength(1);
  });

  test('takes the failure of a claim under way, whose store may be closed by then, for no error', async () => {
    refill(100);
    retryQueue.stop();
    await claims.fail();
    expect(log).toEqual([]);
  });
});

test('one that was empty looks again when it is told of something', async () => {
  refill(0);
  await claims.answer([], null);
  refill(1_000_000);
  expect(claims.asked).toHaveLength(1);
  retryQueue.added(1_000_000);
  refill(1_000_000);
  expect(claims.asked).toHaveLength(2);
});
