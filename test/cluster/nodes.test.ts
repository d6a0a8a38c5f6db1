import { describe, expect, test } from 'vitest';
import { Load } from '../system/kit/load.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedServers, startNodes } from './cluster.ts';
import { needNats } from './nats.ts';

const nats = await needNats();

describe.skipIf(!nats)('two nodes', () => {
  const servers = sharedServers();

  test('deliver what either was sent', async () => {
    const [one, two] = await startNodes(servers, 2);
    if (!one || !two) throw new Error('no nodes');
    const receiver = await receive(200);
    const source = await one.source();
    const destination = await one.destination(source, receiver.url());
    await one.accept(source);
    await expect.poll(() => two.accept(source).catch(() => null)).not.toBeNull();
    expect(await one.settled(destination, 2)).toMatchObject({ processed: 2 });
    expect(await two.settled(destination, 2)).toMatchObject({ processed: 2 });
  });

  test('one that is killed leaves its work to the other', { timeout: 120_000 }, async () => {
    const [one, two] = await startNodes(servers, 2, { MILLRACE_LOG_LEVEL: 'warn', MILLRACE_RETRY_WINDOW: '4h' });
    if (!one || !two) throw new Error('no nodes');
    const receiver = await receive(200);
    const source = await one.source();
    const destination = await one.destination(source, receiver.url());
    await expect.poll(() => two.accept(source).catch(() => null)).not.toBeNull();
    const loads = [one, two].map((node, i) => new Load(node, source, { parallel: 2, size: () => 20 }, `n${i}-`));
    for (const load of loads) load.start();
    await receiver.waitFor(200);
    await one.kill();
    await loads[0]?.stop();
    await loads[1]?.stop();
    const { accepted } = await two.counts(destination);
    expect(await two.settled(destination, accepted, 100_000)).toMatchObject({ processed: accepted });
    const ids = new Set(receiver.arrivals.map(({ message }) => message['messageId']));
    for (const load of loads) expect([...load.accepted].filter((id) => !ids.has(id))).toEqual([]);
  });
});
