import { expect, test } from 'vitest';
import type { Source } from '../../packages/server/src/admin/contract.ts';
import { receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService();

function totals(source: Source): Promise<{ accepted: number; duplicates: number }> {
  return service.must('GET', `/api/sources/${source.id}/totals`);
}

test('contract 8.7: the same messageId from the same source is accepted, and not delivered twice', async () => {
  const receiver = await receive();
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  for (const event of ['First', 'Second', 'Third']) await service.accept(source, { event, messageId: 'same' });
  await service.accept(source, { event: 'Last', messageId: 'other' });
  expect(await service.settled(destination, 2)).toMatchObject({ accepted: 2, processed: 2 });
  expect(receiver.arrivals.map(({ message }) => message['event']).sort()).toEqual(['First', 'Last']);
  expect(await totals(source)).toMatchObject({ accepted: 2, duplicates: 2 });
});

test('contract 8.7: within one batch, across types, and at the same moment', async () => {
  const receiver = await receive();
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  const batch = [
    { type: 'track', event: 'E', userId: 'u', messageId: 'twin' },
    { type: 'page', userId: 'u', messageId: 'twin' },
    { type: 'track', event: 'E', userId: 'u', messageId: 'Twin' },
  ];
  await Promise.all(Array.from({ length: 20 }, () => service.send(source, 'batch', { batch })));
  expect(await service.settled(destination, 2)).toMatchObject({ accepted: 2, processed: 2 });
  expect(await totals(source)).toMatchObject({ accepted: 2, duplicates: 58 });
  expect(receiver.arrivals.map(({ message }) => message['messageId']).sort()).toEqual(['Twin', 'twin']);
});

test('contract 8.7: a messageId that a stranger guesses takes no call of another user away', async () => {
  const receiver = await receive();
  const source = await service.source({ type: 'web' });
  const destination = await service.destination(source, receiver.url());
  await service.accept(source, { event: 'Guessed', userId: null, anonymousId: 'stranger', messageId: 'guessed' });
  for (const event of ['Order', 'Order again']) {
    await service.accept(source, { event, userId: 'customer', messageId: 'guessed' });
  }
  expect(await service.settled(destination, 2)).toMatchObject({ processed: 2 });
  expect(receiver.arrivals.map(({ message }) => message['event']).sort()).toEqual(['Guessed', 'Order']);
  const traced = async (whose: string): Promise<unknown> =>
    (await service.must<{ event: string }>('GET', `/api/messages/guessed?sourceId=${source.id}&${whose}`)).event;
  expect(await traced('userId=customer')).toBe('Order');
  expect(await traced('anonymousId=stranger')).toBe('Guessed');
  expect((await service.api('GET', '/api/messages/guessed?userId=nobody')).status).toBe(404);
});

test('contract 8.7: another source may use the same messageId', async () => {
  const receiver = await receive();
  const [one, two] = [await service.source(), await service.source()];
  const destination = await service.destination(one, receiver.url(), { sourceIds: [one.id, two.id] });
  await service.accept(one, { event: 'One', messageId: 'shared' });
  await service.accept(two, { event: 'Two', messageId: 'shared' });
  expect(await service.settled(destination, 2)).toMatchObject({ processed: 2 });
  expect(await service.trace('shared', one)).toMatchObject({ sourceId: one.id, event: 'One' });
  expect(await service.trace('shared', two)).toMatchObject({ sourceId: two.id, event: 'Two' });
  // Decisions 12: without a source, the newest.
  expect(await service.trace('shared')).toMatchObject({ event: 'Two' });
});

test('a call without messageId is given one of its own each time', async () => {
  const receiver = await receive();
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  for (let n = 0; n < 2; n++) await service.send(source, 'track', { event: 'E', userId: 'u' });
  expect(await service.settled(destination, 2)).toMatchObject({ processed: 2 });
  expect(new Set(receiver.arrivals.map(({ message }) => message['messageId'])).size).toBe(2);
});

test.each(['SIGTERM', 'SIGKILL'] as const)('contract 8.7: across a restart (%s)', async (signal) => {
  const receiver = await receive();
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  const batch = Array.from({ length: 500 }, (_, n) => ({ type: 'track', event: 'E', userId: 'u', messageId: `m${n}` }));
  expect(await service.send(source, 'batch', { batch })).toMatchObject({ status: 200 });
  await service.settled(destination, 500);
  service.signal(signal);
  await service.exit;
  await service.start();
  expect(await service.send(source, 'batch', { batch })).toMatchObject({ status: 200, text: '{"success":true}' });
  await service.accept(source, { messageId: 'new' });
  expect(await service.settled(destination, 501)).toMatchObject({ processed: 501 });
  expect(receiver.arrived).toBe(501);
  expect(await totals(source)).toMatchObject({ accepted: 501, duplicates: 500 });
});
