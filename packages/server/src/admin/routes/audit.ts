import { auditView } from '../account-views.ts';
import { askedOf, sealPlace } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { instant } from '../input.ts';
import { AuditEntry, auditQuery } from '../schemas/account.ts';
import { pageOf } from '../schemas/page.ts';
import { type AdminApp, refusals, routesOf } from './route.ts';

/** The audit log: who changed what, and who signed in. */
export function auditRoutes(app: AdminApp, { accounts: { audit } }: AdminDeps): void {
  const routes = routesOf(app, 'Audit');
  routes.get('/audit', {
    operationId: 'listAuditEntries',
    summary: 'Who changed what and who signed in, newest first',
    description:
      'Kept for 400 days. `action` is what an action begins with: `source.` or `session.refuse`. A page may hold fewer ' +
      'items than its limit and still have a next one: a rare action is searched piece by piece.',
    querystring: auditQuery,
    response: { 200: pageOf(AuditEntry), ...refusals() },
    handler: async ({ query }) => {
      const page = await audit.auditEntries({
        actor: query.actor ?? null,
        action: query.action ?? null,
        targetId: null,
        from: instant(query.from, 'from'),
        to: instant(query.to, 'to'),
        ...askedOf('audit', query),
      });
      return { items: page.items.map(auditView), next: sealPlace('audit', page.next) };
    },
  });
}
