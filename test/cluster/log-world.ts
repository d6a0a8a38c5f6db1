import type { LogEntry } from '../../packages/server/src/core/event.ts';
import type { LogWorld } from '../../packages/server/src/log/conformance.ts';
import type { Losses } from '../../packages/server/src/log/contract.ts';
import type { StreamIndex } from '../../packages/server/src/log/stream-index.ts';
import { resultOf } from '../../packages/server/src/record/conformance.ts';
import type { DeliveryStore, LostMessages, Retention } from '../../packages/server/src/record/contract.ts';
import type { Erasure, RegulationStore } from '../../packages/server/src/regulations/contract.ts';
import type { JetStreamEventLog } from '../../packages/server/src/stores/jetstream/event-log.ts';
import { type JetStreamLogOptions, openJetStreamLog } from '../../packages/server/src/stores/jetstream/store.ts';
import { openPostgresStore } from '../../packages/server/src/stores/postgres/store.ts';
import { withCurrent } from '../current.ts';
import { HandClock } from '../hand-clock.ts';
import { type Nats, type NatsOptions, startNats } from './nats.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** What a log of a cluster stands on. */
export interface Servers {
  readonly nats: Nats;
  readonly postgres: Postgres;
  stop(): Promise<void>;
}

export async function startServers(options?: NatsOptions): Promise<Servers> {
  const [nats, postgres] = await Promise.all([startNats(options), startPostgres()]);
  return {
    nats,
    postgres,
    async stop() {
      await Promise.all([nats.stop(), postgres.stop()]);
    },
  };
}

/** One node's log, with the index and the records beside it. */
export interface ClusterNode {
  readonly log: JetStreamEventLog;
  readonly index: StreamIndex;
  readonly deliveries: DeliveryStore;
  readonly erasure: Required<Erasure>;
  readonly regulations: RegulationStore;
  readonly retention: Retention;
  readonly losses: Losses;
  close(): Promise<void>;
}

export interface JetStreamWorld extends LogWorld {
  readonly log: JetStreamEventLog;
  readonly index: StreamIndex;
  readonly deliveries: DeliveryStore;
  readonly erasure: Required<Erasure>;
  readonly regulations: RegulationStore;
  readonly retention: Retention;
  readonly losses: Losses;
  /** The address of the database. */
  readonly database: string;
  /** The way to the server. */
  readonly proxy: TcpProxy;
  readonly prefix: string;
  /** What was reported. */
  readonly reports: unknown[];
  /** What retention failed. */
  readonly lost: LostMessages[];
  /** The log of another node. */
  another(): Promise<JetStreamEventLog>;
  /** Entries in a destination's retry queue. */
  queued(destinationId: string): Promise<readonly LogEntry[]>;
  /** Another node, whole. */
  anotherNode(): Promise<ClusterNode>;
  /** The log again, opened with other options. */
  reopen(options?: Partial<JetStreamLogOptions>): Promise<void>;
}

let worlds = 0;

/** What a batch's silent holder is given, so that tests need not wait long for what a crash left. */
export const ACK_WAIT = 1_500;

/** Streams and a database of its own on servers that others use too. */
export async function openLogWorld(
  { nats, postgres }: Pick<Servers, 'nats' | 'postgres'>,
  options: Partial<JetStreamLogOptions> = {},
): Promise<JetStreamWorld> {
  const prefix = `test-${++worlds}`;
  const clock = new HandClock();
  const reports: unknown[] = [];
  const lost: LostMessages[] = [];
  const database = await postgres.migratedDatabase();
  const open = async (url: string, more: Partial<JetStreamLogOptions> = {}): Promise<ClusterNode> => {
    const store = await openPostgresStore({
      ...{ url: database, clock, failed: (error: unknown) => reports.push(error) },
      lost: (messages) => lost.push(messages),
    });
    const log = await openJetStreamLog({
      index: store.index,
      clock,
      prefix,
      shards: 1,
      replicas: null,
      retention: 7 * 24 * 60 * 60 * 1000,
      maxBytes: null,
      duplicateWindow: 120_000,
      ackWait: ACK_WAIT,
      report: (error) => reports.push(error),
      lead: store.leadIndex,
      ...options,
      ...more,
      url,
    }).catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
    return {
      log,
      index: store.index,
      deliveries: store.deliveries(log),
      erasure: store.erasure(log),
      regulations: store.regulations,
      retention: store.retention,
      losses: store.losses,
      async close() {
        await log.close();
        await store.close();
      },
    };
  };
  const target = nats.servers[0]?.port ?? 0;
  let proxy = await startTcpProxy(target);
  let node = await open(`nats://127.0.0.1:${proxy.port}`);
  const others: ClusterNode[] = [];
  const left: Promise<void>[] = [];
  const anotherNode = async (): Promise<ClusterNode> => {
    const other = await open(`nats://127.0.0.1:${target}`);
    others.push(other);
    return other;
  };
  const names = ['log', 'index', 'deliveries', 'erasure', 'regulations', 'retention', 'losses'] as const;
  const world: JetStreamWorld = withCurrent(() => node, names, {
    prefix,
    reports,
    lost,
    get proxy() {
      return proxy;
    },
    database,
    now: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    settle: (lane, entries) => node.deliveries.settle(entries.map((entry) => resultOf(lane, entry))),
    another: async () => (await anotherNode()).log,
    anotherNode,
    async queued(destinationId) {
      const { items } = await node.deliveries.claimDue(destinationId, Number.MAX_SAFE_INTEGER, 1000);
      return items.map(({ entry }) => entry);
    },
    async reopen(more) {
      await node.close();
      node = await open(`nats://127.0.0.1:${proxy.port}`, more);
    },
    async crash() {
      // Nothing that it says to NATS from now on is heard.
      await proxy.close();
      left.push(node.close());
      proxy = await startTcpProxy(target);
      node = await open(`nats://127.0.0.1:${proxy.port}`);
    },
    async close() {
      await Promise.all([...left, ...others.map((other) => other.close()), node.close()]);
      await proxy.close();
    },
  });
  return world;
}
