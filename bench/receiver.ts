import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compile } from './compiler.ts';
import type { Processes } from './processes.ts';
import { type Usage, usageOf } from './usage.ts';

/** The endpoint that every side delivers to. */
export interface Receiver {
  /** `http://HOST:PORT` */
  readonly origin: string;
  /** What is written in: the compiled one costs a third. */
  readonly language: 'C' | 'Node';
  stats(): Promise<ReceiverStats>;
  /** Waits until no more 200s are given, at most 5 s: what was under way has arrived. */
  settledStats(): Promise<ReceiverStats>;
  reset(): Promise<void>;
  usage(): Usage | null;
}

/** Since the last reset. Latencies in microseconds, of the calls that carried a stamp and were answered 200. */
export interface ReceiverStats {
  readonly ok: number;
  readonly error: number;
  readonly hung: number;
  readonly measured: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const SETTLE_WITHIN_MS = 5_000;
const SETTLE_STEP_MS = 200;

export async function startReceiver(processes: Processes, folder: string): Promise<Receiver> {
  const binary = await compile(join(import.meta.dirname, 'native/receiver.c'), folder);
  const command =
    binary === null
      ? { file: process.execPath, args: [join(import.meta.dirname, 'sides/receiver.ts')] }
      : { file: binary, args: [] };
  const { pid, line } = await processes.start({ name: 'the receiver', ...command }, /listening on (\d+)/);
  const port = Number(line[1]);
  return receiverAt({ origin: `http://127.0.0.1:${port}`, stats: port, pid, language: binary === null ? 'Node' : 'C' });
}

/** One that runs: what calls are sent to, the port that answers /stats, its process. */
export function receiverAt(running: {
  readonly origin: string;
  readonly stats: number;
  readonly pid: number;
  readonly language: Receiver['language'];
}): Receiver {
  const { origin, pid, language } = running;
  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${running.stats}${path}`);
  const stats = async (): Promise<ReceiverStats> => (await (await get('/stats')).json()) as ReceiverStats;
  return {
    origin,
    language,
    stats,
    async settledStats() {
      const until = performance.now() + SETTLE_WITHIN_MS;
      for (let before = await stats(); ; ) {
        await sleep(SETTLE_STEP_MS);
        const after = await stats();
        if (after.ok === before.ok || performance.now() > until) return after;
        before = after;
      }
    },
    reset: async () => void (await (await get('/reset')).text()),
    usage: () => usageOf(pid),
  };
}
