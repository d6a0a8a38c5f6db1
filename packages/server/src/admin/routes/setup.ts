import { WEBHOOKS } from '../../core/destination.ts';
import { EVENT_TYPES } from '../../core/event.ts';
import { messageAnswered } from '../../deliver/advice.ts';
import { checkHeaders } from '../../deliver/headers.ts';
import { retryPolicy } from '../../deliver/policy.ts';
import { firstRounds } from '../../deliver/schedule.ts';
import { checkSignature } from '../../deliver/signature-check.ts';
import type { NewUrlCheck, UrlCheck } from '../contract.ts';
import type { AdminDeps } from '../deps.ts';
import { invalidInput } from '../input.ts';
import { windowErrors } from '../options-input.ts';
import * as schemas from '../schemas/check.ts';
import { CatalogItem, WebhooksSettings } from '../schemas/destination.ts';
import { pageOf } from '../schemas/page.ts';
import { testedView } from '../views.ts';
import { type AdminApp, refusals, routesOf } from './route.ts';

/** The most rounds of a schedule in an answer, the first included. */
const LISTED = 12;

/** Helps to set up a destination before it is saved. Nothing is stored. */
export function setupRoutes(app: AdminApp, deps: AdminDeps): void {
  const routes = routesOf(app, 'Destinations');
  routes.get('/catalog', {
    role: 'observer',
    operationId: 'listCatalog',
    summary: 'The kinds of destination, each with the JSON Schema of its settings',
    response: { 200: pageOf(CatalogItem), ...refusals() },
    handler: async () => ({ items: [WEBHOOKS_ITEM], next: null }),
  });

  routes.post('/url-checks', {
    action: 'url.check',
    operationId: 'checkUrl',
    summary: 'Check a URL that is not saved yet, as delivery would use it',
    description:
      'The URL, its headers, the address, the connection, the certificate, and one real signed message, which is never ' +
      'retried. The steps end with the first that fails, which says how to mend it.',
    body: schemas.NewUrlCheck,
    response: { 200: schemas.UrlCheck, ...refusals() },
    handler: ({ body }) => checkUrlWhole(body, deps),
  });

  routes.post('/signature-checks', {
    role: 'viewer',
    action: null,
    operationId: 'checkSignature',
    summary: 'Compare a signature with the one that Millrace computes',
    description: 'Where they differ, `hint` says why that most likely is. Nothing of it is kept or logged.',
    body: schemas.SignatureCheck,
    response: { 200: schemas.SignatureVerdict, ...refusals() },
    handler: async ({ body }) => checkSignature(body),
  });

  routes.get('/retry-schedule', {
    role: 'observer',
    operationId: 'getRetrySchedule',
    summary: 'When a message that no URL takes is tried again, under a retry window',
    querystring: schemas.scheduleQuery,
    response: { 200: schemas.RetrySchedule, ...refusals() },
    handler: async ({ query }) => {
      const errors = windowErrors('retryWindow', query.retryWindow, deps.retention);
      if (errors.length > 0) throw invalidInput(errors);
      const policy = retryPolicy(query, deps.retry);
      const rounds = firstRounds(policy, LISTED);
      return { ...policy, rounds, more: (rounds.at(-1)?.sinceFirstAtLeast ?? 0) < policy.window };
    },
  });
}

/** The only kind of destination. */
const WEBHOOKS_ITEM: CatalogItem = {
  name: WEBHOOKS,
  description: 'Sends every call as a signed HTTP POST with a JSON body to up to five URLs.',
  messageTypes: EVENT_TYPES,
  settings: structuredClone(WebhooksSettings) as unknown as Record<string, unknown>,
};

/**
 * Checks whether an unsaved URL can be delivered to: each step of the connection, then one real signed message, which is not
 * retried. Each step has the whole delivery timeout.
 */
async function checkUrlWhole(
  { url, headers = {}, sharedSecret = null, connect = true, send = connect }: NewUrlCheck,
  { inspect, readTest, sendTest, checkUrl }: AdminDeps,
): Promise<UrlCheck> {
  const webhook = { url, headers };
  const [steps, refusal] = await Promise.all([inspect(webhook, connect), checkUrl(url)]);
  const canBeSaved = refusal === null && checkHeaders(headers).length === 0;
  const isOpen = steps.every(({ ok }) => ok);
  if (!isOpen || !connect || !send) return { ok: isOpen, canBeSaved, steps, result: null };
  const target = { webhooks: [webhook], sharedSecret: sharedSecret || null };
  const { urls } = await sendTest(target, readTest(SAMPLE_CALL));
  const [tested] = urls;
  if (tested === undefined) throw new Error('A test of one URL answered none');
  const ok = tested.class === 'success';
  const message = messageAnswered({ class: tested.class, ...tested.attempt });
  const last = { name: 'message' as const, ok, ms: tested.attempt.ms, message, field: ok ? null : 'url' };
  return { ok, canBeSaved, steps: [...steps, last], result: testedView(tested) };
}

/** The call of a test that brings none. */
export const SAMPLE_CALL: Readonly<Record<string, unknown>> = {
  type: 'track',
  event: 'Order Completed',
  userId: 'test-user',
  properties: { order_id: '50314b8e', total: 27.5, currency: 'EUR' },
};
