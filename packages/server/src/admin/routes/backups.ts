import type { Backup } from '../../backup/contract.ts';
import type * as contract from '../contract.ts';
import type { AdminDeps } from '../deps.ts';
import * as schemas from '../schemas/backup.ts';
import { ref } from '../schemas/shape.ts';
import { iso } from '../views.ts';
import { type AdminApp, refusals, routesOf } from './route.ts';

/** Backups of a single node. No caller names a path: they go where the process was told. */
export function backupRoutes(app: AdminApp, { backups }: AdminDeps): void {
  const routes = routesOf(app, 'Operation');
  routes.get('/backups', {
    role: 'observer',
    operationId: 'listBackups',
    summary: 'Backups, newest first',
    description:
      'Those in `MILLRACE_BACKUP_DIR`, the one that runs with its progress, and the last one while it is a failure.',
    response: { 200: schemas.BackupList, ...refusals(503) },
    handler: async () => ({ directory: backups.directory, items: (await backups.list()).map(backupView), next: null }),
  });

  routes.post('/backups', {
    action: 'backup.create',
    operationId: 'createBackup',
    summary: 'Back up everything that this node keeps',
    description:
      'Begins a backup in `MILLRACE_BACKUP_DIR`; the list says how far it is. All of it is of one moment, for which commits ' +
      'wait a few milliseconds. One at a time. Refused where no directory is set, and by a node of a cluster.',
    body: ref(schemas.NewBackup),
    response: { 202: ref(schemas.Backup), ...refusals(409, 503) },
    handler: async ({ body }) => backupView(await backups.begin(body.keep ?? null)),
  });
}

function backupView(backup: Backup): contract.Backup {
  return { ...backup, at: iso(backup.at) };
}
