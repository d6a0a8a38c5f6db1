import { describe, expect, test } from 'vitest';
import { needNats } from '../test/cluster/nats.ts';
import { type Bench, withBench } from './bench.ts';
import { loadOf, microsOf, startCluster } from './cluster.ts';
import { Figures } from './figures.ts';
import { caughtUp, load } from './measure.ts';
import { parseOptions } from './options.ts';
import { targets } from './targets.ts';
import { usageOf } from './usage.ts';

const nats = await needNats();

describe.skipIf(!nats)('a cluster to measure', () => {
  test('counts what the index and the streams have and what each part used, and leaves nothing behind', async () => {
    await withQuickBench(async (bench) => {
      const cluster = await startCluster(bench, { replicas: 1 });
      const node = await cluster.node();
      const source = await node.createSource();
      const destination = await node.createDestination([source], ['/slow']);
      const before = cluster.used([node]);
      const calls = { port: node.port, writeKeys: [source.writeKey], callsPerRequest: 10, seconds: 30, events: 200 };
      const { accepted } = await load(bench, { ...calls, connections: 1 });
      expect(await caughtUp({ processed: () => cluster.indexed() }, accepted, 30)).toBe(accepted);
      const delivered = async (): Promise<number> => (await node.counts(destination)).processed;
      expect(await caughtUp({ processed: delivered }, accepted, 30)).toBe(accepted);
      expect((await bench.receiver.settledStats()).ok).toBe(accepted);
      const streams = await cluster.streams();
      expect(streams.messages).toBeGreaterThan(0);
      // The lane's and the indexer's.
      expect(streams.consumers).toBe(2);
      const after = cluster.used([node]);
      for (const cost of [microsOf(before, after, accepted), loadOf(before, after)]) {
        expect(Object.values(cost).filter((value) => value === null)).toEqual([]);
      }
      await cluster.stop();
      expect(usageOf(node.pid)?.rssMb).toBe(0);
    });
  });
});

test('the target on nodes is held against what one node does', () => {
  const figures = new Figures();
  figures.record({ id: 'cluster-nodes/1', what: 'one node', perSecond: 1_000 });
  figures.record({ id: 'cluster-nodes/2', what: 'two nodes', perSecond: 1_800, natsMicros: 3 });
  const [target] = targets(figures).filter(({ what }) => what.startsWith('Deliveries of two nodes'));
  expect(target).toMatchObject({ reached: '1.8 ×', met: true });
});

async function withQuickBench(work: (bench: Bench) => Promise<void>): Promise<void> {
  const options = parseOptions(['--quick']);
  if (!options) throw new Error('It was not asked for help.');
  await withBench(options, new Figures(), work);
}
