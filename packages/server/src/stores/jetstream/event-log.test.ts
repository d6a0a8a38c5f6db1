import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLogWorld, type Servers, startServers } from '../../../../../test/cluster/log-world.ts';
import { needNats } from '../../../../../test/cluster/nats.ts';
import { connected } from '../../../../../test/cluster/postgres.ts';
import { eventLogConformance, sampleEvent, scanned } from '../../log/conformance.ts';
import { logReadingConformance } from '../../log/reading-conformance.ts';
import { logSearchConformance } from '../../log/search-conformance.ts';
import type { Lead } from './indexer.ts';
import { Link } from './link.ts';
import { Names } from './names.ts';
import { seqOf } from './position.ts';

const nats = await needNats();

describe.skipIf(!nats)('on a NATS server', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterAll(() => servers?.stop());

  eventLogConformance('JetStream', () => openLogWorld(servers));
  eventLogConformance('JetStream in four shards', () => openLogWorld(servers, { shards: 4 }));
  logReadingConformance('JetStream', () => openLogWorld(servers));
  logSearchConformance('JetStream', () => openLogWorld(servers));
  logSearchConformance('JetStream in four shards', () => openLogWorld(servers, { shards: 4 }));

  test('a message that the index has not come to is not told to be none', async () => {
    const filling = Promise.withResolvers<void>();
    const lead: Lead = (_, work) => {
      const ending = new AbortController();
      const ended = filling.promise.then(() => work(ending.signal));
      return async () => {
        ending.abort();
        await ended;
      };
    };
    const { log, close } = await openLogWorld(servers, { lead });
    await log.append([sampleEvent('s', 'm1')]);
    for (const id of ['m1', 'none']) {
      await expect(log.find(id, ['s'])).rejects.toMatchObject({
        ...{ code: 'storage_unavailable', retryAfter: 5 },
        message:
          'It is not known yet whether there is such a message: the index of the log lags behind. Ask again later.',
      });
    }
    filling.resolve();
    await expect.poll(() => log.find('m1', ['s']).catch(() => null)).toMatchObject({ messageId: 'm1' });
    expect(await log.find('none', ['s'])).toBeUndefined();
    await close();
  });

  test('a large batch is compressed in the stream, where every node reads that', async () => {
    const { log, index, proxy, prefix, database, close } = await openLogWorld(servers);
    const append = (first: string) =>
      log.append(
        Array.from({ length: 60 }, (_, i) => {
          const messageId = `${first} ${i}`;
          const body = Buffer.from(JSON.stringify({ messageId, text: `order ${i} of ${first} `.repeat(30) }));
          return { ...sampleEvent('s', messageId), body };
        }),
      );
    await append('compressed');
    await using admin = await connected(database);
    await admin.query('INSERT INTO millrace.nodes (seen_at) VALUES (now())');
    await expect.poll(() => index.layout()).toBe(1);
    await append('plain');
    await log.indexed();
    const link = await Link.open({ url: `nats://127.0.0.1:${proxy.port}`, name: 'test', report: () => undefined });
    const stored = await Promise.all(
      [1, 2].map((seq) => link.jsm.streams.getMessage(new Names(prefix, 1).stream(0), { seq })),
    );
    await link.close();
    const [compressed, plain] = stored.map((message) => message?.data ?? new Uint8Array());
    expect([compressed?.[0], plain?.[0]]).toEqual([2, 1]);
    expect(compressed?.byteLength).toBeLessThan((plain?.byteLength ?? 0) / 4);
    const page = await log.scan(0, 200);
    expect(page.positions).toHaveLength(120);
    const bodies = Buffer.from(page.bodies).toString();
    for (const first of ['compressed', 'plain']) {
      expect(bodies).toContain(`order 59 of ${first} `);
      const { items } = await log.search({ text: `order 59 of ${first}`, cursor: null, limit: 10 });
      expect(items.map(({ messageId }) => messageId)).toEqual([`${first} 59`]);
    }
    await close();
  });

  test('lone calls that follow each other closely share a batch', async () => {
    const { log, close } = await openLogWorld(servers);
    let [shared, after] = [false, 0];
    // A machine that stands still between two calls parts them.
    for (let round = 0; round < 50 && !shared; round++) {
      // Of another source: nothing of theirs is under way, so only the time between batches can bring them together.
      const first = log.append([sampleEvent('other', `first ${round}`)]);
      await Promise.resolve();
      const second = log.append([sampleEvent('s', `second ${round}`)]);
      await setImmediate();
      await Promise.all([first, second, log.append([sampleEvent('s', `third ${round}`)])]);
      const entries = scanned(await log.scan(after, 3));
      const [one, other] = entries.filter(({ sourceId }) => sourceId === 's');
      shared = seqOf(one?.position ?? 0) === seqOf(other?.position ?? 1);
      after = entries.at(-1)?.position ?? 0;
    }
    expect(shared).toBe(true);
    await close();
  });
});
