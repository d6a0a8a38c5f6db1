import { expect } from 'vitest';
import type { Source } from '../../packages/server/src/admin/contract.ts';
import { receive } from '../system/kit/receiver.ts';
import type { Service } from '../system/kit/service.ts';

type CallType = 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias';

type Message = Readonly<Record<string, unknown>> & { readonly type: CallType };

/** What each program sends, as it must arrive. Only the last call names its time. */
const MESSAGES: readonly Message[] = [
  { type: 'identify', userId: 'u1', traits: { plan: 'pro' } },
  { type: 'track', userId: 'u1', event: 'Order Completed', properties: { total: 12.5 } },
  { type: 'page', userId: 'u1', name: 'Home', properties: { title: 'Shop' } },
  { type: 'screen', userId: 'u1', name: 'Main', properties: { tab: 'one' } },
  { type: 'group', userId: 'u1', groupId: 'g1', traits: { employees: 3 } },
  { type: 'alias', 'Previous ID': 'a1', 'User ID': 'u1' },
  { type: 'track', userId: 'u1', event: 'Long Ago', properties: { total: 1 }, timestamp: '2015-02-02T00:30:08.276Z' },
];

/**
 * Lets a library send its calls to a new source, and expects each of them at the webhook, once, as it was made.
 *
 * @param lacks A call that the library does not have.
 */
export async function expectCalls(
  service: Service,
  send: (source: Source) => Promise<void>,
  lacks?: CallType,
): Promise<void> {
  const messages = MESSAGES.filter(({ type }) => type !== lacks);
  const source = await service.source();
  const receiver = await receive();
  const destination = await service.destination(source, receiver.url());
  await send(source);
  const arrivals = await receiver.waitFor(messages.length);
  const came = messages.map((message) =>
    arrivals.map((arrival) => arrival.message).find((other) => nameOf(other) === nameOf(message)),
  );
  expect(came).toMatchObject(messages);
  await service.settled(destination, messages.length);
}

function nameOf({ type, event }: Readonly<Record<string, unknown>>): string {
  return `${type} ${event ?? ''}`;
}
