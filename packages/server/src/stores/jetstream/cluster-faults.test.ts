import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type JetStreamWorld,
  openLogWorld,
  type Servers,
  startServers,
} from '../../../../../test/cluster/log-world.ts';
import { type Nats, type NatsServer, needNats } from '../../../../../test/cluster/nats.ts';
import { sampleEvent } from '../../log/conformance.ts';
import type { EventLog } from '../../log/contract.ts';

const nats = await needNats();
/** A leader that dies is missed for some seconds; a test on a busy machine may wait a few times that. */
const PATIENCE_MS = 60_000;

describe.skipIf(!nats)('three servers under load', () => {
  let servers: Servers;
  let cluster: Nats;
  let world: JetStreamWorld;
  const stopped = new AbortController();
  beforeEach(async () => {
    servers = await startServers({ servers: 3 });
    cluster = servers.nats;
    world = await openLogWorld(servers, { appendDeadline: 20_000 });
  });
  afterEach(async () => {
    stopped.abort();
    await world.close();
    await servers.stop();
  });

  test('lose nothing that was confirmed, and hand it out, when the leader and then a follower are killed', async () => {
    const lane = await world.log.openLane('s', 'd');
    const accepted = new Set<string>();
    const taken = new Set<string>();
    let refused = 0;
    let stop = false;
    const load = (async () => {
      for (let i = 0; !stop; i++) {
        const ids = Array.from({ length: 20 }, (_, j) => `m${i}.${j}`);
        await world.log.append(ids.map((id) => sampleEvent('s', id, { receivedAt: world.now() }))).then(
          () => {
            for (const id of ids) accepted.add(id);
          },
          () => {
            refused++;
          },
        );
      }
    })();
    const reading = readAll(world.log, lane.id, taken, stopped.signal);
    const more = async (count: number): Promise<void> => {
      const from = accepted.size;
      await expect.poll(() => accepted.size, { timeout: PATIENCE_MS }).toBeGreaterThan(from + count);
    };
    await more(2_000);
    const leader = await leaderOf(cluster, `${world.prefix}-events-0`);
    await leader.kill();
    await more(2_000);
    await leader.start();
    await more(2_000);
    const second = await leaderOf(cluster, `${world.prefix}-events-0`);
    const follower = cluster.servers.find((server) => server !== second && server !== cluster.servers[0]) ?? leader;
    await follower.kill();
    await more(2_000);
    stop = true;
    await load;
    await expect.poll(() => [...accepted].filter((id) => !taken.has(id)).length, { timeout: PATIENCE_MS }).toBe(0);
    const { accepted: counted } = (await world.log.totals()).get('s') ?? { accepted: 0 };
    // What was refused may be there nevertheless; what was confirmed is there once.
    expect(counted).toBeGreaterThanOrEqual(accepted.size);
    expect(counted).toBeLessThanOrEqual(accepted.size + refused * 20);
    stopped.abort();
    await reading;
  }, 180_000);
});

async function readAll(log: EventLog, laneId: number, taken: Set<string>, signal: AbortSignal): Promise<void> {
  const reader = log.read(laneId);
  for (;;) {
    const entries = await reader.pull(256, signal).catch(() => null);
    if (!entries) return;
    for (const { messageId } of entries) taken.add(messageId);
    reader.ack(entries.map(({ position }) => position));
  }
}

async function leaderOf(cluster: Nats, stream: string): Promise<NatsServer> {
  const nc = await connect({ servers: cluster.url.split(',') });
  try {
    const info = await (await jetstreamManager(nc)).streams.info(stream);
    const leader = cluster.servers.find(({ name }) => name === info.cluster?.leader);
    if (!leader) throw new Error(`${stream} has no leader`);
    return leader;
  } finally {
    await nc.close();
  }
}
