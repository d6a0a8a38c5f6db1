import type { Figures } from './figures.ts';

/** What the service is held to, and how far a run of the benchmark got. */
export interface Target {
  readonly what: string;
  readonly wanted: string;
  /** Null when this run didn't measure it. */
  readonly reached: string | null;
  readonly met: boolean;
}

type Measure =
  | 'p99'
  | 'nodePercent'
  | 'cpuMicros'
  | 'rssMb'
  | 'seconds'
  | 'queueNanos'
  | 'sendNanos'
  | 'queuedBytes'
  | 'gzipBytes';

export function targets(figures: Figures): readonly Target[] {
  const rate = (id: string): number | null => figures.get(id)?.perSecond ?? null;
  const value = (id: string, field: Measure): number | null => figures.get(id)?.[field] ?? null;
  const toSegment = (field: Measure): number | null =>
    ratio(value('client/millrace', field), value('client/segment', field));
  const product = rate('end-to-end/product');
  return [
    atLeast('End to end, to the straw man', 0.85, ratio(product, rate('end-to-end/straw-man')), ' ×'),
    atMost(
      "CPU per event, end to end, to the straw man's",
      1.3,
      ratio(value('end-to-end/product', 'cpuMicros'), value('end-to-end/straw-man', 'cpuMicros')),
      ' ×',
    ),
    atLeast(
      'Single calls, to the straw man',
      0.85,
      ratio(rate('end-to-end/product-single'), rate('end-to-end/straw-man-single')),
      ' ×',
    ),
    atMost(
      'CPU of 5 URLs, to five times that of one',
      1 / 0.85,
      ratio(value('end-to-end/product-5-urls', 'cpuMicros'), times(5, value('end-to-end/product', 'cpuMicros'))),
      ' ×',
    ),
    atLeast('Over TLS, to HTTP', 0.85, ratio(rate('tls/product-https'), rate('tls/product-http')), ' ×'),
    atLeast('End to end, to BullMQ + Redis', 5, ratio(product, rate('instead/bullmq')), ' ×'),
    atLeast('Batch ingest alone', 50_000, rate('ingest/100/product'), ' events/s'),
    atMost(
      "p99 from sending to receipt at 5,000 events/s, to the straw man's",
      2,
      ratio(value('latency/one/product', 'p99'), value('latency/straw-man', 'p99')),
      ' ×',
    ),
    atMost('RSS, idle', 110, value('idle/alone/product', 'rssMb'), ' MB'),
    atMost('CPU with a page open', 1, value('idle/page/product', 'nodePercent'), ' % of a core'),
    atMost('RSS at full flow', 300, value('end-to-end/product', 'rssMb'), ' MB'),
    atMost(
      'p99 of 18 destinations beside two sick ones, to theirs alone',
      1.2,
      ratio(value('neighbours/with/product', 'p99'), value('neighbours/without/product', 'p99')),
      ' ×',
    ),
    atMost('RSS with the backlog waiting', 350, value('backlog/accumulated/product', 'rssMb'), ' MB'),
    atLeast(
      'Throughput beside the backlog, to that without',
      0.9,
      ratio(rate('backlog/with/product'), rate('backlog/without/product')),
      ' ×',
    ),
    atLeast('Where a sync takes 4 ms, to where it does not', 0.9, ratio(rate('slow-sync/product'), product), ' ×'),
    atLeast("Client, events/s, to Segment's", 1, ratio(rate('client/millrace'), rate('client/segment')), ' ×'),
    atMost("Client, ns until a call is queued, to Segment's", 1, toSegment('queueNanos'), ' ×'),
    atMost("Client, ns until a call is sent, to Segment's", 1, toSegment('sendNanos'), ' ×'),
    atMost("Client, bytes per queued message, to Segment's", 1, toSegment('queuedBytes'), ' ×'),
    atMost("Client, kB gzip, to Segment's", 1, toSegment('gzipBytes'), ' ×'),
    atLeast('Live updating of people, 5,250 events/s sent', 5_000, rate('people/steady/product'), ' events/s'),
    atMost('One audience computed beside 5,000 events/s', 30, value('people/compute-beside/product', 'seconds'), ' s'),
    atLeast(
      'Deliveries while an audience is computed, to those before',
      0.9,
      ratio(rate('people/computing/product'), rate('people/crowd/product')),
      ' ×',
    ),
    atMost('RSS with people, at 5,250 events/s', 600, value('people/steady/product', 'rssMb'), ' MB'),
    atMost('The first page usable', 1, value('pages/fast/product', 'seconds'), ' s'),
    atMost('The first page usable, slow 4G and CPU', 2.5, value('pages/slow/product', 'seconds'), ' s'),
    ...searchTargets('', 'search', figures),
    ...searchTargets(' of a cluster', 'cluster-search', figures),
    atLeast(
      'Deliveries of two nodes to slow endpoints, to those of one',
      1.7,
      ratio(rate('cluster-nodes/2'), rate('cluster-nodes/1')),
      ' ×',
    ),
    atMost('Start with 10 million events in the log', 2, value('ten-million/start/product', 'seconds'), ' s'),
  ];
}

/** `of`: nothing, or whose search it is. */
function searchTargets(of: string, id: string, figures: Figures): readonly Target[] {
  const rate = (part: string): number | null => figures.get(`${id}/${part}/product`)?.perSecond ?? null;
  const seconds = figures.get(`${id}/newest/product`)?.seconds ?? null;
  return [
    atMost(`Search${of} through the newest 100,000 events`, 0.3, seconds, ' s'),
    atLeast(`Search${of} before them, bodies of 1 KB`, 300_000, rate('rest'), ' events/s'),
    atLeast(`Deliveries beside searches${of}, to those alone`, 0.95, ratio(rate('beside'), rate('alone')), ' ×'),
  ];
}

function times(count: number, value: number | null): number | null {
  return value === null ? null : count * value;
}

function ratio(a: number | null, b: number | null): number | null {
  return a !== null && b !== null && b > 0 ? a / b : null;
}

function atLeast(what: string, limit: number, reached: number | null, unit: string): Target {
  return { what, wanted: `≥ ${show(limit)}${unit}`, ...outcome(reached, unit, reached !== null && reached >= limit) };
}

function atMost(what: string, limit: number, reached: number | null, unit: string): Target {
  return { what, wanted: `≤ ${show(limit)}${unit}`, ...outcome(reached, unit, reached !== null && reached <= limit) };
}

function outcome(reached: number | null, unit: string, met: boolean): Pick<Target, 'reached' | 'met'> {
  return { reached: reached === null ? null : `${show(reached)}${unit}`, met };
}

function show(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 100) / 100);
}
