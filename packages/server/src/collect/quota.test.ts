import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { Fault } from '../core/fault.ts';
import type { Quota, Source } from '../core/source.ts';
import { Quotas } from './quota.ts';
import { SOURCE } from './test-server.ts';

const SECOND = 1_000;

interface World {
  readonly clock: HandClock;
  readonly quotas: Quotas;
  nodes: number;
  today: number;
}

function world(): World {
  const clock = new HandClock();
  const made: World = {
    clock,
    nodes: 1,
    today: 0,
    quotas: new Quotas({ clock, nodes: () => made.nodes, today: () => made.today, addressKey: (ip) => ip }),
  };
  return made;
}

const source = (type: Source['type'], quota: Partial<Quota> | null, id = 's1'): Source => {
  const unbounded = { eventsPerSecond: null, bytesPerSecond: null, eventsPerDay: null };
  return { ...SOURCE, id, type, quota: quota && { ...unbounded, ...quota } };
};

/** Seconds that a caller is told to wait; 0 when it may send. */
function wait({ quotas }: World, from: Source, ip = 'a'): number {
  try {
    quotas.check(from, ip);
    return 0;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.code).toBe('quota_exceeded');
    return error.retryAfter ?? Number.NaN;
  }
}

/** Sends as many calls as are taken, a batch of 100 at a time. */
function flood(on: World, from: Source, ip = 'a', most = 1_000_000): number {
  let sent = 0;
  for (; sent < most && wait(on, from, ip) === 0; sent += 100) {
    on.quotas.charge({ source: from, ip, calls: 100, bytes: 50_000 });
  }
  return sent;
}

test('a source has ten seconds of its rate at once, and then its rate', () => {
  const on = world();
  const shop = source('server', { eventsPerSecond: 1_000 });
  expect(flood(on, shop)).toBe(10_000);
  expect(wait(on, shop)).toBe(1);
  on.clock.advance(SECOND);
  expect(flood(on, shop)).toBe(1_000);
  on.clock.advance(3_600 * SECOND);
  expect(flood(on, shop)).toBe(10_000);
});

test('a full batch fits, whatever the rate is', () => {
  const on = world();
  const small = source('server', { eventsPerSecond: 1, bytesPerSecond: 10 });
  expect(wait(on, small)).toBe(0);
  on.quotas.charge({ source: small, ip: 'a', calls: 2_500, bytes: 512_000 });
  // As long as what was taken beyond the burst needs.
  expect(wait(on, small)).toBe(1);
});

test('bytes count as calls do', () => {
  const on = world();
  const shop = source('server', { bytesPerSecond: 100_000 });
  expect(flood(on, shop)).toBe(2_000);
  on.quotas.charge({ source: shop, ip: 'a', calls: 0, bytes: 500_000 });
  expect(wait(on, shop)).toBe(6);
  on.clock.advance(6 * SECOND);
  expect(wait(on, shop)).toBe(0);
});

test('an address has a quarter of a web or mobile source, and meets its end first', () => {
  for (const type of ['web', 'mobile'] as const) {
    const on = world();
    const shop = source(type, null);
    expect(flood(on, shop, 'a')).toBe(5_000);
    expect(wait(on, shop, 'b')).toBe(0);
    for (const ip of ['b', 'c', 'd']) expect(flood(on, shop, ip)).toBe(5_000);
    // Four addresses are all that the source may send.
    expect(wait(on, shop, 'e')).toBe(1);
  }
});

test('a server source has no quota but its own; what the service sends itself has none', () => {
  const on = world();
  expect(flood(on, source('server', null))).toBe(1_000_000);
  const own = { ...source('web', { eventsPerSecond: 1 }), sentBy: 'aud_1' };
  expect(flood(on, own)).toBe(1_000_000);
});

test('by day: until midnight UTC', () => {
  const on = world();
  const shop = source('web', { eventsPerDay: 100 });
  on.today = 99;
  expect(wait(on, shop)).toBe(0);
  on.today = 100;
  const midnight = Math.ceil(on.clock.now() / 86_400_000) * 86_400_000;
  expect(wait(on, shop)).toBe(Math.ceil((midnight - Math.floor(on.clock.now() / SECOND) * SECOND) / SECOND));
});

test('each of several nodes allows its part', () => {
  const on = world();
  on.nodes = 4;
  expect(flood(on, source('server', { eventsPerSecond: 4_000 }))).toBe(10_000);
});

test('a clock that is set back gives nothing, and takes nothing for long', () => {
  const on = world();
  const shop = source('server', { eventsPerSecond: 1_000 });
  flood(on, shop);
  on.clock.advance(-3_600 * SECOND);
  expect(wait(on, shop)).toBe(1);
  on.clock.advance(SECOND);
  expect(flood(on, shop)).toBe(1_000);
});

test('addresses that were seen longest ago are forgotten, not those that send', () => {
  const on = world();
  const shop = source('web', { eventsPerSecond: 100_000 });
  flood(on, shop, 'busy', 250_000);
  for (let i = 0; i < 9_999; i++) wait(on, shop, `other ${i}`);
  expect(wait(on, shop, 'busy')).toBe(1);
});
