import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { TestResult } from '../../packages/server/src/admin/contract.ts';
import { receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService();
const sharedSecret = 'shared between the two of us';
const call = {
  traits: { email: 'ada@example.com', plan: 'pro' },
  context: { consent: { categoryPreferences: { advertising: true } }, ip: '203.0.113.7' },
};

test('of two destinations of a source, the one with rules gets what they let through, signed as it is sent', async () => {
  const receiver = await receive(({ path, attempt }) => (path === '/some' && attempt === 1 ? 503 : 200));
  const source = await service.source();
  const all = await service.destination(source, receiver.url('/all'));
  const some = await service.destination(source, receiver.url('/some'), {
    settings: { webhooks: [{ url: receiver.url('/some') }], sharedSecret },
    filter: {
      all: [
        { field: 'source', is: { equals: source.id } },
        { field: 'traits.plan', is: { equals: 'pro' } },
      ],
    },
    consent: ['advertising'],
    redact: [
      { path: 'traits.email', do: 'hash' },
      { path: 'context.ip', do: 'drop' },
    ],
  });
  const paying = await service.accept(source, call, 'identify');
  const free = await service.accept(source, { ...call, traits: { ...call.traits, plan: 'free' } }, 'identify');
  const silent = await service.accept(source, { ...call, context: {} }, 'identify');
  expect(await service.settled(all, 3)).toMatchObject({ processed: 3 });
  expect(await service.settled(some, 3)).toMatchObject({ processed: 1, filtered: 2 });

  const sent = receiver.arrivals.filter(({ path }) => path === '/some');
  const [first, again] = sent;
  expect(sent).toHaveLength(2);
  expect(again?.text).toBe(first?.text);
  expect(JSON.stringify(first?.message)).toBe(first?.text);
  for (const { body, headers } of sent) {
    expect(headers['x-signature']).toBe(createHmac('sha1', sharedSecret).update(body).digest('hex'));
  }
  const whole = receiver.arrivals.find(({ path, message }) => path === '/all' && message['messageId'] === paying);
  expect(whole?.message).toMatchObject({ traits: call.traits, context: call.context });
  const { ip: _, ...context } = { ...call.context, ...Object(whole?.message['context']) };
  const email = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(first?.message).toEqual({ ...whole?.message, context, traits: { email, plan: 'pro' } });

  const laneOf = async (messageId: string, id: string) =>
    (await service.trace(messageId)).lanes.find(({ destinationId }) => destinationId === id);
  const clause = 'all.1: traits.plan equals "pro"';
  expect(await laneOf(free, some.id)).toMatchObject({ state: 'filtered', reason: 'condition', clause });
  expect(await laneOf(silent, some.id)).toMatchObject({ reason: 'consent', clause: 'advertising' });
  const { items } = await service.deliveries({ destinationId: some.id, state: 'filtered' });
  expect(items.map(({ reason }) => reason)).toEqual(['consent', 'condition']);
  const lane = await laneOf(paying, some.id);
  expect(lane).toMatchObject({
    redacted: ['traits.email', 'context.ip'],
    sent: first?.text,
    reason: null,
    clause: null,
  });
  const { 'X-Signature': signature } = lane?.requests[0]?.headers ?? {};
  expect(signature).toBe(first?.headers['x-signature']);
  expect(await laneOf(paying, all.id)).toMatchObject({ redacted: [] });

  const tested = await service.must<TestResult>('POST', `/api/destinations/${some.id}/test`, {
    message: { messageId: free },
  });
  expect(tested).toMatchObject({ filtered: 'condition', clause });
  expect(receiver.arrivals.at(-1)?.text).toBe(tested.body);
  expect(JSON.parse(tested.body)).toMatchObject({ traits: { email: Object(first?.message['traits']).email } });
});
