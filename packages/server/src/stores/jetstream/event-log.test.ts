import { afterAll, beforeAll, describe } from 'vitest';
import { openLogWorld, type Servers, startServers } from '../../../../../test/cluster/log-world.ts';
import { needNats } from '../../../../../test/cluster/nats.ts';
import { eventLogConformance } from '../../log/conformance.ts';
import { logReadingConformance } from '../../log/reading-conformance.ts';
import { logSearchConformance } from '../../log/search-conformance.ts';

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
});
