import { describe, expect, test } from 'vitest';
import type { Destination, NewDestination, Source } from '../../packages/server/src/admin/contract.ts';
import type { Call } from './kit/admin.ts';
import { eventually } from './kit/eventually.ts';
import { type Receiver, receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService();

interface World {
  readonly receiver: Receiver;
  readonly source: Source;
  readonly destination: Destination;
}

async function world(wish: Partial<NewDestination> = {}): Promise<World> {
  const receiver = await receive();
  const source = await service.source();
  return { receiver, source, destination: await service.destination(source, receiver.url(), wish) };
}

/** What becomes of one call: `processed`, or the reason why it was filtered. */
async function verdict(call: Call, wish: Partial<NewDestination> = {}, type = 'track'): Promise<string | null> {
  const { receiver, source, destination } = await world(wish);
  const messageId = await service.accept(source, call, type);
  const counts = await service.settled(destination, 1);
  const [lane] = (await service.trace(messageId)).lanes;
  expect(counts[lane?.state as 'processed' | 'filtered']).toBe(1);
  expect(receiver.arrived).toBe(lane?.state === 'processed' ? 1 : 0);
  if (lane?.state === 'filtered') expect(lane.attempts).toEqual([]);
  return lane?.state === 'processed' ? 'processed' : (lane?.reason ?? null);
}

const NO = 'integrations';
describe('contract 9: the integrations object', () => {
  test.each([
    [undefined, 'processed'],
    [{}, 'processed'],
    [{ All: true }, 'processed'],
    [{ All: false }, NO],
    [{ Webhooks: true }, 'processed'],
    [{ Webhooks: false }, NO],
    [{ All: false, Webhooks: true }, 'processed'],
    [{ All: true, Webhooks: false }, NO],
    [{ Other: false }, 'processed'],
    [{ All: false, Other: true }, NO],
    // Keys are case sensitive.
    [{ webhooks: false }, 'processed'],
    [{ WEBHOOKS: false }, 'processed'],
    [{ All: false, webhooks: true }, NO],
    [{ Webhook: false }, 'processed'],
    // Decisions 8.6.
    [{ all: false }, NO],
    [{ all: false, Webhooks: true }, 'processed'],
    [{ All: false, Webhooks: { option: 1 } }, 'processed'],
    [{ All: false, Webhooks: {} }, 'processed'],
    [{ All: {} }, 'processed'],
  ])('%j: %s', async (integrations, expected) => {
    expect(await verdict({ integrations })).toBe(expected);
    expect(await verdict({ context: { integrations } })).toBe(expected);
  });

  test.each([
    [{ Webhooks: true }, { Webhooks: false }, 'processed'],
    [{ Webhooks: false }, { Webhooks: true }, NO],
    [{ All: false }, { Webhooks: true }, 'processed'],
    [{ Other: true }, { All: false }, NO],
    [{ All: true }, { All: false }, 'processed'],
  ])('the top level wins key by key: %j over context %j: %s', async (integrations, inContext, expected) => {
    expect(await verdict({ integrations, context: { integrations: inContext } })).toBe(expected);
  });

  test.each(['identify', 'page', 'screen', 'group', 'alias'])('holds for %s too', async (type) => {
    const call = { groupId: 'g', previousId: 'p', integrations: { All: false } };
    expect(await verdict(call, {}, type)).toBe(NO);
  });

  test('of a batch, lies under each call’s own (contract 8.6)', async () => {
    const { source, destination, receiver } = await world();
    const call = (name: string, integrations?: object): object => ({
      type: 'track',
      event: name,
      userId: 'u',
      integrations,
    });
    const batch = [call('none'), call('own', { Webhooks: true }), call('other', { Other: true })];
    await service.send(source, 'batch', { batch, integrations: { Webhooks: false } });
    expect(await service.settled(destination, 3)).toMatchObject({ processed: 1, filtered: 2 });
    expect(receiver.arrivals[0]?.message).toMatchObject({ event: 'own' });
  });
});

describe('contract 9: the track filter', () => {
  const allow: NewDestination['trackFilter'] = { mode: 'allow', events: ['Order Completed', 'Signed Up'] };
  const deny: NewDestination['trackFilter'] = { mode: 'deny', events: ['Mouse Moved'] };

  test.each([
    [allow, 'Order Completed', 'processed'],
    [allow, 'Signed Up', 'processed'],
    [allow, 'order completed', 'track_filter'],
    [allow, 'Mouse Moved', 'track_filter'],
    [deny, 'Mouse Moved', 'track_filter'],
    [deny, 'Order Completed', 'processed'],
    [{ mode: 'deny', events: [] }, 'Any', 'processed'],
    [null, 'Any', 'processed'],
  ] as const)('%j with %s: %s', async (trackFilter, event, expected) => {
    expect(await verdict({ event }, { trackFilter: trackFilter as NewDestination['trackFilter'] & object })).toBe(
      expected,
    );
  });

  test('looks at track calls only', async () => {
    expect(await verdict({ name: 'Mouse Moved' }, { trackFilter: deny }, 'page')).toBe('processed');
    expect(await verdict({ traits: {} }, { trackFilter: { mode: 'allow', events: ['Other'] } }, 'identify')).toBe(
      'processed',
    );
  });

  test('comes after integrations', async () => {
    expect(await verdict({ event: 'Mouse Moved', integrations: { All: false } }, { trackFilter: deny })).toBe(NO);
  });
});

describe('contract 9: the destination', () => {
  test('that is off receives nothing, and the reason is recorded', async () => {
    expect(await verdict({}, { enabled: false })).toBe('destination_disabled');
    expect(await verdict({ integrations: { All: false } }, { enabled: false })).toBe('destination_disabled');
  });

  test('sees a change from the next call on, each time', async () => {
    const { receiver, source, destination } = await world();
    const expected: string[] = [];
    for (let n = 0; n < 30; n++) {
      const enabled = n % 3 !== 0;
      await service.must('PATCH', `/api/destinations/${destination.id}`, { enabled });
      const messageId = await service.accept(source);
      if (enabled) expected.push(messageId);
      // What was accepted before a change may still be on its way when it comes (and then meets the new rule).
      await service.settled(destination, n + 1);
    }
    expect(await service.counts(destination)).toMatchObject({ accepted: 30, processed: 20, filtered: 10 });
    expect(receiver.arrivals.map(({ message }) => message['messageId'])).toEqual(expected);
  });

  test('sees a new filter, new URLs and new headers from the next call on', async () => {
    const { receiver, source, destination } = await world();
    await service.accept(source, { event: 'One' });
    await receiver.waitFor(1);
    await service.settled(destination, 1);
    await service.must('PATCH', `/api/destinations/${destination.id}`, {
      trackFilter: { mode: 'deny', events: ['Two'] },
      settings: { webhooks: [{ url: receiver.url('/new'), headers: { 'X-New': 'yes' } }] },
    });
    await service.accept(source, { event: 'Two' });
    await service.accept(source, { event: 'Three' });
    expect(await service.settled(destination, 3)).toMatchObject({ processed: 2, filtered: 1 });
    expect(receiver.arrivals.map(({ path, message }) => [path, message['event']])).toEqual([
      ['/', 'One'],
      ['/new', 'Three'],
    ]);
    expect(receiver.arrivals[1]?.headers).toMatchObject({ 'x-new': 'yes' });
  });

  test('that is new gets later calls only', async () => {
    const { source, destination, receiver } = await world();
    await service.accept(source, { event: 'Before' });
    await service.settled(destination, 1);
    const later = await service.destination(source, receiver.url('/later'));
    await service.accept(source, { event: 'After' });
    expect(await service.settled(later, 1)).toMatchObject({ accepted: 1, processed: 1 });
    expect(receiver.on('/later').map(({ message }) => message['event'])).toEqual(['After']);
  });

  test('gets the calls of each source it is connected to, and of no other', async () => {
    const receiver = await receive();
    const [one, two, three] = [await service.source(), await service.source(), await service.source()];
    const destination = await service.destination(one, receiver.url(), { sourceIds: [one.id, two.id] });
    await service.accept(one, { event: 'One' });
    await service.accept(two, { event: 'Two' });
    await service.accept(three, { event: 'Three' });
    expect(await service.settled(destination, 2)).toMatchObject({ processed: 2 });
    await service.must('PATCH', `/api/destinations/${destination.id}`, { sourceIds: [two.id, three.id] });
    await service.accept(one, { event: 'One again' });
    await service.accept(two, { event: 'Two again' });
    await service.accept(three, { event: 'Three again' });
    expect(await service.settled(destination, 4)).toMatchObject({ processed: 4 });
    const events = receiver.arrivals.map(({ message }) => message['event']).sort();
    expect(events).toEqual(['One', 'Three again', 'Two', 'Two again']);
  });

  test('of several, each has its own verdict', async () => {
    const { source, destination, receiver } = await world();
    const off = await service.destination(source, receiver.url('/off'), { enabled: false });
    const bad = await service.destination(source, receiver.url('/bad'), {
      trackFilter: { mode: 'allow', events: ['Other'] },
    });
    const messageId = await service.accept(source);
    const { lanes } = await eventually(
      () => service.trace(messageId),
      (trace) => trace.lanes.every(({ state }) => state !== 'waiting'),
    );
    const by = Object.fromEntries(lanes.map(({ destinationId, state, reason }) => [destinationId, reason ?? state]));
    expect(by).toEqual({ [destination.id]: 'processed', [off.id]: 'destination_disabled', [bad.id]: 'track_filter' });
  });
});
