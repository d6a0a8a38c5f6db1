import { describe, expect, test } from 'vitest';
import { at } from './kit/eventually.ts';
import { receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService({
  MILLRACE_RETRY_BASE: '80ms',
  MILLRACE_RETRY_CAP: '300ms',
  MILLRACE_RETRY_WINDOW: '1500ms',
});

describe('contract 5: retries', () => {
  test('the wait before attempt n+1 is at least half of min(base × 2^(n−1), cap)', async () => {
    const receiver = await receive(({ attempt }) => (attempt < 6 ? 500 : 200));
    const source = await service.source();
    // However slow the attempts are, the sixth is in the window.
    await service.destination(source, receiver.url(), { policy: { retryWindow: '1m' } });
    await service.accept(source);
    const arrivals = await receiver.waitFor(6);
    const least = [40, 80, 150, 150, 150];
    for (const [n, wait] of least.entries()) {
      // Two clocks of whole milliseconds are read: two of them may be lost.
      expect(Number(arrivals[n + 1]?.at) - Number(arrivals[n]?.answeredAt)).toBeGreaterThanOrEqual(wait - 2);
    }
  });

  test('while it waits it is retrying, a part of waiting, and says when it is due', async () => {
    const receiver = await receive({ status: 500, headers: { 'Retry-After': '1' } });
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    const messageId = await service.accept(source);
    const { lanes } = await service.tracedAs(messageId, 'retrying');
    expect(await service.counts(destination)).toEqual({
      accepted: 1,
      processed: 0,
      failed: 0,
      filtered: 0,
      waiting: 1,
      retrying: 1,
    });
    expect(Date.parse(lanes[0]?.nextAttemptAt ?? '')).toBeGreaterThan(Date.parse(lanes[0]?.attempts[0]?.at ?? ''));
    expect((await service.deliveries({ destinationId: destination.id, state: 'retrying' })).items).toMatchObject([
      { messageId, rounds: 1 },
    ]);
  });

  test('the last attempt is at the window’s end; then the message is failed and kept, body and all', async () => {
    const receiver = await receive(500);
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    const messageId = await service.accept(source, { properties: { kept: 'ä' } });
    const { lanes, sent } = await service.tracedAs(messageId, 'failed');
    const [lane] = lanes;
    expect(lane).toMatchObject({ reason: 'window_ended', nextAttemptAt: null });
    const attempts = lane?.attempts.map(({ at, ms }) => ({ began: Date.parse(at), ended: Date.parse(at) + ms })) ?? [];
    const end = Number(attempts[0]?.began) + 1_500;
    const { items } = await service.deliveries({ destinationId: destination.id, state: 'failed' });
    expect(items).toMatchObject([{ messageId, state: 'failed', reason: 'window_ended' }]);
    expect(Date.parse(items[0]?.updatedAt ?? '')).toBeGreaterThanOrEqual(end);
    // One that is under way at the end is the last one too: no other follows it. Both of its times are whole milliseconds.
    expect(attempts.at(-1)?.ended).toBeGreaterThanOrEqual(end - 1);
    expect(attempts.at(-2)?.ended).toBeLessThan(end);
    expect(sent).toBe(receiver.arrivals[0]?.text);
    expect(receiver.arrived).toBe(lane?.attempts.length);
    expect(await service.counts(destination)).toMatchObject({ accepted: 1, failed: 1, waiting: 0 });
  });

  test('a message that fails alone stops no other', async () => {
    const receiver = await receive(({ message }) => (message['event'] === 'Poison' ? 500 : 200));
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    const batch = Array.from({ length: 40 }, (_, n) => ({
      type: 'track',
      event: n % 10 === 0 ? 'Poison' : 'Good',
      userId: 'u',
    }));
    await service.send(source, 'batch', { batch });
    expect(await service.settled(destination, 40)).toMatchObject({ processed: 36, failed: 4 });
  });
});

describe('contract 5: across a restart', () => {
  const slow = sharedService({
    MILLRACE_RETRY_BASE: '3s',
    MILLRACE_RETRY_CAP: '3s',
    MILLRACE_RETRY_WINDOW: '3s',
  });
  const policy = { retryWindow: '1m' };

  test.each(['SIGTERM', 'SIGKILL'] as const)('%s: retries go on, with the same bytes', async (signal) => {
    const receiver = await receive(({ attempt }) => (attempt === 1 ? 500 : 200));
    const source = await slow.source();
    const destination = await slow.destination(source, receiver.url(), { policy });
    const messageId = await slow.accept(source);
    const before = await slow.tracedAs(messageId, 'retrying');
    slow.signal(signal);
    await slow.exit;
    await slow.start();
    const [one, two] = await receiver.waitFor(2);
    expect(two?.text).toBe(one?.text);
    const due = Date.parse(before.lanes[0]?.nextAttemptAt ?? '');
    expect(two?.at).toBeGreaterThanOrEqual(due - 2);
    expect(await slow.settled(destination, 1)).toMatchObject({ processed: 1 });
    expect((await slow.trace(messageId)).lanes[0]).toMatchObject({
      rounds: 2,
      attempts: [{ status: 500 }, { status: 200 }],
    });
  });

  test('a window that ended while the process was down gets one last attempt, and what waited behind a process is delivered', async () => {
    const refusing = await receive(500);
    const held = Promise.withResolvers<200>();
    const holding = await receive(() => held.promise);
    const waiting = await slow.source();
    const destination = await slow.destination(waiting, holding.url(), { policy: { ...policy, maxConcurrency: 1 } });
    const batch = Array.from({ length: 20 }, (_, n) => ({
      type: 'track',
      event: 'E',
      userId: 'u',
      messageId: `m${n}`,
    }));
    await slow.send(waiting, 'batch', { batch });
    await holding.waitFor(1);
    const source = await slow.source();
    await slow.destination(source, refusing.url());
    const messageId = await slow.accept(source);
    await slow.tracedAs(messageId, 'retrying');
    await slow.kill();
    held.resolve(200);
    holding.become(() => 200);
    const before = refusing.arrived;
    await at(Number(refusing.arrivals[0]?.at) + 3_100);
    await slow.start();
    const { lanes } = await slow.tracedAs(messageId, 'failed');
    expect(lanes).toMatchObject([{ reason: 'window_ended' }]);
    expect(refusing.arrived).toBe(before + 1);
    expect(await slow.settled(destination, 20)).toMatchObject({ processed: 20 });
    const came = new Set(holding.arrivals.map(({ message }) => message['messageId']));
    expect(came.size).toBe(20);
  });
});
