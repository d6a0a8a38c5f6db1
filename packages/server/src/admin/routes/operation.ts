import { Fault } from '../../core/fault.ts';
import { asked } from '../audited.ts';
import type { AdminDeps } from '../deps.ts';
import { anyObject } from '../schemas/field.ts';
import { Backup, BackupList, Loopback, Loss, NewBackup } from '../schemas/health.ts';
import { pageOf } from '../schemas/page.ts';
import { ProcessSetting } from '../schemas/settings-file.ts';
import { picked, times } from '../views.ts';
import { type AdminApp, found, nothing, refusals, routesOf } from './route.ts';

/** Operation of the service: losses, sending to this machine, backups, the settings of the process. */
export function operationRoutes(
  app: AdminApp,
  { losses, clock, settings, reach, allowLoopback, backups, processSettings }: AdminDeps,
): void {
  const routes = routesOf(app, 'Operation');
  routes.get('/losses', {
    role: 'observer',
    operationId: 'listLosses',
    summary: 'Events that were confirmed and are gone',
    description:
      'Found at a start, where files or streams end before what others know of them (docs/operations.md). ' +
      '`/health/ready` says `degraded` until each is taken note of.',
    response: { 200: pageOf(Loss), ...refusals() },
    handler: async () => ({
      items: (await losses.list()).map((loss) => {
        return { ...picked(loss, 'id', 'events', 'what'), ...times(loss, 'foundAt', 'notedAt') };
      }),
      next: null,
    }),
  });

  routes.post('/losses/:id/note', {
    action: 'loss.note',
    operationId: 'noteLoss',
    summary: 'Take note of a loss',
    description: 'It stays in the list; health and the overview say nothing more of it.',
    response: { 204: nothing, ...refusals(404) },
    handler: async ({ params }) => {
      found((await losses.note(params.id, clock.now())) || null, `loss ${params.id}`);
    },
  });

  const loopback = (): Loopback => ({
    allowed: reach.allowsLoopback,
    canBeAllowed: reach.canAllowLoopback,
    held: settings.destinations().filter((destination) => reach.holds(destination)).length,
  });

  routes.get('/loopback', {
    role: 'observer',
    operationId: 'getLoopback',
    summary: "Whether webhooks may go to this machine's own addresses",
    response: { 200: Loopback, ...refusals() },
    handler: async () => loopback(),
  });

  routes.post('/loopback/allow', {
    action: 'loopback.allow',
    operationId: 'allowLoopback',
    summary: "Let webhooks go to this machine's own addresses until the process ends",
    description:
      'For a trial on one machine: only a service that is itself bound to loopback can be allowed (409 otherwise). After a ' +
      'restart destinations of this machine hold their events until it is allowed again; no retry window runs meanwhile.',
    response: { 200: Loopback, ...refusals(409) },
    handler: async () => {
      if (allowLoopback()) return loopback();
      throw new Fault(
        'conflict',
        reach.allowsLoopback
          ? 'MILLRACE_ALLOW_PRIVATE_URLS allows all addresses already.'
          : 'This service is reached from other machines (MILLRACE_HOST), or is a node of a cluster: only MILLRACE_ALLOW_PRIVATE_URLS=true lets webhooks go to this one.',
      );
    },
  });

  // Callers can't choose a path: backups go to the directory in the settings.
  routes.get('/backups', {
    role: 'observer',
    operationId: 'listBackups',
    summary: 'Backups, newest first',
    description:
      'Those in `MILLRACE_BACKUP_DIR`, the one that runs with its progress, and the last one while it is a failure.',
    response: { 200: BackupList, ...refusals() },
    handler: async () => {
      const items = (await backups.list()).map((backup) => ({ ...backup, ...times(backup, 'at') }));
      return { directory: backups.directory, trouble: backups.trouble, items, next: null };
    },
  });

  routes.post('/backups', {
    action: 'backup.create',
    operationId: 'createBackup',
    summary: 'Back up everything that this node keeps',
    description:
      'Begins a backup in `MILLRACE_BACKUP_DIR`; the list says how far it is. All of it is of one moment, for which commits ' +
      'wait a few milliseconds. One at a time. Refused where no directory is set, and by a node of a cluster.',
    body: NewBackup,
    response: { 202: Backup, ...refusals(409) },
    handler: async (request) => {
      const { keep = null } = request.body;
      const backup = await backups.begin(keep);
      request.auditChanges = asked({ keep });
      return { ...backup, ...times(backup, 'at') };
    },
  });

  routes.get('/process-settings', {
    role: 'observer',
    operationId: 'listProcessSettings',
    summary: 'The settings of the process as it runs, secrets masked',
    response: { 200: pageOf(ProcessSetting), ...refusals() },
    handler: async () => ({ items: processSettings, next: null }),
  });

  routes.get('/openapi.json', {
    role: 'observer',
    operationId: 'getOpenApi',
    summary: 'This document',
    response: { 200: anyObject, ...refusals() },
    handler: async () => ({ ...app.swagger() }),
  });
}
