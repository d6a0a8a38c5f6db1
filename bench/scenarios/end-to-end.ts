import type { Bench } from '../bench.ts';
import { endToEnd } from '../measure.ts';
import { productSide, startProduct } from '../product.ts';
import { startRedis } from '../redis.ts';
import { type Side, startBullmq, startStrawMan } from '../side.ts';
import type { Scenario } from './scenario.ts';

export const endToEndScenario: Scenario = {
  name: 'end-to-end',
  title: 'End to end',
  about: `Accepted durably → delivered → recorded. The load sends as fast as it is answered; the clock stops when everything
that was accepted is recorded as delivered. The sides are measured in turn, each in a fresh process with fresh data, and
the medians are shown. The straw man is the shortest program that goes the same way (\`bench/sides/straw-man.ts\`): one
synced log on its own thread, signed, no retries, no recovery, no routing. The product's CPU includes what it does later: the calls
are taken into the profiles of people, although there is no audience and no trait. That each delivery arrived is counted at the endpoint.`,
  async run(bench) {
    for (let round = 0; round < bench.options.rounds; round++) {
      await measure(bench, 'straw-man', 'Straw man, batches of 100', 100, (folder) => startStrawMan(bench, folder));
      await measure(bench, 'product', 'Millrace, batches of 100, 1 URL', 100, (folder) => oneUrl(bench, folder));
      await measure(
        ...([bench, 'product-5-urls', 'Millrace, batches of 100, 5 URLs', 100] as const),
        async (folder) => productSide(await startProduct(bench, folder), FIVE),
        FIVE.length,
      );
      await measure(bench, 'straw-man-single', 'Straw man, single calls', 1, (folder) => startStrawMan(bench, folder));
      await measure(bench, 'product-single', 'Millrace, single calls, 1 URL', 1, (folder) => oneUrl(bench, folder));
    }
  },
};

export const instead: Scenario = {
  name: 'instead',
  title: 'What one would build instead',
  about: `Fastify, BullMQ on Redis with \`appendonly yes, appendfsync always\`, and a worker that posts with \`fetch\`
(\`bench/rival/bullmq.js\`). Its CPU includes Redis's. Measured as the sides above; run where redis-server is installed.`,
  async run(bench) {
    for (const [id, what, calls] of [
      ['bullmq', 'BullMQ + Redis, batches of 100', 100],
      ['bullmq-single', 'BullMQ + Redis, single calls', 1],
    ] as const) {
      await bench.withFolder(async (folder) => {
        const redis = await startRedis(bench, folder);
        if (!redis)
          return bench.figures.skip(what, 'redis-server is not installed here (apt-get install redis-server)');
        const side = await startBullmq(bench, redis);
        const against = `end-to-end/${calls === 1 ? 'product-single' : 'product'}`;
        bench.figures.record({ id: `instead/${id}`, what, against, ...(await endToEnd(bench, side, calls)) });
        await side.stop();
      });
    }
  },
};

async function oneUrl(bench: Bench, folder: string): Promise<Side> {
  return productSide(await startProduct(bench, folder), ['/ok']);
}

const FIVE = ['/ok/1', '/ok/2', '/ok/3', '/ok/4', '/ok/5'];

async function measure(
  bench: Bench,
  id: string,
  what: string,
  callsPerRequest: number,
  start: (folder: string) => Promise<Side>,
  urls = 1,
): Promise<void> {
  const against = `end-to-end/straw-man${callsPerRequest === 1 ? '-single' : ''}`;
  await bench.withFolder(async (folder) => {
    const side = await start(folder);
    const figure = await endToEnd(bench, side, callsPerRequest, urls);
    bench.figures.record({ id: `end-to-end/${id}`, what, against, ...figure });
    await side.stop();
  });
}
