import { describe, expect, test } from 'vitest';
import type { Destination } from '../../packages/server/src/admin/contract.ts';
import { eventually } from './kit/eventually.ts';
import { receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const shared = sharedService({
  MILLRACE_RETRY_BASE: '50ms',
  MILLRACE_RETRY_CAP: '100ms',
  MILLRACE_RETRY_WINDOW: '10m',
});

const eventsOf = (arrivals: readonly { readonly message: Readonly<Record<string, unknown>> }[]): unknown[] =>
  arrivals.map(({ message }) => message['messageId']);

describe('a destination that is paused', () => {
  test('holds its messages, beside others that get them, over kill -9 too; and sends each of them once it goes on', async () => {
    const [receiver, beside] = [await receive(() => 200), await receive(() => 200)];
    const source = await shared.source();
    const destination = await shared.destination(source, receiver.url());
    await shared.destination(source, beside.url());
    const path = `/api/destinations/${destination.id}`;
    await shared.accept(source, { messageId: 'before' });
    await receiver.waitFor(1);
    await shared.settled(destination, 1);
    await shared.must('POST', `${path}/pause`, {});
    const ids = Array.from({ length: 30 }, (_, i) => `m${i}`);
    for (const messageId of ids) await shared.accept(source, { messageId });
    await beside.waitFor(31);
    await shared.kill();
    await shared.start();
    expect(await shared.must<Destination>('GET', path)).toMatchObject({ paused: { held: 30 } });
    expect(await shared.counts(destination)).toMatchObject({ accepted: 31, processed: 1, waiting: 30, failed: 0 });
    expect(eventsOf(receiver.arrivals)).toEqual(['before']);
    expect(await shared.must<Destination>('POST', `${path}/resume`, {})).toMatchObject({ paused: null });
    expect(await shared.settled(destination, 31)).toMatchObject({ processed: 31 });
    expect(eventsOf(receiver.arrivals).sort()).toEqual(['before', ...ids].sort());
  });

  test('lets go of what it held when that is discarded: the counts add up, and a replay can send it later', async () => {
    const receiver = await receive(() => 503);
    const source = await shared.source();
    const destination = await shared.destination(source, receiver.url());
    const path = `/api/destinations/${destination.id}`;
    const tried = await shared.accept(source);
    await shared.tracedAs(tried, 'retrying');
    await shared.must('POST', `${path}/pause`, {});
    receiver.become(() => 200);
    for (let i = 0; i < 9; i++) await shared.accept(source, { messageId: `held ${i}` });
    const arrived = receiver.arrived;
    await shared.must('POST', `${path}/resume`, { discard: true });
    const after = await shared.accept(source);
    expect(await shared.settled(destination, 11)).toMatchObject({ processed: 1, filtered: 10, failed: 0 });
    expect((await shared.trace('held 0', source)).lanes).toMatchObject([{ state: 'filtered', reason: 'discarded' }]);
    expect(eventsOf(receiver.arrivals.slice(arrived))).toEqual([after]);
    await shared.must('POST', '/api/replays', { destinationId: destination.id, state: 'all' });
    await receiver.until(() => new Set(eventsOf(receiver.arrivals)).size === 11, 'all eleven');
  });
});

describe('a destination that asks for all URLs', () => {
  test('tries the one that missed a message again, alone, and waits for one that is paused', async () => {
    let isDown = true;
    const receiver = await receive(({ path }) => (path === '/b' && isDown ? 503 : 200));
    const source = await shared.source();
    const destination = await shared.destination(source, [receiver.url('/a'), receiver.url('/b')], { success: 'all' });
    const messageId = await shared.accept(source);
    await receiver.waitFor(3, '/b');
    expect(await shared.counts(destination)).toMatchObject({ processed: 0, waiting: 1, retrying: 1 });
    const path = `/api/destinations/${destination.id}`;
    await shared.must('POST', `${path}/pause`, { url: receiver.url('/b') });
    const held = await shared.accept(source);
    isDown = false;
    await shared.tracedAs(held, 'retrying');
    expect(receiver.on('/b').some(({ message }) => message['messageId'] === held)).toBe(false);
    await shared.must('POST', `${path}/resume`, { url: receiver.url('/b') });
    expect(await shared.settled(destination, 2)).toMatchObject({ processed: 2 });
    expect(eventsOf(receiver.on('/a')).sort()).toEqual([messageId, held].sort());
    expect(eventsOf(receiver.on('/b')).filter((id) => id === held)).toEqual([held]);
  });
});

test('a URL that is added later is back-filled from a time, alone', async () => {
  const receiver = await receive(({ message }) => (message['event'] === 'Poison' ? 400 : 200));
  const source = await shared.source();
  const destination = await shared.destination(source, receiver.url('/old'), { success: 'all' });
  for (let i = 0; i < 5; i++) await shared.accept(source, { messageId: `old ${i}` });
  // What one URL takes must not stand for all, where another one refused it.
  await shared.accept(source, { event: 'Poison' });
  await shared.settled(destination, 6);
  const webhooks = [{ url: receiver.url('/old') }, { url: receiver.url('/new') }];
  const { settings } = await shared.must<Destination>('PATCH', `/api/destinations/${destination.id}`, {
    settings: { webhooks },
  });
  const ask = { destinationId: destination.id, state: 'all', from: '2020-01-01' };
  expect(await shared.refused('POST', '/api/replays', { ...ask, webhookId: 'url_none' })).toMatchObject({
    errors: [{ path: 'webhookId' }],
  });
  const webhookId = settings.webhooks[1]?.id;
  // It may have failed at another URL too.
  const failed = { destinationId: destination.id, state: 'failed', webhookId };
  expect(await shared.refused('POST', '/api/replays', failed)).toMatchObject({ errors: [{ path: 'webhookId' }] });
  expect(await shared.must('POST', '/api/replays', { ...ask, webhookId })).toMatchObject({ total: 5, webhookId });
  await receiver.waitFor(5, '/new');
  expect(await shared.settled(destination, 6)).toMatchObject({ processed: 5, failed: 1 });
  expect([receiver.on('/old').length, receiver.on('/new').length]).toEqual([6, 5]);
});

test('a destination with a rate gets a backlog at that rate', async () => {
  const receiver = await receive(() => 200);
  const source = await shared.source();
  const destination = await shared.destination(source, receiver.url(), { policy: { ratePerSecond: 100 } });
  const path = `/api/destinations/${destination.id}`;
  await shared.must('POST', `${path}/pause`, {});
  const batch = Array.from({ length: 250 }, (_, i) => ({ type: 'track', event: 'E', userId: 'u', messageId: `r${i}` }));
  expect((await shared.send(source, 'batch', { batch })).status).toBe(200);
  await eventually(
    () => shared.counts(destination),
    ({ waiting }) => waiting === 250,
  );
  await shared.must('POST', `${path}/resume`, {});
  const arrivals = await receiver.waitFor(250);
  const [first, last] = [arrivals[0], arrivals.at(-1)].map((arrival) => arrival?.at ?? 0);
  // A slow machine makes it slower, never faster than it may.
  expect((last ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(2_300);
});
