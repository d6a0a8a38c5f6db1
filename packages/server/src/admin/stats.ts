import { parseDuration } from '../core/duration.ts';
import { iso } from '../core/instant.ts';
import type { StatsStore, StatsSums } from '../record/contract.ts';
import { latencyQuantile } from '../record/latency.ts';
import type { SourceVolumes, Stats, StatsTotal } from './contract.ts';
import { instant, refuse } from './input.ts';
import type { RangeQuery } from './schemas/stats.ts';

/** A range of whole steps, milliseconds. */
export interface StatsRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** The subjects of statistics. Accepted events are counted by source, their results by destination and by source. */
export interface StatsSubjects {
  readonly accepted: readonly string[];
  readonly delivered: readonly string[];
}

const MOST_BUCKETS = 300;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 86_400 * SECOND;
/** Minutes in a source's volume. */
const MINUTES = 60;
const STEPS = [60, 300, 1800, 7200, 86_400].map((seconds) => seconds * SECOND);

/** Covers a range with the shortest steps of which few enough are needed; null if the range is longer than 300 days. */
export function rangeOf(from: number, to: number): StatsRange | null {
  for (const step of STEPS) {
    const begin = Math.floor(from / step) * step;
    const end = Math.ceil(to / step) * step;
    if ((end - begin) / step <= MOST_BUCKETS) return { from: begin, to: end, step };
  }
  return null;
}

/** The range that a request asks for. Default: the last day. */
export function rangeAsked(query: RangeQuery, now: number): StatsRange {
  const last = lengthAsked(query);
  const to = instant(query.to, 'to') ?? now;
  const from = instant(query.from, 'from') ?? to - last;
  if (from >= to) refuse('to', 'must be later than from');
  const field = query.last === undefined ? 'from' : 'last';
  return (
    rangeOf(from, to) ?? refuse(field, field === 'last' ? 'must be at most 299d' : 'must be at most 300 days before to')
  );
}

/** Statistics of a range. Nothing is known before `since`. */
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

const NOTHING = { accepted: 0, rejected: 0, processed: 0, failed: 0, filtered: 0, retried: 0 };
const SUMMED = Object.keys(NOTHING) as (keyof typeof NOTHING)[];

/** The total of several sums. */
export function totalOf(sums: readonly StatsSums[]): StatsTotal {
  const total = { ...NOTHING, attempts: 0, attemptsFailed: 0 };
  const latency = new Uint32Array(Math.max(0, ...sums.map((sum) => sum.latency.length)));
  for (const sum of sums) {
    for (const name of SUMMED) total[name] += sum[name];
    for (const [key, [count]] of sum.attempts) {
      total.attempts += count;
      if (!key.startsWith('ok ')) total.attemptsFailed += count;
    }
    for (const [bucket, count] of sum.latency.entries()) latency[bucket] = (latency[bucket] ?? 0) + count;
  }
  // A replay subtracts results. After a crash some results may be missing, so the total could be negative.
  for (const end of ['processed', 'failed', 'filtered'] as const) total[end] = Math.max(0, total[end]);
  return { ...total, p50: latencyQuantile(latency, 0.5), p95: latencyQuantile(latency, 0.95) };
}

/** The sum without results: that of a source, as one destination uses it. */
export function acceptedOnly(sum: StatsSums): StatsSums {
  return { ...sum, processed: 0, failed: 0, filtered: 0, retried: 0, latency: new Uint32Array(), attempts: new Map() };
}

/** Events of each source, in the complete minutes of the last hour. */
export async function volumesOf(
  store: Pick<StatsStore, 'accepted'>,
  sourceIds: readonly string[],
  now: number,
): Promise<SourceVolumes> {
  const to = now - (now % MINUTE);
  const from = to - MINUTES * MINUTE;
  const accepted = await store.accepted(sourceIds, from, to);
  const items = [...accepted].map(([sourceId, minutes]) => ({
    sourceId,
    accepted: Array.from({ length: MINUTES }, (_, i) => minutes.get(from + i * MINUTE) ?? 0),
  }));
  return { from: iso(from), items };
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

/** Length of a range without `from`, milliseconds. */
function lengthAsked({ last, from, to }: RangeQuery): number {
  if (last === undefined) return DAY;
  if (from !== undefined || to !== undefined) refuse('last', 'cannot be combined with from or to');
  return parseDuration(last) ?? refuse('last', 'must be a duration such as 30m, 1h or 7d');
}
