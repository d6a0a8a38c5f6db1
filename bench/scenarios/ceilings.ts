import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { cpuMicros, type Figure } from '../figures.ts';
import { load } from '../measure.ts';
import { usageOf } from '../usage.ts';
import type { Scenario } from './scenario.ts';

export const ceilings: Scenario = {
  name: 'ceilings',
  title: 'Ceilings',
  about: `What each step costs by itself, with nothing else done: no service can be faster than its slowest step. Calls are
about 1 KB. HTTP in parses the JSON and answers; the append runs on a worker thread, synced at every commit; POST out is
undici's \`dispatch\` on 64 connections.`,
  async run(bench) {
    for (const server of ['node', 'fastify'] as const) await httpIn(bench, server);
    await append(bench, 100);
    await append(bench, 1);
    const figure = await dispatchLoop(bench, bench.receiver.origin, 'h1');
    bench.figures.record({ id: 'ceilings/dispatch/undici', what: 'POST out, undici dispatch', ...figure });
  },
};

interface Measured {
  readonly events: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

async function httpIn(bench: Bench, server: 'node' | 'fastify'): Promise<void> {
  const seconds = lengthOf(bench);
  const running = await bench.processes.start(
    { name: `HTTP in (${server})`, file: process.execPath, args: [side('http-in.ts'), server] },
    /listening on (\d+)/,
  );
  const target = { port: Number(running.line[1]), writeKeys: ['any'] };
  for (const callsPerRequest of [1, 100]) {
    await load(bench, { ...target, callsPerRequest, seconds: bench.options.warmSeconds });
    const before = usageOf(running.pid);
    const { accepted, seconds: took } = await load(bench, { ...target, callsPerRequest, seconds });
    bench.figures.record({
      id: `ceilings/http-in-${callsPerRequest}/${server}`,
      what: `HTTP in, ${server === 'node' ? 'node:http' : 'Fastify'}, ${callsPerRequest} a request`,
      perSecond: accepted / took,
      cpuMicros: cpuMicros(before, usageOf(running.pid), accepted),
    });
  }
  await running.stop();
}

async function append(bench: Bench, rows: number): Promise<void> {
  const measured = await bench.withFolder((folder) =>
    bench.processes.run<Measured>({
      name: 'synced append',
      file: process.execPath,
      args: [side('sqlite-append.ts'), folder, String(rows), String(lengthOf(bench))],
    }),
  );
  bench.figures.record({
    id: `ceilings/append-${rows}/sqlite`,
    what: `SQLite append, synced, ${rows} a transaction`,
    ...rates(measured),
  });
}

export async function dispatchLoop(
  bench: Bench,
  origin: string,
  protocol: 'h1' | 'h2',
  env: Record<string, string> = {},
): Promise<Pick<Figure, 'perSecond' | 'cpuMicros'>> {
  const measured = await bench.processes.run<Measured>({
    name: 'the dispatch loop',
    file: process.execPath,
    args: [side('dispatch-loop.ts'), origin, String(lengthOf(bench)), protocol],
    env,
  });
  return rates(measured);
}

/** The ceilings are steady: half the time tells as much. */
function lengthOf(bench: Bench): number {
  return bench.options.seconds / 2;
}

function rates({ events, seconds, cpuSeconds }: Measured): Pick<Figure, 'perSecond' | 'cpuMicros'> {
  return { perSecond: events / seconds, cpuMicros: (cpuSeconds / events) * 1e6 };
}

function side(file: string): string {
  return join(import.meta.dirname, '../sides', file);
}
