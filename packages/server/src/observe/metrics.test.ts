import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { type LaneQueue, Metrics } from './metrics.ts';

async function lines(metrics: Metrics): Promise<string[]> {
  return (await metrics.render()).split('\n').filter((line) => line.startsWith('millrace_'));
}

test('counts add up over scrapes', async () => {
  const metrics = new Metrics();
  metrics.accepted('src_1', 3);
  metrics.duplicates('src_1', 1);
  metrics.rejected('src_1', 'event_required');
  metrics.rejected(null, 'unknown_write_key');
  metrics.settled('dst_1', 'processed', 2);
  metrics.attempted('dst_1', 'temporary', 40);
  expect(await lines(metrics)).toContain('millrace_events_accepted_total{source="src_1"} 3');
  metrics.accepted('src_1', 4);
  metrics.accepted('src_2', 1);
  const after = await lines(metrics);
  for (const line of [
    'millrace_events_accepted_total{source="src_1"} 7',
    'millrace_events_accepted_total{source="src_2"} 1',
    'millrace_events_duplicate_total{source="src_1"} 1',
    'millrace_events_rejected_total{source="src_1",code="event_required"} 1',
    'millrace_events_rejected_total{source="",code="unknown_write_key"} 1',
    'millrace_deliveries_total{destination="dst_1",state="processed"} 2',
    'millrace_attempts_total{destination="dst_1",class="temporary"} 1',
    'millrace_attempt_duration_seconds_count 1',
    'millrace_attempt_duration_seconds_sum 0.04',
  ]) {
    expect(after).toContain(line);
  }
});

test('what can not be read is left out of a scrape, and nothing else', async () => {
  const metrics = new Metrics();
  let away = false;
  metrics.watchStores(() => [{ name: 'postgres', isUp: !away }]);
  metrics.watchLanes(async () => {
    if (away) throw new Error('away');
    return [{ destinationId: 'dst_1', waiting: 5, retrying: 2 }];
  });
  metrics.accepted('src_1', 3);
  const before = await lines(metrics);
  expect(before).toContain('millrace_store_up{store="postgres"} 1');
  away = true;
  const meanwhile = await lines(metrics);
  expect(meanwhile).toContain('millrace_store_up{store="postgres"} 0');
  expect(meanwhile).toContain('millrace_events_accepted_total{source="src_1"} 3');
  expect(meanwhile.filter((line) => /_lanes_waiting|_waiting_messages|_retrying_messages/.test(line))).toEqual([]);
  away = false;
  expect(await lines(metrics)).toEqual(before);
});

test('what takes too long to read is left out of a scrape', async () => {
  const clock = new HandClock();
  const metrics = new Metrics(clock);
  metrics.accepted('src_1', 3);
  metrics.watchLanes(() => new Promise(() => undefined));
  const scrape = lines(metrics);
  clock.advance(5_000);
  expect(await scrape).toEqual(['millrace_events_accepted_total{source="src_1"} 3', ...(await lines(new Metrics()))]);
});

test('durations are in seconds', async () => {
  const metrics = new Metrics();
  metrics.processedAfter(1500);
  metrics.committed(2, 100);
  const all = await lines(metrics);
  expect(all).toContain('millrace_delivery_latency_seconds_sum 1.5');
  expect(all).toContain('millrace_commit_duration_seconds_sum 0.002');
  expect(all).toContain('millrace_commit_rows_bucket{le="100"} 1');
});

test('gauges are read at each scrape, and forget what is gone', async () => {
  const metrics = new Metrics();
  let queues: LaneQueue[] = [
    { destinationId: 'dst_1', waiting: 5, retrying: 2 },
    { destinationId: 'dst_1', waiting: 1, retrying: 1 },
  ];
  metrics.watchLanes(async () => queues);
  metrics.watchSending(() => [
    { destinationId: 'dst_1', isPaused: true, breaker: 'open', urls: [{ id: 'url_1', concurrency: 8, inFlight: 3 }] },
  ]);
  const first = await lines(metrics);
  expect(first).toContain('millrace_lanes_waiting 1');
  expect(first).toContain('millrace_waiting_messages{destination="dst_1"} 6');
  expect(first).toContain('millrace_retrying_messages{destination="dst_1"} 3');
  expect(first).toContain('millrace_url_concurrency{destination="dst_1",url="url_1"} 8');
  expect(first).toContain('millrace_url_requests{destination="dst_1",url="url_1"} 3');
  expect(first).toContain('millrace_breaker_open{destination="dst_1"} 1');
  expect(first).toContain('millrace_paused{destination="dst_1"} 1');
  queues = [];
  const second = await lines(metrics);
  expect(second).toContain('millrace_lanes_waiting 0');
  expect(second.filter((line) => line.includes('shelf'))).toEqual([]);
});

test('the process is measured too', async () => {
  const text = await new Metrics().render();
  expect(text).toContain('process_resident_memory_bytes');
  expect(text).toContain('nodejs_eventloop_lag_seconds');
});
