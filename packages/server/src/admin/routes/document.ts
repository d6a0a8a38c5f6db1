import { anyObject } from '../schemas/field.ts';
import { type AdminApp, refusals, routesOf } from './route.ts';

const route = routesOf('Operation');

/** The OpenAPI document, made from the schemas that check the requests. */
export function documentRoute(app: AdminApp): void {
  app.get(
    '/openapi.json',
    route({
      role: 'observer',
      operationId: 'getOpenApi',
      summary: 'This document',
      response: { 200: anyObject, ...refusals() },
    }),
    async () => ({ ...app.swagger() }),
  );
}
