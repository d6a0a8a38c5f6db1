import { describe, expect, onTestFinished, test } from 'vitest';
import { sharedServers, startNodes } from './cluster.ts';
import { needNats } from './nats.ts';
import { startTcpProxy } from './tcp-proxy.ts';

const nats = await needNats();

describe.skipIf(!nats)('SIGTERM', { timeout: 120_000 }, () => {
  const servers = sharedServers();

  test('ends a node whose servers answer nothing any more, in its time, and says what it waited for', async () => {
    const { nats, postgres } = servers.servers;
    const database = Number(new URL(await postgres.createDatabase()).port);
    const proxies = await Promise.all([startTcpProxy(nats.servers[0]?.port ?? 0), startTcpProxy(database)]);
    onTestFinished(async () => {
      for (const proxy of proxies) await proxy.close();
    });
    const [node] = await startNodes(
      servers,
      1,
      (_, { MILLRACE_NATS_URL: natsUrl, MILLRACE_DATABASE_URL: databaseUrl }) => ({
        MILLRACE_NATS_URL: natsUrl?.replace(/:\d+$/, `:${proxies[0]?.port}`) ?? null,
        MILLRACE_DATABASE_URL: databaseUrl?.replace(`:${database}/`, `:${proxies[1]?.port}/`) ?? null,
        MILLRACE_STOP_TIMEOUT: '2s',
      }),
      { mayLogErrors: true },
    );
    const source = await node?.source();
    if (source) await node?.accept(source);
    for (const proxy of proxies) proxy.block();
    expect(await node?.stop()).toEqual({ code: 1, signal: null });
    expect(node?.stderr).toMatch(
      /millrace: the stop took longer than 2 s; it waited for [a-z ]+\. What was accepted is kept/,
    );
  });
});
