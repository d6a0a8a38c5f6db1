import { describe, expect, test } from 'vitest';
import type { Counts, Overview, Stats, StatsNumbers } from '../../packages/server/src/admin/contract.ts';
import { at as clockShows, eventually } from './kit/eventually.ts';
import { receive } from './kit/receiver.ts';
import { startService } from './kit/service.ts';

const EVENTS = 20;
/** How long the receiver takes. */
const ANSWER_MS = 200;

describe('statistics', () => {
  test('add up to the counts, reach the disk by themselves, and survive a stop', async () => {
    const service = await startService();
    const slow = await receive(async () => {
      await clockShows(Date.now() + ANSWER_MS);
      return 200;
    });
    const flaky = await receive(({ attempt }) => (attempt === 1 ? 503 : 200));
    const refusing = await receive(({ message }) => (message['event'] === 'Bad' ? 400 : 200));
    const source = await service.source();
    const other = await service.source();
    const destinations = await Promise.all([
      service.destination(source, slow.url()),
      service.destination(source, flaky.url()),
      service.destination(source, refusing.url(), { trackFilter: { mode: 'deny', events: ['Denied'] } }),
    ]);
    const events = Array.from({ length: EVENTS }, (_, i) => ({ event: ['Good', 'Bad', 'Denied'][i % 3] }));
    const batch = events.map((call) => ({ type: 'track', userId: 'u', ...call }));
    expect((await service.send(source, 'batch', { batch })).status).toBe(200);
    expect((await service.send(other, 'track', { userId: 'u' })).status).toBe(400);
    const counts = await Promise.all(destinations.map((destination) => service.settled(destination, EVENTS)));
    const read = (query: string): Promise<Stats> => service.must('GET', `/api/stats?${query}`);
    const of = async (n: number): Promise<Stats> => read(`destinationId=${destinations[n]?.id}`);
    const ended = ({ processed, failed, filtered }: StatsNumbers | Counts): object => ({ processed, failed, filtered });

    // Nothing asks for it: it is written every few seconds.
    await eventually(
      () => of(0),
      ({ total }) => total.processed === EVENTS,
    );
    await service.stop();
    await service.start();
    const all = await Promise.all([of(0), of(1), of(2)]);
    for (const [n, { total, buckets }] of all.entries()) {
      expect(total.accepted).toBe(EVENTS);
      expect(ended(total)).toEqual(ended(counts[n] as Counts));
      expect(buckets.reduce((sum, { processed }) => sum + processed, 0)).toBe(total.processed);
      expect(total.retried).toBe(n === 1 ? EVENTS : 0);
    }
    expect(all[0]?.total.p50).toBeGreaterThanOrEqual(ANSWER_MS * 0.9);
    expect(all[0]?.total.p95).toBeGreaterThanOrEqual(all[0]?.total.p50 ?? Number.NaN);
    const sum = (name: 'processed' | 'failed' | 'filtered'): number => counts.reduce((all, one) => all + one[name], 0);
    const expected = {
      accepted: EVENTS,
      processed: sum('processed'),
      failed: sum('failed'),
      filtered: sum('filtered'),
    };
    expect((await read(`sourceId=${source.id}`)).total).toMatchObject(expected);
    expect((await read('')).total).toMatchObject(expected);

    const overview = await service.must<Overview>('GET', '/api/overview');
    expect(overview.counts).toMatchObject({ ...expected, accepted: 3 * EVENTS, waiting: 0 });
    expect(overview.sources).toMatchObject([
      { id: source.id, accepted: EVENTS, rejected: 0, lastEventAt: expect.stringMatching(/Z$/) },
      { id: other.id, accepted: 0, rejected: 1, lastEventAt: null },
    ]);
    const health = new Map(overview.destinations.map((one) => [one.id, one.health]));
    expect(destinations.map(({ id }) => health.get(id))).toEqual(['healthy', 'degraded', 'degraded']);
  });

  test('the overview knows who waits, and for how long', async () => {
    const service = await startService({
      MILLRACE_RETRY_BASE: '10m',
      MILLRACE_RETRY_CAP: '10m',
      MILLRACE_RETRY_WINDOW: '4h',
    });
    const held = Promise.withResolvers<503>();
    const receiver = await receive(() => held.promise);
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    const first = await service.accept(source);
    await service.accept(source);
    await receiver.waitFor(1);
    const { receivedAt } = await service.trace(first);
    const overview = (): Promise<Overview> => service.must('GET', '/api/overview');
    const waiting = { id: destination.id, oldestWaitingAt: receivedAt };
    expect((await overview()).destinations).toMatchObject([{ ...waiting, counts: { waiting: 2, retrying: 0 } }]);
    held.resolve(503);
    // In the retry queue it waits all the same.
    await eventually(
      () => service.counts(destination),
      ({ retrying }) => retrying === 2,
    );
    expect((await overview()).destinations).toMatchObject([{ ...waiting, counts: { waiting: 2, retrying: 2 } }]);
  });
});
