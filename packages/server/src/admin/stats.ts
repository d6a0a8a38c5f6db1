import type { StatsStore, StatsSums } from '../record/contract.ts';
import { latencyQuantile } from '../record/latency.ts';
import type { Stats, StatsTotal } from './contract.ts';
import { iso } from './views.ts';

/** Whole steps; milliseconds. */
export interface StatsRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** Whose statistics: what was accepted is known by source, what became of it by destination and by source. */
export interface StatsSubjects {
  readonly accepted: readonly string[];
  readonly delivered: readonly string[];
}

const MOST_BUCKETS = 300;
const SECOND = 1000;
const STEPS = [60, 300, 1800, 7200, 86_400].map((seconds) => seconds * SECOND);

/** The shortest whole steps around a range that are few enough; null when the range is longer than 300 days. */
export function rangeOf(from: number, to: number): StatsRange | null {
  for (const step of STEPS) {
    const begin = Math.floor(from / step) * step;
    const end = Math.ceil(to / step) * step;
    if ((end - begin) / step <= MOST_BUCKETS) return { from: begin, to: end, step };
  }
  return null;
}

/** Statistics of a range; nothing is known of before `since`. */
export async function statsOf(
  store: Pick<StatsStore, 'series'>,
  subjects: StatsSubjects,
  range: StatsRange,
  since: number,
): Promise<Stats> {
  const { from, to, step } = range;
  const earlier = { from: from - (to - from), to: from, step };
  const [sums, before] = await Promise.all([read(store, subjects, range), read(store, subjects, earlier)]);
  const buckets = Array.from({ length: (to - from) / step }, (_, i) => {
    const at = from + i * step;
    return { at: iso(at), ...totalOf(sums.filter((sum) => sum.at === at)) };
  });
  return {
    from: iso(from),
    to: iso(to),
    step: step / SECOND,
    buckets,
    total: totalOf(sums),
    before: earlier.from < since || before.length === 0 ? null : totalOf(before),
  };
}

/** The numbers of all these sums together. */
export function totalOf(sums: readonly StatsSums[]): StatsTotal {
  const total = { accepted: 0, processed: 0, failed: 0, filtered: 0, retried: 0 };
  const latency = new Uint32Array(Math.max(0, ...sums.map((sum) => sum.latency.length)));
  for (const sum of sums) {
    total.accepted += sum.accepted;
    total.processed += sum.processed;
    total.failed += sum.failed;
    total.filtered += sum.filtered;
    total.retried += sum.retried;
    for (const [bucket, count] of sum.latency.entries()) latency[bucket] = (latency[bucket] ?? 0) + count;
  }
  return { ...total, p50: latencyQuantile(latency, 0.5), p95: latencyQuantile(latency, 0.95) };
}

/** The same without what became of it: what a source's events count for a destination. */
export function acceptedOnly(sum: StatsSums): StatsSums {
  return { ...sum, processed: 0, failed: 0, filtered: 0, retried: 0, latency: new Uint32Array() };
}

async function read(
  store: Pick<StatsStore, 'series'>,
  subjects: StatsSubjects,
  range: StatsRange,
): Promise<StatsSums[]> {
  const { accepted, delivered } = subjects;
  const own = store.series({ subjects: delivered, ...range });
  if (accepted === delivered) return [...(await own)];
  const sources = await store.series({ subjects: accepted, ...range });
  return [...(await own), ...sources.map(acceptedOnly)];
}
