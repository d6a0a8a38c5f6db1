import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from './kit/eventually.ts';
import { ask } from './kit/http.ts';
import { receive } from './kit/receiver.ts';
import { ADMIN_TOKEN, DEFAULTS, Service, startService } from './kit/service.ts';

/** A service that does not come up: how it ended, and what it said. */
async function fails(
  settings: Readonly<Record<string, string | null>>,
  args: readonly string[] = [],
  dataDir?: string,
): Promise<Service & { code: number | null }> {
  const service = new Service(settings, { args, mayLogErrors: true, ...(dataDir === undefined ? {} : { dataDir }) });
  onTestFinished(() => service.close());
  service.launch();
  return Object.assign(service, { code: (await service.exit).code });
}

describe('contract 13: the process', () => {
  test('prints one line to stdout when it is ready, listens on loopback, and keeps what was set', async () => {
    const service = await startService();
    expect(service.stdout.split('\n').filter((line) => line.includes('listening on'))).toHaveLength(1);
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(service.stdout).not.toContain(ADMIN_TOKEN);
  });

  test('makes an admin token on the first start, prints it once, and keeps it with mode 0600', async () => {
    const service = await startService({ MILLRACE_ADMIN_TOKEN: null });
    const file = readdirSync(service.dataDir).find((name) => name.includes('token')) ?? '';
    const token = readFileSync(service.file(file), 'utf8').trim();
    expect(token.length).toBeGreaterThanOrEqual(20);
    expect(statSync(service.file(file)).mode & 0o777).toBe(0o600);
    await eventually(
      () => service.stdout,
      (stdout) => stdout.includes(token),
    );
    expect(service.stderr).not.toContain(token);
    const list = (): ReturnType<typeof ask> =>
      ask(`${service.url}/api/sources`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await list()).status).toBe(200);
    await service.stop();
    service.stdout = '';
    await service.start();
    expect(service.stdout).not.toContain(token);
    expect((await list()).status).toBe(200);
  });

  test('a flag goes before the environment', async () => {
    const service = await startService(
      { MILLRACE_ADMIN_TOKEN: 'from-the-environment' },
      { args: ['--admin-token', ADMIN_TOKEN] },
    );
    expect((await service.api('GET', '/api/sources')).status).toBe(200);
  });

  test.each([
    ['MILLRACE_DELIVERY_TIMEOUT', '5'],
    ['MILLRACE_RETRY_WINDOW', '4 h'],
    ['MILLRACE_RETRY_BASE', 'soon'],
    ['MILLRACE_RETRY_CAP', '-1s'],
    ['MILLRACE_RETENTION', '1y'],
    ['MILLRACE_ALLOW_PRIVATE_URLS', 'maybe'],
    ['MILLRACE_LOG_LEVEL', 'loud'],
  ])('%s=%s keeps it from starting, and it says so', async (name, value) => {
    const { code, stdout, stderr } = await fails({ [name]: value });
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(name);
    expect(stderr).toContain(value);
    expect(stdout).not.toContain('listening on');
    // Told to a person, not thrown at one.
    expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
  });

  test.each(['70000', 'http', '-1', '80.5'])('--port %s keeps it from starting, and it says so', async (port) => {
    const { code, stderr } = await fails({}, [`--port=${port}`]);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(new RegExp(`--port.*${port}`));
  });

  test('a port that is taken is a clear error', async () => {
    const taken = createServer();
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const port = String((taken.address() as AddressInfo).port);
    const { code, stderr } = await fails({}, ['--port', port]);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(new RegExp(`${port}.*(taken|in use)`));
    expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
  });

  test('a second process on the same folder is a clear error, and does the first no harm', async () => {
    const first = await startService();
    const receiver = await receive();
    const source = await first.source();
    const destination = await first.destination(source, receiver.url());
    const { code, stderr } = await fails({}, [], first.dataDir);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(first.dataDir);
    expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
    await first.accept(source);
    expect(await first.settled(destination, 1)).toMatchObject({ processed: 1 });
    await first.kill();
    // Nothing of the first one's lock outlives it.
    await first.start();
  });

  test('a data folder that is a file is a clear error', async () => {
    const { code, stderr } = await fails({}, [], new URL(import.meta.url).pathname);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(/settings\.test\.ts/);
    expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
  });

  test('runs with nothing set but where its data lies', async () => {
    const service = await startService({ ...DEFAULTS, MILLRACE_ALLOW_PRIVATE_URLS: null });
    const source = await service.source();
    expect(
      await service.refused('POST', '/api/destinations', {
        name: 'x',
        type: 'Webhooks',
        sourceIds: [source.id],
        settings: { webhooks: [{ url: 'http://127.0.0.1/' }] },
      }),
    ).toMatchObject({ code: 'address_not_allowed' });
    await service.accept(source);
    expect((await service.stop()).code).toBe(0);
  });

  test('settings of sources and destinations survive a restart', async () => {
    const service = await startService();
    const source = await service.source({ name: 'Kept' });
    const destination = await service.destination(source, 'http://127.0.0.1:9/', {
      trackFilter: { mode: 'allow', events: ['x'] },
    });
    await service.kill();
    await service.start();
    expect(await service.must('GET', `/api/sources/${source.id}`)).toEqual(source);
    expect(await service.must('GET', `/api/destinations/${destination.id}`)).toEqual(destination);
  });
});
