import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Audience, Overview, Page, Rejection, Source } from '../../packages/server/src/admin/contract.ts';
import { smallDiskFor } from '../small-disk.ts';
import { eventually } from './kit/eventually.ts';
import { ask } from './kit/http.ts';
import { receive } from './kit/receiver.ts';
import { sharedService, startService } from './kit/service.ts';

/** The write key of a web page is public: what who has one can't do. */
const service = sharedService();

const page = (userId = 'u1'): object => ({ type: 'page', userId });

const FULL = { batch: Array.from({ length: 2_500 }, () => page()) };

async function codes(source: Source): Promise<string[]> {
  const { items } = await service.must<Page<Rejection>>('GET', `/api/sources/${source.id}/rejections`);
  return items.map(({ code }) => code);
}

test('an address that sends more than its part is refused whole, told when to try again, and seen', async () => {
  const quota = { eventsPerSecond: 100, bytesPerSecond: null, eventsPerDay: null };
  const source = await service.source({ type: 'web', quota });
  // A full batch always fits, and another one when a moment has passed.
  expect(await service.send(source, 'batch', FULL)).toMatchObject({ status: 200, text: '{"success":true}' });
  const second = await service.send(source, 'batch', FULL);
  const accepted = second.status === 200 ? 5_000 : 2_500;
  const refused = second.status === 200 ? await service.send(source, 'batch', { batch: [page(), page()] }) : second;
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([429, { success: false, code: 'quota_exceeded' }]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  // The pixel says nothing of it.
  const pixel = await ask(`${service.url}/v1/pixel/page?userId=u1&writeKey=${source.writeKey}`);
  expect([pixel.status, pixel.headers['content-type']]).toEqual([200, 'image/gif']);
  expect(new Set(await codes(source))).toEqual(new Set(['quota_exceeded']));
  expect(await service.must('GET', `/api/sources/${source.id}/totals`)).toMatchObject({ accepted, rejected: 2 });
  // Other sources have their own.
  await service.accept(await service.source({ type: 'web' }), {});
});

test('a key in the body is held to its quota as one in the head is', async () => {
  const quota = { eventsPerSecond: 1, bytesPerSecond: null, eventsPerDay: null };
  const source = await service.source({ type: 'mobile', quota });
  const send = () => ask(`${service.url}/v1/batch`, { body: JSON.stringify({ writeKey: source.writeKey, ...FULL }) });
  expect((await send()).status).toBe(200);
  // As soon as anything of the burst is there again, one more is taken, and then none for long.
  const statuses = [(await send()).status, (await send()).status];
  expect(statuses).toContain(429);
});

test('a quota by day is counted beyond a restart', async () => {
  const own = await startService();
  const source = await own.source({ quota: { eventsPerSecond: null, bytesPerSecond: null, eventsPerDay: 3 } });
  expect((await own.send(source, 'batch', { batch: [page(), page(), page()] })).status).toBe(200);
  const refused = await own.send(source, 'page', page());
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(86_400);
  await own.stop();
  await own.start();
  expect((await own.send(source, 'page', page())).status).toBe(429);
  await own.must('PATCH', `/api/sources/${source.id}`, { quota: null });
  expect((await own.send(source, 'page', page())).status).toBe(200);
});

test('pages of another origin are refused; preflights and callers without an origin are not', async () => {
  const shop = 'https://shop.example.com';
  const source = await service.source({ type: 'web', allowedOrigins: [shop] });
  const sent = (origin?: string) =>
    service.send(source, 'page', page(), origin === undefined ? {} : { headers: { Origin: origin } });
  expect((await sent(shop)).status).toBe(200);
  expect((await sent()).status).toBe(200);
  for (const origin of ['https://evil.example.com', 'http://shop.example.com', 'null']) {
    const { status, text, headers } = await sent(origin);
    expect([status, JSON.parse(text)]).toMatchObject([403, { code: 'origin_not_allowed' }]);
    expect(headers['access-control-allow-origin']).toBe(origin);
  }
  const preflight = await ask(`${service.url}/v1/page`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://evil.example.com', 'Access-Control-Request-Method': 'POST' },
  });
  expect(preflight.status).toBe(204);
  expect(await codes(source)).toEqual(Array(3).fill('origin_not_allowed'));
  for (const wrong of ['https://shop.example.com/', 'https://Shop.example.com', 'https://shop.example.com:443']) {
    const problem = await service.refused('PATCH', `/api/sources/${source.id}`, { allowedOrigins: [wrong] });
    expect(problem.errors?.[0]?.path).toBe('allowedOrigins.0');
  }
  for (const wild of ['https://*.example.com', 'https://*', '*']) {
    const input = { name: 'Wild', type: 'web', allowedOrigins: [shop, wild] };
    const { errors } = await service.refused('POST', '/api/sources', input);
    expect(errors).toMatchObject([
      { path: 'allowedOrigins.1', message: expect.stringContaining('name each origin in full') },
    ]);
  }
});

test('the keys of audiences and traits open nothing from outside', async () => {
  const definition = { event: { name: 'Own key' } };
  const audience = await service.must<Audience>('POST', '/api/audiences', { name: 'Own key', definition });
  const { writeKey } = await service.must<Source>('GET', `/api/sources/${audience.sourceId}`);
  const own = { writeKey } as Source;
  const { status, text } = await service.send(own, 'identify', { userId: 'u1', traits: { own_key: true } });
  expect([status, JSON.parse(text)]).toMatchObject([401, { code: 'unknown_write_key' }]);
  expect((await ask(`${service.url}/v1/projects/${writeKey}/settings`)).status).toBe(401);
  expect((await ask(`${service.url}/analytics.js/v1/${writeKey}/analytics.min.js`)).status).toBe(404);
});

test('who has a public key is not told who asked for deletion', async () => {
  const receiver = await receive();
  const [web, server] = [await service.source({ type: 'web' }), await service.source({ type: 'server' })];
  await service.destination(web, receiver.url(), { sourceIds: [web.id, server.id] });
  const regulation = { regulationType: 'SUPPRESS_WITH_DELETE', subjectType: 'USER_ID', subjectIds: ['gone-for-good'] };
  await service.must('POST', '/api/regulations', regulation);
  const batch = { batch: [page('gone-for-good'), page('here')] };
  const told = await service.send(server, 'batch', batch);
  expect(JSON.parse(told.text)).toMatchObject({ success: true, rejected: [{ index: 0, code: 'user_suppressed' }] });
  for (const path of ['batch', 'page']) {
    const body = path === 'batch' ? batch : page('gone-for-good');
    expect(await service.send(web, path, body)).toMatchObject({ status: 200, text: '{"success":true}' });
  }
  expect(await codes(web)).toEqual(['user_suppressed', 'user_suppressed']);
  // Nothing is wrong with the source, so nothing is to be mended.
  const { problems, sources } = await service.must<Overview>('GET', '/api/overview?last=1h');
  expect(JSON.stringify(problems)).not.toContain(web.id);
  expect(sources.find(({ id }) => id === web.id)).toMatchObject({ rejected: 0 });
  await receiver.waitFor(2);
  expect(receiver.arrivals.map(({ message }) => message['userId'])).toEqual(['here', 'here']);
});

test('the last of the disk is kept for server sources', async (context) => {
  const disk = smallDiskFor(context, 128);
  const own = await startService({}, { dataDir: join(disk.folder, 'data'), mayLogErrors: true });
  const [web, server] = [await own.source({ type: 'web' }), await own.source({ type: 'server' })];
  await own.accept(web, {});
  const { bavail, bsize } = statfsSync(disk.folder);
  writeFileSync(join(disk.folder, 'ballast'), Buffer.alloc(bavail * bsize - 5_500_000));
  const refused = await eventually(
    () => own.send(web, 'page', page()),
    ({ status }) => status !== 200,
  );
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([503, { code: 'storage_full' }]);
  await own.accept(server, {});
});
