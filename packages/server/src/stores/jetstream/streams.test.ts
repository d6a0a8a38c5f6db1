import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { type JetStreamManager, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterEach, describe, expect, test } from 'vitest';
import { type Nats, type NatsOptions, needNats, startNats } from '../../../../../test/cluster/nats.ts';
import { sharedPostgres } from '../../../../../test/cluster/shared-postgres.ts';
import { systemClock } from '../../core/clock.ts';
import { sampleEvent, scanned } from '../../log/conformance.ts';
import { openPostgresStore, type PostgresStore } from '../postgres/store.ts';
import type { JetStreamEventLog } from './event-log.ts';
import { apiCode, STREAM_NOT_FOUND } from './failure.ts';
import { Link } from './link.ts';
import { Names } from './names.ts';
import { type JetStreamLogOptions, openJetStreamLog } from './store.ts';
import { prepareStreams } from './streams.ts';

const nats = await needNats();
const DAY = 24 * 60 * 60 * 1000;

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let close = opened.pop(); close; close = opened.pop()) await close();
});

async function start(options?: NatsOptions): Promise<Nats> {
  const server = await startNats(options);
  opened.push(() => server.stop());
  return server;
}

const postgres = await sharedPostgres();

async function openStore(url: string): Promise<PostgresStore> {
  const store = await openPostgresStore({ url, clock: systemClock, failed: () => undefined });
  opened.push(() => store.close());
  return store;
}

/** Opens a log, beside a database of its own unless one is given, and closes it after the test. */
async function open(
  url: string,
  options: Partial<JetStreamLogOptions> = {},
  database?: string,
): Promise<JetStreamEventLog> {
  const store = await openStore(database ?? (await postgres.migratedDatabase()));
  const log = await openJetStreamLog({
    url,
    index: store.index,
    clock: systemClock,
    lead: store.leadIndex,
    shards: 1,
    replicas: null,
    retention: 7 * DAY,
    maxBytes: null,
    duplicateWindow: 120_000,
    report: () => undefined,
    ...options,
  });
  opened.push(() => log.close());
  return log;
}

async function clusterOf(database: string): Promise<string> {
  return (await openStore(database)).index.cluster();
}

async function connectTo(url: string): Promise<NatsConnection> {
  const nc = await connect({ servers: url });
  opened.push(() => nc.close());
  return nc;
}

async function manage(url: string): Promise<JetStreamManager> {
  return jetstreamManager(await connectTo(url));
}

describe('without a server that fits, a start fails and says why', () => {
  test('when no server answers', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await once(server.close(), 'close');
    await expect(open(`nats://127.0.0.1:${port}`)).rejects.toThrow(
      /No NATS server answers at 127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\)\. Check MILLRACE_NATS_URL/,
    );
  });

  test('when the host has no address', async () => {
    await expect(open('nats://nats.invalid:4222')).rejects.toThrow(
      /No NATS server answers at nats\.invalid:4222 \(.*(ENOTFOUND|EAI_AGAIN).*\)\. Check MILLRACE_NATS_URL/,
    );
  });

  test.each([
    ['speaks HTTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['says nothing', () => undefined],
    ['hangs up', (socket: Socket) => socket.destroy()],
  ])('when what is there is no NATS server: it %s', async (_, answer) => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => socket.destroy()));
      answer(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.push(() => {
      for (const socket of sockets) socket.destroy();
      return once(server.close(), 'close');
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await expect(open(`nats://127.0.0.1:${port}`)).rejects.toThrow(
      /No NATS server answers at 127\.0\.0\.1:\d+ \(.+\)\. Check MILLRACE_NATS_URL/,
    );
  });

  test.for(['http://127.0.0.1:4222', 'nats://', 'nats://me:secret@host:port'])('when the URL is %s', async (url) => {
    const opening = open(url);
    await expect(opening).rejects.toThrow("MILLRACE_NATS_URL has an address that can't be read");
    await expect(opening).rejects.not.toThrow('secret');
  });

  test('when the password in the URL is not encoded', async () => {
    const opening = open('nats://me:50%off@host');
    await expect(opening).rejects.toThrow('They must be URL-encoded: "%" is "%25" there');
    await expect(opening).rejects.not.toThrow('50%off');
  });

  test('when it is too old', async () => {
    const server = createServer((socket) => {
      socket.write('INFO {"server_id":"x","version":"2.8.4","headers":true,"max_payload":1048576,"proto":1}\r\n');
      socket.on('data', (chunk) => chunk.includes('PING') && socket.write('PONG\r\n'));
      socket.on('error', () => socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.push(() => once(server.close(), 'close'));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await expect(open(`nats://127.0.0.1:${port}`)).rejects.toThrow(
      'nats-server is 2.8.4; Millrace needs 2.9.3 or newer.',
    );
  });
});

describe.skipIf(!nats)('with a server, a start', () => {
  test('fails where JetStream is off', async () => {
    const { url } = await start({ jetstream: null });
    await expect(open(url)).rejects.toThrow('JetStream is off at this NATS server');
  });

  test('fails where JetStream is off for the account', async () => {
    const config =
      'accounts { A { users: [{ user: a, password: a }] }, J { jetstream: enabled, users: [{ user: j, password: j }] } }';
    const { servers } = await start({ config });
    const url = (user: string) => `nats://${user}:${user}@127.0.0.1:${servers[0]?.port}`;
    await expect(open(url('a'))).rejects.toThrow('JetStream is off at this NATS server, or for this account');
    await open(url('j'));
  });

  test('fails for a user that is refused', async () => {
    const { servers } = await start({ config: 'authorization { user: millrace, password: right }' });
    await expect(open(`nats://millrace:wrong@127.0.0.1:${servers[0]?.port}`)).rejects.toThrow(
      /refuses this user .* nats:\/\/user:password@host:4222/,
    );
    await expect(open(`nats://127.0.0.1:${servers[0]?.port}`)).rejects.toThrow('refuses this user');
    await open(`nats://millrace:right@127.0.0.1:${servers[0]?.port}`);
  });

  test('fails for a user that may not use JetStream', async () => {
    const config =
      'authorization { users: [{ user: m, password: m, permissions: { publish: ["millrace.>"], subscribe: ["_INBOX.>"] } }] }';
    const { servers } = await start({ config });
    await expect(open(`nats://m:m@127.0.0.1:${servers[0]?.port}`)).rejects.toThrow(
      'NATS does not let this user do what Millrace needs',
    );
  });

  test.each([
    ['write events', ['$JS.API.>', '$JS.ACK.>'], ['_INBOX.>']],
    ['acknowledge', ['$JS.API.>', 'millrace.>'], ['_INBOX.>']],
    ['hear answers', ['>'], ['millrace.>']],
  ])('fails for a user that may not %s', async (_, publish, subscribe) => {
    const permissions = JSON.stringify({ publish, subscribe });
    const { servers } = await start({
      config: `authorization { users: [{ user: m, password: m, permissions: ${permissions} }] }`,
    });
    await expect(open(`nats://m:m@127.0.0.1:${servers[0]?.port}`)).rejects.toThrow(
      /NATS does not let this user do what Millrace needs .*millrace\.>.*_INBOX\.>/,
    );
  });

  test('is content with what it asks for', async () => {
    const permissions = '{ publish: ["$JS.API.>", "$JS.ACK.>", "millrace.>"], subscribe: ["_INBOX.>"] }';
    const { servers } = await start({
      config: `authorization { users: [{ user: m, password: m, permissions: ${permissions} }] }`,
    });
    const log = await open(`nats://m:m@127.0.0.1:${servers[0]?.port}`);
    const lane = await log.openLane('s', 'd');
    await log.append([sampleEvent('s', 'a')]);
    const reader = log.read(lane.id);
    const entries = await reader.pull(1, AbortSignal.timeout(10_000));
    reader.ack(entries.map(({ position }) => position));
    expect((await log.scan(0, 10)).positions).toHaveLength(1);
  });

  test('fails where there is too little storage', async () => {
    const { url } = await start({ jetstream: 'max_file_store: 100MB' });
    await expect(open(url, { maxBytes: 1024 ** 3 })).rejects.toThrow(
      /NATS has too little storage for the stream millrace-events-0 of 1073741824 bytes .*max_file_store/,
    );
  });

  test('fails with more replicas than servers, and leaves a stream that is there as it is', async () => {
    const { url } = await start();
    const refused = /3 replicas are asked for, and this NATS server is in no cluster\. Set the number of replicas to 1/;
    await expect(open(url, { replicas: 3 })).rejects.toThrow(refused);
    const database = await postgres.migratedDatabase();
    await open(url, {}, database);
    await expect(open(url, { replicas: 3 }, database)).rejects.toThrow(refused);
    const { streams } = await manage(url);
    expect((await streams.info('millrace-events-0')).config.num_replicas).toBe(1);
  });

  test('makes the streams, and brings them in line with the settings', async () => {
    const { url } = await start();
    const database = await postgres.migratedDatabase();
    await open(url, { shards: 2, maxBytes: 100_000_000 }, database);
    const { streams } = await manage(url);
    const config = async (shard: number) => (await streams.info(`millrace-events-${shard}`)).config;
    expect(await config(1)).toMatchObject({
      subjects: ['millrace.events.1.*', 'millrace.duplicates.1.*'],
      storage: 'file',
      discard: 'new',
      num_replicas: 1,
      max_bytes: 100_000_000,
      max_age: 7 * DAY * 1e6,
      duplicate_window: 120e9,
      allow_direct: true,
    });
    await open(url, { shards: 2, retention: 2 * DAY, maxBytes: null, duplicateWindow: 60_000 }, database);
    expect(await config(0)).toMatchObject({ max_age: 2 * DAY * 1e6, max_bytes: -1, duplicate_window: 60e9 });
  });

  test('fails with another number of shards than before', async () => {
    const { url } = await start();
    const database = await postgres.migratedDatabase();
    await open(url, { shards: 2 }, database);
    for (const shards of [3, 1])
      await expect(open(url, { shards }, database)).rejects.toThrow('Set MILLRACE_NATS_STREAMS back');
  });

  test("fails where a stream of that name, or of its subjects, is somebody else's", async () => {
    const { url } = await start();
    const { streams } = await manage(url);
    await streams.add({ name: 'other-events-0', subjects: ['foreign'], storage: StorageType.Memory });
    await expect(open(url, { prefix: 'other' })).rejects.toThrow(
      /The stream other-events-0 exists with storage memory; Millrace needs file\. .*nats stream rm other-events-0/,
    );
    await streams.add({ name: 'everything', subjects: ['millrace.>'] });
    await expect(open(url)).rejects.toThrow('Another stream takes the subjects millrace.events.0.*');
  });

  test('fails beside the database of another cluster, and names both', async () => {
    const { url } = await start();
    const database = await postgres.migratedDatabase();
    await open(url, {}, database);
    const other = await postgres.migratedDatabase();
    const [is, must] = [await clusterOf(database), await clusterOf(other)];
    await expect(open(url, {}, other)).rejects.toThrow(
      `The stream millrace-events-0 is there already: of the cluster ${is}, and the database is that of ${must}. MILLRACE_NATS_URL and MILLRACE_DATABASE_URL must lead to`,
    );
    await expect(open(url, { shards: 2 }, other)).rejects.toThrow('of the cluster');
    await open(url, {}, database);
  });

  test('takes a stream of an earlier version, but not beside a database that was never used', async () => {
    const { url } = await start();
    const { streams } = await manage(url);
    const database = await postgres.migratedDatabase();
    const log = await open(url, {}, database);
    await log.append([sampleEvent('s', 'a')]);
    await log.totals();
    const description = 'Millrace events, of 1 shard';
    await streams.update('millrace-events-0', { description });
    await expect(open(url)).rejects.toThrow(
      'The stream millrace-events-0 has events already, and the database is new: they are of a cluster with another database.',
    );
    await open(url, { duplicateWindow: 60_000 }, database);
    // Nodes of that version, which may run yet, refuse any other.
    expect((await streams.info('millrace-events-0')).config).toMatchObject({ description, duplicate_window: 60e9 });
  });

  test('fails at other servers than those whose streams another node reads', async () => {
    const [{ url }, wrong] = [await start(), await start()];
    const database = await postgres.migratedDatabase();
    const reports: string[] = [];
    const report = (error: unknown): unknown => reports.push((error as Error).message);
    const log = await open(url, {}, database);
    for (const id of ['a', 'b']) await log.append([sampleEvent('s', id)]);
    await log.totals();
    await expect(open(wrong.url, { report }, database)).rejects.toThrow(
      /NATS at 127\.0\.0\.1:\d+ has no stream millrace-events-0, and another node of the same database reads/,
    );
    const { streams } = await manage(wrong.url);
    expect(await streams.info('millrace-events-0').catch(apiCode)).toBe(STREAM_NOT_FOUND);
    const { config } = await (await manage(url)).streams.info('millrace-events-0');
    await streams.add(config);
    await expect(open(wrong.url, { report }, database)).rejects.toThrow(
      /NATS at 127\.0\.0\.1:\d+ has the stream millrace-events-0 up to 0, the database knows it up to 2, and another/,
    );
    expect(reports).toEqual([]);
    await log.close();
    await open(wrong.url, { report }, database);
    expect(reports).toEqual([expect.stringContaining('ended 2 batches before what the database knows')]);
  });

  test('waits for a node that leads for a moment yet, where NATS has just lost what both had', async () => {
    const { url } = await start();
    const database = await postgres.migratedDatabase();
    const before = await open(url, {}, database);
    await before.append([sampleEvent('s', 'a')]);
    await before.totals();
    await before.close();
    await (await manage(url)).streams.delete('millrace-events-0');
    const { index } = await openStore(database);
    // At the stream that is missing, and at the end of the one that is made.
    const leads = [false, true, true, false, true, true];
    index.isFilledElsewhere = async () => leads.pop() ?? false;
    const reports: string[] = [];
    const report = (error: unknown): unknown => reports.push((error as Error).message);
    await open(url, { index, report }, database);
    expect(leads).toEqual([]);
    expect(reports).toEqual([expect.stringContaining('ended 1 batches before what the database knows')]);
  });

  test('nodes that begin at the same moment all find the stream that one of them makes', async () => {
    const { url } = await start();
    const links = await Promise.all(
      Array.from({ length: 6 }, () => Link.open({ url, name: 'node', report: () => undefined })),
    );
    opened.push(() => Promise.all(links.map((link) => link.close())));
    const { index } = await openStore(await postgres.migratedDatabase());
    const options = { replicas: null, retention: 7 * DAY, maxBytes: null, duplicateWindow: 120_000 };
    for (let round = 0; round < 20; round++) {
      const names = new Names(`together${round}`, 1);
      const begun = await Promise.allSettled(links.map((link) => prepareStreams(link, names, options, index)));
      expect(begun.map(({ status }) => status)).toEqual(links.map(() => 'fulfilled'));
    }
  });

  test('gives no place twice, where NATS has lost what the database knows', async () => {
    const { url } = await start();
    const database = await postgres.migratedDatabase();
    const reports: string[] = [];
    const report = (error: unknown): unknown => reports.push((error as Error).message);
    const before = await open(url, { report }, database);
    for (let i = 0; i < 5; i++) await before.append([sampleEvent('s', `m${i}`)]);
    const lane = await before.openLane('s', 'd');
    await before.totals();
    await opened.pop()?.();
    await (await manage(url)).streams.delete('millrace-events-0');
    const log = await open(url, { report }, database);
    expect(reports).toEqual([expect.stringMatching(/^The stream millrace-events-0 ended 5 batches before/)]);
    await log.append([sampleEvent('s', 'new')]);
    expect((await log.find('new', ['s']))?.position).toBe(6 * 1024);
    expect(scanned(await log.scan(0, 10)).map(({ messageId }) => messageId)).toEqual(['new']);
    await log.lanes();
    const next = await log.read(lane.id).pull(1, AbortSignal.timeout(10_000));
    expect(next.map(({ messageId }) => messageId)).toEqual(['new']);
  });

  test('a write of the index that fails while more has come leaves no gap', async () => {
    const { url } = await start();
    const database = await postgres.migratedDatabase();
    const { index } = await openStore(database);
    const failing = Promise.withResolvers<void>();
    let writes = 0;
    const add = index.add.bind(index);
    index.add = async (shard, entries, ...rest) => {
      if (entries.length > 0 && writes++ === 0) await failing.promise;
      return add(shard, entries, ...rest);
    };
    const reports: unknown[] = [];
    const report = (error: unknown): unknown => reports.push(error);
    const log = await open(url, { index, report }, database);
    // More than is read ahead of a write, and than the client then holds.
    const body = new Uint8Array(200_000);
    const ids = Array.from({ length: 40 }, (_, n) => `m${n}`);
    for (const id of ids) await log.append([sampleEvent('s', id, { body })]);
    failing.reject(new Error('The database went away.'));
    await expect.poll(async () => (await log.find('m39', ['s']))?.messageId).toBe('m39');
    expect(reports).toEqual([expect.objectContaining({ message: 'The database went away.' })]);
    const found = await Promise.all(ids.map((id) => log.find(id, ['s'])));
    expect(found.map((entry) => entry?.messageId)).toEqual(ids);
  });

  test('gives each lost place to one empty batch, where several nodes find that at once', async () => {
    const { url } = await start();
    const database = await postgres.migratedDatabase();
    const before = await open(url, {}, database);
    for (let i = 0; i < 300; i++) await before.append([sampleEvent('s', `m${i}`)]);
    await before.totals();
    await opened.pop()?.();
    const { streams } = await manage(url);
    await streams.delete('millrace-events-0');
    const logs = await Promise.all([1, 2, 3].map(() => open(url, {}, database)));
    expect((await streams.info('millrace-events-0')).state.last_seq).toBe(300);
    await logs[0]?.append([sampleEvent('s', 'new')]);
    expect((await logs[1]?.find('new', ['s']))?.position).toBe(301 * 1024);
  });

  test('in a cluster waits for a JetStream that is not on yet', async () => {
    const config = 'accounts { M { users: [{ user: m, password: m }] }, $SYS { users: [{ user: s, password: s }] } }';
    const { url } = await start({ servers: 3, config });
    const { index } = await openStore(await postgres.migratedDatabase());
    const link = await Link.open({ url: url.replaceAll('//', '//m:m@'), name: 'test', report: () => undefined });
    // Before they have elected a leader they say nothing.
    await expect.poll(() => link.jsm.getAccountInfo().catch(apiCode)).toBe(10039);
    const options = { replicas: null, retention: 7 * DAY, maxBytes: null, duplicateWindow: 120_000 };
    const preparing = prepareStreams(link, new Names('millrace', 1), options, index).catch(() => 'refused');
    // The answer to this comes after the one that the preparation is given.
    await link.jsm.getAccountInfo().catch(apiCode);
    await setImmediate();
    expect(await Promise.race([preparing, 'waits'])).toBe('waits');
    await link.close();
    expect(await preparing).toBe('refused');
  }, 60_000);

  test('in a cluster waits for servers that are not up yet', async () => {
    const { servers } = await start({ servers: 3 });
    const [near, , last] = servers;
    const nc = await connectTo(near?.url ?? '');
    const { streams } = await jetstreamManager(nc, { checkAPI: false });
    process.kill(last?.pid ?? 0, 'SIGTERM');
    const probe = { name: 'probe', subjects: ['probe'], num_replicas: 3 };
    const probed = () => streams.add(probe).then(() => streams.delete('probe'), apiCode);
    await expect.poll(probed).toBe(10005);
    const attempts = nc.subscribe('$JS.API.STREAM.CREATE.millrace-events-0', { max: 2, callback: () => undefined });
    const opening = open(near?.url ?? '', { replicas: 3 });
    // The second one follows a refusal.
    await Promise.race([attempts.closed, opening]);
    await last?.kill();
    await last?.start();
    await opening;
    expect((await streams.info('millrace-events-0')).config.num_replicas).toBe(3);
  }, 60_000);

  test('in a cluster keeps three copies, and not one', async () => {
    const { url } = await start({ servers: 3 });
    const database = await postgres.migratedDatabase();
    await open(url, {}, database);
    const { streams } = await manage(url);
    expect((await streams.info('millrace-events-0')).config.num_replicas).toBe(3);
    await expect(open(url, { replicas: 1 })).rejects.toThrow('NATS has 3 servers, and events would be kept on one');
    await expect(open(url, { replicas: 5 }, database)).rejects.toThrow(/NATS finds no 5 servers for the stream/);
  }, 60_000);
});
