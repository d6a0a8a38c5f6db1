import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { begin, type Ended, folder, millrace, startService } from './command.ts';

/** What was found, by the state it is in. */
function byState({ stdout }: Ended): Readonly<Record<string, string[]>> {
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => /^(\S+) +([^:]+): /.exec(line) ?? []);
  const states = Map.groupBy(lines, ([, state = '']) => state);
  return Object.fromEntries([...states].map(([state, some]) => [state, some.map(([, , what = '']) => what)]));
}

test('a service as it was started for a trial has its faults named, and each is mended', async () => {
  const service = await startService();
  const web = await service.client.call('POST /api/sources', {
    name: 'Shop',
    type: 'web',
    quota: { eventsPerSecond: null, bytesPerSecond: null, eventsPerDay: null },
  });
  const dataDir = folder();
  chmodSync(dataDir, 0o755);
  const backups = join(folder(), 'backups');
  mkdirSync(backups);
  const args = ['doctor', '--data-dir', dataDir, '--backup', backups];
  const first = await millrace(args, { env: service.env });
  expect(first.code).toBe(1);
  expect(byState(first)).toEqual({
    ok: ['admin token', 'API tokens'],
    BAD: ['private URLs', 'quotas', 'data folder', 'backup'],
    warn: ['proxy', 'metrics and health', 'secrets', 'origins'],
    '?': ['TLS'],
  });
  expect(first.stdout).toContain('give a quota to "Shop"');

  await service.client.call('PATCH /api/sources/:id', web.id, {
    quota: null,
    allowedOrigins: ['https://shop.example.com'],
  });
  chmodSync(dataDir, 0o700);
  writeFileSync(join(backups, 'millrace.tar'), 'x');
  const second = await millrace(args, { env: service.env });
  expect([second.code, byState(second)['BAD']]).toEqual([1, ['private URLs']]);
  const old = new Date(Date.now() - 3 * 86_400_000);
  utimesSync(join(backups, 'millrace.tar'), old, old);
  expect(byState(await millrace(args, { env: service.env }))['BAD']).toEqual(['private URLs', 'backup']);
  const patient = await millrace([...args, '--backup-age', '30d'], { env: service.env });
  expect(byState(patient)['BAD']).toEqual(['private URLs']);
  await service.stop();
});

test('an interrupted backup, an empty file, one of a time to come and a link to nothing are no fresh backup', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const backups = folder();
  const partial = join(backups, 'daily', '.partial-20260101T000000Z');
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, 'millrace.db'), 'x');
  const unrecorded = join(backups, '2026-01-01T00-00-00.000Z');
  mkdirSync(unrecorded);
  writeFileSync(join(unrecorded, 'millrace.db'), 'x');
  writeFileSync(join(backups, 'README'), '');
  symlinkSync(join(backups, 'nothing'), join(backups, 'latest'));
  symlinkSync(join(backups, 'loop'), join(backups, 'loop'));
  const ahead = join(backups, 'ahead.tar');
  writeFileSync(ahead, 'x');
  const future = new Date(Date.now() + 3_600_000);
  utimesSync(ahead, future, future);
  for (const path of [backups, ahead]) {
    const { code, stdout, stderr } = await millrace(['doctor', '--backup', path], { env: service.env });
    expect([code, stderr, stdout]).toEqual([1, '', expect.stringMatching(/^BAD +backup: is none there$/m)]);
  }
  writeFileSync(join(backups, 'daily', 'millrace.tar'), 'x');
  const found = await millrace(['doctor', '--backup', backups], { env: service.env });
  expect(byState(found)['ok']).toContain('backup');
  expect(found.stdout).toContain('quotas: are not needed: there is no web or mobile source');
  rmSync(join(backups, 'daily', 'millrace.tar'));
  writeFileSync(join(unrecorded, 'backup.json'), '{}');
  expect(byState(await millrace(['doctor', '--backup', backups], { env: service.env }))['ok']).toContain('backup');
});

test('a hardened service passes, and what is only advised counts when it is asked to', async () => {
  const dataDir = join(folder(), 'data');
  const token = 'doctor-test-admin-token';
  const service = begin(['start', '--port', '0', '--data-dir', dataDir, '--management-port', '0'], {
    env: { MILLRACE_ADMIN_TOKEN: token, MILLRACE_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') },
  });
  const [url = ''] = await service.said(/listening on (http:\S+)/);
  const env = { MILLRACE_URL: url, MILLRACE_ADMIN_TOKEN: token };
  const found = await millrace(['doctor'], { env });
  expect([found.code, byState(found)['BAD'], byState(found)['warn']]).toEqual([0, undefined, ['proxy']]);
  expect(byState(found)['ok']).toContain('data folder');
  expect((await millrace(['doctor', '--strict'], { env })).code).toBe(1);
  await fetch(`${url}/api/loopback/allow`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  expect(byState(await millrace(['doctor'], { env }))['warn']).toEqual(['proxy', 'private URLs']);
  const nowhere = await millrace(['doctor', '--backup', join(dataDir, 'nowhere')], { env });
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining("the backups can't be looked at")]);
});
