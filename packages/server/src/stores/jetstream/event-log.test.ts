import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLogWorld, type Servers, startServers } from '../../../../../test/cluster/log-world.ts';
import { needNats } from '../../../../../test/cluster/nats.ts';
import { eventLogConformance, sampleEvent } from '../../log/conformance.ts';
import { logReadingConformance } from '../../log/reading-conformance.ts';
import { logSearchConformance } from '../../log/search-conformance.ts';
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

  test('lone calls that follow each other closely share a batch', async () => {
    const { log, close } = await openLogWorld(servers);
    let [shared, after] = [false, 0];
    // A machine that stands still between two calls parts them.
    for (let round = 0; round < 50 && !shared; round++) {
      await log.append([sampleEvent('s', `first ${round}`)]);
      const appended = log.append([sampleEvent('s', `second ${round}`)]);
      await setImmediate();
      await Promise.all([appended, log.append([sampleEvent('s', `third ${round}`)])]);
      const [, second, third] = (await log.scan(after, 3)).positions;
      shared = seqOf(second ?? 0) === seqOf(third ?? 1);
      after = third ?? 0;
    }
    expect(shared).toBe(true);
    await close();
  });
});
