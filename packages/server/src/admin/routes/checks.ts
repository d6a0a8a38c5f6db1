import { checkSignature } from '../../deliver/signature-check.ts';
import type { AdminDeps } from '../deps.ts';
import * as schemas from '../schemas/check.ts';
import { ref } from '../schemas/shape.ts';
import { checkUrlWhole } from '../url-check.ts';
import { type AdminApp, refusals, routesOf } from './route.ts';

/** What helps to set up an endpoint before anything is saved. Nothing is kept. */
export function checkRoutes(app: AdminApp, deps: AdminDeps): void {
  const routes = routesOf(app, 'Destinations');
  routes.post('/url-checks', {
    action: 'url.check',
    operationId: 'checkUrl',
    summary: 'Check a URL that is not saved yet, as delivery would use it',
    description:
      'The URL, its headers, the address, the connection, the certificate, and one real signed message, which is never ' +
      'retried. The steps end with the first that fails, which says how to mend it.',
    body: ref(schemas.NewUrlCheck),
    response: { 200: ref(schemas.UrlCheck), ...refusals() },
    handler: ({ body }) => checkUrlWhole(body, deps),
  });

  routes.post('/signature-checks', {
    role: 'viewer',
    action: null,
    operationId: 'checkSignature',
    summary: 'Compare a signature with the one that Millrace computes',
    description: 'Where they differ, `hint` says why that most likely is. Nothing of it is kept or logged.',
    body: ref(schemas.SignatureCheck),
    response: { 200: ref(schemas.SignatureVerdict), ...refusals() },
    handler: async ({ body }) => checkSignature(body),
  });
}
