import { WEBHOOKS } from '../../core/destination.ts';
import { EVENT_TYPES } from '../../core/event.ts';
import type { CatalogItem } from '../contract.ts';
import { CatalogItem as schema, WebhooksSettings } from '../schemas/destination.ts';
import { pageOf } from '../schemas/page.ts';
import type { AdminApp } from './route.ts';
import { refusals, routesOf } from './route.ts';

/** The kinds of destination there are: one. */
export function catalogRoutes(app: AdminApp): void {
  const routes = routesOf(app, 'Destinations');
  routes.get('/catalog', {
    role: 'observer',
    operationId: 'listCatalog',
    summary: 'The kinds of destination, each with the JSON Schema of its settings',
    response: { 200: pageOf(schema), ...refusals() },
    handler: async () => ({ items: [WEBHOOKS_ITEM], next: null }),
  });
}

const WEBHOOKS_ITEM: CatalogItem = {
  name: WEBHOOKS,
  description: 'Sends every call as a signed HTTP POST with a JSON body to up to five URLs.',
  messageTypes: [...EVENT_TYPES],
  settings: structuredClone(WebhooksSettings) as unknown as Record<string, unknown>,
};
