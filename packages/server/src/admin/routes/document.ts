import { anyObject } from '../schemas/field.ts';
import { type AdminApp, refusals } from './route.ts';

/** The OpenAPI document, made from the schemas that check the requests. */
export function documentRoute(app: AdminApp): void {
  app.get(
    '/openapi.json',
    {
      config: { role: 'observer' },
      schema: {
        operationId: 'getOpenApi',
        summary: 'This document',
        tags: ['Operation'],
        response: { 200: anyObject, ...refusals() },
      },
    },
    async () => ({ ...app.swagger() }),
  );
}
