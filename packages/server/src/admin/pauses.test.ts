import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { resumedAt } from '../core/hold.ts';
import type * as contract from './contract.ts';
import { type Answer, GOOD, openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const DAY = 24 * 60 * 60 * 1000;
const TIME = expect.stringMatching(/^\d{4}-.*Z$/);
const BOTH = { webhooks: [{ url: 'https://203.0.112.9/a' }, { url: 'https://203.0.112.9/b' }] };

const post = (path: string, body: object, tag?: string): Promise<Answer> =>
  world.call('POST', path, body, tag === undefined ? {} : { 'if-match': tag });

async function made(): Promise<{ path: string; id: string; source: string }> {
  const { id, source } = await world.destination();
  return { id, source, path: `/api/destinations/${id}` };
}

test('a paused destination says since when, how many it holds and the oldest, until it is resumed', async () => {
  const { path, source, id } = await made();
  await world.accept(source, ['m1', 'm2']);
  expect((await world.get(path)).body['paused']).toBe(null);
  const { status, body } = await post(`${path}/pause`, {});
  expect([status, body['paused']]).toEqual([200, { since: TIME, held: 2, oldest: TIME, expires: TIME }]);
  expect((await post(`${path}/pause`, {})).body['paused']).toEqual(body['paused']);
  expect((await world.get(path)).body['paused']).toEqual(body['paused']);
  const listed = (await world.get('/api/destinations?limit=500')).body['items'] as contract.Destination[];
  expect(listed.find((one) => one.id === id)?.paused).toEqual(body['paused']);
  // Any other change leaves it paused.
  expect((await world.call('PATCH', path, { name: 'Renamed' })).body['paused']).toEqual(body['paused']);
  expect((await post(`${path}/resume`, {})).body['paused']).toBe(null);
  expect((await post(`${path}/resume`, {})).body['paused']).toBe(null);
  const { past, since } = world.settings.destination(id)?.hold ?? { past: [], since: '' };
  expect([since, past]).toEqual([null, [{ since: TIME, until: TIME }]]);
  const audited = (await world.get(`/api/audit?action=destination.pause`)).body['items'] as contract.AuditEntry[];
  expect(audited.findLast(({ target }) => target?.id === id)?.values).toEqual([
    { field: 'paused', before: null, after: expect.stringMatching(/Z"$/) },
  ]);
});

test('a pause says nothing of a loss for the days by which the clock jumped', async () => {
  const { path, source } = await made();
  const [entry] = await world.accept(source, ['m1']);
  await post(`${path}/pause`, {});
  const shown = async () => {
    const { destinations } = (await world.get('/api/overview')).body as unknown as contract.Overview;
    const { lostAt, paused } = destinations.find(({ id }) => path.endsWith(id)) ?? expect.fail();
    return {
      lostAt,
      expires: paused?.expires,
      alone: ((await world.get(path)).body['paused'] as contract.Paused).expires,
    };
  };
  const iso = (ms: number): string => new Date((entry?.receivedAt ?? 0) + ms).toISOString();
  const now = vi.spyOn(systemClock, 'now').mockImplementation(() => Date.now() + 8 * DAY);
  onTestFinished(() => {
    now.mockRestore();
    delete systemClock.skipped;
  });
  expect(await shown()).toEqual({ lostAt: iso(7 * DAY), expires: iso(7 * DAY), alone: iso(7 * DAY) });
  systemClock.skipped = () => 8 * DAY;
  expect(await shown()).toEqual({ lostAt: null, expires: iso(15 * DAY), alone: iso(15 * DAY) });
});

test('what is discarded ends where the log ended when it was asked for', async () => {
  const { path, source, id } = await made();
  const [entry] = await world.accept(source, ['m1']);
  await post(`${path}/pause`, {});
  await post(`${path}/resume`, { discard: true });
  expect(world.settings.destination(id)?.hold?.discarded).toEqual([entry?.position]);
  await post(`${path}/pause`, {});
  await post(`${path}/resume`, {});
  expect(world.settings.destination(id)?.hold?.discarded).toEqual([entry?.position]);
});

test('a URL is paused by its id or its text, and stays it when it is edited', async () => {
  const { path } = await made();
  const { settings } = (await world.call('PATCH', path, { settings: BOTH })).body as unknown as contract.Destination;
  const [a, b] = settings.webhooks;
  await post(`${path}/pause`, { url: ' https://203.0.112.9/b' });
  const urls = async (): Promise<unknown> =>
    ((await world.get(path)).body as unknown as contract.Destination).settings.webhooks;
  expect(await urls()).toEqual([a, { ...b, paused: { since: TIME } }]);
  expect((await world.get(path)).body['paused']).toBe(null);
  const edited = { settings: { webhooks: [{ url: a?.url }, { id: b?.id, url: 'https://203.0.112.9/c' }] } };
  await world.call('PATCH', path, edited);
  expect(await urls()).toEqual([a, { ...b, url: 'https://203.0.112.9/c', paused: { since: TIME } }]);
  await post(`${path}/resume`, { id: b?.id });
  expect(await urls()).toEqual([a, { ...b, url: 'https://203.0.112.9/c' }]);
});

test.each([false, true])(
  'what waited for a paused URL that is removed waits no longer, and where all is paused (%s) until that ends',
  async (isPaused) => {
    const { path, id } = await made();
    const { settings } = (await world.call('PATCH', path, { settings: BOTH })).body as unknown as contract.Destination;
    const [a, b] = settings.webhooks;
    const noted = (): number | null => resumedAt(world.settings.destination(id) ?? expect.fail());
    await post(`${path}/pause`, { id: b?.id });
    if (isPaused) await post(`${path}/pause`, {});
    expect(noted()).toBe(null);
    const { body } = await world.call('PATCH', path, { settings: { webhooks: [{ url: a?.url }] } });
    expect(body['paused']).toEqual(isPaused ? expect.objectContaining({ since: TIME }) : null);
    expect(noted()).toEqual(isPaused ? null : expect.any(Number));
    if (isPaused) await post(`${path}/resume`, {});
    expect(noted()).toEqual(expect.any(Number));
  },
);

test('bad requests are refused with their place, and an older version with what was changed', async () => {
  const { path } = await made();
  expect(await post('/api/destinations/dst_none/pause', {})).toMatchObject({ status: 404 });
  expect(await post(`${path}/pause`, { url: 'https://203.0.112.9/none' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'url' }] },
  });
  expect(await post(`${path}/resume`, { id: 'url_none' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'id' }] },
  });
  expect(await post(`${path}/resume`, { discard: 'yes' })).toMatchObject({ status: 400 });
  expect(await post(`${path}/pause`, { since: 'now' })).toMatchObject({ status: 400 });
  const tag = (await world.get(path)).headers.get('etag') ?? '';
  expect((await post(`${path}/pause`, {}, tag)).status).toBe(200);
  expect((await post(`${path}/resume`, {}, tag)).status).toBe(412);
});

const POLICY = {
  ...{ ratePerSecond: 100, maxConcurrency: 4, timeout: '10s', retryWindow: '2h' },
  ...{ permanentStatuses: [409], temporaryStatuses: [404] },
};

test('options are answered with their defaults, replaced whole, and given up by null', async () => {
  const { path } = await made();
  const read = async (): Promise<unknown[]> => {
    const { policy, success } = (await world.get(path)).body as unknown as contract.Destination;
    return [policy, success];
  };
  expect(await read()).toEqual([null, 'any']);
  expect((await world.call('PATCH', path, { policy: POLICY, success: 'all' })).status).toBe(200);
  expect(await read()).toEqual([POLICY, 'all']);
  await world.call('PATCH', path, { policy: { timeout: '2s' } });
  expect(await read()).toEqual([{ timeout: '2s' }, 'all']);
  await world.call('PATCH', path, { policy: null, success: 'any' });
  expect(await read()).toEqual([null, 'any']);
});

test('what departs from the contract is named', async () => {
  const { path } = await made();
  const departures = async (policy: object | null): Promise<unknown> =>
    (await world.call('PATCH', path, { policy })).body['departures'];
  expect(await departures(null)).toEqual([]);
  expect(await departures({ ...POLICY, timeout: '5s', retryWindow: '4h' })).toEqual([]);
  expect(await departures({ timeout: '6s' })).toEqual(['timeout']);
  expect(await departures({ timeout: '6s', retryWindow: '5h' })).toEqual(['timeout', 'retryWindow']);
});

test('the overview names what is paused, as a whole or by each of its URLs, and what it loses within a day', async () => {
  const { path, source, id } = await made();
  const settings = (await world.call('PATCH', path, { settings: BOTH })).body[
    'settings'
  ] as contract.Destination['settings'];
  await world.accept(source, ['m1']);
  const seen = async () => {
    const { destinations, problems } = (await world.get('/api/overview')).body as unknown as contract.Overview;
    return { of: destinations.find((one) => one.id === id), problem: problems.find((one) => one.id === id) };
  };
  const [a, b] = settings.webhooks;
  await post(`${path}/pause`, { id: a?.id });
  expect((await seen()).of).toMatchObject({ health: 'idle', paused: null });
  const { status } = (await world.get(`${path}/overview`)).body as unknown as contract.DestinationOverview;
  expect(status.urls.map(({ pausedSince }) => pausedSince)).toEqual([TIME, null]);
  await post(`${path}/pause`, { id: b?.id });
  const reason = 'Paused; 1 message waits';
  expect(await seen()).toMatchObject({
    of: { health: 'paused', reason, paused: { since: TIME, held: 1, oldest: TIME, expires: TIME } },
    problem: { kind: 'destination', severity: 'paused', title: reason, since: TIME },
  });
  await post(`${path}/resume`, { id: a?.id });
  await post(`${path}/pause`, {});
  expect((await seen()).of?.paused?.since).toBe(world.settings.destination(id)?.hold?.since);
});

test('the retry schedule is a table before it is saved, and a wrong window is refused', async () => {
  const { body } = await world.get('/api/retry-schedule');
  expect(body).toMatchObject({ base: 5_000, cap: 600_000, window: 14_400_000, more: true });
  const short = (await world.get('/api/retry-schedule?retryWindow=1m')).body as unknown as contract.RetrySchedule;
  expect([short.window, short.more]).toEqual([60_000, false]);
  expect(short.rounds.at(-1)).toMatchObject({ round: 6, sinceFirstAtLeast: 60_000, sinceFirstAtMost: 60_000 });
  for (const wrong of ['59s', '8d', '4', 'x'.repeat(21)]) {
    const answer = await world.get(`/api/retry-schedule?retryWindow=${wrong}`);
    expect([answer.status, world.wrongPaths(answer)]).toEqual([400, ['retryWindow']]);
  }
});

test.each<[string, object, string]>([
  ['a timeout that is too long', { policy: { timeout: '31s' } }, 'policy.timeout'],
  ['a timeout without a unit', { policy: { timeout: '5' } }, 'policy.timeout'],
  ['a window that is too short', { policy: { retryWindow: '59s' } }, 'policy.retryWindow'],
  ['a window beyond the retention', { policy: { retryWindow: '8d' } }, 'policy.retryWindow'],
  ['no rate at all', { policy: { ratePerSecond: 0 } }, 'policy.ratePerSecond'],
  ['a status of servers', { policy: { permanentStatuses: [500] } }, 'policy.permanentStatuses.0'],
  [
    'a status that is both',
    { policy: { permanentStatuses: [404], temporaryStatuses: [404] } },
    'policy.permanentStatuses.0',
  ],
  ['another field', { policy: { rate: 1 } }, 'policy.rate'],
  ['another success', { success: 'most' }, 'success'],
  ['another order', { order: 'source' }, 'order'],
  ['a hold that is too long', { order: 'user', orderHold: '8d' }, 'orderHold'],
])('%s is refused with its place', async (_, change, path) => {
  for (const [method, to, body] of [
    ['POST', '/api/destinations', { ...GOOD, ...change }],
    ['PATCH', (await made()).path, change],
  ] as const) {
    const answer = await world.call(method, to, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(world.wrongPaths(answer)).toContain(path);
  }
});

test('a settings file has the options, and reads back as what is there', async () => {
  const { id, path } = await made();
  await world.call('PATCH', path, { policy: POLICY, success: 'all' });
  const yaml = String((await world.get('/api/settings-file')).body['yaml']);
  expect(yaml).toContain('ratePerSecond: 100');
  const planned = await post('/api/settings-file/plan', { yaml });
  expect(planned.body['changes'], planned.text).toEqual([]);
  const other = `destinations: [{ id: ${id}, policy: { timeout: 3s }, success: any }]`;
  expect((await post('/api/settings-file/apply', { yaml: other })).status).toBe(200);
  expect((await world.get(path)).body).toMatchObject({ policy: { timeout: '3s' }, success: 'any' });
  const wrong = `destinations: [{ id: ${id}, policy: { timeout: 3 } }]`;
  expect((await post('/api/settings-file/apply', { yaml: wrong })).body['errors']).toMatchObject([
    { path: 'destinations.0.policy.timeout', line: 1 },
  ]);
});
