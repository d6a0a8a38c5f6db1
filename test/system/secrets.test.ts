import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Source } from '../../packages/server/src/admin/contract.ts';
import { smallDiskFor } from '../small-disk.ts';
import { ask } from './kit/http.ts';
import { receive } from './kit/receiver.ts';
import { ADMIN_TOKEN, areNodes, type Service, startService } from './kit/service.ts';

// Every test of this folder looks for the admin token, write keys and shared secrets in what the service logged at level
// debug (kit/service.ts). Here everything happens at level trace, the ways that go wrong included.
test('contract 12: secrets never come back, and never reach a log', async () => {
  const service = await startService({ MILLRACE_LOG_LEVEL: 'trace' });
  const receiver = await receive(({ message }) => (message['event'] === 'Bad' ? 400 : 200));
  const source = await service.source({ type: 'web' });
  const sharedSecret = 'the-shared-secret-of-this-test';
  const headerSecret = 'Bearer the-credential-in-a-static-header';
  service.secrets.add(headerSecret);
  const webhooks = [{ url: receiver.url('/hook'), headers: { Authorization: headerSecret } }];
  const destination = await service.destination(source, [], { settings: { webhooks, sharedSecret } });
  const answers = [JSON.stringify(destination)];
  const look = async (method: string, path: string, body?: unknown): Promise<void> => {
    answers.push((await service.api(method, path, body)).text);
  };

  await service.accept(source, { event: 'Good' });
  await service.accept(source, { event: 'Bad' });
  await service.send(source, 'track', { event: 'InBody', userId: 'u', writeKey: source.writeKey });
  await service.send(source, 'track', `{"writeKey":"${source.writeKey}"`);
  await service.send(source, 'track', { writeKey: source.writeKey, event: 'Refused' });
  await service.send(source, 'batch', {
    writeKey: source.writeKey,
    batch: [{ writeKey: source.writeKey, type: 'track' }],
  });
  await ask(`${service.url}/v1/pixel/track?writeKey=${source.writeKey}&event=Pixel&userId=u`);
  await ask(`${service.url}/v1/pixel/nonsense?writeKey=${source.writeKey}`);
  const data = Buffer.from(JSON.stringify({ writeKey: source.writeKey, event: 'Pixel', userId: 'u' })).toString(
    'base64',
  );
  service.secrets.add(data);
  await ask(`${service.url}/v1/pixel/track?data=${encodeURIComponent(data)}`);
  await ask(`${service.url}/v1/projects/${source.writeKey}/settings`);
  await ask(`${service.url}/analytics.js/v1/${source.writeKey}/analytics.min.js`);
  await ask(`${service.url}/v1/nonsense?writeKey=${source.writeKey}`);
  await ask(`${service.url}/api/nonsense?token=${ADMIN_TOKEN}`, {
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  await service.settled(destination, 5);

  await look('POST', `/api/destinations/${destination.id}/test`, {});
  await look('PATCH', `/api/destinations/${destination.id}`, { settings: { sharedSecret, nonsense: 1 } });
  await look('PATCH', `/api/destinations/${destination.id}`, { settings: { sharedSecret: [sharedSecret] } });
  await look('POST', '/api/destinations', { sharedSecret });
  for (const path of ['', '/counts', '/status', '/lanes'])
    await look('GET', `/api/destinations/${destination.id}${path}`);
  for (const path of ['destinations', 'deliveries', 'catalog', 'openapi.json', 'replays'])
    await look('GET', `/api/${path}`);
  answers.push((await ask(`${service.url}/metrics`)).text);
  for (const { messageId } of (await service.deliveries({})).items) await look('GET', `/api/messages/${messageId}`);
  const rotated = await service.must<Source>('POST', `/api/sources/${source.id}/rotate-key`);
  service.secrets.add(rotated.writeKey);
  await service.stop();

  const seen = [sharedSecret, ADMIN_TOKEN].flatMap((secret) => answers.filter((answer) => answer.includes(secret)));
  expect(seen).toEqual([]);
  // A write key is the source's own business, and is shown there alone.
  expect(answers.filter((answer) => answer.includes(source.writeKey))).toEqual([]);
  expect(receiver.arrivals.filter(({ text }) => text.includes(source.writeKey))).toEqual([]);
  const logs = service.stdout + service.stderr;
  expect(logs.length).toBeGreaterThan(2_000);
  expect([...service.secrets].filter((secret) => logs.includes(secret))).toEqual([]);
});

describe('what was kept as it is', () => {
  const key = randomBytes(32).toString('base64');
  const sharedSecret = 'the-shared-secret-of-this-test';

  /** A service that has kept a secret as it is. */
  async function started(dataDir?: string): Promise<Service> {
    const service = await startService({}, dataDir === undefined ? {} : { dataDir });
    await service.destination(await service.source(), [], {
      settings: { webhooks: [{ url: 'http://127.0.0.1:9/' }], sharedSecret },
    });
    service.secrets.add(key);
    return service;
  }

  /** The files that hold the secret. */
  function holders({ dataDir }: Service): string[] {
    return readdirSync(dataDir).filter((name) => readFileSync(join(dataDir, name), 'latin1').includes(sharedSecret));
  }

  test('leaves the data folder with the start that first has a key', async () => {
    if (areNodes()) return;
    const service = await started();
    await service.kill();
    expect(holders(service)).not.toEqual([]);
    await service.start({ MILLRACE_SECRETS_KEY: key });
    expect(holders(service)).toEqual([]);
    expect(service.stderr).not.toContain('may still be readable');
  });

  test('holds up no start while another process reads it, and leaves with the next start', async () => {
    if (areNodes()) return;
    const service = await started();
    await service.kill();
    const reader = new DatabaseSync(service.file('millrace.db'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM documents').get();
    await service.start({ MILLRACE_SECRETS_KEY: key });
    expect(service.stderr).toMatch(/"level":"warn".*Another process is reading millrace\.db.*may still be readable/);
    expect(holders(service)).not.toEqual([]);
    await service.kill();
    reader.close();
    await service.start({ MILLRACE_SECRETS_KEY: key });
    expect(holders(service)).toEqual([]);
  });

  test('holds up no start on a full disk', async (context) => {
    if (areNodes()) return;
    const disk = smallDiskFor(context, 48);
    const service = await started(join(disk.folder, 'data'));
    await service.stop();
    const db = new DatabaseSync(service.file('millrace.db'));
    db.exec("INSERT INTO documents (kind, id, document) VALUES ('test', 'large', hex(zeroblob(4194304)))");
    db.close();
    const { bavail, bsize } = statfsSync(disk.folder);
    const ballast = join(disk.folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 4_194_304));
    await service.start({ MILLRACE_SECRETS_KEY: key });
    expect(service.stderr).toMatch(/"level":"warn".*The disk is full.*may still be readable/);
    // Only the rewriting needs room.
    expect(holders(service)).toEqual([]);
  });
});

test('with a key of their own, secrets are encrypted in the data folder, and reach endpoints as they are', async () => {
  const key = randomBytes(32).toString('base64');
  const service = await startService({ MILLRACE_SECRETS_KEY: key });
  const receiver = await receive(200);
  const source = await service.source();
  const sharedSecret = 'the-shared-secret-of-this-test';
  const header = 'the-credential-in-a-static-header';
  for (const secret of [key, header]) service.secrets.add(secret);
  const webhooks = [{ url: receiver.url('/hook'), headers: { 'X-Key': header } }];
  const destination = await service.destination(source, [], { settings: { webhooks, sharedSecret } });
  await service.stop();
  await service.start();
  await service.accept(source, { event: 'Order' });
  await service.settled(destination, 1);
  expect(receiver.arrivals.map(({ headers }) => headers['x-key'])).toEqual([header]);
  expect(receiver.arrivals[0]?.headers['x-signature']).toBeTypeOf('string');
  if (areNodes()) return;
  const kept = readdirSync(service.dataDir).map((name) => readFileSync(join(service.dataDir, name), 'latin1'));
  expect([sharedSecret, header, key].filter((secret) => kept.some((bytes) => bytes.includes(secret)))).toEqual([]);

  await service.stop();
  service.launch({ MILLRACE_SECRETS_KEY: null });
  expect(await service.exit).toMatchObject({ code: 1 });
  expect(service.stderr).toContain('MILLRACE_SECRETS_KEY lacks the key');
});
