import type { Destination } from '../../core/destination.ts';
import { sumCounts } from '../counts.ts';
import type { AdminDeps } from '../deps.ts';
import { SAMPLE_CALL } from '../sample-call.ts';
import { TestCall, TestResult } from '../schemas/delivery.ts';
import * as schemas from '../schemas/destination.ts';
import { pageOf } from '../schemas/page.ts';
import { ref } from '../schemas/shape.ts';
import { statusView, testView } from '../views.ts';
import { type AdminApp, found, idParams, refusals } from './route.ts';

const tags = ['Destinations'];

/** How sending to a destination goes: a test message, exact counts, the state of its URLs. */
export function sendingRoutes(app: AdminApp, deps: AdminDeps): void {
  const { settings, deliveries, log, metrics, sendTest, destinationStatus } = deps;
  const one = (id: string): Destination => found(settings.destination(id), `destination ${id}`);

  app.post(
    '/destinations/:id/test',
    {
      config: { action: 'destination.test' },
      schema: {
        operationId: 'testDestination',
        summary: 'Send one real message and see what comes back',
        description: 'Goes to every URL at once, enabled or not; never retried, and not among the counts.',
        tags,
        params: idParams,
        body: ref(TestCall),
        response: { 200: ref(TestResult), ...refusals(400, 404) },
      },
    },
    async (request) => {
      const destination = one(request.params.id);
      const sent = await sendTest(destination, request.body.event ?? SAMPLE_CALL);
      metrics.tested(destination.id);
      return testView(sent);
    },
  );

  app.get(
    '/destinations/:id/counts',
    {
      config: { role: 'observer' },
      schema: {
        operationId: 'getCounts',
        summary: 'What became of every event, exactly',
        tags,
        params: idParams,
        response: { 200: ref(schemas.Counts), ...refusals(404, 503) },
      },
    },
    async (request) => sumCounts(await deliveries.counts([one(request.params.id).id])),
  );

  app.get(
    '/destinations/:id/lanes',
    {
      config: { role: 'observer' },
      schema: {
        operationId: 'listLanes',
        summary: 'The same counts per source',
        tags,
        params: idParams,
        response: { 200: pageOf(schemas.LaneCounts), ...refusals(404, 503) },
      },
    },
    async (request) => {
      const counts = await deliveries.counts([one(request.params.id).id]);
      const open = new Set((await log.lanes()).filter(({ until }) => until === null).map(({ id }) => id));
      const items = counts.map(({ laneId, sourceId, counts }) => ({
        laneId,
        sourceId,
        ended: !open.has(laneId),
        ...counts,
      }));
      return { items, next: null };
    },
  );

  app.get(
    '/destinations/:id/status',
    {
      config: { role: 'observer' },
      schema: {
        operationId: 'getDestinationStatus',
        summary: 'The breaker and each URL, as they are now',
        tags,
        params: idParams,
        response: { 200: ref(schemas.DestinationStatus), ...refusals(404) },
      },
    },
    async (request) => {
      const { id, webhooks } = one(request.params.id);
      const idle = { concurrency: 0, inFlight: 0, stalled: false, lastError: null };
      const status = destinationStatus(id);
      return statusView(
        status ?? {
          held: false,
          breaker: 'closed',
          probeAt: null,
          urls: webhooks.map(({ url }) => ({ url, ...idle })),
        },
      );
    },
  );
}
