import { describe, expect, test } from 'vitest';
import { sharedServers } from './cluster.ts';
import { needNats } from './nats.ts';
import { isGiven } from './postgres.ts';
import { startTcpProxy } from './tcp-proxy.ts';
import { UnderLoad } from './under-load.ts';

const nats = await needNats();
const TIMEOUT = 180_000;

describe.skipIf(!nats)('two nodes under load', { timeout: TIMEOUT }, () => {
  const servers = sharedServers();

  test('of which one is killed, and then the other: what is left goes on, and takes over', async () => {
    const world = await UnderLoad.start(servers);
    const [one, two] = world.nodes;
    for (const [dies, lives] of [
      [one, two],
      [two, one],
    ] as const) {
      await dies.kill();
      await world.goesOn([lives]);
      await dies.start();
      await world.goesOn();
    }
    console.log('again', await world.end());
  });

  test('that are all killed at once, and started again', async () => {
    const world = await UnderLoad.start(servers);
    await Promise.all(world.nodes.map((node) => node.kill()));
    await Promise.all(world.nodes.map((node) => node.start()));
    await world.goesOn();
    console.log('again', await world.end());
  });

  test.skipIf(isGiven)('whose PostgreSQL is killed and started again: calls are refused meanwhile', async () => {
    const world = await UnderLoad.start(servers, () => ({}), { mayLogErrors: true });
    const { postgres } = servers.servers;
    await postgres.kill();
    for (const node of world.nodes) await world.refused(node, 503);
    await postgres.start();
    await world.goesOn();
    console.log('again', await world.end());
  });

  test('of which one is cut off from NATS and comes back: the other goes on', async () => {
    const proxy = await startTcpProxy(servers.servers.nats.servers[0]?.port ?? 0);
    const world = await UnderLoad.start(servers, (place, { MILLRACE_NATS_URL: url }) => ({
      ...(place === 0 && { MILLRACE_NATS_URL: url?.replace(/:\d+$/, `:${proxy.port}`) ?? null }),
    }));
    const [cut, lives] = world.nodes;
    proxy.block();
    await world.refused(cut, 503);
    await world.goesOn([lives]);
    proxy.unblock();
    await world.goesOn();
    console.log('again', await world.end());
    await proxy.close();
  });
});
