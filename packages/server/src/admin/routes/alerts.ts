import type { LimitFunction } from 'p-limit';
import { noticeOf } from '../../alerts/announce.ts';
import { type AlertSettings, type Incident, NO_ALERT_SETTINGS } from '../../alerts/contract.ts';
import { endsAt } from '../../alerts/evaluate.ts';
import { incidentView } from '../../alerts/view.ts';
import { durationWithin, parseDuration } from '../../core/duration.ts';
import { changeAlerts, checkAlerts } from '../alert-input.ts';
import { alertFields, asked, changesOf } from '../audited.ts';
import { callerOf } from '../caller.ts';
import type * as contract from '../contract.ts';
import { newestFirst, pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { instant, refuse } from '../input.ts';
import * as schemas from '../schemas/alert.ts';
import { pageOf } from '../schemas/page.ts';
import { expectedBy } from '../versions.ts';
import { alertsView, times } from '../views.ts';
import { type AdminApp, found, ifMatch, leftBy, refusals, routesOf } from './route.ts';

const LONGEST_SNOOZE = '30d';

/** Incidents, and the settings of alerts: rules and addresses. */
export function alertRoutes(app: AdminApp, deps: AdminDeps, change: LimitFunction): void {
  const routes = routesOf(app, 'Alerts');
  const { clock } = deps;
  const { store, send, canMail } = deps.alerts;
  const settingsNow = async (): Promise<AlertSettings> => (await store.settings()) ?? NO_ALERT_SETTINGS;
  /** Observers get no example message. */
  const viewFor = async (role: contract.Role): Promise<(incident: Incident) => contract.Incident> => {
    const [snoozes, { endsAfter }] = await Promise.all([store.snoozes(), settingsNow()]);
    const [now, quiet] = [clock.now(), parseDuration(endsAfter) ?? 0];
    return (incident) => {
      const until = snoozes.get(incident.id) ?? 0;
      const snoozedUntil = until > now && incident.state === 'open' ? until : null;
      const view = incidentView(incident, { snoozedUntil, endsAt: endsAt(incident, quiet) });
      return role === 'observer' ? { ...view, sample: null } : view;
    };
  };
  const shown = async (id: string, role: contract.Role): Promise<contract.Incident> => {
    const incident = found(await store.incident(id), `incident ${id}`);
    return (await viewFor(role))(incident);
  };

  routes.get('/incidents', {
    role: 'observer',
    operationId: 'listIncidents',
    summary: 'List incidents, the latest first',
    querystring: schemas.incidentQuery,
    response: { 200: pageOf(schemas.Incident), ...refusals() },
    handler: async (request) => {
      const { query } = request;
      const [incidents, view] = await Promise.all([store.incidents(query.state), viewFor(callerOf(request).role)]);
      const key = ({ id, since }: Incident): string => newestFirst({ id, createdAt: since });
      return pageOfAll(incidents, key, query, view);
    },
  });

  routes.get('/incidents/:id', {
    role: 'observer',
    operationId: 'getIncident',
    summary: 'Get an incident',
    response: { 200: schemas.Incident, ...refusals(404) },
    handler: (request) => shown(request.params.id, callerOf(request).role),
  });

  routes.post('/incidents/:id/snooze', {
    action: 'incident.snooze',
    operationId: 'snoozeIncident',
    summary: 'Send no alerts of an incident for some time',
    description: 'The notice of its end is sent all the same. Give `until` or `for`; `{"until": null}` ends it.',
    body: schemas.Snooze,
    response: { 200: schemas.Incident, ...refusals(404) },
    handler: async (request) => {
      const { params, body } = request;
      found(await store.incident(params.id), `incident ${params.id}`);
      const until = snoozeEnd(body, clock.now());
      await store.snooze(params.id, until);
      request.auditChanges = asked(times({ until }, 'until'));
      return shown(params.id, 'admin');
    },
  });

  routes.get('/alerts', {
    operationId: 'getAlerts',
    summary: 'Rules and addresses of alerts',
    response: { 200: schemas.AlertSettings, ...refusals() },
    handler: async (request) => alertsView(await settingsNow(), canMail, callerOf(request).role),
  });

  routes.patch('/alerts', {
    action: 'alerts.update',
    operationId: 'updateAlerts',
    summary: 'Change rules and addresses of alerts',
    description:
      'What is left out stays as it is. What a destination or source sets of its own rules (`alerts`) goes before it.',
    headers: ifMatch,
    body: schemas.AlertSettingsChange,
    response: { 200: schemas.AlertSettings, ...refusals(412) },
    handler: async (request) => {
      await checkAlerts(request.body, deps);
      return change(async () => {
        const { before, after } = await changeAlerts(request.body, store, expectedBy(request));
        request.auditChanges = changesOf(alertFields, before, after);
        return { ...alertsView(after, canMail, 'admin'), ...secretsMade(before, after, request.body) };
      });
    },
  });

  routes.post('/alerts/test', {
    action: 'alerts.test',
    operationId: 'testAlerts',
    summary: 'Send a test notice to each address',
    description: 'Once, without retries; answers what came back.',
    response: { 200: schemas.AlertTest, ...refusals() },
    handler: async (_request, reply) => {
      const { addresses } = await settingsNow();
      const left = leftBy(reply);
      const tests = addresses.map(async (address) => {
        const { outcome, detail } = await send(address, noticeOf('opened', [], address.id, clock.now()), left);
        return { addressId: address.id, kind: address.kind, ok: outcome === 'sent', detail };
      });
      return { items: await Promise.all(tests) };
    },
  });
}

/** End of a snooze; null ends the snooze now. @throws InvalidInput */
function snoozeEnd({ until, for: length }: contract.Snooze, now: number): number | null {
  if ((until === undefined) === (length === undefined)) refuse('until', 'or for must be given, and not both');
  if (length !== undefined) {
    const ms = durationWithin(length, '1ms', LONGEST_SNOOZE);
    return now + (ms ?? refuse('for', `must be a duration like 4h, at most ${LONGEST_SNOOZE}`));
  }
  const end = instant(until, 'until');
  if (end !== null && (end <= now || end > now + (parseDuration(LONGEST_SNOOZE) ?? 0))) {
    refuse('until', `must be later than now, by ${LONGEST_SNOOZE} at most`);
  }
  return end;
}

/** New secrets that the service has made, because the request gave none. */
function secretsMade(
  before: AlertSettings,
  { addresses }: AlertSettings,
  { addresses: asked = [] }: contract.AlertSettingsChange,
): { readonly standardSecrets?: Record<string, string> } {
  const known = new Set(before.addresses.map(({ id }) => id));
  const made = addresses.flatMap((address, i) =>
    address.kind === 'webhook' && !known.has(address.id) && asked[i]?.standardSecret === undefined
      ? [[address.id, address.standardSecret] as const]
      : [],
  );
  return made.length === 0 ? {} : { standardSecrets: Object.fromEntries(made) };
}
