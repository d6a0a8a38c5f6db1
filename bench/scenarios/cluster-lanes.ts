import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { type Cluster, loadOf, microsOf, missingForClusters, startCluster } from '../cluster.ts';
import { load, notes } from '../measure.ts';
import type { Product, Source } from '../product.ts';
import type { Scenario } from './scenario.ts';

/** Sources and destinations; each source is connected to each destination. */
const SIZES = [
  { sources: 1, destinations: 1 },
  { sources: 10, destinations: 1 },
  { sources: 10, destinations: 10 },
  { sources: 100, destinations: 10 },
  { sources: 100, destinations: 100 },
] as const;
const DELIVERIES_PER_SECOND = 500;
/** What was opened comes to rest. */
const REST_MS = 2_000;
/** Longest wait for the consumers of lanes. */
const OPEN_WITHIN_MS = 600_000;
const POLL_MS = 50;

export const clusterLanes: Scenario = {
  name: 'cluster-lanes',
  title: 'Lanes of a cluster',
  about: `What lanes cost that are there, on one node: a lane is a pair of a source and a destination, and on NATS a durable consumer. In percent of
one core: idle, and with ${DELIVERIES_PER_SECOND} deliveries a second, one call at a time and spread over all lanes; CPU is then also
given for each delivery. R1 is one NATS server, R3 are three on this machine that each have a copy of everything, of the consumers too;
their CPU and memory are added up. *ms a lane* is the time from asking the admin API until all new lanes have their consumers, for each.`,
  async run(bench) {
    const missing = await missingForClusters();
    if (missing !== null) return bench.figures.skip(clusterLanes.title, missing);
    for (const replicas of [1, 3] as const) {
      const cluster = await startCluster(bench, { replicas });
      const world = new World(bench, cluster, await cluster.node());
      for (const { sources, destinations } of SIZES) {
        const lanes = sources * destinations;
        const what = `R${replicas}, ${lanes.toLocaleString('en')} ${lanes === 1 ? 'lane' : 'lanes'}`;
        if (lanes > bench.options.lanes) {
          bench.figures.skip(what, `only with --full, or --lanes ${lanes}`);
          break;
        }
        const took = await world.grow(sources, destinations);
        await world.measure(`R${replicas}/${lanes}`, what, took);
      }
      await cluster.stop();
    }
  },
};

class World {
  readonly #bench: Bench;
  readonly #cluster: Cluster;
  readonly #node: Product;
  readonly #sources: Source[] = [];
  readonly #destinations: string[] = [];

  constructor(bench: Bench, cluster: Cluster, node: Product) {
    this.#bench = bench;
    this.#cluster = cluster;
    this.#node = node;
  }

  /** Answers how long a new lane took, milliseconds. */
  async grow(sources: number, destinations: number): Promise<number> {
    const before = this.#sources.length * this.#destinations.length;
    const grows = this.#sources.length < sources;
    while (this.#sources.length < sources) this.#sources.push(await this.#node.createSource());
    const startedAt = performance.now();
    if (grows) for (const id of this.#destinations) await this.#connect(id);
    for (let i = this.#destinations.length; i < destinations; i++) {
      this.#destinations.push(await this.#node.createDestination(this.#sources, [`/ok/${i}`]));
    }
    while ((await this.#consumers()) < sources * destinations) {
      if (performance.now() - startedAt > OPEN_WITHIN_MS)
        throw new Error('The lanes did not get their consumers in time');
      await sleep(POLL_MS);
    }
    return (performance.now() - startedAt) / (sources * destinations - before);
  }

  async measure(id: string, what: string, laneMillis: number): Promise<void> {
    const { options, figures } = this.#bench;
    await sleep(REST_MS);
    const before = this.#used();
    const seconds = Math.max(1, options.seconds / 2);
    await sleep(seconds * 1000);
    figures.record({
      id: `cluster-lanes/${id}/idle`,
      what: `${what}, idle`,
      laneMillis,
      ...loadOf(before, this.#used()),
    });
    const steady = {
      port: this.#node.port,
      writeKeys: this.#sources.map(({ writeKey }) => writeKey),
      connections: Math.max(16, this.#sources.length),
      callsPerRequest: 1,
      perSecond: DELIVERIES_PER_SECOND / this.#destinations.length,
    };
    await load(this.#bench, { ...steady, seconds: options.warmSeconds });
    await this.#bench.receiver.settledStats();
    await this.#bench.receiver.reset();
    const loadedFrom = this.#used();
    const result = await load(this.#bench, { ...steady, seconds });
    const loadedTo = this.#used();
    const { ok, p50, p99 } = await this.#bench.receiver.settledStats();
    figures.record({
      id: `cluster-lanes/${id}/loaded`,
      what: `${what}, ${DELIVERIES_PER_SECOND} deliveries/s`,
      ...microsOf(loadedFrom, this.#used(), ok),
      p50: p50 / 1000,
      p99: p99 / 1000,
      ...loadOf(loadedFrom, loadedTo),
      note: notes(result, `${Math.round(ok / result.seconds)} deliveries/s arrived`),
    });
  }

  #used(): ReturnType<Cluster['used']> {
    return this.#cluster.used([this.#node]);
  }

  /** Beside those of lanes there is the indexer's. */
  async #consumers(): Promise<number> {
    return (await this.#cluster.streams()).consumers - 1;
  }

  async #connect(id: string): Promise<void> {
    await this.#node.ask('PATCH', `/api/destinations/${id}`, { sourceIds: this.#sources.map((source) => source.id) });
  }
}
