import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import type { Side } from './side.ts';
import { type Usage, usageOf } from './usage.ts';

const MILLRACE = join(import.meta.dirname, '../packages/server/bin/millrace.js');
/** The sources as they are, so that a profile names their files. */
const SOURCES = join(import.meta.dirname, '../packages/server/src/main.ts');
const TOKEN = 'a-token-for-the-benchmark-alone';
const POLL_MS = 50;
const SHARED_SECRET = 'every delivery is signed, as it would be';

/** The real service, set up by its admin API. */
export interface Product {
  readonly port: number;
  readonly pid: number;
  /** The admin token. */
  readonly token: string;
  usage(): Usage | null;
  createSource(): Promise<Source>;
  /** A signed destination; the paths are those of the receiver, a number is the port of a URL elsewhere. */
  createDestination(sources: readonly Pick<Source, 'id'>[], targets: readonly (string | number)[]): Promise<string>;
  counts(destinationId: string): Promise<Counts>;
  /** Asks the admin API anything. */
  ask<Answer>(method: string, path: string, body?: object): Promise<Answer>;
  /** What `/metrics` says, by name and labels. The histogram of the event loop begins anew with each look. */
  metrics(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

export interface Source {
  readonly id: string;
  readonly writeKey: string;
}

export interface Counts {
  readonly accepted: number;
  readonly processed: number;
  readonly failed: number;
  readonly filtered: number;
  readonly waiting: number;
  readonly retrying: number;
}

export async function startProduct(bench: Bench, folder: string, env: Record<string, string> = {}): Promise<Product> {
  const { profile } = bench.options;
  const profiled = profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const command = {
    name: 'millrace start',
    file: process.execPath,
    // As `npm start` does it.
    args: [
      ...profiled,
      '--max-semi-space-size=16',
      profile === null ? MILLRACE : SOURCES,
      'start',
      '--port',
      '0',
      '--data-dir',
      folder,
    ],
    env: { MILLRACE_ADMIN_TOKEN: TOKEN, MILLRACE_ALLOW_PRIVATE_URLS: 'true', NODE_ENV: 'production', ...env },
  };
  const running = await bench.processes.start(command, /listening on http:\/\/[^:]+:(\d+)/);
  const port = Number(running.line[1]);
  return {
    port,
    pid: running.pid,
    token: TOKEN,
    usage: () => usageOf(running.pid),
    createSource: () => call<Source>(port, 'POST', '/api/sources', { name: 'Bench', type: 'server' }),
    async createDestination(sources, targets) {
      const webhooks = targets.map((target) => ({
        url: typeof target === 'number' ? `http://127.0.0.1:${target}` : `${bench.receiver.origin}${target}`,
      }));
      const { id } = await call<{ id: string }>(port, 'POST', '/api/destinations', {
        name: 'Bench',
        type: 'Webhooks',
        sourceIds: sources.map((source) => source.id),
        enabled: true,
        settings: { webhooks, sharedSecret: SHARED_SECRET },
      });
      return id;
    },
    counts: (id) => call<Counts>(port, 'GET', `/api/destinations/${id}/counts`),
    ask: (method, path, body) => call(port, method, path, body),
    async metrics() {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return new Map(text.matchAll(/^(\w.*) ([\d.e+-]+)$/gm).map(([, name = '', value]) => [name, Number(value)]));
    },
    stop: () => running.stop(),
  };
}

/** The product as a side: one source, one destination with these URLs. */
export async function productSide(product: Product, targets: readonly (string | number)[]): Promise<Side> {
  const source = await product.createSource();
  const destination = await product.createDestination([source], targets);
  return {
    port: product.port,
    writeKeys: [source.writeKey],
    processed: async () => (await product.counts(destination)).processed,
    async atRest() {
      while ((await product.ask<{ lag: number }>('GET', '/api/profiles/status')).lag > 0) await sleep(POLL_MS);
    },
    usage: () => product.usage(),
    stop: () => product.stop(),
  };
}

async function call<Answer>(port: number, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${answer}`);
  return (answer === '' ? undefined : JSON.parse(answer)) as Answer;
}
