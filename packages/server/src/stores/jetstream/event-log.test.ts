import { afterAll, beforeAll, describe } from 'vitest';
import { openLogWorld } from '../../../../../test/cluster/log-world.ts';
import { type Nats, needNats, startNats } from '../../../../../test/cluster/nats.ts';
import { eventLogConformance } from '../../log/conformance.ts';
import { logReadingConformance } from '../../log/reading-conformance.ts';

const nats = await needNats();

describe.skipIf(!nats)('on a NATS server', () => {
  let server: Nats;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server?.stop());

  eventLogConformance('JetStream', () => openLogWorld(server));
  logReadingConformance('JetStream', () => openLogWorld(server));
});
