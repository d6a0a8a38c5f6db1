import { expect, test } from 'vitest';
import type { Destination, Source } from '../../packages/server/src/admin/contract.ts';
import { addUp } from './kit/admin.ts';
import { eventually } from './kit/eventually.ts';
import { receive } from './kit/receiver.ts';
import { type Service, startService } from './kit/service.ts';

const TIMEOUT_MS = 40_000;

function breaker(service: Service, destination: Destination, state: string): Promise<unknown> {
  return eventually(
    () => service.status(destination),
    (status) => status.breaker === state,
    TIMEOUT_MS,
  );
}

async function sendMany(service: Service, source: Source, count: number, event: string): Promise<void> {
  const batch = Array.from({ length: count }, () => ({ type: 'track', event, userId: 'u' }));
  expect(await service.send(source, 'batch', { batch })).toMatchObject({ status: 200, text: '{"success":true}' });
}

test('design 5: the breaker', { timeout: 90_000 }, async () => {
  // Both take their time, and most of it is waiting.
  await Promise.all([outage(), longOutage()]);
});

/** It opens on a sustained outage only, holds up no other destination, and recovers. */
async function outage(): Promise<void> {
  const service = await startService({
    MILLRACE_RETRY_BASE: '4s',
    MILLRACE_RETRY_CAP: '10m',
    MILLRACE_RETRY_WINDOW: '4h',
    MILLRACE_LOG_LEVEL: 'info',
  });
  const receiver = await receive(({ path }) => (path === '/well' ? 200 : 500));
  const [busy, quiet] = [await service.source(), await service.source()];
  const dead = await service.destination(busy, receiver.url('/dead'));
  const well = await service.destination(busy, receiver.url('/well'));
  const few = await service.destination(quiet, receiver.url('/few'));
  await sendMany(service, busy, 100, 'First');
  await sendMany(service, quiet, 10, 'Few');
  await breaker(service, dead, 'open');
  const openedAt = Date.now();
  // At least 50 messages and at least 10 s: not before, and not with ten messages.
  expect(openedAt - Number(receiver.on('/dead')[0]?.at)).toBeGreaterThanOrEqual(10_000);
  expect((await service.status(few)).breaker).toBe('closed');
  expect((await service.status(dead)).probeAt).toMatch(/Z$/);
  expect((await service.status(dead)).urls[0]?.lastError).toContain('500');

  // While it is open: what comes waits, and the other destination has it all.
  await eventually(
    () => service.status(dead),
    ({ urls }) => urls[0]?.inFlight === 0,
  );
  await sendMany(service, busy, 500, 'During');
  expect(await service.settled(well, 600, TIMEOUT_MS)).toMatchObject({ processed: 600 });
  const { accepted, waiting, processed } = addUp(await service.counts(dead));
  expect({ accepted, waiting, processed }).toEqual({ accepted: 600, waiting: 600, processed: 0 });
  expect(receiver.on('/dead').filter(({ message }) => message['event'] === 'During').length).toBeLessThanOrEqual(3);

  // The first success closes it, and everything comes through.
  receiver.become(() => 200);
  await breaker(service, dead, 'closed');
  const recovered = await service.settled(dead, 600, TIMEOUT_MS);
  expect(recovered).toMatchObject({ processed: 600, failed: 0 });
  const success = receiver.on('/dead').find(({ answeredAt }) => Number(answeredAt) > openedAt);
  // The first probe goes out after 5 s.
  expect(Number(success?.at) - openedAt).toBeGreaterThanOrEqual(4_500);
}

/** What waits beyond the retry window while it is open fails in bulk, and can be replayed. */
async function longOutage(): Promise<void> {
  const service = await startService({
    MILLRACE_RETRY_BASE: '2s',
    MILLRACE_RETRY_CAP: '4s',
    MILLRACE_RETRY_WINDOW: '12s',
    MILLRACE_LOG_LEVEL: 'error',
  });
  const receiver = await receive(500);
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  await sendMany(service, source, 100, 'First');
  await breaker(service, destination, 'open');
  await eventually(
    () => service.status(destination),
    ({ urls }) => urls[0]?.inFlight === 0,
  );
  await sendMany(service, source, 400, 'During');
  const before = receiver.arrived;
  expect(await service.settled(destination, 500, TIMEOUT_MS)).toMatchObject({ failed: 500, processed: 0 });
  expect(receiver.arrived - before).toBeLessThan(200);
  expect((await service.deliveries({ destinationId: destination.id, state: 'failed' })).items[0]).toMatchObject({
    reason: 'window_ended',
  });
  receiver.become(() => 200);
  // A new start knows nothing of the outage: the replay need not wait for the next probe.
  await service.stop();
  await service.start();
  await service.must('POST', '/api/replays', { destinationId: destination.id, state: 'failed', perSecond: 1_000 });
  await eventually(
    () => service.counts(destination),
    ({ processed }) => processed === 500,
    TIMEOUT_MS,
  );
  const came = new Set(
    receiver.arrivals.filter(({ answeredAt }) => answeredAt !== null).map(({ message }) => message['messageId']),
  );
  expect(came.size).toBe(500);
}
