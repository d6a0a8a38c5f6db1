import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from './kit/eventually.ts';
import { ask } from './kit/http.ts';
import { receive } from './kit/receiver.ts';
import { ADMIN_TOKEN, DEFAULTS, Service, sharedService, startService } from './kit/service.ts';

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
  const shared = sharedService();

  test('prints one line to stdout when it is ready, listens on loopback, and keeps what was set', async () => {
    expect(shared.stdout.split('\n').filter((line) => line.includes('listening on'))).toHaveLength(1);
    expect(shared.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(shared.stdout).not.toContain(ADMIN_TOKEN);
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

  test('settings that are wrong keep it from starting, and it says which', async () => {
    const { code, stdout, stderr } = await fails({ MILLRACE_DELIVERY_TIMEOUT: '5' }, ['--port=70000']);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(/MILLRACE_DELIVERY_TIMEOUT is "5"/);
    expect(stderr).toMatch(/--port.*70000/);
    expect(stdout).not.toContain('listening on');
    // Told to a person, not thrown at one.
    expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
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
    const receiver = await receive();
    const source = await shared.source();
    const destination = await shared.destination(source, receiver.url());
    const { code, stderr } = await fails({}, [], shared.dataDir);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(shared.dataDir);
    expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
    await shared.accept(source);
    expect(await shared.settled(destination, 1)).toMatchObject({ processed: 1 });
    await shared.kill();
    // Nothing of the first one's lock outlives it.
    await shared.start();
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
    const source = await shared.source({ name: 'Kept' });
    const destination = await shared.destination(source, 'http://127.0.0.1:9/', {
      trackFilter: { mode: 'allow', events: ['x'] },
    });
    await shared.kill();
    await shared.start();
    expect(await shared.must('GET', `/api/sources/${source.id}`)).toEqual(source);
    expect(await shared.must('GET', `/api/destinations/${destination.id}`)).toEqual(destination);
  });
});
