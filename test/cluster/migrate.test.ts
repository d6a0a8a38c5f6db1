import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import type {
  Audience,
  Members,
  Page,
  Regulation,
  RegulationDetails,
  RejectionGroup,
  Source,
} from '../../packages/server/src/admin/contract.ts';
import { migrate as prepareSchema } from '../../packages/server/src/stores/postgres/migrations.ts';
import { BIN } from '../cli/command.ts';
import { addUp } from '../system/kit/admin.ts';
import { eventually } from '../system/kit/eventually.ts';
import { processStarted } from '../system/kit/leaks.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import { Service, type Settings, startService } from '../system/kit/service.ts';
import { type ClusterServers, sharedServers } from './cluster.ts';
import { needNats } from './nats.ts';

const nats = await needNats();

/** Events that fill several steps of a move. */
const MANY = 10_000;

/** Steps that it is killed in: the second of the log twice. */
const KILLS = [
  ...['^.log. .*"through":4096', '^.log. .*"through":8192', '^.log. .*"through":8192', '^sources', '^subjects'],
  ...['^traits', '^decisions', '^told', '^takenIn', '^.finished.'],
];

/** Those stopped in a step. */
const WHO_WAITS = `FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `millrace migrate` on the way. */
function migrate(dataDir: string, ground: Settings): { readonly ended: Promise<Ended>; kill(): void } {
  const env = Object.fromEntries(
    Object.entries({ PATH: process.env['PATH'] ?? '', ...ground, MILLRACE_DATA_DIR: dataDir }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    ),
  );
  const child = spawn(process.execPath, [BIN, 'migrate'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid !== undefined) processStarted(child.pid);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { ended, kill: () => child.kill('SIGKILL') };
}

/** Kills moves into one database in the middle of a step, where everything but its commit has happened. */
class Killer {
  readonly #ground: Settings;
  readonly #database: pg.Client;

  private constructor(ground: Settings, database: pg.Client) {
    this.#ground = ground;
    this.#database = database;
  }

  static async open(ground: Settings): Promise<Killer> {
    const url = ground['MILLRACE_DATABASE_URL'] ?? '';
    await prepareSchema(url);
    const database = new pg.Client(url);
    await database.connect();
    onTestFinished(() => database.end());
    await database.query(`CREATE TABLE public.stop (at text NOT NULL);
      CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM public.stop WHERE concat_ws(' ', NEW.part, NEW.place) ~ at) THEN
          PERFORM pg_advisory_xact_lock(42);
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER wait BEFORE INSERT OR UPDATE ON millrace.arrival FOR EACH ROW EXECUTE FUNCTION public.wait();
      SELECT pg_advisory_lock(42)`);
    return new Killer(ground, database);
  }

  /** Moves the folder until it notes a step as it is described, with how far that came. */
  async killAt(dataDir: string, step: string): Promise<void> {
    await this.#database.query('INSERT INTO public.stop VALUES ($1)', [step]);
    const { ended, kill } = migrate(dataDir, this.#ground);
    await Promise.race([
      this.#whoWaits((count) => count > 0),
      ended.then(({ stderr }) => Promise.reject(new Error(`it ended before ${step}: ${stderr}`))),
    ]);
    kill();
    await ended;
    // What waits for a lock does not see that its client is gone.
    await this.#database.query(`SELECT pg_terminate_backend(pid) ${WHO_WAITS}`);
    await this.#whoWaits((count) => count === 0);
    await this.#database.query('TRUNCATE public.stop');
  }

  async #whoWaits(holds: (count: number) => boolean): Promise<void> {
    await eventually(async () => (await this.#database.query(`SELECT ${WHO_WAITS}`)).rows.length, holds);
  }
}

function filesOf(dataDir: string): Map<string, string> {
  const names = readdirSync(dataDir).filter((name) => /\.db(-wal)?$/.test(name));
  return new Map(names.map((name) => [name, readFileSync(join(dataDir, name)).toString('base64')]));
}

async function sendMany(service: Service, source: Source, prefix: string, count: number, userId = 'u1'): Promise<void> {
  for (let i = 0; i < count; i += 500) {
    const batch = Array.from({ length: Math.min(500, count - i) }, (_, n) => {
      return { type: 'track', event: 'Bulk', userId, messageId: `${prefix}${i + n}` };
    });
    const { status, text } = await service.send(source, 'batch', { batch });
    if (status !== 200) throw new Error(`${status} ${text}`);
  }
}

function idsOn(receiver: Receiver, path: string): string[] {
  return receiver.on(path).map(({ message }) => String(message['messageId']));
}

describe.skipIf(!nats)('millrace migrate', () => {
  const servers: ClusterServers = sharedServers();

  test('moves everything, killed at many moments; what was delivered is not sent again, and what waited arrives', {
    timeout: 180_000,
  }, async () => {
    const window = { MILLRACE_RETRY_WINDOW: '4h', MILLRACE_RETRY_BASE: '100ms', MILLRACE_RETRY_CAP: '1s' };
    const old = await startService({ ...window, MILLRACE_LOG_LEVEL: 'warn' }, { mayLogErrors: true });
    let up = false;
    const script = ({ path }: { path: string }): number => (path === '/dead' && !up ? 503 : 200);
    const receiver = await receive(script);
    const source = await old.source();
    const second = await old.source({ name: 'Second' });
    const well = await old.destination(source, receiver.url('/well'));
    const dead = await old.destination(source, receiver.url('/dead'), { name: 'Dead' });
    const told = await old.destination(source, receiver.url('/told'), { name: 'Told', sourceIds: [] });
    const other = await old.destination(second, receiver.url('/other'), { name: 'Other' });
    // Nothing was ever sent under it.
    const quiet = await old.source({ name: 'Quiet' });
    await old.destination(quiet, receiver.url('/quiet'), { name: 'Of the quiet one' });
    const audience = await old.must<Audience>('POST', '/api/audiences', {
      name: 'Buyers',
      key: 'buyers',
      definition: { event: { name: 'Bought' }, count: { atLeast: 1 } },
      destinationIds: [told.id],
    });
    for (const userId of ['ann', 'bob', 'gone']) await old.accept(source, { userId, event: 'Bought' });
    await receiver.waitFor(3, '/told');
    await sendMany(old, source, 'm', MANY);
    await sendMany(old, second, 's', 300);
    await old.settled(well, MANY + 3, 60_000);
    // One that begins in the middle of what becomes a batch.
    const newcomer = await old.destination(second, receiver.url('/newcomer'), { name: 'Newcomer' });
    await sendMany(old, second, 'late', 5, 'late');
    await old.settled(other, 305);
    await old.settled(newcomer, 5);
    await eventually(
      async () => (await old.counts(dead)).retrying,
      (retrying) => retrying > 0,
    );
    const joined = (await membersOf(old, audience)).filter(({ userId }) => userId !== 'gone');
    // One that is deleted altogether, one whose notice waits for the dead destination.
    const regulation = await old.must<Regulation>('POST', '/api/regulations', {
      ...{ regulationType: 'SUPPRESS_WITH_DELETE', subjectType: 'USER_ID', subjectIds: ['gone'] },
    });
    await eventually(
      () => old.must<RegulationDetails>('GET', `/api/regulations/${regulation.id}`),
      ({ step }) => step === 'delivering',
    );
    // With the notice of the deletion.
    const before = { well: addUp(await old.settled(well, MANY + 4)), dead: addUp(await old.counts(dead)) };
    expect(before.dead.waiting).toBeGreaterThan(0);
    await eventually(
      () => old.must<{ outbox: number; lag: number }>('GET', '/api/profiles/status'),
      ({ outbox, lag }) => outbox + lag === 0,
    );
    const last = await old.must<Regulation>('POST', '/api/regulations', {
      ...{ regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['late'] },
    });
    await old.must('PATCH', '/api/alerts', { rules: { waiting: { above: 7 } } });
    expect((await old.send(source, 'track', { userId: 'refused \0' })).status).toBe(400);
    const refused = await old.must<Page<RejectionGroup>>('GET', '/api/rejections');
    expect(refused.items).toMatchObject([{ code: 'event_required', count: 1 }]);
    await old.kill();

    const ground = { ...(await servers.ground()), MILLRACE_NATS_STREAMS: '2' };
    const files = filesOf(old.dataDir);
    const killer = await Killer.open(ground);
    for (const step of KILLS) await killer.killAt(old.dataDir, step);
    expect(await migrate(old.dataDir, ground).ended).toMatchObject({
      ...{ code: 0, stdout: expect.stringContaining('Start the nodes now') },
    });
    expect(filesOf(old.dataDir)).toEqual(files);
    expect((await migrate(old.dataDir, ground).ended).stdout).toContain('moved before');

    const sent = { well: receiver.on('/well').length, told: receiver.on('/told').length };
    const settings = { ...ground, ...window, MILLRACE_LOG_LEVEL: 'warn' };
    const [one, two] = [new Service(settings), new Service(settings)];
    for (const node of [one, two]) onTestFinished(() => node.close());
    await Promise.all([one.start(), two.start()]);
    expect(addUp(await one.counts(well))).toEqual(before.well);
    expect(await two.counts(dead)).toMatchObject({ accepted: before.dead.accepted });
    expect(await two.must('GET', '/api/alerts')).toMatchObject({ rules: { waiting: { above: 7 } }, revision: 2 });
    expect(await one.must('GET', '/api/rejections')).toEqual(refused);
    await one.send(source, 'track', { userId: 'refused again' });
    expect(await one.must('GET', '/api/rejections')).toMatchObject({ items: [{ count: 2 }] });
    // A late duplicate is one still.
    await two.accept(source, { messageId: 'm1', userId: 'u1' });
    expect((await two.counts(well)).accepted).toBe(before.well.accepted);
    up = true;
    expect(await two.settled(dead, before.dead.accepted, 60_000)).toMatchObject({
      filtered: before.dead.filtered,
      processed: before.dead.accepted - before.dead.filtered,
    });
    const arrived = new Set(idsOn(receiver, '/dead'));
    expect(Array.from({ length: MANY }, (_, i) => `m${i}`).filter((id) => !arrived.has(id))).toEqual([]);
    // The deletion comes to its end: the notice that waited was among those.
    const details = await eventually(
      () => one.must<RegulationDetails>('GET', `/api/regulations/${regulation.id}`),
      ({ status }) => status === 'finished',
    );
    // Under two sources: the call, and what the audience told.
    expect(details).toMatchObject({ notices: { total: 2, ended: 2, failed: 0 }, events: { found: 2, removed: 2 } });
    // The one that was asked for last was cut off anywhere.
    await eventually(
      () => one.must<RegulationDetails>('GET', `/api/regulations/${last.id}`),
      ({ status, events }) => status === 'finished' && events.found === 5 && events.removed === 5,
    );
    expect((await one.send(source, 'track', { event: 'Bought', userId: 'gone' })).status).toBe(200);
    // What was delivered, was searched for and is known of people is there.
    expect((await one.trace('m7', source)).lanes.map(({ state }) => state)).toEqual(['processed', 'processed']);
    const found = await two.deliveries({ destinationId: well.id, event: 'Bulk', userId: 'u1', limit: '2' });
    expect(found.items).toMatchObject(Array(2).fill({ state: 'processed', attempts: [{ status: 200 }] }));
    const members = await membersOf(one, audience);
    expect(members.map(({ userId }) => userId).sort()).toEqual(['ann', 'bob']);
    expect(members).toEqual(joined);
    await one.accept(source, { userId: 'ann', event: 'Bought' });
    await one.accept(source, { userId: 'cat', event: 'Bought' });
    await receiver.waitFor(sent.told + 1, '/told');
    expect(
      receiver
        .on('/told')
        .slice(sent.told)
        .map(({ message }) => message['userId']),
    ).toEqual(['cat']);
    // To the one that worked: what is new, and nothing that it had.
    await two.settled(well, before.well.accepted + 2);
    expect(receiver.on('/well')).toHaveLength(sent.well + 2);
    const tracks = (path: string) => receiver.on(path).filter(({ message }) => message['type'] === 'track');
    expect(tracks('/other')).toHaveLength(305);
    // To the one that came late, what came after it.
    await two.accept(second, { event: 'Bulk', messageId: 'last' });
    await receiver.until(() => idsOn(receiver, '/newcomer').includes('last'));
    await eventually(
      async () => addUp(await two.counts(newcomer)),
      ({ waiting }) => waiting === 0,
    );
    expect(tracks('/newcomer').map(({ message }) => message['messageId'])).toEqual([
      ...Array.from({ length: 5 }, (_, i) => `late${i}`),
      'last',
    ]);
    await one.accept(quiet, { event: 'First', messageId: 'first' });
    await receiver.until(() => idsOn(receiver, '/quiet').includes('first'));
  });

  test('refuses a folder that is in use, a target that is, and a folder that changed meanwhile', {
    timeout: 90_000,
  }, async () => {
    const old = await startService();
    const source = await old.source();
    await old.accept(source);
    const ground = await servers.ground();
    expect(await migrate(old.dataDir, ground).ended).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('is in use by another Millrace process: stop the service first') },
    });
    await old.stop();
    expect(await migrate(join(old.dataDir, 'nothing'), ground).ended).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('There is nothing to move') },
    });
    expect(await migrate(old.dataDir, {}).ended).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('MILLRACE_NATS_URL') },
    });

    const node = new Service(ground);
    onTestFinished(() => node.close());
    for (const use of [async () => undefined, async () => void (await node.accept(await node.source()))]) {
      await node.start();
      await use();
      await node.stop();
      expect(await migrate(old.dataDir, ground).ended).toMatchObject({
        ...{ code: 1, stderr: expect.stringContaining('The database is in use') },
      });
    }
    const stream = { ...ground, MILLRACE_DATABASE_URL: await servers.servers.postgres.createDatabase() };
    expect(await migrate(old.dataDir, stream).ended).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('millrace-events-0 has events already') },
    });

    const target = await servers.ground();
    const [file = ''] = readdirSync(old.dataDir).filter((each) => /^events-.*[.]db$/.test(each));
    renameSync(join(old.dataDir, file), join(old.dataDir, `_${file}`));
    expect(await migrate(old.dataDir, target).ended).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining(`is not whole: ${file} is missing`) },
    });
    renameSync(join(old.dataDir, `_${file}`), join(old.dataDir, file));
    // The service was started again on a folder whose move was begun.
    await (await Killer.open(target)).killAt(old.dataDir, '^words');
    const [name = ''] = readdirSync(old.dataDir).filter((each) => each.startsWith('events-'));
    utimesSync(join(old.dataDir, name), new Date(), new Date());
    expect(await migrate(old.dataDir, target).ended).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('before it was used again') },
    });
  });

  test('refuses a folder of another version, and nodes refuse a target that is not complete', {
    timeout: 90_000,
  }, async () => {
    const old = await startService();
    await old.accept(await old.source());
    await old.stop();
    const ground = await servers.ground();
    const change = (sql: string): void => {
      const db = new DatabaseSync(old.file('millrace.db'));
      db.exec(sql);
      db.close();
    };
    change('ALTER TABLE lanes ADD COLUMN novelty TEXT');
    expect((await migrate(old.dataDir, ground).ended).stderr).toContain('made by a newer version');
    change('ALTER TABLE lanes DROP COLUMN novelty; ALTER TABLE suppressions DROP COLUMN since');
    expect((await migrate(old.dataDir, ground).ended).stderr).toContain('made by an older version');
    change('ALTER TABLE suppressions ADD COLUMN since INTEGER NOT NULL DEFAULT 0');

    await (await Killer.open(ground)).killAt(old.dataDir, '^words');
    const node = new Service(ground, { mayLogErrors: true });
    onTestFinished(() => node.close());
    await expect(node.start()).rejects.toThrow('A move of a data folder into it was begun and is not finished');
    expect((await migrate(old.dataDir, ground).ended).code).toBe(0);
    await node.start();
    expect((await node.must<Page<Source>>('GET', '/api/sources')).items).toHaveLength(1);
  });
});

async function membersOf(of: Service, { id }: Audience): Promise<Members['items']> {
  return (await of.must<Members>('GET', `/api/audiences/${id}/members`)).items;
}
