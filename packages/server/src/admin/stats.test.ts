import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { incident } from '../alerts/conformance.ts';
import { systemClock } from '../core/clock.ts';
import type { FaultCode } from '../core/fault.ts';
import type { Tallies } from '../core/tally.ts';
import { LATENCY_BUCKETS, latencyBucket } from '../record/latency.ts';
import { minute } from '../record/stats-conformance.ts';
import type { DestinationOverview, Overview, SourceVolumes, Stats } from './contract.ts';
import { seenNow } from './overview.ts';
import { rangeOf } from './stats.ts';
import { GOOD, openWorld, type World } from './test-server.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Midnight, two days ago. */
const START = Math.floor(Date.now() / DAY) * DAY - 2 * DAY;

function latencies(...all: number[]): Uint32Array {
  const counts = new Uint32Array(LATENCY_BUCKETS);
  for (const ms of all) counts[latencyBucket(ms)] = (counts[latencyBucket(ms)] ?? 0) + 1;
  return counts;
}

const ATTEMPTS: Tallies = new Map([
  ['ok https://a', [3, START, START]],
  ['503 https://a', [2, START, START]],
]);

async function stats(query: Readonly<Record<string, string | number>>): Promise<Stats> {
  const given = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'number' ? new Date(value).toISOString() : value,
  ]);
  const answer = await world.get(`/api/stats?${new URLSearchParams(Object.fromEntries(given))}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as Stats;
}

describe('the step of a range', () => {
  test.each([
    ['a minute', MINUTE, 60],
    ['5 hours', 5 * HOUR, 60],
    ['5 hours and a minute', 5 * HOUR + MINUTE, 300],
    ['a day', DAY, 300],
    ['25 hours and a minute', 25 * HOUR + MINUTE, 1800],
    ['6 days', 6 * DAY, 1800],
    ['7 days', 7 * DAY, 7200],
    ['25 days', 25 * DAY, 7200],
    ['26 days', 26 * DAY, 86_400],
  ])('%s', (_, length, seconds) => {
    expect(rangeOf(START, START + length)).toEqual({
      from: START,
      to: Math.ceil((START + length) / (seconds * 1000)) * seconds * 1000,
      step: seconds * 1000,
    });
  });

  test('is at most a three-hundredth of it, and covers it', () => {
    for (let length = 1000; length < 299 * DAY; length = Math.ceil(length * 1.37)) {
      const from = START + 12_345;
      const range = rangeOf(from, from + length);
      expect(((range?.to ?? 0) - (range?.from ?? 0)) / (range?.step ?? 1)).toBeLessThanOrEqual(300);
      expect(range?.from).toBeLessThanOrEqual(from);
      expect(range?.to).toBeGreaterThanOrEqual(from + length);
    }
    expect(rangeOf(START, START + 301 * DAY)).toBeNull();
  });
});

test('what each source sent in the last hour is told minute by minute, the one under way left out', async () => {
  const [busy, quiet] = [await world.source(), await world.source()];
  const last = Math.floor(Date.now() / MINUTE) * MINUTE - MINUTE;
  await world.stats.add([
    minute(busy.id, last - 40 * MINUTE, { accepted: 7 }),
    minute(busy.id, last + 2 * MINUTE, { accepted: 100 }),
    minute(quiet.id, last - 100 * MINUTE, { accepted: 9 }),
  ]);
  const { from, items } = (await world.get('/api/stats/sources')).body as unknown as SourceVolumes;
  const at = Date.parse(from);
  expect(items.map(({ sourceId }) => sourceId)).toEqual([busy.id]);
  const told = items[0]?.accepted.map((accepted, i) => [at + i * MINUTE, accepted]);
  expect(told).toHaveLength(60);
  expect(told?.filter(([, accepted]) => accepted !== 0)).toEqual([[last - 40 * MINUTE, 7]]);
});

test('statistics of a destination, a source and everything add up', async () => {
  const { id, source } = await world.destination();
  const other = await world.source();
  await world.stats.add([
    minute(source, START, { accepted: 10, rejected: 1, processed: 3, latency: latencies(5, 100, 1000) }),
    minute(id, START, {
      processed: 3,
      failed: 1,
      filtered: 2,
      retried: 4,
      attempts: ATTEMPTS,
      latency: latencies(5, 100, 1000),
    }),
    minute(other.id, START, { accepted: 100 }),
    minute(source, START + 2 * MINUTE, { accepted: 5 }),
    minute(id, START + 2 * MINUTE, { processed: 5, latency: latencies(7, 7, 7, 7, 7) }),
    minute(id, START - MINUTE, { processed: 20, latency: latencies(9) }),
  ]);
  const range = { from: START, to: START + 3 * MINUTE };
  const one = await stats({ destinationId: id, ...range });
  const empty = {
    accepted: 0,
    rejected: 0,
    processed: 0,
    failed: 0,
    filtered: 0,
    retried: 0,
    attempts: 0,
    attemptsFailed: 0,
    p50: null,
    p95: null,
  };
  expect(one).toMatchObject({ from: new Date(START).toISOString(), step: 60 });
  expect(one.buckets).toEqual([
    {
      at: new Date(START).toISOString(),
      accepted: 10,
      rejected: 1,
      processed: 3,
      failed: 1,
      filtered: 2,
      retried: 4,
      attempts: 5,
      attemptsFailed: 2,
      p50: expect.closeTo(100, -1),
      p95: expect.closeTo(1000, -2.3),
    },
    { at: new Date(START + MINUTE).toISOString(), ...empty },
    { ...empty, at: new Date(START + 2 * MINUTE).toISOString(), accepted: 5, processed: 5, p50: 7, p95: 7 },
  ]);
  expect(one.total).toMatchObject({ accepted: 15, processed: 8, failed: 1, filtered: 2, retried: 4, p50: 7 });
  expect(one.before).toEqual({ ...empty, processed: 20, p50: 9, p95: 9 });
  expect((await stats({ sourceId: source, ...range })).total).toMatchObject({ accepted: 15, processed: 3, failed: 0 });
  expect((await stats(range)).total).toMatchObject({ accepted: 115, processed: 3 });

  const day = await stats({ destinationId: id, from: START, to: START + DAY });
  expect(day).toMatchObject({ step: 300, total: one.total, before: { processed: 20 } });
  expect(day.buckets).toHaveLength(288);
  // Longer than what is kept before it, or nothing there.
  expect((await stats({ destinationId: id, from: START, to: START + 6 * DAY })).before).toBeNull();
  expect((await stats({ destinationId: id, from: START + HOUR, to: START + 1.5 * HOUR })).before).toBeNull();
});

test('the last day is shown unless something else is asked', async () => {
  const { step, buckets, to } = await stats({});
  expect(step).toBe(300);
  expect(buckets.length).toBeGreaterThanOrEqual(288);
  expect(Math.abs(Date.parse(to) - Date.now())).toBeLessThan(2 * 5 * MINUTE);
});

test('the last hour ends now, and is a stretch like any other', async () => {
  const { to, step, buckets } = await stats({ last: '1h' });
  expect([step, buckets.length]).toEqual([60, expect.closeTo(61, -1)]);
  expect(Date.parse(to)).toBeGreaterThanOrEqual(Date.now() - MINUTE);
});

test('what can not be asked is refused', async () => {
  const { id, source } = await world.destination();
  for (const [query, path] of [
    [`destinationId=${id}&sourceId=${source}`, 'sourceId'],
    ['from=2026-01-02&to=2026-01-01', 'to'],
    ['from=2026-01-01&to=2026-01-01', 'to'],
    ['from=2020-01-01&to=2026-01-01', 'from'],
    ['from=yesterday', 'from'],
    ['last=1h&to=2026-01-01', 'last'],
    ['last=3600', 'last'],
    ['last=400d', 'last'],
    ['step=60', 'step'],
  ]) {
    expect(world.wrongPaths(await world.get(`/api/stats?${query}`)), query).toEqual([path]);
  }
  expect((await world.get('/api/stats?destinationId=dst_none')).status).toBe(404);
  expect((await world.get('/api/stats?sourceId=src_none')).status).toBe(404);
});

/** Attempts of one moment, by outcome and URL. */
function tallied(at: number, ...all: (readonly [key: string, count: number])[]): Tallies {
  return new Map(all.map(([key, count]) => [key, [count, at, at]]));
}

test('the overview shows counts, the last hour, who waits, and who needs attention first', async () => {
  const own = await openWorld();
  const healthy = await own.destination();
  const failing = await own.destination();
  const off = await own.call('POST', '/api/destinations', { ...GOOD, name: 'Off', enabled: false });
  const now = Date.now();
  const at = now - (now % MINUTE);
  await own.stats.add([
    minute(healthy.source, at, { accepted: 3, rejected: 2, lastAt: now - 5 }),
    minute(healthy.id, at, {
      processed: 3,
      latency: latencies(1, 2, 3),
      lastAt: now - 3,
      attempts: tallied(at, ['ok a', 3]),
    }),
    minute(healthy.id, at - 2 * HOUR, { processed: 1000, failed: 1000 }),
    minute(failing.source, at - 30 * MINUTE, { accepted: 1, lastAt: now - 30 * MINUTE }),
    minute(failing.id, at, { retried: 1, attempts: tallied(at, ['503 a', 1]) }),
  ]);
  const [entry] = await own.accept(failing.source, ['waits']);
  const { body } = await own.get('/api/overview');
  const overview = body as unknown as Overview;
  expect(overview.counts).toEqual({ accepted: 1, processed: 0, failed: 0, filtered: 0, waiting: 1, retrying: 0 });
  expect(overview.perSecond).toBe(12.5);
  expect(overview.destinations.map(({ id }) => id)).toEqual([failing.id, healthy.id, off.body['id']]);
  const [first, second, third] = overview.destinations;
  expect(first).toMatchObject({
    health: 'failing',
    reason: 'Nothing was delivered in the last 5 minutes',
    counts: { accepted: 1, waiting: 1 },
    lastHour: { accepted: 1, processed: 0, retried: 1, p50: null },
    oldestWaitingAt: new Date(entry?.receivedAt ?? 0).toISOString(),
    lastDeliveredAt: null,
    urls: 1,
  });
  expect(second).toMatchObject({
    health: 'healthy',
    reason: null,
    lastHour: { accepted: 3, processed: 3, failed: 0, p50: 2, p95: 3 },
    oldestWaitingAt: null,
    lastDeliveredAt: new Date(now - 3).toISOString(),
  });
  expect(third).toMatchObject({ name: 'Off', health: 'off' });
  expect(overview.sources.map(({ accepted, rejected, lastEventAt }) => [accepted, rejected, lastEventAt])).toEqual([
    [3, 2, new Date(now - 5).toISOString()],
    [1, 0, new Date(now - 30 * MINUTE).toISOString()],
  ]);
  await own.close();
});

test('what is wrong comes with its cause, gravest first, and nothing is wrong where nothing was found', async () => {
  const own = await openWorld();
  const overview = async (): Promise<Overview> => (await own.get('/api/overview')).body as unknown as Overview;
  const [broken, shaky, fine] = [await own.destination(), await own.destination(), await own.destination()];
  const now = Date.now();
  const at = now - (now % MINUTE);
  await own.stats.add([
    minute(fine.id, at, { processed: 5, triedAt: at, attempts: tallied(at, ['ok https://a', 5]) }),
    minute(fine.source, at, { accepted: 1000, rejected: 1 }),
  ]);
  expect(await overview()).toMatchObject({ problems: [], checks: ['storage'] });

  await own.stats.add([
    minute(broken.id, at, {
      failed: 41,
      triedAt: at,
      attempts: tallied(at, ['timeout https://a', 1], ['503 https://a', 41], ['ok https://a', 50]),
    }),
    minute(shaky.id, at, {
      processed: 9,
      retried: 1,
      triedAt: at,
      attempts: tallied(at, ['ok https://a', 9], ['timeout https://a', 1]),
    }),
    minute(shaky.source, at - HOUR, { accepted: 10, rejected: 2 }),
    minute(shaky.source, at, { accepted: 90, rejected: 10 }),
  ]);
  own.rejections.add(shaky.source, now, 'event_required', 'no name', '{}');
  const stranger = { code: 'unknown_write_key', message: 'none', address: '203.0.112.7', userAgent: 'curl/8' } as const;
  for (const writeKey of ['a-key-of-before', 'mistyped-key', 'mistyped-key']) {
    own.rejections.unknownKey({ ...stranger, at: now, writeKey });
  }
  own.rejections.unknownKey({ ...stranger, at: now - 2 * HOUR, writeKey: 'over-for-long' });
  own.ail('the disk is full');
  const { problems } = await overview();
  expect(problems).toEqual([
    expect.objectContaining({ kind: 'service', severity: 'failing', id: 'storage', title: 'the disk is full' }),
    {
      incidentId: null,
      ...{ kind: 'destination', severity: 'failing', id: broken.id, name: 'Target' },
      title: 'Nothing was delivered in the last 5 minutes',
      cause: 'Answered 503: 41 attempts in the last hour',
      advice: expect.stringContaining('endpoint'),
      since: new Date(at).toISOString(),
    },
    {
      incidentId: null,
      ...{ kind: 'destination', severity: 'degraded', id: shaky.id, name: 'Target' },
      title: "90.0% of the last hour's attempts succeeded",
      cause: 'No response headers came in time: 1 attempt in the last hour',
      advice: expect.stringContaining('did not answer in time'),
      since: new Date(at).toISOString(),
    },
    {
      incidentId: null,
      ...{ kind: 'rejections', severity: 'degraded', id: shaky.source, name: 'A source' },
      title: "10.0% of the last hour's calls were refused: 10 (the hour before: 2)",
      cause: 'Their code: event_required',
      advice: expect.stringContaining('rejected calls'),
      since: new Date(now).toISOString(),
    },
    {
      incidentId: null,
      ...{ kind: 'rejections', severity: 'degraded', id: '', name: 'Unknown write keys' },
      title: 'Calls with 2 write keys that no source has were refused in the last hour',
      cause: 'Most of all with the key ••••-key: 2 calls since the first',
      advice: expect.stringContaining('user agent'),
      since: new Date(now).toISOString(),
    },
  ]);

  // An incident says since when; of a destination that recovers it doesn't say what is no longer so.
  const of = ({ id }: { id: string }, more: object) =>
    incident({ ...more, subject: { kind: 'destination', id, name: '' } });
  const cause = 'Nothing is delivered: attempts fail';
  const incidents = [
    of(broken, { id: 'inc_a', since: at - HOUR, cause }),
    of(shaky, { id: 'inc_b', since: at - HOUR, cause }),
  ];
  await own.alerts.save(incidents, []);
  const since = new Date(at - HOUR).toISOString();
  expect((await overview()).problems.filter(({ kind }) => kind === 'destination')).toMatchObject([
    { id: broken.id, incidentId: 'inc_a', severity: 'failing', title: cause, since },
    {
      id: shaky.id,
      incidentId: 'inc_b',
      severity: 'degraded',
      title: "90.0% of the last hour's attempts succeeded",
      since,
    },
  ]);

  // While none of its rules holds, its words are of the past: of a destination that is well, and of one that still fails otherwise.
  const clear = { since: at - HOUR, clearSince: now, cause: 'Nothing is delivered.' };
  await own.alerts.save([of(broken, { id: 'inc_a', ...clear }), of(fine, { id: 'inc_c', ...clear })], []);
  const told = (await overview()).problems;
  expect(told.find(({ id }) => id === broken.id)).toMatchObject({
    ...{ severity: 'failing', incidentId: 'inc_a', title: 'Nothing was delivered in the last 5 minutes' },
  });
  expect(told.find(({ id }) => id === 'inc_c')).toMatchObject({
    ...{ kind: 'incident', severity: 'degraded', incidentId: 'inc_c' },
    title: 'None of its rules holds any more, and the incident ends if it stays like this',
    cause: 'It was: Nothing is delivered',
  });

  // A person has paused it: it fails no more, though its incident ends at the next look.
  await own.call('POST', `/api/destinations/${broken.id}/pause`, {});
  await own.alerts.save([of(broken, { id: 'inc_a', since: at - HOUR, cause })], []);
  expect((await overview()).problems.find(({ id }) => id === broken.id)).toMatchObject({
    ...{ severity: 'paused', incidentId: 'inc_a', title: 'Paused; nothing waits' },
  });
  await own.close();
});

test('the advice on refused calls goes by their codes: an outage and the settings of a source are not put down to clients', async () => {
  const own = await openWorld();
  const now = Date.now();
  const adviceOn = async (...codes: FaultCode[]): Promise<string | null | undefined> => {
    const { source } = await own.destination();
    await own.stats.add([minute(source, now - (now % MINUTE), { accepted: 2, rejected: 3 })]);
    for (const code of codes) own.rejections.add(source, now, code, 'none', '{}');
    const { problems } = (await own.get('/api/overview')).body as unknown as Overview;
    return problems.find(({ id }) => id === source)?.advice;
  };
  const outage = 'The service could not take them: see its health and its log. Clients send these calls again.';
  const client = 'Find the client in the list of rejected calls, and correct what it sends.';
  expect(await adviceOn('storage_unavailable', 'overloaded')).toBe(outage);
  expect(await adviceOn('source_disabled')).toMatch(/^Switch the source on/);
  expect(await adviceOn('quota_exceeded')).toMatch(/^Raise the source's limits/);
  expect(await adviceOn('origin_not_allowed')).toMatch(/^Add the pages' origin/);
  expect(await adviceOn('event_required', 'invalid_type')).toBe(client);
  const both = await adviceOn('storage_full', 'event_required');
  expect(both).toContain(`storage_full: ${outage}`);
  expect(both).toContain(`event_required: ${client}`);
  await own.close();
});

test('calls without a write key are told apart from calls with one that no source has', async () => {
  const own = await openWorld();
  const refused = { at: Date.now(), message: 'none', address: '203.0.112.7', userAgent: 'curl/8' };
  const title = async (): Promise<string | undefined> =>
    ((await own.get('/api/overview')).body as unknown as Overview).problems[0]?.title;
  own.rejections.unknownKey({ ...refused, code: 'missing_write_key', writeKey: '' });
  expect(await title()).toBe('Calls without a write key were refused in the last hour');
  own.rejections.unknownKey({ ...refused, code: 'unknown_write_key', writeKey: 'mistyped-key' });
  expect(await title()).toBe(
    'Calls without a write key, and with a write key that no source has, were refused in the last hour',
  );
  await own.close();
});

test('what failed when traffic stopped fails until something succeeds, and causes are told with a sample', async () => {
  const own = await openWorld();
  const { id, source } = await own.destination();
  const now = Date.now();
  const at = Math.floor(now / MINUTE) * MINUTE;
  const overview = async (): Promise<DestinationOverview> =>
    (await own.get(`/api/destinations/${id}/overview`)).body as unknown as DestinationOverview;
  const [webhook] = own.settings.destination(id)?.webhooks ?? [];
  // As a version without ids counted it.
  const byText = `404 ${webhook?.url}`;
  await own.stats.add([
    minute(id, at - 3 * HOUR, { processed: 100, lastAt: at - 3 * HOUR, triedAt: at - 3 * HOUR }),
    minute(id, at - 2 * HOUR, { retried: 7, triedAt: at - 2 * HOUR, attempts: tallied(at - 2 * HOUR, ['503 a', 7]) }),
  ]);
  expect((await overview()).destination).toMatchObject({
    health: 'failing',
    reason: 'The last attempts failed, and nothing was tried since',
    lastTriedAt: new Date(at - 2 * HOUR).toISOString(),
    lastDeliveredAt: new Date(at - 3 * HOUR).toISOString(),
  });
  await own.stats.add([
    minute(id, at, {
      processed: 9,
      failed: 1,
      triedAt: at,
      attempts: tallied(at, [`404 ${webhook?.id}`, 1], [byText, 1], ['503 url_gone', 1]),
    }),
    minute(source, at, { accepted: 10 }),
  ]);
  const { destination, errors, urls } = await overview();
  expect(destination).toMatchObject({ health: 'degraded', lastHour: { attempts: 3, attemptsFailed: 3 } });
  expect(urls).toEqual([
    {
      ...{ id: webhook?.id, url: webhook?.url, attempts: 2, failed: 2 },
      ...{ lastSuccessAt: null, lastFailureAt: new Date(at).toISOString() },
    },
  ]);
  expect(errors).toMatchObject([
    { webhookId: webhook?.id, url: webhook?.url, kind: '404', count: 2, class: 'permanent', sample: null },
    { webhookId: 'url_gone', url: '', kind: '503', count: 1 },
  ]);
  expect(errors[0]?.advice).toContain('check the path');
  await own.close();
});

test('where all URLs must take a message, a final refusal goes before a failure that may pass and is met again and again', async () => {
  const own = await openWorld();
  const { id } = await own.destination();
  const at = Date.now();
  const attempts = tallied(at, ['500 url_b', 900], ['401 url_a', 100]);
  await own.stats.add([minute(id, at, { retried: 900, triedAt: at, attempts })]);
  const cause = async () => ((await own.get('/api/overview')).body as unknown as Overview).problems[0]?.cause;
  expect(await cause()).toBe('Answered 500: 900 attempts in the last hour');
  await own.call('PATCH', `/api/destinations/${id}`, { success: 'all' });
  expect(await cause()).toBe('Answered 401: 100 attempts in the last hour');
  await own.close();
});

test('the overview reads what is no statistics while these are written: a database that hangs is waited for once', async () => {
  const asked = Promise.withResolvers<void>();
  const counts: World['deliveries']['counts'] = (ids) => {
    asked.resolve();
    return world.deliveries.counts(ids);
  };
  const { settings, stats } = world;
  const deliveries = { ...world.deliveries, counts };
  const rest = { perSecond: () => 0, destinationStatus: () => null, clock: systemClock, retention: DAY };
  const seen = await seenNow({ settings, stats, deliveries, flushStats: () => asked.promise, ...rest }, [], []);
  expect(seen.destinations).toEqual([]);
});
