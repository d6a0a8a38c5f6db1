import { expect, test } from 'vitest';
import { freePort } from '../../bench/redis.ts';
import { Millrace } from '../../packages/client/src/node.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedService, startService } from '../system/kit/service.ts';

const service = sharedService();

test('all six calls arrive at the webhook as they were made', async () => {
  const source = await service.source();
  const receiver = await receive();
  const destination = await service.destination(source, receiver.url());
  const client = new Millrace(source.writeKey, { endpoint: service.url });
  const timestamp = new Date('2015-02-02T00:30:08.276Z');
  client.identify({ userId: 'u1', traits: { plan: 'pro' } });
  client.track({ userId: 'u1', event: 'Order Completed', properties: { total: 27.5, name: 'Größe 😀' } });
  client.page({ anonymousId: 'a1', name: 'Home', traits: { url: 'https://a.b/', title: 'T' } });
  client.screen({ userId: 'u1', name: 'Main' });
  client.group({ userId: 'u1', groupId: 'g1', traits: { 'of people': 3 } });
  client.alias({ userId: 'u1', previousId: 'a1', timestamp, messageId: 'the-alias' });
  expect(await client.close()).toEqual({ delivered: 6, failed: 0 });

  const arrivals = await receiver.waitFor(6);
  const byType = new Map(arrivals.map(({ message }) => [message['type'], message]));
  expect(byType.get('track')).toMatchObject({
    event: 'Order Completed',
    properties: { total: 27.5, name: 'Größe 😀' },
  });
  expect(byType.get('page')).toMatchObject({
    userId: null,
    name: 'Home',
    properties: { url: 'https://a.b/', title: 'T' },
  });
  expect(byType.get('group')).toMatchObject({ groupId: 'g1', traits: { 'of people': 3 } });
  expect(byType.get('alias')).toMatchObject({ 'Previous ID': 'a1', 'User ID': 'u1', messageId: 'the-alias' });
  expect(byType.get('identify')).toMatchObject({ context: { library: { name: '@millrace/client' } } });
  expect(byType.get('alias')).toMatchObject({ timestamp: '2015-02-02T00:30:08.276Z' });
  await service.settled(destination, 6);
});

test('integrations decide which destinations get a call', async () => {
  const source = await service.source();
  const receiver = await receive();
  const destination = await service.destination(source, receiver.url());
  const client = new Millrace(source.writeKey, { endpoint: service.url, integrations: { All: false } });
  client.track({ userId: 'u1', event: 'Kept here' });
  client.track({ userId: 'u1', event: 'Sent', integrations: { Webhooks: true } });
  await client.close();
  const counts = await service.settled(destination, 2);
  expect(counts).toMatchObject({ processed: 1, filtered: 1 });
  expect(receiver.arrivals.map(({ message }) => message['event'])).toEqual(['Sent']);
});

test('an unknown write key is reported with the code of the service', async () => {
  const codes: string[] = [];
  const client = new Millrace('nobodys', { endpoint: service.url, onError: ({ code }) => codes.push(code) });
  client.track({ userId: 'u1', event: 'Lost' });
  expect(await client.close()).toEqual({ delivered: 0, failed: 1 });
  expect(codes).toEqual(['unknown_write_key']);
});

test('calls of a source that is switched off are reported, each', async () => {
  const source = await service.source();
  await service.must('PATCH', `/api/sources/${source.id}`, { enabled: false });
  const codes: string[] = [];
  const client = new Millrace(source.writeKey, { endpoint: service.url, onError: ({ code }) => codes.push(code) });
  client.track({ userId: 'u1', event: 'Lost' });
  client.track({ userId: 'u1', event: 'Lost too' });
  expect(await client.close()).toEqual({ delivered: 0, failed: 2 });
  expect(codes).toEqual(['source_disabled', 'source_disabled']);
});

test('a service that is killed and comes back gets every call once', async () => {
  const port = await freePort();
  const other = await startService({}, { args: ['--port', `${port}`] });
  const source = await other.source();
  const receiver = await receive();
  const destination = await other.destination(source, receiver.url());
  const client = new Millrace(source.writeKey, { endpoint: other.url });
  for (let i = 0; i < 100; i += 1) client.track({ userId: 'u1', event: 'Before', messageId: `before-${i}` });
  await client.flush();
  await other.kill();
  for (let i = 0; i < 100; i += 1) client.track({ userId: 'u1', event: 'Meanwhile', messageId: `meanwhile-${i}` });
  const closed = client.close();
  await other.start();
  expect(await closed).toEqual({ delivered: 100, failed: 0 });
  const counts = await other.settled(destination, 200);
  expect(counts.processed).toBe(200);
  expect(new Set(receiver.arrivals.map(({ message }) => message['messageId'])).size).toBe(200);
});
