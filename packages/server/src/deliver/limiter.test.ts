import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Limiter } from './limiter.ts';

const alone = (max: number): Limiter =>
  new Limiter(
    () => max,
    () => 1,
  );

/** So many successes while every place is taken. */
function succeed(limiter: Limiter, times: number, ms = 20): void {
  for (let i = 0; i < times; i++) limiter.succeeded(ms, limiter.limit);
}

test.each([
  [64, 8],
  [8, 8],
  [3, 3],
  [1, 1],
])('with at most %i it begins at %i', (max, limit) => {
  expect(alone(max).limit).toBe(limit);
});

describe('while latency is steady', () => {
  test('it doubles in each round trip at first, up to its most', () => {
    const limiter = alone(64);
    const limits = [16, 32, 64, 64].map(() => {
      succeed(limiter, limiter.limit);
      return limiter.limit;
    });
    expect(limits).toEqual([16, 32, 64, 64]);
  });

  test('it does not grow where it is not used', () => {
    const limiter = alone(64);
    for (let i = 0; i < 100; i++) limiter.succeeded(20, 7);
    expect(limiter.limit).toBe(8);
  });

  test('it grows by about one in a round trip after a cut', () => {
    const limiter = alone(64);
    limiter.overloaded(0);
    expect(limiter.limit).toBe(4);
    succeed(limiter, 4);
    expect(limiter.limit).toBe(4);
    succeed(limiter, 1);
    expect(limiter.limit).toBe(5);
  });
});

test('four nodes begin with as many as one, and grow by about one together after a cut', () => {
  const limiter = new Limiter(
    () => 64,
    () => 4,
  );
  expect(limiter.limit).toBe(2);
  limiter.overloaded(0);
  expect(limiter.limit).toBe(1);
  succeed(limiter, 3);
  expect(limiter.limit).toBe(1);
  succeed(limiter, 3);
  expect(limiter.limit).toBe(2);
});

test('is cut at what there may be, also where nodes have joined since', () => {
  let most = 8;
  const limiter = new Limiter(
    () => most,
    () => 1,
  );
  most = 4;
  expect(limiter.limit).toBe(4);
  limiter.overloaded(0);
  expect(limiter.limit).toBe(2);
  succeed(limiter, 100);
  expect(limiter.limit).toBe(4);
});

describe('overload', () => {
  test('halves it, once in 100 ms, and leaves one at least', () => {
    const limiter = alone(64);
    const limits = [0, 99, 100, 200, 300, 400].map((now) => {
      limiter.overloaded(now);
      return limiter.limit;
    });
    expect(limits).toEqual([4, 4, 2, 1, 1, 1]);
  });

  test('after it, one is where growth begins', () => {
    const limiter = alone(64);
    for (let now = 0; now < 2000; now += 100) limiter.overloaded(now);
    succeed(limiter, 1);
    expect(limiter.limit).toBe(2);
  });
});

test('it stops growing where answers come ever later, and goes on when that is the new normal', () => {
  const limiter = alone(1000);
  succeed(limiter, 20, 10);
  const before = limiter.limit;
  succeed(limiter, 20, 400);
  const during = limiter.limit;
  expect(during - before).toBeLessThan(5);
  succeed(limiter, 5000, 400);
  expect(limiter.limit).toBeGreaterThan(during);
});

test('a restart begins at one and doubles from there', () => {
  const limiter = alone(64);
  succeed(limiter, 100);
  limiter.overloaded(0);
  limiter.restart();
  const limits = [1, 2, 3, 4].map(() => {
    const { limit } = limiter;
    succeed(limiter, limit);
    return limit;
  });
  expect(limits).toEqual([1, 2, 4, 8]);
});

test('whatever happens, it is a whole number from 1 to its most', () => {
  const event = fc.oneof(
    fc.record({ kind: fc.constant('success' as const), ms: fc.nat(5000), inFlight: fc.nat(100) }),
    fc.record({ kind: fc.constant('overload' as const), wait: fc.nat(1000) }),
    fc.record({ kind: fc.constant('restart' as const) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.array(event, { maxLength: 200 }), (max, events) => {
      const limiter = alone(max);
      let now = 0;
      for (const each of events) {
        if (each.kind === 'overload') now += each.wait;
        if (each.kind === 'success') limiter.succeeded(each.ms, each.inFlight);
        else if (each.kind === 'overload') limiter.overloaded(now);
        else limiter.restart();
        expect(Number.isInteger(limiter.limit)).toBe(true);
        expect(limiter.limit).toBeGreaterThanOrEqual(1);
        expect(limiter.limit).toBeLessThanOrEqual(max);
      }
    }),
  );
});
