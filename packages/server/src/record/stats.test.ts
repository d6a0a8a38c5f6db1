import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import type { DeliveryResult, DeliveryState } from '../core/delivery.ts';
import type { SendErrorCode } from '../core/send-error.ts';
import { sampleEvent } from '../log/conformance.ts';
import type { StatsAddition } from './contract.ts';
import { latencyQuantile } from './latency.ts';
import { StatsCounter } from './stats.ts';

const MINUTE = 60_000;

/** A counter over a store that is a list, or fails while `broken`. */
function open() {
  const clock = new HandClock();
  const added: StatsAddition[] = [];
  const errors: unknown[] = [];
  const store = {
    broken: false,
    calls: 0,
    async add(additions: readonly StatsAddition[]): Promise<void> {
      store.calls++;
      if (store.broken) throw new Error('the disk is full');
      added.push(...additions);
    },
  };
  const counter = new StatsCounter({ store, clock, failed: (error) => errors.push(error) });
  return { clock, added, errors, store, counter };
}

function result(state: DeliveryState, receivedAt: number, at: number): DeliveryResult {
  return {
    laneId: 1,
    destinationId: 'd',
    entry: { ...sampleEvent('s', 'm', { receivedAt }), position: 1 },
    state,
    reason: null,
    attempts: [],
    rounds: 1,
    firstAt: null,
    dueAt: null,
    urlsLeft: null,
    at,
  };
}

const attempt = {
  ...{ webhookId: 'a', url: 'https://a.test', at: 1, ms: 1, status: null, error: null, detail: null, answer: null },
};

/** What the additions come to, per subject and minute. */
function sum(additions: readonly StatsAddition[]): Record<string, object> {
  const sums: Record<string, Record<string, number>> = {};
  for (const { subject, at, latency: _, attempts: __, triedAt: ___, lastAt, ...numbers } of additions) {
    const all = sums[`${subject} ${at}`] ?? {};
    sums[`${subject} ${at}`] = all;
    for (const [name, value] of Object.entries(numbers)) if (value > 0) all[name] = (all[name] ?? 0) + value;
    if (lastAt !== null) all['lastAt'] = Math.max(all['lastAt'] ?? 0, lastAt);
  }
  return sums;
}

test('everything is counted in its minute, for its source and its destination', async () => {
  const { clock, added, counter } = open();
  const first = clock.now() - (clock.now() % MINUTE);
  counter.accepted('s', 3);
  counter.accepted('t', 1);
  counter.rejected('s');
  const begun = clock.now();
  for (const state of ['processed', 'processed', 'failed', 'filtered'] as const) {
    counter.settled(result(state, begun - 400, begun));
  }
  counter.settled({ ...result('retrying', begun - 400, begun), attempts: [{ ...attempt, at: begun, status: 503 }] });
  clock.advance(MINUTE);
  counter.accepted('s', 10);
  counter.settled(result('processed', begun, clock.now()));
  await counter.stop();
  expect(sum(added)).toEqual({
    [`s ${first}`]: { accepted: 3, rejected: 1, processed: 2, failed: 1, filtered: 1, retried: 1, lastAt: begun },
    [`t ${first}`]: { accepted: 1, lastAt: begun },
    [`d ${first}`]: { processed: 2, failed: 1, filtered: 1, retried: 1, lastAt: begun },
    [`s ${first + MINUTE}`]: { accepted: 10, processed: 1, lastAt: clock.now() },
    [`d ${first + MINUTE}`]: { processed: 1, lastAt: clock.now() },
  });
  const of = (subject: string, at: number): number | null => {
    const one = added.find((each) => each.subject === subject && each.at === at);
    return latencyQuantile(one?.latency ?? new Uint32Array(), 0.5);
  };
  expect(of('d', first)).toBeGreaterThan(360);
  expect(of('d', first)).toBeLessThan(440);
  expect(of('s', first)).toBe(of('d', first));
  expect(of('t', first)).toBeNull();
  expect(of('d', first + MINUTE)).toBeGreaterThan(0.9 * MINUTE);
});

test('a stop says that the last counts were not written', async () => {
  const { store, counter } = open();
  await counter.start();
  counter.accepted('s', 1);
  store.broken = true;
  await expect(counter.stop()).rejects.toThrow('the newest counts were not written');
});

test('what is counted reaches the store every few seconds, once', async () => {
  const { clock, added, store, counter } = open();
  await counter.start();
  counter.accepted('s', 1);
  clock.advance(5_000);
  await counter.flush();
  expect(added).toMatchObject([{ subject: 's', accepted: 1 }]);
  clock.advance(5_000);
  await counter.flush();
  expect(store.calls).toBe(1);
  counter.accepted('s', 2);
  await counter.stop();
  expect(added).toMatchObject([{ accepted: 1 }, { accepted: 2 }]);
  await counter.stop();
  expect(clock.pending).toBe(0);
  expect(store.calls).toBe(2);
});

test('what the store cannot take is kept and handed over later, the newest where it is too much', async () => {
  const { clock, added, errors, store, counter } = open();
  store.broken = true;
  const begun = clock.now() - (clock.now() % MINUTE);
  counter.settled(result('processed', clock.now(), clock.now()));
  const last = clock.now();
  await counter.flush();
  expect(errors).toHaveLength(1);
  counter.settled(result('failed', clock.now(), clock.now()));
  await counter.flush();
  store.broken = false;
  await counter.flush();
  expect(sum(added)).toEqual({
    [`d ${begun}`]: { processed: 1, failed: 1, lastAt: last },
    [`s ${begun}`]: { processed: 1, failed: 1 },
  });
  added.length = 0;
  store.broken = true;
  for (let i = 0; i < 6_000; i++) counter.accepted(`old ${i}`, 1);
  clock.advance(60 * MINUTE);
  for (let i = 0; i < 6_000; i++) counter.accepted(`new ${i}`, 1);
  await counter.flush();
  store.broken = false;
  await counter.flush();
  expect(added).toHaveLength(6_000);
  expect(added.every(({ subject }) => subject.startsWith('new'))).toBe(true);
});

test('what a replay takes back of days is kept too while the store takes nothing', async () => {
  const { clock, added, store, counter } = open();
  store.broken = true;
  const minutes = Array.from({ length: 2_880 }, (_, n) => clock.now() - n * MINUTE);
  counter.undone(
    'd',
    minutes.map((at) => ({ sourceId: 's', state: 'failed', at, messages: 1 })),
  );
  await counter.flush();
  store.broken = false;
  await counter.flush();
  expect(added.filter(({ subject }) => subject === 'd').reduce((total, { failed }) => total + failed, 0)).toBe(-2_880);
});

test('a message that waits without a failed request is not counted as retried: for a paused URL, or for its turn', async () => {
  const { added, counter } = open();
  for (const attempts of [[], [{ ...attempt, status: 200 }], [{ ...attempt, error: 'paused' as const }]]) {
    counter.settled({ ...result('retrying', 1, 2), attempts });
  }
  await counter.stop();
  expect(added.map(({ subject, retried }) => ({ subject, retried }))).toEqual([
    { subject: 'd', retried: 0 },
    { subject: 's', retried: 0 },
  ]);
});

test('a destination was delivered to when a message ended as processed, and tried by requests alone', async () => {
  const { clock, added, counter } = open();
  const settled = async (
    status: number | null,
    error: SendErrorCode | null,
    state: DeliveryState = 'retrying',
  ): Promise<void> => {
    clock.advance(1_000);
    counter.settled({ ...result(state, 1, 2), attempts: [{ ...attempt, status, error }] });
    await counter.flush();
  };
  const times = (): object[] => {
    const of = added.splice(0).filter(({ subject }) => subject === 'd');
    return of.map(({ lastAt, triedAt }) => ({ lastAt, triedAt }));
  };
  await settled(null, 'paused');
  expect(times()).toEqual([{ lastAt: null, triedAt: null }]);
  await settled(503, null);
  expect(times()).toEqual([{ lastAt: null, triedAt: clock.now() }]);
  // One URL took it, and another has to take it too.
  await settled(200, null);
  expect(times()).toEqual([{ lastAt: null, triedAt: clock.now() }]);
  await settled(200, null, 'processed');
  expect(times()).toEqual([{ lastAt: clock.now(), triedAt: clock.now() }]);
});

test('many subjects are handed over in several calls', async () => {
  const { added, store, counter } = open();
  for (let i = 0; i < 1_000; i++) counter.accepted(`s${i}`, i);
  await counter.flush();
  expect(store.calls).toBe(4);
  expect(added).toHaveLength(1_000);
});

test('the rate is the mean of the last ten whole seconds', () => {
  const { clock, counter } = open();
  expect(counter.perSecond()).toBe(0);
  counter.accepted('s', 50);
  expect(counter.perSecond()).toBe(0);
  clock.advance(1_000);
  counter.accepted('t', 70);
  expect(counter.perSecond()).toBe(5);
  clock.advance(9_000);
  expect(counter.perSecond()).toBe(12);
  clock.advance(1_000);
  expect(counter.perSecond()).toBe(7);
  clock.advance(3_600_000);
  expect(counter.perSecond()).toBe(0);
});
