import { describe, expect, onTestFinished, test } from 'vitest';
import { ask } from '../system/kit/http.ts';
import { sharedServers } from './cluster.ts';
import { needNats, serverOf } from './nats.ts';
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
    await world.end();
  });

  test('that are all killed at once, and started again', async () => {
    const world = await UnderLoad.start(servers);
    await Promise.all(world.nodes.map((node) => node.kill()));
    await Promise.all(world.nodes.map((node) => node.start()));
    await world.goesOn();
    await world.end();
  });

  test.skipIf(isGiven)('whose PostgreSQL is killed and started again: calls are refused meanwhile', async () => {
    const world = await UnderLoad.start(servers, () => ({}), { mayLogErrors: true });
    const { postgres } = servers.servers;
    await postgres.kill();
    for (const node of world.nodes) {
      expect((await world.refused(node, 503)).code).toBe('storage_unavailable');
      const { status, text } = await ask(`${node.url}/metrics`);
      expect(status).toBe(200);
      expect(text).toContain('millrace_store_up{store="postgres"} 0');
      expect(text).toContain('millrace_store_up{store="nats"} 1');
      expect(text).toMatch(/millrace_events_accepted_total\{source="\w+"\} \d+/);
      expect(text).not.toMatch(/^millrace_(lanes_waiting|waiting_messages|retrying_messages|people_persons)/m);
    }
    await postgres.start();
    await world.goesOn();
    await world.end();
  });

  test('of which the one that leads is cut off from NATS: the other goes on, and leads', async () => {
    const proxy = await startTcpProxy(servers.servers.nats.servers[0]?.port ?? 0);
    onTestFinished(() => proxy.close());
    const world = await UnderLoad.start(
      servers,
      (place, { MILLRACE_NATS_URL: url }) =>
        place === 0 && url ? { MILLRACE_NATS_URL: url.replace(/:\d+$/, `:${proxy.port}`) } : {},
      { mayLogErrors: true },
    );
    const [cut, lives] = world.nodes;
    // What it led goes to the other one.
    await lives.stop();
    await lives.start();
    await world.goesOn();
    proxy.block();
    expect((await world.refused(cut, 503)).code).toBe('storage_unavailable');
    await world.goesOn([lives]);
    expect((await ask(`${cut.url}/metrics`)).text).toContain('millrace_store_up{store="nats"} 0');
    proxy.unblock();
    await world.goesOn();
    await world.end();
    for (const line of ['the connection to NATS was lost; trying again', 'NATS is back']) {
      expect(cut.stderr).toContain(line);
      expect(lives.stderr).not.toContain(line);
    }
  });

  test('of which the one that leads stands still: the other goes on, and leads', async () => {
    const world = await UnderLoad.start(servers, () => ({}), { mayLogErrors: true });
    const [stands, lives] = world.nodes;
    await lives.stop();
    await lives.start();
    await world.goesOn();
    stands.signal('SIGSTOP');
    await world.goesOn([lives]);
    stands.signal('SIGCONT');
    await world.goesOn();
    await world.end();
  });

  test('whose clocks are a quarter of an hour apart, and of which the fast one dies', async () => {
    const world = await UnderLoad.start(servers, (place) => ({
      NODE_OPTIONS: `--import=${import.meta.resolve('./skewed-clock.ts')}`,
      CLOCK_SKEW_MS: String((place === 0 ? 8 : -7) * 60_000),
      // So much of what the fast one put into the retry queue is not due yet when it dies.
      MILLRACE_RETRY_BASE: '1s',
      MILLRACE_RETRY_CAP: '1s',
    }));
    const [fast] = world.nodes;
    await fast.kill();
    await world.goesOn(world.nodes.slice(1));
    await fast.start();
    await world.goesOn();
    await world.end();
    for (const { stderr } of world.nodes) expect(stderr).toContain("this machine's clock is off");
  });
});

describe.skipIf(!nats)('two nodes under load on three NATS servers', { timeout: TIMEOUT }, () => {
  const servers = sharedServers({ servers: 3 });

  test('of which the one that leads the stream is killed, and then one that follows', async () => {
    let user = '';
    const world = await UnderLoad.start(
      servers,
      (_, { MILLRACE_NATS_URL: url }) => {
        user = /\/\/(\w+):/.exec(url ?? '')?.[1] ?? '';
        return {};
      },
      { mayLogErrors: true },
    );
    for (const role of ['leader', 'follower'] as const) {
      const dies = await serverOf(servers.servers.nats, user, 'millrace-events-0', role);
      await dies.kill();
      await world.goesOn();
      await dies.start();
      await world.goesOn();
    }
    await world.end();
  });
});
