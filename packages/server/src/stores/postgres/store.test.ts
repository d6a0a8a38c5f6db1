import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connected, isGiven } from '../../../../../test/cluster/postgres.ts';
import { sharedPostgres } from '../../../../../test/cluster/shared-postgres.ts';
import { startTcpProxy } from '../../../../../test/cluster/tcp-proxy.ts';
import { HandClock } from '../../../../../test/hand-clock.ts';
import { eventually } from '../../../../../test/system/kit/eventually.ts';
import { listAll, resultOf } from '../../record/conformance.ts';
import { CRM, SHOP } from '../../settings/conformance.ts';
import { Settings } from '../../settings/settings.ts';
import { openSession } from './database.ts';
import { migrate } from './migrations.ts';
import { STEPS } from './schema.ts';
import { entriesAt, openNode, type TestNode } from './test-node.ts';

const postgres = await sharedPostgres();
let url: string;
let opened: TestNode[] = [];

beforeEach(async () => {
  url = await postgres.createDatabase();
});
afterEach(async () => {
  await Promise.all(opened.map(({ store }) => store.close()));
  opened = [];
});

async function open(...args: Parameters<typeof openNode>): Promise<TestNode> {
  const node = await openNode(...args);
  opened.push(node);
  return node;
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  await using client = await connected(url);
  return (await client.query(sql)).rows;
}

test.each(['prefer', 'require', 'verify-ca'])(
  'sslmode=%s writes no warning among the lines of the log',
  async (mode) => {
    const warned = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => warned.mockRestore());
    await expect(openSession(`postgres://millrace@127.0.0.1:1/millrace?sslmode=${mode}`)).rejects.toThrow(
      'ECONNREFUSED',
    );
    expect(warned).not.toHaveBeenCalled();
  },
);

describe('migrations', () => {
  test('are taken once, however many nodes start', async () => {
    await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(await query('SELECT step FROM millrace.migrations')).toEqual(STEPS.map((_, i) => ({ step: i + 1 })));
  });

  test('are taken whole or not at all, and go on where they stopped', async () => {
    const broken = ['CREATE TABLE a (x int)', 'CREATE TABLE b (x int); SELECT no_such_thing'];
    await expect(migrate(url, broken)).rejects.toThrow('no_such_thing');
    expect(await query("SELECT to_regclass('millrace.a') AS a")).toEqual([{ a: null }]);
    await migrate(url, broken.slice(0, 1));
    await migrate(url, [broken[0] ?? '', 'CREATE TABLE b (x int)']);
    expect(await query('SELECT max(step) AS step FROM millrace.migrations')).toEqual([{ step: 2 }]);
  });

  test('find where people/ has come to by the lanes that an earlier version read', async () => {
    await migrate(
      url,
      STEPS.slice(
        0,
        STEPS.findIndex((step) => step.includes("'shard '")),
      ),
    );
    const first = 2 ** 49;
    await query(`SET search_path TO millrace;
      INSERT INTO names (name) VALUES ('people'), ('a'), ('b'), ('c'), ('d');
      INSERT INTO shards VALUES (0, 900), (1, ${first} + 90), (2, ${2 * first} + 7);
      INSERT INTO partitions (begins, ends) VALUES (0, 1000);
      CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM (0) TO (1000);
      INSERT INTO lanes (source, destination, after, until, settled_through) VALUES
        (2, 1, 0, NULL, 0), (3, 1, 0, NULL, 0), (4, 1, ${first}, ${first} + 50, 0), (2, 5, 0, NULL, 0);
      INSERT INTO profile_sources VALUES ('a', 100), ('b', 20);
      INSERT INTO events (position, received_at, source, type, message_id) SELECT p, 1, s, 0, 'm' FROM (VALUES
        (100, 2), (20, 3), (300, 3), (${first} + 60, 4)) e(p, s)`);
    await migrate(url);
    const kept = await query(
      `SELECT id, position::float8 AS position FROM millrace.profile_sources WHERE id LIKE 'shard %' ORDER BY id`,
    );
    expect(kept).toEqual([
      { id: 'shard 0', position: 299 },
      { id: 'shard 1', position: first + 90 },
      { id: 'shard 2', position: 2 * first + 7 },
    ]);
  });

  test('of a newer version are left as they are', async () => {
    await migrate(url);
    await query('INSERT INTO millrace.migrations VALUES (1000, now())');
    const { store } = await open(url);
    expect(await store.settings.load()).toEqual({ sources: [], destinations: [] });
  });

  test.each([
    [
      'a wrong password',
      (given: URL) => Object.assign(given, { password: 'wrong' }),
      /refuses the user or the password/,
    ],
    [
      'no password',
      (given: URL) => Object.assign(given, { password: '' }),
      /asks for a password, and the URL has none/,
    ],
    [
      'an unknown database',
      (given: URL) => Object.assign(given, { pathname: '/missing' }),
      /no such database.*create it/,
    ],
    [
      'an unknown host',
      (given: URL) => Object.assign(given, { hostname: 'postgres.invalid' }),
      /\((.*ENOTFOUND|.*EAI_AGAIN).*check the host and the port/,
    ],
    [
      'a port where nothing listens',
      (given: URL) => Object.assign(given, { host: '127.0.0.1:1' }),
      /ECONNREFUSED.*check the host and the port/,
    ],
    [
      'a password among the parameters',
      (given: URL) => Object.assign(given, { host: '127.0.0.1:1', search: `?password=${given.password}` }),
      /The database at 127\.0\.0\.1:1\/\w+ can't be used/,
    ],
  ])('say what to do about %s, without the password', async (_, change, words) => {
    const wrong = change(new URL(url));
    const failure = await migrate(wrong.href).catch((error: unknown) => String(error));
    expect(failure).toMatch(words);
    if (wrong.password !== '') expect(failure).not.toContain(wrong.password);
  });

  test.skipIf(isGiven)('say that a server is too old', async () => {
    const [{ version } = {}] = await query("SELECT current_setting('server_version_num') AS version");
    const old = createServer((socket) => {
      const server = connect(Number(new URL(url).port), '127.0.0.1');
      socket.pipe(server).on('data', (bytes: Buffer) => {
        socket.write(Buffer.from(bytes.toString('latin1').replaceAll(String(version), '120022'), 'latin1'));
      });
      socket.on('close', () => server.destroy());
    }).listen(0, '127.0.0.1');
    await once(old, 'listening');
    const { port } = old.address() as AddressInfo;
    const failure = migrate(Object.assign(new URL(url), { port: String(port) }).href);
    await expect(failure).rejects.toThrow(/It is too old: PostgreSQL 13 or newer is needed\./);
    await once(old.close(), 'close');
  });

  test('say what a user without rights lacks', async () => {
    const name = new URL(url).pathname.slice(1);
    await query(`CREATE ROLE guest_of_${name} LOGIN PASSWORD 'guest'`);
    const guest = Object.assign(new URL(url), { username: `guest_of_${name}`, password: 'guest' });
    await expect(migrate(guest.href)).rejects.toThrow(/GRANT CREATE ON DATABASE/);
    await query(`DROP ROLE guest_of_${name}`);
  });
});

test('the oldest that waits is found behind thousands that do not, and looked for from there the next time', async () => {
  const entries = entriesAt(Array.from({ length: 6_000 }, (_, i) => i + 1));
  const { store, deliveries } = await open(url, entries);
  const lane = await store.index.openLane('s', 'd', 0);
  await store.index.add(0, entries, 6_000, []);
  const waits = entries[5_000];
  await deliveries.settle(entries.filter((entry) => entry !== waits).map((entry) => resultOf(lane, entry)));
  expect(await deliveries.oldestWaiting(['d'])).toEqual(new Map([['d', waits?.receivedAt]]));
  // These are not looked at again.
  await query('DELETE FROM millrace.deliveries WHERE position <= 4000');
  expect(await deliveries.oldestWaiting(['d'])).toEqual(new Map([['d', waits?.receivedAt]]));
});

test.skipIf(isGiven)('while the database is away calls are refused in time, and go on by themselves', async () => {
  const entries = entriesAt([1, 2]);
  const { store, deliveries } = await open(url, entries);
  const lane = await store.index.openLane('s', 'd', 0);
  await store.index.add(0, entries, 2, []);
  const [first, second] = entries.map((entry) => resultOf(lane, entry));
  if (!first || !second) throw new Error('There are two.');
  await deliveries.settle([first]);
  await postgres.kill();
  const refusal = { name: 'Fault', code: 'storage_unavailable' };
  await expect(deliveries.settle([second])).rejects.toMatchObject(refusal);
  await expect(store.index.add(0, entriesAt([3]), 3, [])).rejects.toMatchObject(refusal);
  await expect(store.settings.load()).rejects.toMatchObject(refusal);
  expect(store.trouble()).toMatch(/does not answer/);
  await postgres.start();
  await eventually(
    () =>
      deliveries.settle([second]).then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  await store.settings.load();
  await store.index.add(0, entriesAt([3]), 3, []);
  await eventually(
    () => store.trouble(),
    (trouble) => trouble === null,
  );
  expect(await deliveries.counts(['d'])).toMatchObject([{ counts: { accepted: 3, processed: 2, waiting: 1 } }]);
});

test.skipIf(isGiven)('a database that takes no writes is in trouble, though it answers what is read', async () => {
  const { store, deliveries } = await openNode(url, [], { lease: 600 });
  await using client = await connected(url);
  const readOnly = async (is: 'on' | 'off'): Promise<void> => {
    const name = new URL(url).pathname.slice(1);
    await client.query(`SET default_transaction_read_only = off`);
    await client.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = ${is}`);
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  };
  await readOnly('on');
  const trouble = await eventually(
    async () => {
      await deliveries.due(1).catch(() => undefined);
      return store.trouble();
    },
    (words) => words?.includes('read-only') === true,
  );
  // It does answer.
  expect(trouble).toMatch(/^PostgreSQL answers with an error: .*read-only/);
  await deliveries.due(1);
  expect(store.trouble()).toBe(trouble);
  await readOnly('off');
  await eventually(
    () => store.trouble(),
    (words) => words === null,
  );
  await store.close();
});

test.skipIf(isGiven)(
  'a database that refuses new connections is in trouble, and no statement is to blame',
  async () => {
    const { store, deliveries } = await open(url, [], { lease: 600 });
    await using client = await connected(Object.assign(new URL(url), { pathname: '/postgres' }).href);
    const name = new URL(url).pathname.slice(1);
    await client.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    const failure = await eventually(
      () => deliveries.due(1).catch((error: Error) => error),
      (error) => error instanceof Error && error.message.includes('not currently accepting'),
    );
    expect(failure).toMatchObject({ code: 'storage_unavailable' });
    expect(store.trouble()).toMatch(/^PostgreSQL answers with an error: .*not currently accepting/);
    await client.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
    await eventually(
      () => store.trouble(),
      (words) => words === null,
    );
  },
);

test.skipIf(isGiven)('a link that swallows everything ends calls and leadership in time, and closing too', async () => {
  const proxy = await startTcpProxy(Number(new URL(url).port));
  const through = Object.assign(new URL(url), { port: String(proxy.port) });
  const { store, deliveries } = await openNode(through.href, [], { deadline: 300 });
  let leading = false;
  store.lead('work', async (signal) => {
    leading = true;
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    leading = false;
  });
  await eventually(() => leading, Boolean);
  proxy.block();
  const entries = entriesAt([1]);
  const calls = [
    () => store.settings.load(),
    () => store.index.add(0, entries, 1, []),
    () => deliveries.counts(['d']),
    () => deliveries.claimDue('d', 1, 1),
  ];
  const refused = await Promise.all(calls.map((call) => call().catch((error: unknown) => error)));
  for (const error of refused) expect(error).toMatchObject({ name: 'Fault', code: 'storage_unavailable' });
  await eventually(
    () => leading,
    (now) => !now,
  );
  proxy.unblock();
  proxy.cut();
  await eventually(() => leading, Boolean);
  await store.index.add(0, entries, 1, []);
  expect(await store.index.through(0)).toBe(1);
  await eventually(
    () => store.trouble(),
    (trouble) => trouble === null,
  );
  proxy.block();
  await store.close();
  await proxy.close();
});

test('of two nodes that delete one version of a source or destination at once, one does, and for the other one it is gone', async () => {
  // Neither hears of what the other one does.
  const settings = async (): Promise<Settings> =>
    new Settings((await open(url)).store.settings, { openLane: async () => undefined }, new HandClock());
  const [one, two] = [await settings(), await settings()];
  for (const expects of [undefined, (revision: number) => revision === 1, () => true]) {
    await one.putSource({ ...SHOP, id: 'a' });
    await one.putDestination({ ...CRM, sourceIds: ['a'] });
    await two.load();
    for (const name of ['deleteDestination', 'deleteSource'] as const) {
      const remove = (of: Settings): Promise<void> => of[name](name === 'deleteSource' ? 'a' : CRM.id, expects);
      await remove(one);
      expect(await remove(two).catch(({ code }) => code)).toBe(expects && 'not_found');
    }
  }
});

test('statistics that are too old go, however many they are', async () => {
  const { store } = await open(url);
  await query(`INSERT INTO millrace.stats SELECT subject, 60000, at * 60000, 1, 0, 0, 0, 0, 0, '{}'
    FROM generate_series(1, 25) subject, generate_series(441, 1440) at`);
  await store.retention.expire(1_440 * 60_000);
  expect(await query('SELECT at / 60000 AS minute, count(*)::int AS rows FROM millrace.stats GROUP BY at')).toEqual([
    { minute: '1440', rows: 25 },
  ]);
});

describe('partitions', () => {
  const DAY = 86_400_000;
  const now = 20_000 * DAY;
  const settle = async ({ store, deliveries }: TestNode, position: number, receivedAt: number): Promise<void> => {
    const entries = entriesAt([position], 's', receivedAt);
    const lane = await store.index.openLane('s', 'd', 0);
    await store.index.add(0, entries, position, []);
    await deliveries.settle(entries.map((entry) => resultOf(lane, entry)));
  };

  test('of different lengths fit together', async () => {
    const [days, hours] = [await open(url), await open(url, [], { partitionLength: DAY / 24 })];
    await settle(hours, 1, now + 5 * 3_600_000);
    await settle(days, 2, now + 1);
    await settle(days, 3, now + DAY - 1);
    await settle(hours, 4, now + 7 * 3_600_000);
    const bounds = await query('SELECT begins::float8, ends::float8 FROM millrace.partitions ORDER BY begins');
    expect(
      bounds.map(({ begins, ends }) => [Number(begins) - now, Number(ends) - now].map((ms) => ms / 3_600_000)),
    ).toEqual([
      [0, 5],
      [5, 6],
      [6, 24],
    ]);
    expect((await listAll(days.deliveries)).map(({ position }) => position)).toEqual([3, 4, 1, 2]);
  });

  test('that others read for long are left, and everything else that is over goes', async () => {
    const node = await open(url);
    for (const day of [0, 1]) await settle(node, day + 1, now + day * DAY);
    await query(`INSERT INTO millrace.stats VALUES (1, 60000, ${now}, 1, 0, 0, 0, 0, 0, '{}')`);
    await using reading = await connected(url);
    const [first] = await query('SELECT number FROM millrace.partitions ORDER BY begins LIMIT 1');
    await reading.query('BEGIN');
    await reading.query(`SELECT FROM millrace.events_${String(first?.['number'])}`);
    await expect(node.store.retention.expire(now + 5 * DAY)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect((await listAll(node.deliveries)).map(({ position }) => position)).toEqual([1]);
    expect(await query('SELECT FROM millrace.stats')).toEqual([]);
    await reading.query('COMMIT');
    expect(await node.store.retention.expire(now + 5 * DAY)).toBe(1);
  });

  test('that another node dropped are made again', async () => {
    const [one, other] = [await open(url), await open(url)];
    await settle(one, 1, now);
    await settle(other, 2, now + 1);
    expect(await one.store.retention.expire(now + 3 * DAY)).toBe(1);
    await settle(other, 3, now + 2);
    expect((await listAll(one.deliveries)).map(({ position }) => position)).toEqual([3]);
    expect(await one.deliveries.counts(['d'])).toMatchObject([{ counts: { accepted: 3, processed: 3, waiting: 0 } }]);
  });

  test.each<[string, string, (node: TestNode) => Promise<unknown>]>([
    [
      'a message of theirs is put back into a retry queue',
      'lane_counts',
      ({ deliveries }) => deliveries.requeue('d', [{ position: 1, dueAt: 1 }], 'r'),
    ],
    ['an event comes to them', 'sources', ({ store }) => store.index.add(0, entriesAt([2], 's', now), 2, [])],
  ])('stay when %s while they are dropped', async (_, lockedLast, come) => {
    const node = await open(url);
    await settle(node, 1, now);
    await using admin = await connected(url);
    const waiting = (count: number): Promise<unknown> =>
      eventually(
        () => query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`),
        ({ length }) => length === count,
      );
    await admin.query('BEGIN');
    await admin.query(`SELECT FROM millrace.${lockedLast} FOR UPDATE`);
    const coming = come(node);
    await waiting(1);
    // On a slow machine it may have waited as long as it does, which leaves them too.
    const expiring = node.store.retention.expire(now + 3 * DAY).catch(() => 0);
    await waiting(2);
    await admin.query('COMMIT');
    await coming;
    expect(await expiring).toBe(0);
    expect(await node.store.retention.expire(now + 3 * DAY)).toBe(0);
    expect(await node.deliveries.oldestWaiting(['d'])).toEqual(new Map([['d', now]]));
    expect(await node.deliveries.counts(['d'])).toMatchObject([{ counts: { waiting: 1 } }]);
  });
});
