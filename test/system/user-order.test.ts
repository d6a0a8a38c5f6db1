import { expect, test } from 'vitest';
import { receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const shared = sharedService({
  MILLRACE_RETRY_BASE: '50ms',
  MILLRACE_RETRY_CAP: '100ms',
  MILLRACE_RETRY_WINDOW: '10m',
});

const ORDERED = { order: 'user' } as const;

test('calls of one user arrive in their order while one of them is tried again, and others pass; over kill -9 too', async () => {
  let isDown = true;
  const receiver = await receive(({ message }) => (isDown && message['messageId'] === 'a0' ? 503 : 200));
  const source = await shared.source();
  const destination = await shared.destination(source, receiver.url(), ORDERED);
  const ids = Array.from({ length: 20 }, (_, i) => `a${i}`);
  const batch = ids.map((messageId) => ({ type: 'track', event: 'E', userId: 'ada', messageId }));
  expect((await shared.send(source, 'batch', { batch })).status).toBe(200);
  await shared.accept(source, { userId: 'bob', messageId: 'b0' });
  await receiver.until(() => receiver.arrivals.some(({ message }) => message['messageId'] === 'b0'), 'the other user');
  await receiver.until(() => receiver.arrivals.some(({ attempt }) => attempt === 3), 'two more rounds');
  expect(new Set(receiver.arrivals.map(({ message }) => message['messageId']))).toEqual(new Set(['a0', 'b0']));
  expect((await shared.trace('a1')).lanes).toMatchObject([{ state: 'retrying', isQueued: true, attempts: [] }]);
  await shared.kill();
  await shared.start();
  await shared.accept(source, { userId: 'ada', messageId: 'last' });
  isDown = false;
  expect(await shared.settled(destination, 22)).toMatchObject({ processed: 22 });
  const firsts = receiver.arrivals.filter(({ attempt, message }) => attempt === 1 && message['userId'] === 'ada');
  expect(firsts.map(({ message }) => message['messageId'])).toEqual([...ids, 'last']);
});

test('a call that holds up the others of its user for too long is left behind, which the record says', async () => {
  const receiver = await receive(({ message }) => (message['messageId'] === 'poison' ? 503 : 200));
  const source = await shared.source();
  await shared.destination(source, receiver.url(), { ...ORDERED, orderHold: '1s' });
  await shared.accept(source, { messageId: 'poison' });
  await receiver.waitFor(1);
  await shared.accept(source, { messageId: 'next' });
  const { lanes } = await shared.tracedAs('next', 'processed');
  expect(lanes[0]?.attempts).toMatchObject([{ error: 'order_given_up', status: null }, { status: 200 }]);
  expect((await shared.trace('poison')).lanes).toMatchObject([{ state: 'retrying' }]);
});

test('each request says the place of its call in the order of acceptance', async () => {
  const receiver = await receive(() => 200);
  const source = await shared.source();
  await shared.destination(source, receiver.url());
  for (let i = 0; i < 5; i++) await shared.accept(source, { messageId: `p${i}` });
  const arrivals = await receiver.waitFor(5);
  const placed = arrivals.map(({ headers, message }) => [Number(headers['x-millrace-position']), message['messageId']]);
  const sorted = placed.toSorted(([a], [b]) => Number(a) - Number(b));
  expect(sorted.map(([, id]) => id)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
});
