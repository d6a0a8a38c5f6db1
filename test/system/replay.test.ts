import { expect, test } from 'vitest';
import type { Destination, Replay, ReplayPreview, Source } from '../../packages/server/src/admin/contract.ts';
import { eventually } from './kit/eventually.ts';
import { type Receiver, receive, type Script } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService({ MILLRACE_RETRY_WINDOW: '300ms' });

async function world(script: Script): Promise<{ receiver: Receiver; source: Source; destination: Destination }> {
  const receiver = await receive(script);
  const source = await service.source();
  return { receiver, source, destination: await service.destination(source, receiver.url()) };
}

function done(replay: Replay): Promise<Replay> {
  return eventually(
    () => service.must<Replay>('GET', `/api/replays/${replay.id}`),
    ({ status }) => status !== 'running',
  );
}

test('contract 12: failed messages go back to waiting with a new window and the same bytes', async () => {
  const { receiver, source, destination } = await world(({ message }) => (message['event'] === 'Good' ? 200 : 500));
  await service.accept(source, { event: 'Good' });
  const messageId = await service.accept(source, { event: 'Bad', properties: { é: 1 } });
  await service.accept(source, { event: 'Worse' });
  expect(await service.settled(destination, 3)).toMatchObject({ processed: 1, failed: 2 });
  const before = receiver.arrived;
  const first = receiver.arrivals.find(({ message }) => message['messageId'] === messageId);
  const wish = { destinationId: destination.id, state: 'failed' };

  const preview = await service.must<ReplayPreview>('POST', '/api/replays', { ...wish, dryRun: true });
  expect(preview.count).toBe(2);
  expect(preview.sample.map(({ event }) => event).sort()).toEqual(['Bad', 'Worse']);
  const narrow = await service.must<ReplayPreview>('POST', '/api/replays', {
    ...wish,
    filter: { event: 'Bad' },
    dryRun: true,
  });
  expect(narrow).toMatchObject({ count: 1, sample: [{ messageId, event: 'Bad', userId: 'u1', type: 'track' }] });
  expect(receiver.arrived).toBe(before);
  expect(await service.counts(destination)).toMatchObject({ failed: 2, waiting: 0 });

  // A new window: it fails in the first two attempts, as it may. However slow they are, the third one is in the window.
  await service.must('PATCH', `/api/destinations/${destination.id}`, { policy: { retryWindow: '1m' } });
  let again = 0;
  receiver.become(() => (++again < 3 ? 500 : 200));
  const replay = await service.must<Replay>('POST', '/api/replays', { ...wish, filter: { event: 'Bad' } });
  expect(replay).toMatchObject({ destinationId: destination.id, state: 'failed', perSecond: 100 });
  expect(await done(replay)).toMatchObject({ status: 'done', total: 1, done: 1 });
  await service.tracedAs(messageId, 'processed');
  expect(receiver.arrivals.at(-1)?.text).toBe(first?.text);
  expect(receiver.arrived).toBe(before + 3);
  expect(await service.settled(destination, 3)).toMatchObject({ processed: 2, failed: 1, filtered: 0 });
  expect((await service.trace(messageId)).lanes[0]?.attempts.length).toBeGreaterThan(3);
});

test('contract 12: all of a time window, whatever became of it; times match receivedAt', async () => {
  const { receiver, source, destination } = await world(() => 200);
  const ids: string[] = [];
  const times: string[] = [];
  for (const n of [0, 1, 2, 3]) {
    ids.push(await service.accept(source, { messageId: `window-${n}` }));
    times.push((await service.tracedAs(`window-${n}`, 'processed')).receivedAt);
  }
  const wish = { destinationId: destination.id, state: 'all', from: times[1], to: times[3] };
  expect(await service.must<ReplayPreview>('POST', '/api/replays', { ...wish, dryRun: true })).toMatchObject({
    count: 2,
  });
  const replay = await service.must<Replay>('POST', '/api/replays', wish);
  await receiver.waitFor(6);
  await done(replay);
  expect(await service.settled(destination, 4)).toMatchObject({ processed: 4 });
  expect(
    receiver.arrivals
      .slice(4)
      .map(({ message }) => message['messageId'])
      .sort(),
  ).toEqual([ids[1], ids[2]]);
  for (const again of receiver.arrivals.slice(4)) {
    expect(again.text).toBe(
      receiver.arrivals.find(({ message }) => message['messageId'] === again.message['messageId'])?.text,
    );
  }
});

test('contract 12: from before the destination was there, with state all', async () => {
  const receiver = await receive();
  const source = await service.source();
  await service.accept(source, { messageId: 'early' });
  const destination = await service.destination(source, receiver.url());
  expect(await service.counts(destination)).toMatchObject({ accepted: 0 });
  await done(await service.must<Replay>('POST', '/api/replays', { destinationId: destination.id, state: 'all' }));
  expect((await receiver.waitFor(1))[0]?.message['messageId']).toBe('early');
  expect(await service.settled(destination, 1)).toMatchObject({ processed: 1 });
});

test('contract 12: at the asked rate, and it can be stopped', async () => {
  const { receiver, source, destination } = await world(() => 400);
  const batch = Array.from({ length: 60 }, (_, n) => ({
    type: 'track',
    event: 'E',
    userId: 'u',
    messageId: `rate-${n}`,
  }));
  await service.send(source, 'batch', { batch });
  await service.settled(destination, 60);
  receiver.become(() => 200);
  const asked = Date.now();
  const replay = await service.must<Replay>('POST', '/api/replays', {
    destinationId: destination.id,
    state: 'failed',
    perSecond: 20,
  });
  const after = (await receiver.waitFor(85))[84];
  // 25 at 20 a second: never sooner than about a second after it was asked for (a batch of one second may come at once).
  expect(Number(after?.at) - asked).toBeGreaterThanOrEqual(900);
  const stopped = await service.must<Replay>('POST', `/api/replays/${replay.id}/stop`);
  expect(stopped.status).toBe('stopped');
  const counts = await service.settled(destination, 60);
  expect(counts.failed).toBeGreaterThan(0);
  expect(counts.processed + counts.failed).toBe(60);
  expect(await service.must<Replay>('GET', `/api/replays/${replay.id}`)).toMatchObject({
    status: 'stopped',
    total: 60,
  });
  expect(await service.must('GET', '/api/replays')).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ id: replay.id })]),
  });
});

test('nothing is sent again to a destination that is off: what failed stays failed', async () => {
  const { receiver, source, destination } = await world(() => 400);
  const messageId = await service.accept(source);
  await service.settled(destination, 1);
  receiver.become(() => 200);
  const path = `/api/destinations/${destination.id}`;
  await service.must('PATCH', path, { enabled: false });
  const wish = { destinationId: destination.id, state: 'failed' };
  const refusals = [
    await service.refused('POST', '/api/replays', { ...wish, dryRun: true }),
    await service.refused('POST', '/api/replays', wish),
    await service.refused('POST', '/api/replays', { ...wish, state: 'all' }),
    await service.refused('POST', '/api/replays', { ...wish, messages: [{ messageId, sourceId: source.id }] }),
    await service.refused('POST', `/api/messages/${messageId}/send-again`, { destinationId: destination.id }),
  ];
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({ status: 409, code: 'conflict', detail: expect.stringContaining('switch it on') });
  }
  expect(await service.counts(destination)).toMatchObject({ failed: 1, filtered: 0 });
  await service.must('PATCH', path, { enabled: true });
  await done(await service.must<Replay>('POST', '/api/replays', wish));
  expect(await service.settled(destination, 1)).toMatchObject({ processed: 1 });
});

test('a replay that runs stops when its destination is switched off; what it had not taken stays failed', async () => {
  const { source, destination } = await world(() => 400);
  const batch = Array.from({ length: 30 }, (_, n) => ({
    type: 'track',
    event: 'E',
    userId: 'u',
    messageId: `off-${n}`,
  }));
  await service.send(source, 'batch', { batch });
  await service.settled(destination, 30);
  const wish = { destinationId: destination.id, state: 'failed', perSecond: 1 };
  const replay = await service.must<Replay>('POST', '/api/replays', wish);
  await service.must('PATCH', `/api/destinations/${destination.id}`, { enabled: false });
  const { status, done: taken } = await done(replay);
  expect([status, taken < 30]).toEqual(['stopped', true]);
  const { failed, filtered } = await service.settled(destination, 30);
  expect(failed).toBeGreaterThanOrEqual(30 - taken);
  expect(failed + filtered).toBe(30);
});

test('what failed of a source that is disconnected stays failed', async () => {
  const { destination, source } = await world(() => 400);
  const gone = await service.source();
  const path = `/api/destinations/${destination.id}`;
  await service.must('PATCH', path, { sourceIds: [source.id, gone.id] });
  const messageId = await service.accept(gone, { messageId: 'of-gone' });
  const kept = await service.accept(source, { messageId: 'of-kept' });
  await service.settled(destination, 2);
  await service.must('PATCH', path, { sourceIds: [source.id] });
  const wish = { destinationId: destination.id, state: 'failed' };
  const preview = await service.must<ReplayPreview>('POST', '/api/replays', { ...wish, dryRun: true });
  expect(preview.sample.map((sample) => sample.messageId)).toEqual([kept]);
  await done(await service.must<Replay>('POST', '/api/replays', wish));
  const chosen = { messageId, sourceId: gone.id };
  expect(await service.refused('POST', '/api/replays', { ...wish, messages: [chosen] })).toMatchObject({ status: 409 });
  const again = await service.refused('POST', `/api/messages/${messageId}/send-again`, {
    destinationId: destination.id,
  });
  expect(again).toMatchObject({ status: 409, detail: expect.stringContaining('connect them first') });
  expect(await service.settled(destination, 2)).toMatchObject({ failed: 2, filtered: 0 });
});

test('a replay goes on after a kill -9, and sends each message', async () => {
  const { receiver, source, destination } = await world(() => 400);
  const batch = Array.from({ length: 100 }, (_, n) => ({ type: 'track', event: 'E', userId: 'u', messageId: `m${n}` }));
  await service.send(source, 'batch', { batch });
  await service.settled(destination, 100);
  receiver.become(() => 200);
  const replay = await service.must<Replay>('POST', '/api/replays', {
    destinationId: destination.id,
    state: 'failed',
    perSecond: 50,
  });
  await receiver.waitFor(120);
  await service.kill();
  await service.start();
  expect(await done(replay)).toMatchObject({ status: 'done' });
  expect(await service.settled(destination, 100)).toMatchObject({ processed: 100, failed: 0 });
});

test.each([
  [{ destinationId: undefined }, 'destinationId'],
  [{ destinationId: 'nobody' }, 'destinationId'],
  [{ state: 'processed' }, 'state'],
  [{ from: 'yesterday' }, 'from'],
  [{ perSecond: 0 }, 'perSecond'],
  [{ filter: { colour: 'red' } }, 'filter'],
])('refuses %j', async (wish, path) => {
  const { destination } = await world(() => 200);
  const whole = { destinationId: destination.id, state: 'failed', ...wish };
  const problem = await service.refused('POST', '/api/replays', whole);
  expect(problem.status).toBe(400);
  expect(problem.errors?.[0]?.path).toContain(path);
});
