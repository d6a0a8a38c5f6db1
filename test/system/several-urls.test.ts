import { describe, expect, test } from 'vitest';
import type { Destination, DestinationOverview, Source } from '../../packages/server/src/admin/contract.ts';
import { type Receiver, receive, type Script } from './kit/receiver.ts';
import { sharedService, startService } from './kit/service.ts';

const shared = sharedService({ MILLRACE_DELIVERY_TIMEOUT: '300ms', MILLRACE_RETRY_WINDOW: '1s' });

interface World {
  readonly receiver: Receiver;
  readonly source: Source;
  readonly destination: Destination;
}

/** One destination with these paths as its URLs. */
async function world(paths: readonly string[], script: Script, service = shared): Promise<World> {
  const receiver = await receive(script);
  const source = await service.source();
  const urls = paths.map((path) => receiver.url(path));
  return { receiver, source, destination: await service.destination(source, urls) };
}

function paths(receiver: Receiver): string[] {
  return receiver.arrivals.map(({ path, attempt }) => `${path} ${attempt}`).sort();
}

describe('contract 4: a message with several URLs', () => {
  test('goes to all five at once', async () => {
    const five = ['/1', '/2', '/3', '/4', '/5'];
    const all = Promise.withResolvers<number>();
    // No URL answers until all have been asked.
    const { receiver, source, destination } = await world(five, () => {
      if (receiver.arrived === 5) all.resolve(200);
      return all.promise;
    });
    const messageId = await shared.accept(source);
    await receiver.waitFor(5);
    expect(paths(receiver)).toEqual(five.map((path) => `${path} 1`));
    expect(await shared.settled(destination, 1)).toMatchObject({ processed: 1 });
    const [lane] = (await shared.trace(messageId)).lanes;
    expect(lane?.attempts.map(({ url, status }) => [url, status]).sort()).toEqual(
      five.map((path) => [receiver.url(path), 200]),
    );
  });

  test('any success: processed, retried nowhere, and the record shows which URLs missed it', async () => {
    const replies: Record<string, 200 | 404 | 500 | 'hang' | 'reset'> = {
      '/ok': 200,
      '/500': 500,
      '/404': 404,
      '/hang': 'hang',
      '/reset': 'reset',
    };
    const { receiver, source, destination } = await world(Object.keys(replies), ({ path }) => replies[path] ?? 200);
    const first = await shared.accept(source);
    const trace = await shared.tracedAs(first, 'processed');
    const by = Object.fromEntries(
      trace.lanes[0]?.attempts.map(({ url, status, error }) => [new URL(url).pathname, status ?? error]) ?? [],
    );
    expect(by).toEqual({ '/ok': 200, '/500': 500, '/404': 404, '/hang': 'timeout', '/reset': 'connection_reset' });
    // A message that does go through a retry round shows that the time for one has passed.
    const witness = await world(['/witness'], ({ attempt }) => (attempt < 4 ? 500 : 200));
    await shared.accept(witness.source);
    await witness.receiver.waitFor(4);
    expect(paths(receiver)).toEqual(['/404 1', '/500 1', '/hang 1', '/ok 1', '/reset 1']);
    expect(await shared.counts(destination)).toMatchObject({ accepted: 1, processed: 1 });
  });

  test('no success: those that failed temporarily are retried together', async () => {
    const { receiver, source } = await world(['/a', '/b', '/gone'], ({ path, attempt }) => {
      if (path === '/gone') return 410;
      if (attempt === 3) return 200;
      if (path === '/a') return 500;
      return new Promise((resolve) => setTimeout(() => resolve(503), 150));
    });
    const messageId = await shared.accept(source);
    await shared.tracedAs(messageId, 'processed');
    expect(paths(receiver)).toEqual(['/a 1', '/a 2', '/a 3', '/b 1', '/b 2', '/b 3', '/gone 1']);
    // The round ends when each has answered: /a waits for the slow /b.
    const [a, b] = [receiver.on('/a'), receiver.on('/b')];
    expect(a[1]?.at).toBeGreaterThanOrEqual(Number(b[0]?.answeredAt));
    expect(a[2]?.at).toBeGreaterThanOrEqual(Number(b[1]?.answeredAt));
  });

  test('one URL succeeding in a later round is enough', async () => {
    const { receiver, source } = await world(['/a', '/b'], ({ path, attempt }) =>
      path === '/a' && attempt === 2 ? 200 : 500,
    );
    const messageId = await shared.accept(source);
    await shared.tracedAs(messageId, 'processed');
    expect(paths(receiver)).toEqual(['/a 1', '/a 2', '/b 1', '/b 2']);
  });

  test('all permanent: failed at once, as rejected', async () => {
    const { receiver, source } = await world(['/a', '/b'], ({ path }) => (path === '/a' ? 400 : 301));
    const { lanes } = await shared.tracedAs(await shared.accept(source), 'failed');
    expect(lanes).toMatchObject([{ reason: 'rejected', rounds: 1 }]);
    expect(receiver.arrived).toBe(2);
  });

  test('temporary and then permanent everywhere: failed as rejected, each when it said so', async () => {
    const { receiver, source } = await world(['/a', '/b'], ({ path, attempt }) =>
      attempt === (path === '/a' ? 1 : 2) ? 404 : 500,
    );
    const { lanes } = await shared.tracedAs(await shared.accept(source), 'failed');
    expect(lanes).toMatchObject([{ reason: 'rejected', rounds: 2 }]);
    expect(paths(receiver)).toEqual(['/a 1', '/b 1', '/b 2']);
  });

  test('the window ends without success: failed as window_ended', async () => {
    const { receiver, source } = await world(['/a', '/gone'], ({ path }) => (path === '/a' ? 500 : 410));
    const { lanes } = await shared.tracedAs(await shared.accept(source), 'failed');
    expect(lanes).toMatchObject([{ reason: 'window_ended' }]);
    expect(receiver.on('/gone')).toHaveLength(1);
    expect(receiver.on('/a').length).toBeGreaterThan(2);
  });

  test('the latest Retry-After counts', async () => {
    const script: Script = ({ path, attempt }) => {
      if (attempt > 1) return 200;
      return { status: 500, headers: path === '/long' ? { 'Retry-After': '1' } : {} };
    };
    // No wait goes beyond the window, which begins before the answer.
    const service = await startService({ MILLRACE_RETRY_WINDOW: '30s' });
    const { receiver, source } = await world(['/short', '/long'], script, service);
    await service.accept(source);
    await receiver.waitFor(4);
    const asked = Number(receiver.on('/long')[0]?.at);
    expect(receiver.on('/short')[1]?.at).toBeGreaterThanOrEqual(asked + 998);
    expect(receiver.on('/long')[1]?.at).toBeGreaterThanOrEqual(asked + 998);
  });
});

test('contract 4, design 2.4: a URL that hangs delays no other', async () => {
  const patient = await startService({ MILLRACE_DELIVERY_TIMEOUT: '30s' });
  const receiver = await receive(({ path }) => (path === '/hangs' ? 'hang' : 200));
  const source = await patient.source();
  const destination = await patient.destination(source, [receiver.url('/hangs'), receiver.url('/well')]);
  const calls = Array.from({ length: 50 }, (_, n) => ({ type: 'track', event: 'E', userId: 'u', messageId: `m${n}` }));
  expect(await patient.send(source, 'batch', { batch: calls })).toMatchObject({ status: 200 });
  // The first attempt at /hangs has 30 s, and this test has less: what comes to /well did not wait for it.
  await receiver.waitFor(1, '/well');
  expect(receiver.on('/hangs').every(({ answeredAt }) => answeredAt === null)).toBe(true);
  const other = await patient.destination(source, receiver.url('/other'));
  await patient.accept(source);
  expect(await patient.settled(other, 1)).toMatchObject({ processed: 1 });
  await receiver.waitFor(51, '/well');
  expect((await patient.counts(destination)).accepted).toBe(51);
});

test.each(['none', 'user'] as const)('a URL that asks for pauses delays no other, with order %s', async (order) => {
  const paused = { status: 429, headers: { 'Retry-After': '30' } };
  const receiver = await receive(({ path }) => (path === '/limited' ? paused : 200));
  // A pause is no longer than the retry window.
  const service = await startService({ MILLRACE_RETRY_WINDOW: '1h' });
  const source = await service.source();
  const urls = [receiver.url('/well'), receiver.url('/limited')];
  const destination = await service.destination(source, urls, { order });
  for (let n = 0; n < 10; n++) await service.accept(source);
  // The pause is longer than this waits.
  expect(await service.settled(destination, 10)).toMatchObject({ processed: 10 });
  expect(receiver.on('/limited').length).toBeLessThan(10);
  const { status } = await service.must<DestinationOverview>('GET', `/api/destinations/${destination.id}/overview`);
  expect(status.urls).toMatchObject([{ overloaded: false }, { overloaded: true }]);
});
