import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { cpuMicros, type Figure } from './figures.ts';
import type { LoadPlan, LoadResult } from './load.ts';
import type { Side } from './side.ts';
import type { Usage } from './usage.ts';

/** How calls come in: as fast as they are answered unless a rate is given. */
export interface Load {
  readonly port: number;
  readonly writeKeys: readonly string[];
  readonly callsPerRequest: number;
  readonly seconds: number;
  readonly events?: number;
  readonly perSecond?: number;
  readonly connections?: number;
  /** Calls of so many persons of the crowd; all alike when absent. */
  readonly crowd?: number;
}

/** A side that falls behind is given this many times the length of the load to catch up. */
const CATCH_UP = 4;
const POLL_MS = 50;
/** What a side does later is named when it takes longer than this. */
const LATER_SECONDS = 0.5;

/** Hardly more. */
const CALLS_OF_A_RUN = 10_000_000;

let runs = 0;

/** Runs the load generator to its end. Throws when nothing was accepted; other refusals stand in the answer. */
export async function load(bench: Bench, wanted: Load): Promise<LoadResult> {
  const plan: LoadPlan = {
    port: wanted.port,
    writeKeys: wanted.writeKeys,
    callsPerRequest: wanted.callsPerRequest,
    connections: wanted.connections ?? (wanted.callsPerRequest === 1 ? 64 : 16),
    seconds: wanted.seconds,
    events: wanted.events ?? null,
    perSecond: wanted.perSecond ?? null,
    stamped: true,
    run: String(++runs).padStart(6, '0'),
    // Each run meets other persons.
    first: runs * CALLS_OF_A_RUN,
    crowd: wanted.crowd ?? null,
  };
  const result = await bench.processes.run<LoadResult>({
    name: 'the load generator',
    file: process.execPath,
    args: [join(import.meta.dirname, 'load.ts'), JSON.stringify(plan)],
  });
  if (result.accepted === 0) throw new Error(`No call was accepted: ${JSON.stringify(result)}`);
  return result;
}

/**
 * Accepted durable → delivered → recorded, as fast as it goes. The clock stops when all that was accepted is recorded; the processor's
 * time is counted until the side is at rest.
 *
 * @param urls to how many each event goes.
 * @throws Error when the endpoint got fewer than were recorded as delivered. Of several URLs one is enough for that.
 */
export async function endToEnd(
  bench: Bench,
  side: Side,
  callsPerRequest: number,
  urls = 1,
): Promise<Pick<Figure, 'perSecond' | 'cpuMicros' | 'rssMb' | 'peakMb' | 'note'>> {
  const { port, writeKeys } = side;
  const { seconds, warmSeconds } = bench.options;
  const earlier = await side.processed();
  const warm = await load(bench, { port, writeKeys, callsPerRequest, seconds: warmSeconds });
  const before = await caughtUp(side, earlier + warm.accepted, warmSeconds * CATCH_UP);
  await side.atRest?.();
  await bench.receiver.reset();
  const cpu = side.usage();
  const loaded = await load(bench, { port, writeKeys, callsPerRequest, seconds });
  const loadedAt = performance.now();
  const goal = before + loaded.accepted;
  const processed = await caughtUp(side, goal, seconds * CATCH_UP);
  const took = loaded.seconds + (performance.now() - loadedAt) / 1000;
  const rested = performance.now();
  await side.atRest?.();
  const later = (performance.now() - rested) / 1000;
  const usage = side.usage();
  const { ok } = await bench.receiver.settledStats();
  const wanted = (processed - before) * urls;
  if (urls === 1 && ok < wanted) throw new Error(`${wanted} deliveries were recorded, and the endpoint got ${ok}.`);
  return {
    perSecond: (processed - before) / took,
    cpuMicros: cpuMicros(cpu, usage, processed - before),
    ...memory(usage),
    note: notes(
      loaded,
      processed < goal ? `${goal - processed} of ${loaded.accepted} were still waiting` : '',
      processed === goal && ok > wanted ? `${ok - wanted} came twice` : '',
      urls > 1 && ok < wanted ? `${wanted - ok} of ${wanted} requests were left out` : '',
      later > LATER_SECONDS ? `at rest ${later.toFixed(1)} s later` : '',
    ),
  };
}

/** Waits until a side has processed a number of events, at most `seconds`; answers how many it has. */
export async function caughtUp(side: Pick<Side, 'processed'>, goal: number, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const processed = await side.processed();
    if (processed >= goal || performance.now() > until) return processed;
    await sleep(POLL_MS);
  }
}

export function memory(usage: Usage | null): Pick<Figure, 'rssMb' | 'peakMb'> {
  return { rssMb: usage?.rssMb ?? null, peakMb: usage?.peakMb ?? null };
}

/** What a reader must know beside the figure: refused calls never pass unseen. */
export function notes(result: LoadResult, ...more: readonly string[]): string {
  const refused = Object.entries(result.refused).map(([why, calls]) => `${calls} calls refused (${why})`);
  return [...refused, ...more].filter((note) => note !== '').join('; ');
}
