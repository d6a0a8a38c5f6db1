import { createHash } from 'node:crypto';
import type { LimitFunction } from 'p-limit';
import type { Caller } from '../../accounts/caller.ts';
import { NO_ALERT_SETTINGS } from '../../alerts/contract.ts';
import { Fault } from '../../core/fault.ts';
import { changedMeanwhile } from '../../core/revision.ts';
import { writeAudit } from '../audit.ts';
import { callerOf, watcherOf } from '../caller.ts';
import type { NewSettings, Role } from '../contract.ts';
import type { AdminDeps } from '../deps.ts';
import * as schemas from '../schemas/settings-file.ts';
import { currentAlerts } from '../settings-file/alerts.ts';
import { makeSteps } from '../settings-file/apply.ts';
import { checkKeys, checkWebhooks, type ReadPlan } from '../settings-file/check.ts';
import type { Current } from '../settings-file/document.ts';
import { SettingsFiles } from '../settings-file/reading.ts';
import { plannedChange } from '../settings-file/step.ts';
import { expectedBy } from '../versions.ts';
import { destinationView, sourceView } from '../views.ts';
import { type AdminApp, ifMatch, refusals, routesOf } from './route.ts';

/** All settings as one file: written, compared, applied. */
export function settingsFileRoutes(app: AdminApp, deps: AdminDeps, change: LimitFunction): void {
  const routes = routesOf(app, 'Operation');
  const { settings, alerts, clock } = deps;
  // A settings file contains no sources of audiences and traits, and no pauses.
  const current = async (role: Role): Promise<Current> => {
    const sources = settings.sources().filter(({ sentBy }) => sentBy === undefined);
    const fromOutside = new Set(sources.map(({ id }) => id));
    return {
      role,
      sources: sources.map((source) => sourceView(source, role, clock.now())),
      destinations: settings.destinations().map((from) => {
        const { settings: own, ...destination } = destinationView(from, role, clock.now());
        const webhooks = own.webhooks.map(({ paused: _, ...webhook }) => webhook);
        const sourceIds = destination.sourceIds.filter((id) => fromOutside.has(id));
        const secrets = { sharedSecret: own.sharedSecret.set, standardSecret: own.standardSecret.set };
        return { ...destination, sourceIds, webhooks, signatures: own.signatures, ...secrets };
      }),
      alerts: currentAlerts((await alerts.store.settings()) ?? NO_ALERT_SETTINGS, role),
    };
  };
  const files = new SettingsFiles(clock);
  app.addHook('onClose', () => files.close());
  const read = async (file: NewSettings, now: Current, caller: Caller): Promise<ReadPlan> => {
    const plan = await files.read(file, now, watcherOf(caller));
    checkKeys(plan, (key) => settings.sourceByWriteKey(key) !== undefined);
    return plan;
  };

  routes.get('/settings-file', {
    operationId: 'getSettingsFile',
    summary: 'Sources, destinations and alerts as one YAML file',
    description:
      'Shared secrets and URLs of Slack channels are not in it; static headers are, with their values (to a viewer masked).',
    querystring: schemas.settingsFileQuery,
    response: { 200: schemas.SettingsFile, ...refusals() },
    handler: async (request) => {
      const { role } = callerOf(request);
      const withWriteKeys = request.query.withWriteKeys === true;
      if (withWriteKeys && role !== 'admin') throw new Fault('forbidden', 'A viewer does not see write keys');
      return { yaml: await files.write(await current(role), { withWriteKeys }, watcherOf(callerOf(request))) };
    },
  });

  routes.post('/settings-file/plan', {
    role: 'viewer',
    action: null,
    operationId: 'planSettings',
    summary: 'What a settings file would change; nothing is done',
    description:
      'The file is checked step by step. `errors` has all that the first step with an error found, each with its line and place.',
    body: schemas.NewSettings,
    response: { 200: schemas.SettingsPlan, ...refusals() },
    handler: async (request) => {
      const caller = callerOf(request);
      const { role } = caller;
      const before = await current(role);
      const plan = await read(request.body, before, caller);
      // Only admins get look-ups: the addresses of a name reveal the network of the service.
      await checkWebhooks(plan, deps, role === 'admin' ? undefined : 0);
      const { steps, lines: _, uncompared, ...shown } = plan;
      const changes = steps.map(plannedChange);
      return { revision: revisionOf(plan), changes, ...shown, ...(uncompared.length > 0 && { uncompared }) };
    },
  });

  routes.post('/settings-file/apply', {
    action: 'settings.apply',
    operationId: 'applySettings',
    summary: 'Make the set-up what a settings file says',
    description:
      'The whole file is checked first, so that a refusal changes nothing. With the `ETag` of a plan as `If-Match`, what ' +
      'would change by now must be what that plan showed. When storage fails in the middle, the answer ' +
      'says how much was changed before; the same file can be applied again. The audit log has an entry for each thing ' +
      'that was created, changed or deleted, and one for the file once all of it was applied.',
    headers: ifMatch,
    body: schemas.NewSettings,
    response: { 200: schemas.AppliedSettings, ...refusals(412) },
    handler: async (request) => {
      const { body } = request;
      const caller = callerOf(request);
      const expects = expectedBy(request);
      await checkWebhooks(await read(body, await current('admin'), caller), deps);
      return change(async () => {
        // Planned again, because settings may have changed during the look-ups.
        const plan = await read(body, await current('admin'), caller);
        if (expects && !expects(revisionOf(plan))) throw changedMeanwhile('set-up');
        const { steps } = plan;
        await makeSteps(steps, deps, (did) => writeAudit(deps, request, did));
        return { changes: steps.map(plannedChange) };
      });
    },
  });
}

/** Identifies the changes of a plan: the same things, old values and new values give the same text. */
function revisionOf({ steps }: ReadPlan): string {
  return createHash('sha256').update(JSON.stringify(steps)).digest('base64url');
}
