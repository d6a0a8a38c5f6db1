import { beforeEach, describe, expect, test } from 'vitest';
import { Breaker } from './breaker.ts';

let breaker: Breaker;
beforeEach(() => {
  breaker = new Breaker(() => 1, Math.random);
});

/** So many failures, the first at `from` and the last at `to`. */
function fail(times: number, from: number, to: number): void {
  for (let i = 0; i < times; i++) breaker.failed(from + ((to - from) * i) / Math.max(1, times - 1));
}

describe('it opens on a sustained outage only', () => {
  test.each<[string, number, number, string]>([
    ['50 failures over 10 s', 50, 10_000, 'open'],
    ['49 failures over an hour', 49, 3_600_000, 'closed'],
    ['1,000 failures in less than 10 s', 1000, 9_999, 'closed'],
  ])('%s', (_, times, over, state) => {
    fail(times, 0, over);
    expect(breaker.state).toBe(state);
  });

  test('one sign of life ends the count', () => {
    fail(49, 0, 20_000);
    expect(breaker.alive(20_000)).toBe(false);
    fail(49, 20_000, 40_000);
    expect(breaker.state).toBe('closed');
    breaker.failed(40_000);
    expect(breaker.state).toBe('open');
  });
});

test('what is left of a message that another URL took opens none, but it does not close one either', () => {
  for (let i = 0; i < 100; i++) breaker.failed(i * 1_000, true);
  expect(breaker.state).toBe('closed');
  fail(50, 0, 10_000);
  expect(breaker.admits(15_000)).toBe(true);
  breaker.failed(15_000, true);
  expect(breaker.state).toBe('open');
});

describe('an open one', () => {
  beforeEach(() => fail(50, 0, 10_000));

  test('lets nothing through before its time, and then exactly one', () => {
    expect(breaker.probeAt).toBe(15_000);
    expect(breaker.admits(14_999)).toBe(false);
    expect(breaker.admits(15_000)).toBe(true);
    expect(breaker).toMatchObject({ state: 'probing', probeAt: null });
    expect(breaker.admits(15_000)).toBe(false);
    expect(breaker.admits(99_000)).toBe(false);
  });

  test('is not moved by what was under way when it opened', () => {
    fail(100, 10_001, 14_000);
    expect(breaker.probeAt).toBe(15_000);
  });

  test('waits twice as long after each probe that fails, up to a minute', () => {
    const waits: number[] = [];
    for (let now = breaker.probeAt ?? 0; waits.length < 6; now = breaker.probeAt ?? 0) {
      breaker.admits(now);
      breaker.failed(now);
      waits.push((breaker.probeAt ?? 0) - now);
    }
    expect(waits).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  test('closes with the first success, and begins from the beginning', () => {
    breaker.admits(15_000);
    breaker.failed(15_000);
    breaker.admits(25_000);
    expect(breaker.alive(25_000)).toBe(true);
    expect(breaker).toMatchObject({ state: 'closed', probeAt: null });
    expect(breaker.admits(25_000)).toBe(true);
    expect(breaker.admits(25_000)).toBe(true);
    fail(49, 25_000, 40_000);
    expect(breaker.state).toBe('closed');
    breaker.failed(40_000);
    expect(breaker.probeAt).toBe(45_000);
  });

  test('closes with a late success of a request that was under way', () => {
    expect(breaker.alive(25_000)).toBe(true);
    expect(breaker.state).toBe('closed');
  });
});

describe('beside others', () => {
  test('waits longer the more nodes there are, by chance', () => {
    let nodes = 3;
    let random = 0;
    breaker = new Breaker(
      () => nodes,
      () => random,
    );
    fail(50, 0, 10_000);
    expect(breaker.probeAt).toBe(15_000);
    random = 0.5;
    breaker.admits(15_000);
    breaker.failed(15_000);
    expect(breaker.probeAt).toBe(15_000 + 10_000 * 3);
    nodes = 1;
    breaker.admits(45_000);
    breaker.failed(45_000);
    expect(breaker.probeAt).toBe(65_000);
  });

  test('opens when another node has found an outage, unless it has just had a success', () => {
    breaker.alive(10_000);
    breaker.toldDown(19_999);
    expect(breaker.state).toBe('closed');
    breaker.toldDown(20_000);
    expect(breaker).toMatchObject({ state: 'open', probeAt: 25_000 });
    breaker.toldDown(24_000);
    expect(breaker.probeAt).toBe(25_000);
  });

  test('probes at once when another node sends again, and closes with its own success alone', () => {
    fail(50, 0, 10_000);
    breaker.toldUp(11_000);
    expect(breaker).toMatchObject({ state: 'open', probeAt: 11_000 });
    expect(breaker.admits(11_000)).toBe(true);
    breaker.toldUp(11_001);
    expect(breaker.state).toBe('probing');
    breaker.failed(11_002);
    expect(breaker.state).toBe('open');
  });
});
