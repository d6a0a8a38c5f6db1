import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeliveryResult } from '../core/delivery.ts';
import type { LogEntry } from '../core/event.ts';
import { signer } from '../deliver/signature.ts';
import type * as contract from './contract.ts';
import { type Answer, GOOD, openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test('a test message shows what was sent and what came back', async () => {
  const { id, source } = await world.destination();
  const path = `/api/destinations/${id}/test`;
  const { status, body } = await world.call('POST', path, { event: { type: 'track', event: 'Try', userId: 'u' } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    body: expect.stringContaining('"event":"Try"'),
    filtered: null,
    urls: [
      {
        url: 'https://203.0.112.9/hook',
        status: 200,
        ms: 12,
        class: 'success',
        headers: { 'X-Millrace-Source': 'test' },
      },
    ],
  });
  expect((await world.call('POST', path, {})).body['body']).toContain('Order Completed');
  const refused = await world.call('POST', path, { event: { type: 'track', userId: 'u' } });
  expect(refused).toMatchObject({ status: 400, body: { code: 'event_required' } });
  const large = { type: 'track', event: 'Large', userId: 'u', properties: { long: 'x'.repeat(40_000) } };
  expect(await world.call('POST', path, { event: large })).toMatchObject({
    status: 413,
    body: { code: 'call_too_large' },
  });

  const [entry] = await world.accept(source, ['tested']);
  const real = await world.call('POST', path, { message: { messageId: 'tested', sourceId: source } });
  expect(real.body).toMatchObject({
    messageId: 'tested',
    body: new TextDecoder().decode(entry?.body),
    urls: [{ headers: { 'X-Millrace-Source': source } }],
  });
  expect(await world.call('POST', path, { message: { messageId: 'none' } })).toMatchObject({ status: 404 });
  const both = await world.call('POST', path, { event: {}, message: { messageId: 'tested' } });
  expect(both).toMatchObject({ status: 400, body: { errors: [{ path: 'message' }] } });
  expect((await world.get('/metrics')).text).toContain(`millrace_test_messages_total{destination="${id}"} 3`);
});

test('lists and traces say how many attempts of a message are no longer kept', async () => {
  const { id, source } = await world.destination();
  const [entry] = await world.accept(source, ['long']);
  const lane = (await world.log.lanes()).find(({ destinationId }) => destinationId === id);
  if (!entry || !lane) throw new Error('nothing to settle');
  const result = settled(entry, id, lane.id);
  const attempts = Array.from({ length: 100 }, () => result.attempts).flat();
  await world.deliveries.settle([{ ...result, state: 'failed', attempts }]);
  const { items } = (await world.get(`/api/deliveries?destinationId=${id}`)).body as { items: contract.Delivery[] };
  const { lanes } = (await world.get('/api/messages/long')).body as unknown as contract.Trace;
  for (const told of [items[0], lanes[0]]) {
    expect(told?.attempts).toHaveLength(60);
    expect(told?.attempts.flatMap(({ leftOut }) => leftOut ?? [])).toEqual([40]);
  }
});

test('counts, deliveries and traces tell what was recorded', async () => {
  const { id, source } = await world.destination();
  const entries = await world.accept(source, ['m1', 'm2', 'm3', 'm4']);
  const lane = (await world.log.lanes()).find(({ destinationId }) => destinationId === id);
  const settle = (entry: LogEntry | undefined, more: Partial<DeliveryResult>): DeliveryResult => {
    if (!entry || !lane) throw new Error('nothing to settle');
    return { ...settled(entry, id, lane.id), ...more };
  };
  await world.deliveries.settle([
    settle(entries[0], { state: 'processed' }),
    settle(entries[1], { state: 'failed', reason: 'no_url_left' }),
    settle(entries[2], { state: 'retrying', dueAt: Date.UTC(2100, 0), urlsLeft: ['https://203.0.112.9/hook'] }),
  ]);

  expect((await world.get(`/api/destinations/${id}/counts`)).body).toEqual({
    accepted: 4,
    processed: 1,
    failed: 1,
    filtered: 0,
    waiting: 2,
    retrying: 1,
  });
  expect((await world.get(`/api/destinations/${id}/lanes`)).body).toMatchObject({
    items: [{ sourceId: source, ended: false, accepted: 4, waiting: 2 }],
  });

  const first = (await world.get(`/api/deliveries?destinationId=${id}&limit=2`)).body;
  const second = (await world.get(`/api/deliveries?destinationId=${id}&limit=2&cursor=${first['next']}`)).body;
  const all = [...(first['items'] as contract.Delivery[]), ...(second['items'] as contract.Delivery[])];
  expect(all.map(({ messageId }) => messageId)).toEqual(['m3', 'm2', 'm1']);
  expect(all[0]).toMatchObject({ state: 'retrying', nextAttemptAt: '2100-01-01T00:00:00.000Z', rounds: 1 });
  expect(all[2]?.attempts).toEqual([
    {
      webhookId: expect.stringMatching(/^url_/),
      url: 'https://203.0.112.9/hook',
      at: '2026-01-01T00:00:00.000Z',
      ms: 8,
      status: 200,
      error: null,
      detail: null,
      answer: 'ok',
    },
  ]);
  const failed = (await world.get(`/api/deliveries?destinationId=${id}&state=failed&from=2000-01-01&to=2100-01-01`))
    .body;
  expect(failed['items']).toMatchObject([{ messageId: 'm2', reason: 'no_url_left' }]);
  for (const [query, path] of [
    ['cursor=nonsense', 'cursor'],
    ['from=yesterday', 'from'],
    ['limit=501', 'limit'],
    ['limit=all', 'limit'],
    ['state=lost', 'state'],
    ['colour=red', 'colour'],
  ]) {
    expect(world.wrongPaths(await world.get(`/api/deliveries?${query}`)), query).toEqual([path]);
  }

  const trace = (await world.get(`/api/messages/m2?sourceId=${source}`)).body as unknown as contract.Trace;
  expect(trace).toMatchObject({
    messageId: 'm2',
    sourceId: source,
    received: { type: 'track', event: 'Order', userId: 'u', timestamp: 'Tuesday', extra: true },
    lanes: [{ destinationId: id, destinationName: 'Target', state: 'failed', reason: 'no_url_left', rounds: 1 }],
  });
  expect(trace.sent).toBe(new TextDecoder().decode(entries[1]?.body));
  const waiting = (await world.get('/api/messages/m4')).body as unknown as contract.Trace;
  expect(waiting.lanes).toMatchObject([{ state: 'waiting', attempts: [], updatedAt: null }]);
  expect((await world.get('/api/messages/unknown')).status).toBe(404);

  const dry = await world.call('POST', '/api/replays', { destinationId: id, state: 'failed', dryRun: true });
  expect(dry).toMatchObject({ status: 200, body: { count: 1, sample: [{ messageId: 'm2' }] } });
  const made = await world.call('POST', '/api/replays', { destinationId: id, state: 'failed', perSecond: 1000 });
  expect(made).toMatchObject({ status: 201, body: { total: 1, status: 'running' } });
  const replayId = String(made.body['id']);
  expect(await world.woken()).toBe(id);
  expect((await world.get(`/api/destinations/${id}/counts`)).body).toMatchObject({ failed: 0, waiting: 3 });
  const stopped = await world.call('POST', `/api/replays/${replayId}/stop`);
  expect(stopped).toMatchObject({ status: 200, body: { id: replayId, done: 1 } });
  for (const path of ['/api/replays', `/api/replays?destinationId=${id}`]) {
    expect(((await world.get(path)).body['items'] as contract.Replay[])[0]?.id).toBe(replayId);
  }
  expect((await world.get('/api/replays?destinationId=dst_none')).body['items']).toEqual([]);
  expect((await world.get(`/api/replays/${replayId}`)).body).toEqual(stopped.body);
  expect((await world.get('/api/replays/rpl_none')).status).toBe(404);
  const nowhere = await world.call('POST', '/api/replays', { destinationId: 'dst_none', state: 'failed' });
  expect(world.wrongPaths(nowhere)).toEqual(['destinationId']);
  const backwards = { destinationId: id, state: 'all', from: '2026-02-01', to: '2026-01-01' };
  expect(world.wrongPaths(await world.call('POST', '/api/replays', backwards))).toEqual(['to']);
  const slip = { destinationId: id, state: 'failed', dryRun: true, filter: { error: 'timeouts' } };
  const refused = await world.call('POST', '/api/replays', slip);
  expect(world.wrongPaths(refused)).toEqual(['filter.error']);
  expect(JSON.stringify(refused.body)).toContain('is no code of an error. The nearest is timeout;');
});

test('the state of sending is shown, idle when this process sends nothing', async () => {
  const { id } = await world.destination();
  expect((await world.get(`/api/destinations/${id}/status`)).body).toEqual({
    held: false,
    breaker: 'closed',
    pausedSince: null,
    probeAt: null,
    urls: [
      {
        id: expect.any(String),
        url: 'https://203.0.112.9/hook',
        concurrency: 0,
        inFlight: 0,
        stalled: false,
        overloaded: false,
        pausedSince: null,
        lastError: null,
      },
    ],
  });
});

function settled(entry: LogEntry, destinationId: string, laneId: number): DeliveryResult {
  const at = Date.UTC(2026, 0);
  return {
    laneId,
    destinationId,
    entry,
    state: 'processed',
    reason: null,
    attempts: [{ url: 'https://203.0.112.9/hook', at, ms: 8, status: 200, error: null, detail: null, answer: 'ok' }],
    rounds: 1,
    firstAt: at,
    dueAt: null,
    urlsLeft: null,
    at,
  };
}

test('events are found by their words, taken by a destination or not', async () => {
  const { id } = await world.source();
  await world.accept(id, ['e1', 'e2', 'e3']);
  const found = async (query: string): Promise<unknown[]> =>
    ((await world.get(`/api/events?${query}`)).body['items'] as contract.EventSummary[]).map(
      ({ messageId }) => messageId,
    );
  expect(await found(`sourceId=${id}`)).toEqual(['e3', 'e2', 'e1']);
  expect(await found('messageId=e2')).toEqual(['e2']);
  expect(await found(`sourceId=${id}&type=track&event=Order&userId=u&from=2020-01-01&to=2100-01-01`)).toHaveLength(3);
  expect(await found(`sourceId=${id}&type=page`)).toEqual([]);
  const first = (await world.get(`/api/events?sourceId=${id}&limit=2`)).body;
  expect(first['items']).toMatchObject([{ sourceId: id, type: 'track', event: 'Order', userId: 'u' }, {}]);
  expect(await found(`sourceId=${id}&limit=2&cursor=${first['next']}`)).toEqual(['e1']);
  for (const wrong of ['cursor=x', 'from=yesterday', 'type=call', 'name=x']) {
    expect((await world.get(`/api/events?${wrong}`)).status, wrong).toBe(400);
  }
});

describe('a message that is sent again', () => {
  const again = (messageId: string, destinationId: string, sourceId: string): Promise<Answer> =>
    world.call('POST', `/api/messages/${messageId}/send-again?sourceId=${sourceId}`, { destinationId });

  async function settledAs(more: Partial<DeliveryResult>): Promise<{ id: string; source: string }> {
    const target = await world.destination();
    const [entry] = await world.accept(target.source, ['a1']);
    const lane = (await world.log.lanes()).find(({ destinationId }) => destinationId === target.id);
    if (!entry || !lane) throw new Error('nothing to settle');
    await world.deliveries.settle([{ ...settled(entry, target.id, lane.id), ...more }]);
    return target;
  }

  test.each<[string, Partial<DeliveryResult>]>([
    ['processed', { state: 'processed' }],
    ['failed', { state: 'failed', reason: 'no_url_left' }],
    ['filtered', { state: 'filtered', reason: 'destination_disabled' }],
  ])('goes back to waiting when it was %s', async (_, more) => {
    const { id, source } = await settledAs(more);
    const answer = await again('a1', id, source);
    expect(answer.status, answer.text).toBe(202);
    expect(answer.body['replay']).toMatchObject({
      destinationId: id,
      messageId: 'a1',
      total: 1,
      done: 1,
      status: 'done',
    });
    expect(await world.woken()).toBe(id);
    expect((await world.get(`/api/messages/a1?sourceId=${source}`)).body['lanes']).toMatchObject([
      { state: 'retrying' },
    ]);
    const { id: replay } = answer.body['replay'] as contract.Replay;
    expect((await world.get(`/api/replays/${replay}`)).body).toEqual(answer.body['replay']);
    expect(await again('a1', id, source)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  test('is refused with the reason where that cannot be', async () => {
    const retrying = await settledAs({ state: 'retrying', dueAt: Date.UTC(2100, 0) });
    expect((await again('a1', retrying.id, retrying.source)).body).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('tried again by itself'),
    });
    await world.accept(retrying.source, ['w1']);
    expect((await again('w1', retrying.id, retrying.source)).body).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('still waits for its first attempt'),
    });
    const other = await world.destination();
    expect((await again('a1', other.id, retrying.source)).body).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('connect them first'),
    });
    expect(await again('none', other.id, other.source)).toMatchObject({ status: 404 });
    expect(world.wrongPaths(await again('a1', 'dst_none', retrying.source))).toEqual(['destinationId']);
  });

  test('from before the destination was connected is taken too', async () => {
    const { id } = await world.source();
    await world.accept(id, ['before']);
    const { body } = await world.call('POST', '/api/destinations', { ...GOOD, sourceIds: [id] });
    expect((await again('before', String(body['id']), id)).status).toBe(202);
  });
});

test('a trace shows the headers of each request, and whether they may have been others', async () => {
  const { id, source } = await world.destination();
  const path = `/api/destinations/${id}`;
  const webhooks = [
    { url: 'https://203.0.112.9/hook', headers: { Authorization: 'Bearer t0ken' } },
    { url: 'https://203.0.112.8/' },
  ];
  await world.call('PATCH', path, { settings: { webhooks, sharedSecret: 'key' } });
  const [entry] = await world.accept(source, ['t1']);
  const lane = (await world.log.lanes()).find(({ destinationId }) => destinationId === id);
  if (!entry || !lane) throw new Error('nothing to settle');
  const attempt = {
    url: 'https://203.0.112.9/hook',
    at: Date.now() + 1,
    ms: 1,
    status: 200,
    error: null,
    detail: null,
    answer: null,
  };
  await world.deliveries.settle([{ ...settled(entry, id, lane.id), attempts: [attempt] }]);
  const requests = async (): Promise<unknown> => {
    const { body } = await world.get(`/api/messages/t1?sourceId=${source}`);
    return (body as unknown as contract.Trace).lanes[0]?.requests;
  };
  const fixed = {
    'Content-Type': 'application/json',
    'User-Agent': 'Millrace/1.0',
    'X-Millrace-Source': source,
    'X-Millrace-Source-Type': 'server',
    'X-Millrace-Position': expect.stringMatching(/^\d+$/),
    'X-Signature': signer('key')(entry.body),
  };
  const shown = [
    {
      ...{ webhookId: expect.any(String), url: 'https://203.0.112.9/hook' },
      ...{ headers: { ...fixed, Authorization: 'Bearer t0ken' }, changedSince: false },
    },
    { webhookId: expect.any(String), url: 'https://203.0.112.8/', headers: fixed, changedSince: false },
  ];
  expect(await requests()).toEqual(shown);
  const destination = world.settings.destination(id);
  if (!destination) throw new Error('it is gone');
  await world.settings.putDestination({ ...destination, updatedAt: new Date(attempt.at + 1).toISOString() });
  expect(await requests()).toMatchObject([{ changedSince: true }, { changedSince: false }]);
  await world.call('DELETE', path);
  expect(await requests()).toEqual([]);
});

test('a viewer sees the names of static headers in a trace, not their values', async () => {
  const { id, source } = await world.destination();
  const webhooks = [{ url: 'https://203.0.112.9/hook', headers: { Authorization: 'Bearer t0ken' } }];
  await world.call('PATCH', `/api/destinations/${id}`, { settings: { webhooks } });
  await world.accept(source, ['v1']);
  const made = await world.call('POST', '/api/tokens', { name: 'looks', role: 'viewer' });
  const answer = await fetch(`${world.origin}/api/messages/v1?sourceId=${source}`, {
    headers: { authorization: `Bearer ${String(made.body['token'])}` },
  });
  const text = await answer.text();
  expect(text).toContain('"Authorization":"••••"');
  expect(text).not.toContain('t0ken');
});
