import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { Service, type ServiceOptions, type Settings } from '../system/kit/service.ts';
import { type Servers, startServers } from './log-world.ts';

/** Worlds that one file's servers have room for. */
const ACCOUNTS = 64;

/** Servers for all tests of a file, which give each world an account and a database of its own. */
export class ClusterServers {
  readonly #options: { readonly servers: 1 | 3 };
  #servers: Servers | null = null;
  #worlds = 0;

  constructor(options: { readonly servers: 1 | 3 } = { servers: 1 }) {
    this.#options = options;
  }

  get servers(): Servers {
    if (!this.#servers) throw new Error('The servers are not started.');
    return this.#servers;
  }

  async start(): Promise<void> {
    const accounts = Array.from({ length: ACCOUNTS }, (_, i) => {
      const name = `w${i + 1}`;
      return `${name} { jetstream: enabled, users: [{ user: ${name}, password: ${name} }] }`;
    });
    this.#servers = await startServers({ ...this.#options, config: `accounts {\n${accounts.join('\n')}\n}` });
  }

  async stop(): Promise<void> {
    await this.#servers?.stop();
  }

  /** Settings of the nodes of a new cluster: an account of the NATS servers and a database, both empty at first. */
  async ground(): Promise<Settings> {
    const user = `w${++this.#worlds}`;
    const { nats, postgres } = this.servers;
    return {
      MILLRACE_NATS_URL: nats.url.replaceAll('//', `//${user}:${user}@`),
      MILLRACE_DATABASE_URL: await postgres.migratedDatabase(),
      MILLRACE_NODE_TIMEOUT: '3s',
    };
  }
}

export function sharedServers(options?: { readonly servers: 1 | 3 }): ClusterServers {
  const servers = new ClusterServers(options);
  beforeAll(() => servers.start());
  afterAll(() => servers.stop());
  return servers;
}

/** Of all nodes, or of each, by its place and the cluster's ground. */
type NodeSettings = Settings | ((place: number, ground: Settings) => Settings);

/** Two nodes of one cluster for all tests of a file, each of which brings its own sources and destinations. */
export function sharedTwo(servers: ClusterServers, settings?: Settings): () => [Service, Service] {
  let nodes: readonly Service[] = [];
  beforeAll(async () => {
    nodes = await nodesOf(servers, 2, settings);
    await Promise.all(nodes.map((node) => node.start()));
  });
  afterAll(async () => {
    // Each is closed, whatever the other one says.
    const closed = await Promise.allSettled(nodes.map((node) => node.close()));
    for (const end of closed) if (end.status === 'rejected') throw end.reason;
  });
  return () => {
    const [one, two] = nodes;
    if (!one || !two) throw new Error('The nodes are not started.');
    return [one, two];
  };
}

/** Nodes of one cluster until the test is over. */
export async function startNodes(
  servers: ClusterServers,
  count: number,
  settings?: NodeSettings,
  options?: ServiceOptions,
): Promise<Service[]> {
  const nodes = await nodesOf(servers, count, settings, options);
  for (const node of nodes) onTestFinished(() => node.close());
  await Promise.all(nodes.map((node) => node.start()));
  return nodes;
}

/** Nodes that are not started yet, and closed by nobody. */
async function nodesOf(
  servers: ClusterServers,
  count: number,
  settings: NodeSettings = {},
  options: ServiceOptions = {},
): Promise<Service[]> {
  const ground = await servers.ground();
  return Array.from({ length: count }, (_, place) => {
    const own = typeof settings === 'function' ? settings(place, ground) : settings;
    return new Service({ ...ground, ...own }, options);
  });
}
