import type { LogWorld } from '../../packages/server/src/log/conformance.ts';
import type { JetStreamEventLog } from '../../packages/server/src/stores/jetstream/event-log.ts';
import { type JetStreamLogOptions, openJetStreamLog } from '../../packages/server/src/stores/jetstream/store.ts';
import { HandClock } from '../hand-clock.ts';
import { MemoryIndex } from './memory-index.ts';
import type { Nats } from './nats.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface JetStreamWorld extends LogWorld {
  readonly log: JetStreamEventLog;
  readonly index: MemoryIndex;
  /** The way to the server. */
  readonly proxy: TcpProxy;
  /** What was reported. */
  readonly reports: unknown[];
  readonly prefix: string;
  /** Another node of the same log. */
  another(): Promise<JetStreamEventLog>;
}

let worlds = 0;

/** What a pack's silent holder is given, so that tests need not wait long for what a crash left. */
export const ACK_WAIT = 1_500;

/** A log of its own on a server that others use too. */
export async function openLogWorld(nats: Nats, options: Partial<JetStreamLogOptions> = {}): Promise<JetStreamWorld> {
  const prefix = `test-${process.pid}-${++worlds}`;
  const clock = new HandClock();
  const index = new MemoryIndex();
  const reports: unknown[] = [];
  const others: JetStreamEventLog[] = [];
  const left: Promise<void>[] = [];
  const open = (url: string): Promise<JetStreamEventLog> =>
    openJetStreamLog({
      index,
      clock,
      prefix,
      shards: 1,
      replicas: null,
      retention: 7 * 24 * 60 * 60 * 1000,
      maxBytes: null,
      duplicateWindow: 120_000,
      ackWait: ACK_WAIT,
      report: (error) => reports.push(error),
      lead: (_shard, work, ending) => work(ending),
      ...options,
      url,
    });
  const target = nats.servers[0]?.port ?? 0;
  let proxy = await startTcpProxy(target);
  let log = await open(`nats://127.0.0.1:${proxy.port}`);
  return {
    prefix,
    index,
    reports,
    get proxy() {
      return proxy;
    },
    get log() {
      return log;
    },
    now: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    async settle(lane, entries) {
      index.settle(lane.id, entries);
    },
    async another() {
      const other = await open(`nats://127.0.0.1:${target}`);
      others.push(other);
      return other;
    },
    async reopen() {
      await log.close();
      log = await open(`nats://127.0.0.1:${proxy.port}`);
    },
    async crash() {
      // Nothing that it says from now on is heard.
      await proxy.close();
      left.push(log.close());
      proxy = await startTcpProxy(target);
      log = await open(`nats://127.0.0.1:${proxy.port}`);
    },
    async close() {
      await Promise.all([...left, ...others.map((other) => other.close()), log.close()]);
      await proxy.close();
    },
  };
}
