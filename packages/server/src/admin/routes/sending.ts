import type { Destination } from '../../core/destination.ts';
import { iso } from '../../core/instant.ts';
import { sumCounts } from '../../core/lane.ts';
import { verdict } from '../../deliver/route.ts';
import type { LaneCountsOf } from '../../record/contract.ts';
import { callerOf } from '../caller.ts';
import type * as contract from '../contract.ts';
import type { AdminDeps } from '../deps.ts';
import { byUrl, errorsOf, failedGroups, urlsOf } from '../failures.ts';
import { refuse } from '../input.ts';
import { seenNow } from '../overview.ts';
import { TestCall, TestResult } from '../schemas/delivery.ts';
import { Counts, DestinationStatus, LaneCounts } from '../schemas/destination-status.ts';
import { DestinationOverview, FailedGroups } from '../schemas/failure.ts';
import { pageOf } from '../schemas/page.ts';
import { rangeQuery } from '../schemas/stats.ts';
import { rangeAsked, statsOf } from '../stats.ts';
import { statusView, testView } from '../views.ts';
import { foundMessage } from './deliveries.ts';
import { type AdminApp, found, refusals, routesOf } from './route.ts';
import { SAMPLE_CALL } from './setup.ts';

/** Sending to a destination: a test message, exact counts, the state of its URLs. */
export function sendingRoutes(app: AdminApp, deps: AdminDeps): void {
  const routes = routesOf(app, 'Destinations');
  const { settings, deliveries, log, stats, metrics, clock, retention, readTest, sendTest, destinationStatus } = deps;
  const one = (id: string): Destination => found(settings.destination(id), `destination ${id}`);

  routes.post('/destinations/:id/test', {
    action: 'destination.test',
    operationId: 'testDestination',
    summary: 'Send one real message and see what comes back',
    description:
      'A call, or with `message` an accepted event. Goes to every URL at once, also of a destination that is off or leaves ' +
      'the event out (`filtered` says so); never retried, and not among the counts.',
    body: TestCall,
    response: { 200: TestResult, ...refusals(404) },
    handler: async (request) => {
      const destination = one(request.params.id);
      const { event: call, message } = request.body;
      if (call && message) refuse('message', 'cannot be combined with event: send one of them');
      const event = message ? await foundMessage(log, message) : readTest(call ?? SAMPLE_CALL);
      // A call typed here has no source. It is checked as a call of a connected source.
      const sourceIds = message ? destination.sourceIds : [event.sourceId];
      const sent = await sendTest(destination, event);
      metrics.tested(destination.id);
      return testView(sent, verdict(event, { ...destination, sourceIds }));
    },
  });

  routes.get('/destinations/:id/counts', {
    role: 'observer',
    operationId: 'getCounts',
    summary: 'What became of every event, exactly',
    response: { 200: Counts, ...refusals(404) },
    handler: async (request) => sumCounts(await deliveries.counts([one(request.params.id).id])),
  });

  routes.get('/destinations/:id/lanes', {
    role: 'observer',
    operationId: 'listLanes',
    summary: 'The same counts per source',
    response: { 200: pageOf(LaneCounts), ...refusals(404) },
    handler: async (request) => ({
      items: await lanesOf(await deliveries.counts([one(request.params.id).id])),
      next: null,
    }),
  });

  routes.get('/destinations/:id/overview', {
    role: 'observer',
    operationId: 'getDestinationOverview',
    summary: 'Everything about how a destination goes, at one moment',
    description:
      'Health, counts, URLs, statistics of the time that is asked for (the last day, unless `from` and `to` say ' +
      'otherwise), and the failed attempts of the last hour by cause, with a sample and what to do.',
    querystring: rangeQuery,
    response: { 200: DestinationOverview, ...refusals(404) },
    handler: async (request) => {
      const asked = one(request.params.id);
      const range = rangeAsked(request.query, clock.now());
      const { now, hour, lanes: counted, destinations } = await seenNow(deps, [asked], asked.sourceIds);
      const [destination] = destinations;
      const attempts = byUrl(hour.get(asked.id)?.attempts ?? new Map());
      const [over, errors, lanes] = await Promise.all([
        statsOf(stats, { accepted: asked.sourceIds, delivered: [asked.id] }, range, now - retention),
        errorsOf(deliveries, asked, attempts, callerOf(request).role),
        lanesOf(counted),
      ]);
      return {
        at: iso(now),
        destination: found(destination, `destination ${asked.id}`),
        status: statusOf(asked),
        lanes,
        stats: over,
        urls: urlsOf(asked, attempts),
        errors,
      };
    },
  });

  routes.get('/destinations/:id/failed', {
    operationId: 'listFailedGroups',
    summary: 'Failed messages by error and event, each with a sample',
    description: 'Of the newest 2,000; a replay with `dryRun` counts all of them by error.',
    response: { 200: FailedGroups, ...refusals(404) },
    handler: async (request) => failedGroups(deliveries, one(request.params.id)),
  });

  routes.get('/destinations/:id/status', {
    role: 'observer',
    operationId: 'getDestinationStatus',
    summary: 'The breaker and each URL, as they are now',
    response: { 200: DestinationStatus, ...refusals(404) },
    handler: async (request) => statusOf(one(request.params.id)),
  });

  function statusOf(of: Destination): contract.DestinationStatus {
    const idle = {
      concurrency: 0,
      inFlight: 0,
      stalled: false,
      overloaded: false,
      lastError: null,
      certificateEndsAt: null,
    };
    const urls = of.webhooks.map((webhook) => ({ id: webhook.id, url: webhook.url, ...idle }));
    return statusView(destinationStatus(of.id) ?? { held: false, breaker: 'closed', probeAt: null, urls }, of);
  }

  async function lanesOf(counted: readonly LaneCountsOf[]): Promise<contract.LaneCounts[]> {
    const open = new Set((await log.lanes()).filter(({ until }) => until === null).map(({ id }) => id));
    return counted.map(({ laneId, sourceId, counts }) => ({ laneId, sourceId, ended: !open.has(laneId), ...counts }));
  }
}
