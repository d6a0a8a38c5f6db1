/**
 * Reads CPU profiles (`npm run bench -- --only end-to-end --profile DIR`, then `node bench/profile.ts DIR`) and prints,
 * for the main thread of each run of the product, which part of the program its busy time went to. Time in native code
 * counts to the JavaScript that called it; time the kernel took the processor away counts to what was interrupted.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Frame {
  readonly functionName: string;
  readonly url: string;
}

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame; readonly children?: readonly number[] }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Parts, by what a frame's address contains; the first that fits. */
const PARTS: readonly (readonly [part: string, pattern: RegExp])[] = [
  ['undici: sending', /undici|stream_base_commons|_tls_|node:net|internal\/streams/],
  ['deliver', /\/src\/deliver\//],
  ['HMAC of the bodies', /crypto\/hash/],
  ['collect: reading and building', /\/src\/collect\//],
  ['HTTP server', /fastify|find-my-way|node:_http|\/src\/http\//],
  ['crossing to the store’s threads', /internal\/worker|\/src\/stores\//],
  ['recording and metrics', /\/src\/(record|observe)\/|prom-client/],
];

const folder = process.argv[2] ?? '.';
// The name ends with the process, the thread (0 is the main one) and a number.
const names = readdirSync(folder).filter((name) => /\.0\.\d+\.cpuprofile$/.test(name));
if (names.length === 0) throw new Error(`There is no profile of a main thread in ${folder}.`);
for (const [run, name] of names.toSorted().entries()) {
  const { total, parts } = busyTime(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile);
  console.log(`\n| Part of the main thread, run ${run + 1} | Share of its busy time |\n| --- | --: |`);
  for (const [part, time] of [...parts].sort((x, y) => y[1] - x[1])) {
    console.log(`| ${part} | ${((time / total) * 100).toFixed(1)} % |`);
  }
}

function busyTime(profile: Profile): { total: number; parts: Map<string, number> } {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const parts = new Map<string, number>();
  let total = 0;
  for (const [i, id] of profile.samples.entries()) {
    const part = partOf(id, frames, parents);
    const time = profile.timeDeltas[i] ?? 0;
    if (part === null) continue;
    total += time;
    parts.set(part, (parts.get(part) ?? 0) + time);
  }
  return { total, parts };
}

/** Null for idle time. */
function partOf(id: number, frames: ReadonlyMap<number, Frame>, parents: ReadonlyMap<number, number>): string | null {
  const own = frames.get(id)?.functionName;
  if (own === '(idle)') return null;
  if (own === '(garbage collector)') return 'garbage collection';
  let at: number | undefined = id;
  while (at !== undefined) {
    const url = frames.get(at)?.url ?? '';
    const part = PARTS.find(([, pattern]) => pattern.test(url));
    if (part) return part[0];
    at = parents.get(at);
  }
  return 'Node itself, starting, the rest';
}
