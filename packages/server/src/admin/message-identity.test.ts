import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeliveryResult } from '../core/delivery.ts';
import type { LogEntry } from '../core/event.ts';
import type * as contract from './contract.ts';
import { type Answer, openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** One messageId of two anonymous users and of a user, which have all failed. */
async function alike(messageId: string): Promise<{ id: string; source: string; positions: readonly number[] }> {
  const { id, source } = await world.destination();
  for (const whose of [
    { userId: null, anonymousId: 'anonA' },
    { userId: null, anonymousId: 'anonB' },
    { userId: 'userC' },
  ]) {
    await world.accept(source, [messageId], whose);
  }
  const found = await listed<contract.FoundEvent>(`/api/events?messageId=${messageId}`);
  await fail(id, await world.log.fetch(found.map(({ position }) => position)));
  return { id, source, positions: found.map(({ position }) => position).toReversed() };
}

async function listed<Item>(path: string): Promise<Item[]> {
  return (await world.get(path)).body['items'] as Item[];
}

async function fail(
  destinationId: string,
  entries: readonly (LogEntry | undefined)[],
  state: 'failed' | 'processed' = 'failed',
): Promise<void> {
  const lanes = (await world.log.lanes()).filter((lane) => lane.destinationId === destinationId);
  const results = entries.map((entry): DeliveryResult => {
    const lane = lanes.find(({ sourceId }) => sourceId === entry?.sourceId);
    if (!entry || !lane) throw new Error('nothing to settle');
    const end = { state, reason: state === 'failed' ? 'no_url_left' : null, attempts: [], rounds: 1 } as const;
    return { laneId: lane.id, destinationId, entry, ...end, firstAt: 0, dueAt: null, urlsLeft: null, at: 0 };
  });
  await world.deliveries.settle(results);
}

async function statesAt(destinationId: string): Promise<Record<number, string>> {
  const deliveries = await listed<contract.Delivery>(`/api/deliveries?destinationId=${destinationId}`);
  return Object.fromEntries(deliveries.map(({ position, state }) => [position, state]));
}

const replay = (destinationId: string, messages: readonly object[], state = 'failed'): Promise<Answer> =>
  world.call('POST', '/api/replays', { destinationId, state, messages });

describe('events that have one messageId are told apart by their positions', () => {
  test('in lists, in a trace, and where one is sent again or tested', async () => {
    const { id, source, positions } = await alike('shared');
    const [first, second, third] = positions as [number, number, number];
    const path = '/api/messages/shared';
    for (const position of positions) {
      expect((await world.get(`${path}?position=${position}`)).body).toMatchObject({ position, others: 2 });
    }
    expect((await world.get(path)).body).toMatchObject({ position: third, others: 2 });
    expect((await world.get(`${path}?anonymousId=anonA`)).body).toMatchObject({ position: first });
    const hits = await listed<contract.SearchHit>('/api/search?q=shared');
    expect(new Set(hits.map(({ position }) => position))).toEqual(new Set(positions));

    const again = await world.call('POST', `${path}/send-again?position=${first}`, { destinationId: id });
    expect(again.status, again.text).toBe(202);
    expect(await statesAt(id)).toEqual({ [first]: 'retrying', [second]: 'failed', [third]: 'failed' });
    const chosen = await replay(id, [{ messageId: 'shared', sourceId: source, position: second }]);
    expect(chosen).toMatchObject({ status: 201, body: { chosen: 1, done: 1 } });
    expect(await statesAt(id)).toEqual({ [first]: 'retrying', [second]: 'retrying', [third]: 'failed' });
    const message = { messageId: 'shared', position: second };
    expect((await world.call('POST', `/api/destinations/${id}/test`, { message })).status).toBe(200);
  });

  test('a position of another event is none of this messageId', async () => {
    const { id, source, positions } = await alike('mine');
    const [other] = await world.accept(source, ['other']);
    const { id: elsewhere } = await world.source();
    const elsewhereToo = `position=${positions[0]}&sourceId=${elsewhere}`;
    for (const query of [`position=${other?.position}`, 'position=9007199254740993', elsewhereToo]) {
      expect((await world.get(`/api/messages/mine?${query}`)).status, query).toBe(404);
    }
    for (const position of ['-1', 'x']) {
      expect(world.wrongPaths(await world.get(`/api/messages/mine?position=${position}`)), position).toEqual([
        'position',
      ]);
    }
    const wrong = { messageId: 'mine', sourceId: source, position: other?.position };
    expect(await replay(id, [wrong])).toMatchObject({ status: 404 });
  });

  test('the newest is looked for in deleted sources too', async () => {
    const { source } = await alike('kept');
    expect((await world.call('DELETE', `/api/sources/${source}`)).status).toBe(204);
    for (const query of ['', '?userId=userC', '?anonymousId=anonA']) {
      expect((await world.get(`/api/messages/kept${query}`)).body, query).toMatchObject({ sourceId: source });
    }
  });

  test('a sample leads to its event', async () => {
    const { id, positions } = await alike('sampled');
    const { groups } = (await world.get(`/api/destinations/${id}/failed`)).body as unknown as contract.FailedGroups;
    expect(positions).toContain(groups[0]?.sample.position);
    expect((await world.get('/api/messages/sampled')).body).toMatchObject({ others: 2 });
  });
});

describe('of messages that were chosen one by one', () => {
  test('those that are gone are left out, and counted', async () => {
    const { id, source } = await alike('there');
    const sourceId = source;
    const answer = await replay(id, [
      { messageId: 'there', sourceId },
      { messageId: 'gone', sourceId },
      { messageId: 'removed', sourceId, userId: 'u' },
    ]);
    expect(answer).toMatchObject({ status: 201, body: { chosen: 3, total: 1, done: 1, messageId: null } });
    expect(await replay(id, [{ messageId: 'gone', sourceId }])).toMatchObject({ status: 404 });
  });

  test('those that have not failed are left out where failed ones are asked for', async () => {
    const { id, source } = await world.destination();
    const [a, b] = await world.accept(source, ['a', 'b']);
    await fail(id, [a], 'processed');
    await fail(id, [b]);
    const messages = ['a', 'b'].map((messageId) => ({ messageId, sourceId: source }));
    const answer = await replay(id, messages);
    expect(answer).toMatchObject({ status: 201, body: { state: 'failed', chosen: 2, total: 1, done: 1 } });
    expect(await statesAt(id)).toEqual({ [a?.position ?? 0]: 'processed', [b?.position ?? 0]: 'retrying' });
    expect(await replay(id, messages)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await replay(id, messages, 'all')).toMatchObject({ status: 201, body: { state: 'all', total: 2, done: 1 } });
  });
});
