import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bench } from './bench.ts';
import type { Running } from './processes.ts';
import type { Redis } from './redis.ts';
import { type Usage, usageOf } from './usage.ts';

/** One way from a call to a delivered message: takes the product's collection API and can tell how far it is. */
export interface Side {
  readonly port: number;
  readonly writeKeys: readonly string[];
  /** Events that are delivered, and that recorded durably. */
  processed(): Promise<number>;
  /** Resolves when it has done what it leaves for later; absent where there is nothing. */
  atRest?(): Promise<void>;
  usage(): Usage | null;
  stop(): Promise<void>;
}

/** The environment that makes every sync of a process take 4 ms. */
export function slowSyncEnv(library: string): Record<string, string> {
  return { LD_PRELOAD: library, MILLRACE_BENCH_SYNC_MS: '4' };
}

export async function startStrawMan(bench: Bench, folder: string, env: Record<string, string> = {}): Promise<Side> {
  const command = {
    name: 'the straw man',
    file: process.execPath,
    args: [join(import.meta.dirname, 'sides/straw-man.ts'), folder, bench.receiver.origin],
    env,
  };
  return counting(await bench.processes.start(command, /listening on (\d+)/), []);
}

const RIVAL = join(import.meta.dirname, 'rival');

/** Installs what the rivals need, once. @throws Error when npm can't. */
export async function installRival(name: 'bullmq' | '@segment/analytics-node'): Promise<void> {
  if (existsSync(join(RIVAL, 'node_modules', name))) return;
  const args = ['install', '--ignore-scripts', '--no-package-lock', '--no-save', '--workspaces=false'];
  await promisify(execFile)('npm', args, { cwd: RIVAL });
}

export async function startBullmq(bench: Bench, redis: Redis): Promise<Side> {
  await installRival('bullmq');
  const command = {
    name: 'BullMQ',
    file: process.execPath,
    args: [join(RIVAL, 'bullmq.js'), String(redis.port), bench.receiver.origin],
  };
  return counting(await bench.processes.start(command, /listening on (\d+)/), [redis.running]);
}

/** A side that answers GET /counts; `helpers` are processes that it can't work without, and are counted to it. */
function counting(running: Running, helpers: readonly Running[]): Side {
  const port = Number(running.line[1]);
  return {
    port,
    writeKeys: ['any'],
    async processed() {
      const counts = (await (await fetch(`http://127.0.0.1:${port}/counts`)).json()) as { processed: number };
      return counts.processed;
    },
    usage: () => usageOf(running.pid, ...helpers.map(({ pid }) => pid)),
    async stop() {
      await running.stop();
      for (const helper of helpers) await helper.stop();
    },
  };
}
