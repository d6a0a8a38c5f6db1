import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type {
  Backup,
  BackupList,
  HealthReport,
  Overview,
  PeopleStatus,
} from '../../packages/server/src/admin/contract.ts';
import { addUp } from './kit/admin.ts';
import { eventually } from './kit/eventually.ts';
import { ask } from './kit/http.ts';
import { removeFolder, temporaryFolder } from './kit/leaks.ts';
import { Load } from './kit/load.ts';
import { receive } from './kit/receiver.ts';
import { ADMIN_TOKEN, type Service, startService } from './kit/service.ts';

const BIN = fileURLToPath(new URL('../../packages/server/bin/millrace.js', import.meta.url));

let folder: string;
let directory: string;
beforeEach(() => {
  folder = temporaryFolder();
  directory = join(folder, 'backups');
  onTestFinished(() => removeFolder(folder));
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The command as an operator's timer runs it. */
async function millrace(args: readonly string[], service?: Service, settings = {}): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', MILLRACE_ADMIN_TOKEN: ADMIN_TOKEN, MILLRACE_URL: service?.url ?? '' };
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk;
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err };
}

const ready = async (service: Service): Promise<HealthReport> =>
  JSON.parse((await ask(`${service.url}/health/ready`)).text) as HealthReport;

const complete = async (service: Service): Promise<Backup[]> =>
  (await service.must<BackupList>('GET', '/api/backups')).items.filter(({ state }) => state === 'complete');

describe('a drill: backup under load, kill -9, restore elsewhere', () => {
  const settings = { MILLRACE_RETRY_WINDOW: '4h', MILLRACE_LOG_LEVEL: 'info' };

  test('every call that was accepted before is delivered, counts are exact, and what comes then is delivered', {
    timeout: 180_000,
  }, async () => {
    const arrived = new Set<unknown>();
    const receiver = await receive(503, { keep: false });
    const service = await startService({ ...settings, MILLRACE_BACKUP_DIR: directory });
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    const audience = { name: 'Loaded', definition: { event: { name: 'Load' } } };
    await service.must('POST', '/api/audiences', audience);
    const load = new Load(service, source, { parallel: 4, size: () => 20 });
    load.start();
    await loaded(load, 2_000);
    const before = new Set(load.accepted);
    const made = await millrace(['backup'], service);
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/events to position [\d,]+, checked\n$/) });
    const [backup] = await complete(service);
    await loaded(load, load.accepted.size + 200);
    await load.stop();
    // All that the load met was an answer of 200.
    expect([...load.others]).toEqual([]);
    await service.kill();

    const target = join(folder, 'elsewhere');
    const restored = await millrace(['restore', join(directory, backup?.id ?? ''), '--data-dir', target]);
    expect(restored).toMatchObject({ code: 0, err: '' });
    receiver.become(({ message }) => {
      arrived.add(message['messageId']);
      return 200;
    });
    const going = await startService(settings, { dataDir: target });
    const record = JSON.parse(readFileSync(join(directory, backup?.id ?? '', 'backup.json'), 'utf8'));
    const { accepted } = addUp(await going.counts(destination));
    expect(record.sources).toContainEqual({ id: source.id, accepted, duplicates: 0 });
    expect(accepted).toBeGreaterThanOrEqual(before.size);
    expect(accepted).toBeLessThan(load.accepted.size);
    expect(await going.settled(destination, accepted, 60_000)).toMatchObject({ processed: accepted, failed: 0 });
    expect([...before].filter((id) => !arrived.has(id))).toEqual([]);
    expect(arrived.size).toBe(accepted);

    expect(await ready(going)).toMatchObject({ status: 'ok' });
    expect(await going.must('GET', '/api/losses')).toMatchObject({ items: [] });
    // The index of messageIds is of the same moment: a call that is sent again is told.
    const [known = ''] = before;
    await going.accept(source, { messageId: known, userId: 'u' });
    await going.accept(source, { messageId: 'after', event: 'After' });
    await going.settled(destination, accepted + 1, 60_000);
    expect(arrived.has('after')).toBe(true);
    // People/ takes in what it had not, and nothing twice.
    const status = () => going.must<PeopleStatus>('GET', '/api/profiles/status');
    expect(await eventually(status, ({ lag, outbox }) => lag === 0 && outbox === 0)).toMatchObject({ persons: 2 });
  });

  test('what had been delivered stays so, and a call that waited for a retry goes on', {
    timeout: 120_000,
  }, async () => {
    const receiver = await receive(({ message }) => (message['event'] === 'Waits' ? 503 : 200));
    const service = await startService({ ...settings, MILLRACE_BACKUP_DIR: directory });
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    for (let i = 0; i < 10; i++) await service.accept(source, { event: 'Done' });
    const waiting = await service.accept(source, { event: 'Waits' });
    await eventually(
      () => service.counts(destination),
      ({ processed, retrying }) => processed === 10 && retrying === 1,
    );
    expect((await millrace(['backup'], service)).code).toBe(0);
    const [backup] = await complete(service);
    await service.accept(source, { event: 'Later' });
    await service.kill();
    const path = join(directory, backup?.id ?? '');
    const restored = await millrace(['restore', path, '--data-dir', service.dataDir, '--replace']);
    expect(restored.out).toContain('1 event that is later');
    const [, aside = ''] = /that was there is (\S+)\. /.exec(restored.out) ?? [];
    onTestFinished(() => removeFolder(aside));
    expect(existsSync(join(aside, 'millrace.db'))).toBe(true);
    receiver.become(() => 200);
    await service.start();
    expect(await service.settled(destination, 11, 60_000)).toMatchObject({ processed: 11 });
    expect((await service.trace(waiting, source)).lanes).toMatchObject([{ state: 'processed' }]);
  });
});

describe('the way to a backup', () => {
  test('is the service while it runs, and the folder when none does', { timeout: 60_000 }, async () => {
    const service = await startService();
    const source = await service.source();
    await service.accept(source);
    const unset = await millrace(['backup'], service);
    expect(unset).toMatchObject({ code: 1, err: expect.stringContaining('Set MILLRACE_BACKUP_DIR') });
    const args = ['backup', directory, '--data-dir', service.dataDir];
    const refused = await millrace(args, service);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`MILLRACE_BACKUP_DIR=${directory}`) });
    await service.stop();
    const cluster = { MILLRACE_NATS_URL: 'nats://nats', MILLRACE_DATABASE_URL: 'postgres://db/millrace' };
    expect(await millrace(args, undefined, cluster)).toMatchObject({
      ...{ code: 2, err: expect.stringContaining(`a node of a cluster keeps nothing in ${service.dataDir}`) },
    });
    expect(await millrace(args)).toMatchObject({ code: 0 });
    // By a clock that was ahead then.
    const ahead = '2099-01-01T00-00-00.000Z';
    for (const made of readdirSync(directory)) renameSync(join(directory, made), join(directory, ahead));
    await service.start({ MILLRACE_BACKUP_DIR: directory });
    expect(await millrace([...args, '--keep', '1'], service)).toMatchObject({ code: 0 });
    const [only, ...others] = await complete(service);
    expect(others).toEqual([]);
    expect(only?.id).not.toBe(ahead);
    expect(readdirSync(directory)).toEqual([only?.id]);
    const { text } = await ask(`${service.url}/metrics`);
    const seconds = Number(/^millrace_backup_last_success_timestamp_seconds (\S+)$/m.exec(text)?.[1]);
    expect(seconds * 1_000).toBeCloseTo(Date.parse(only?.at ?? ''), 0);
    const audit = await service.must<{ items: { action: string }[] }>('GET', '/api/audit?action=backup.');
    expect((await millrace(['doctor'], service)).out).toMatch(/^ok +backup: is \S+ old$/m);
    expect(audit.items).toMatchObject([{ action: 'backup.create', target: { id: only?.id } }]);
  });

  test('whose directory can not be read fails, and the service goes on', { timeout: 60_000 }, async () => {
    const service = await startService({ MILLRACE_BACKUP_DIR: directory }, { mayLogErrors: true });
    writeFileSync(directory, '');
    expect(await millrace(['backup'], service)).toMatchObject({ code: 1, err: expect.stringContaining(directory) });
    const list = await service.must<BackupList>('GET', '/api/backups');
    expect(list.trouble).toContain('ENOTDIR');
    expect(list.items).toMatchObject([{ state: 'failed', reason: expect.stringContaining(directory) }]);
    const { text } = await ask(`${service.url}/metrics`);
    expect(text).toMatch(/^millrace_backup_last_success_timestamp_seconds 0$/m);
    const failed = { name: 'backup', ok: false, reason: expect.stringMatching(/^the last backup failed: /) };
    expect(await ready(service)).toMatchObject({ status: 'degraded', checks: expect.arrayContaining([failed]) });
    const { problems } = await service.must<Overview>('GET', '/api/overview');
    expect(problems).toMatchObject([{ kind: 'service', id: 'backup', title: failed.reason }]);
    await service.accept(await service.source());
    rmSync(directory);
    expect(await millrace(['backup'], service)).toMatchObject({ code: 0 });
    expect(await ready(service)).toMatchObject({ status: 'ok' });
  });

  test('may be cut off by a stop or by kill -9: nothing is left that looks like a backup', {
    timeout: 120_000,
  }, async () => {
    const service = await startService({ MILLRACE_BACKUP_DIR: directory });
    const source = await service.source();
    const load = new Load(service, source, { parallel: 4, size: () => 200 });
    load.start();
    await loaded(load, 20_000);
    await load.stop();
    const isUnderWay = (): Promise<string[]> =>
      eventually(
        () => (existsSync(directory) ? readdirSync(directory) : []),
        (names) => names.length > 0,
      );
    await service.must('POST', '/api/backups', {});
    expect(await isUnderWay()).toEqual([expect.stringMatching(/^\.partial-/)]);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(readdirSync(directory)).toEqual([]);
    await service.start();
    await service.must('POST', '/api/backups', {});
    await isUnderWay();
    await service.kill();
    await service.start();
    expect(await complete(service)).toEqual([]);
    expect(await ready(service)).toMatchObject({ status: 'ok' });
    expect(await millrace(['backup'], service)).toMatchObject({ code: 0 });
    expect(readdirSync(directory)).toHaveLength(1);
  });

  test('keeps the token of the folder, and a backup is no place to start in', { timeout: 60_000 }, async () => {
    const service = await startService({ MILLRACE_ADMIN_TOKEN: null });
    const token = readFileSync(service.file('admin-token'), 'utf8');
    await service.stop();
    expect((await millrace(['backup', directory, '--data-dir', service.dataDir])).code).toBe(0);
    const path = join(directory, readdirSync(directory)[0] ?? '');
    expect(readFileSync(join(path, 'admin-token'), 'utf8')).toBe(token);
    expect(statSync(join(path, 'admin-token')).mode & 0o777).toBe(0o600);
    const start = await millrace(['start', '--port', '0', '--data-dir', path]);
    expect(start).toMatchObject({ code: 1, err: expect.stringContaining('is a backup') });
  });

  test('a directory inside the data folder is refused by the command and by a start', async () => {
    const service = await startService();
    await service.stop();
    const inside = join(service.dataDir, 'backups');
    const refused = { code: 1, err: expect.stringContaining('is inside the data folder') };
    expect(await millrace(['backup', inside, '--data-dir', service.dataDir])).toMatchObject(refused);
    const start = ['start', '--port', '0', '--data-dir', service.dataDir, '--backup-dir', inside];
    expect(await millrace(start)).toMatchObject(refused);
  });

  test('says what it will not do, with the exit code of a command that did not try', async () => {
    const target = join(folder, 'there');
    mkdirSync(join(target, 'something'), { recursive: true });
    const none = await millrace(['restore', folder, '--data-dir', target]);
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('is no backup') });
    const missing = await millrace(['backup', directory, '--data-dir', join(folder, 'nowhere')]);
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('there is no data folder') });
  });
});

/** Resolves when so many calls got their 200. */
async function loaded(load: Load, events: number): Promise<void> {
  await eventually(
    () => load.accepted.size,
    (accepted) => accepted >= events,
    60_000,
  );
}
