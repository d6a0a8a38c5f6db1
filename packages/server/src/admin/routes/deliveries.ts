import { openCursor, sealCursor } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { instant } from '../input.ts';
import { Delivery, deliveriesQuery, Trace, traceParams, traceQuery } from '../schemas/delivery.ts';
import { DEFAULT_LIMIT, pageOf } from '../schemas/page.ts';
import { ref } from '../schemas/shape.ts';
import { traceOf } from '../trace.ts';
import { deliveryView } from '../views.ts';
import { type AdminApp, found, refusals } from './route.ts';

const tags = ['Deliveries'];

/** What became of messages: searched, and one followed all its way. */
export function deliveryRoutes(app: AdminApp, deps: AdminDeps): void {
  const { settings, deliveries, log } = deps;

  app.get(
    '/deliveries',
    {
      schema: {
        operationId: 'listDeliveries',
        summary: 'Search deliveries, newest first',
        description:
          'A page may hold fewer items than its limit and still have a next one: a rare filter is searched piece by piece.',
        tags,
        querystring: deliveriesQuery,
        response: { 200: pageOf(Delivery), ...refusals(400, 503) },
      },
    },
    async ({ query }) => {
      const page = await deliveries.list({
        destinationId: query.destinationId ?? null,
        state: query.state ?? null,
        event: query.event ?? null,
        userId: query.userId ?? null,
        from: instant(query.from, 'from'),
        to: instant(query.to, 'to'),
        cursor: query.cursor === undefined ? null : openCursor(query.cursor),
        limit: query.limit ?? DEFAULT_LIMIT,
      });
      return { items: page.items.map(deliveryView), next: page.next === null ? null : sealCursor(page.next) };
    },
  );

  app.get(
    '/messages/:messageId',
    {
      schema: {
        operationId: 'traceMessage',
        summary: 'Follow one message: as received, as sent, and what each destination made of it',
        description: 'A messageId is unique per source: `sourceId` selects, else the newest is shown.',
        tags,
        params: traceParams,
        querystring: traceQuery,
        response: { 200: ref(Trace), ...refusals(400, 404, 503) },
      },
    },
    async ({ params, query }) => {
      const sourceIds = query.sourceId === undefined ? settings.sources().map(({ id }) => id) : [query.sourceId];
      const entry = found(await log.find(params.messageId, sourceIds), `message ${params.messageId}`);
      const [made, lanes] = await Promise.all([deliveries.deliveriesOf(entry.position), log.lanes()]);
      return traceOf(entry, made, lanes, (id) => settings.destination(id)?.name ?? null);
    },
  );
}
