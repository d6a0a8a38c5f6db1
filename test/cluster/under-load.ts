import { expect, onTestFinished } from 'vitest';
import type { Counts, Destination } from '../../packages/server/src/admin/contract.ts';
import { addUp } from '../system/kit/admin.ts';
import { eventually } from '../system/kit/eventually.ts';
import { Load } from '../system/kit/load.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import type { Service, ServiceOptions, Settings } from '../system/kit/service.ts';
import { type ClusterServers, startNodes } from './cluster.ts';

/** Calls in a request of the load. */
const SIZE = 10;
const PAUSE_MS = 150;
/** Twice goes out what was under way, or was not recorded yet, when a node went: on each of the two that went. */
const MOST_AGAIN = 2 * 128;
/** A fault and what comes after it, on a machine that is busy. */
const TIMEOUT_MS = 60_000;

const SETTINGS: Settings = { MILLRACE_LOG_LEVEL: 'warn', MILLRACE_RETRY_WINDOW: '4h' };

/**
 * Two nodes, each with clients of its own that send everything again until it is taken, and two destinations, of which one
 * answers a tenth of its requests with failures.
 */
export class UnderLoad {
  readonly nodes: readonly [Service, Service];
  readonly #receiver: Receiver;
  readonly #destinations: readonly Destination[];
  readonly #loads: readonly Load[];
  /** How often each message was answered 200, by path. */
  readonly #taken: ReadonlyMap<string, Map<string, number>>;

  private constructor(
    nodes: readonly [Service, Service],
    receiver: Receiver,
    destinations: readonly Destination[],
    loads: readonly Load[],
    taken: ReadonlyMap<string, Map<string, number>>,
  ) {
    this.nodes = nodes;
    this.#receiver = receiver;
    this.#destinations = destinations;
    this.#loads = loads;
    this.#taken = taken;
  }

  /** Starts all of it; resolves when messages of both nodes are delivered. */
  static async start(
    servers: ClusterServers,
    settings: (place: number, ground: Settings) => Settings = () => ({}),
    options: ServiceOptions = {},
  ): Promise<UnderLoad> {
    const [one, two] = await startNodes(
      servers,
      2,
      (place, ground) => ({ ...SETTINGS, ...settings(place, ground) }),
      options,
    );
    if (!one || !two) throw new Error('Two nodes were not started.');
    const taken = new Map(['/steady', '/flaky'].map((path) => [path, new Map<string, number>()]));
    const receiver = await receive(
      ({ path, message }) => {
        const luck = path === '/flaky' ? Math.random() : 1;
        if (luck < 0.1) return luck < 0.05 ? 500 : 'reset';
        const id = String(message['messageId']);
        const times = taken.get(path);
        times?.set(id, (times.get(id) ?? 0) + 1);
        return 200;
      },
      { keep: false },
    );
    const source = await one.source();
    const destinations = [
      await one.destination(source, receiver.url('/steady')),
      await one.destination(source, receiver.url('/flaky')),
    ];
    await eventually(
      () => two.send(source, 'track', { event: 'First', userId: 'u', messageId: 'first' }),
      ({ status }) => status === 200,
    );
    const loads = [one, two].map(
      (node, i) =>
        new Load(node, source, { parallel: 2, size: () => SIZE, persistent: true, pause: PAUSE_MS }, `n${i}-`),
    );
    const world = new UnderLoad([one, two], receiver, destinations, loads, taken);
    onTestFinished(() => {
      for (const load of loads) load.abandon();
    });
    for (const load of loads) load.start();
    await world.goesOn();
    return world;
  }

  /**
   * Resolves when each of these nodes has taken calls that were sent from now on, and all that any node has taken by then is
   * delivered, and counted and found by these. So nothing that another one left is stuck.
   */
  async goesOn(nodes: readonly Service[] = this.nodes): Promise<void> {
    const loads = this.#loads.filter((_, i) => nodes.some((node) => node === this.nodes[i]));
    const enough = loads.map(({ accepted }) => accepted.size + SIZE * 5);
    await eventually(
      () => loads.map(({ accepted }) => accepted.size),
      (sizes) => sizes.every((size, i) => size >= (enough[i] ?? 0)),
      TIMEOUT_MS,
    );
    const accepted = this.#loads.flatMap((load) => [...load.accepted]);
    for (const [path, times] of this.#taken) {
      let missing = accepted;
      const none = (): boolean => {
        missing = missing.filter((id) => !times.has(id));
        return missing.length === 0;
      };
      const came = this.#receiver.until(none, `all that was accepted on ${path}`, TIMEOUT_MS);
      await came.catch(async (error: Error) => {
        const traces = missing.slice(0, 3).map((id) => nodes[0]?.trace(id));
        throw new Error(`${error.message}${missing.length} are missing: ${JSON.stringify(await Promise.all(traces))}`);
      });
    }
    for (const node of nodes) {
      await this.#counts(node, ({ accepted: counted }) => counted >= accepted.length);
      // The index of the log has come so far.
      const newest = loads.map((load) => [...load.accepted].at(-1) ?? '');
      for (const id of newest) await eventually(() => node.api('GET', `/api/messages/${id}`), isFound, TIMEOUT_MS);
    }
  }

  /** Resolves when clients of this node were refused by it with this status; with the last refusal. */
  async refused(node: Service, status: number): Promise<{ readonly code: string }> {
    const load = this.#loads[this.nodes.indexOf(node)];
    if (!load) throw new Error('The node is not of this cluster.');
    await eventually(
      () => load.others.get(status) ?? 0,
      (times) => times > 0,
      TIMEOUT_MS,
    );
    return JSON.parse(load.refusal?.text ?? '') as { code: string };
  }

  /** Ends the load, and waits until all that was promised of it holds. */
  async end(): Promise<void> {
    await Promise.all(this.#loads.map((load) => load.stop()));
    const accepted = new Set(['first', ...this.#loads.flatMap((load) => [...load.accepted])]);
    const others = this.#loads.flatMap((load) => [...load.others]);
    expect(others.filter(([status]) => status !== 0 && status !== 503)).toEqual([]);
    // What got no 200 may have been taken all the same, and then once more when it was sent again.
    const unsure = others.reduce((sum, [, times]) => sum + times * SIZE, 0);
    const isOver = (counts: Counts): boolean => counts.accepted >= accepted.size && counts.waiting === 0;
    const [counts, same] = await Promise.all(this.nodes.map((node) => this.#counts(node, isOver)));
    expect(counts).toEqual(same);
    for (const [i, times] of [...this.#taken.values()].entries()) {
      const counted = counts?.[i]?.accepted ?? 0;
      expect(counts?.[i]).toMatchObject({ processed: counted, failed: 0, filtered: 0 });
      expect(counted).toBeLessThanOrEqual(accepted.size + unsure);
      expect([...accepted].filter((id) => !times.has(id))).toEqual([]);
      expect(times.size).toBe(accepted.size);
      const delivered = [...times.values()].reduce((sum, n) => sum + n, 0);
      expect(delivered - counted).toBeLessThanOrEqual(MOST_AGAIN);
    }
  }

  /** The counts of each destination once they hold, as a node tells them. They add up whenever they are read. */
  #counts(node: Service, holds: (counts: Counts) => boolean): Promise<Counts[]> {
    const read = async (): Promise<Counts[]> =>
      (await Promise.all(this.#destinations.map((destination) => node.counts(destination)))).map(addUp);
    return eventually(read, (counts) => counts.every(holds), TIMEOUT_MS);
  }
}

const isFound = ({ status }: { readonly status: number }): boolean => status === 200;
