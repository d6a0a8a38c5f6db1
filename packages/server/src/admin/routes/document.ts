import { anyObject } from '../schemas/field.ts';
import { type AdminApp, refusals, routesOf } from './route.ts';

/** The OpenAPI document, made from the schemas that check the requests. */
export function documentRoute(app: AdminApp): void {
  const routes = routesOf(app, 'Operation');
  routes.get('/openapi.json', {
    role: 'observer',
    operationId: 'getOpenApi',
    summary: 'This document',
    response: { 200: anyObject, ...refusals() },
    handler: async () => ({ ...app.swagger() }),
  });
}
