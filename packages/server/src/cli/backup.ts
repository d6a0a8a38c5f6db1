import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Backup } from '../admin/contract.ts';
import { parseConfig } from '../config.ts';
import { pause } from '../core/pause.ts';
import { wholeNumber } from './arguments.ts';
import type { Client } from './client.ts';
import { connect, type ServiceFlags, withServiceFlags } from './connection.ts';
import { CommandFailure, EXIT, type ExitCode, type Io, usageFailure } from './io.ts';
import { grouped } from './paint.ts';
import { type Progress, withProgress } from './progress.ts';

interface BackupFlags extends ServiceFlags {
  readonly dataDir?: string;
  readonly keep?: number;
}

/** `millrace backup`: copies all data of a single node, as of one moment. */
export function backupCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('backup')
    .description('back up everything that a single node keeps')
    .argument(
      '[directory]',
      'where to: each backup is a folder of its own there (default: MILLRACE_BACKUP_DIR of the service)',
    )
    .option('--data-dir <folder>', 'the data folder to back up (MILLRACE_DATA_DIR; default ./data)')
    .option('--keep <count>', 'remove all complete backups but the newest ones', wholeNumber(1, 100_000));
  return withServiceFlags(command)
    .addHelpText(
      'after',
      `
A running service makes the backup itself, in the directory that it was given with MILLRACE_BACKUP_DIR; calls and deliveries go on.
With a directory and no service running, the command backs up the data folder.
A file that has not changed since the backup before is a hard link to it. Every file is checked before the backup is complete.
Exit code 0 when it is complete, 1 when there is none, or when older ones could not be removed as --keep says.

Examples:
  $ millrace backup --keep 14
  $ millrace backup /var/backups/millrace --data-dir /var/lib/millrace`,
    )
    .action(async (directory: string | undefined, flags: BackupFlags) => end(await backup(io, directory, flags)));
}

async function backup(io: Io, directory: string | undefined, flags: BackupFlags): Promise<ExitCode> {
  if (directory === undefined && flags.dataDir !== undefined)
    throw usageFailure(
      '--data-dir needs a directory for the backup. Without one, the service backs up its own folder: leave out --data-dir',
    );
  const { dataDir, databaseUrl } = parseConfig({ env: io.env, flags: { dataDir: flags.dataDir } });
  if (directory !== undefined && databaseUrl !== null) {
    throw usageFailure(
      `MILLRACE_DATABASE_URL and MILLRACE_NATS_URL are set: a node of a cluster keeps nothing in ${dataDir}. Use PostgreSQL's and NATS's own tools (docs/operations.md, Backup and restore of a cluster). To back up that folder, as it was before a move, unset both`,
    );
  }
  if (directory !== undefined && (await ofFolder(io, dataDir, resolve(directory), flags))) return EXIT.ok;
  const client = await connect({ ...io, env: { ...io.env, MILLRACE_DATA_DIR: dataDir } }, flags);
  if (directory !== undefined) {
    const { directory: own } = await client.call('GET /api/backups');
    if (own !== resolve(directory)) {
      const where = own === null ? 'makes no backups' : `makes its backups in ${own}`;
      throw new CommandFailure(
        `a service has ${dataDir} open, and the one at ${client.url} ${where}. Start it with MILLRACE_BACKUP_DIR=${resolve(directory)}`,
      );
    }
  }
  return ofService(io, client, flags);
}

/** Answers false if a service has the folder open. */
async function ofFolder(
  io: Io,
  dataDir: string,
  directory: string,
  { keep = null }: { keep?: number | null },
): Promise<boolean> {
  const { backUpFolder } = await import('../folder-backup.ts');
  const made = await withProgress(io, (bar, signal) => {
    const progress = (done: number, total: number): void => showBytes(bar, done, total);
    return backUpFolder({ dataDir, directory, keep, now: Date.now(), progress, signal });
  }).catch((error: Error) => {
    throw new CommandFailure(error.message, { cause: error });
  });
  if (made === null) return false;
  const bytes = made.record.files.reduce((sum, file) => sum + file.bytes, 0);
  io.out.write(doneText(made.id, directory, bytes, made.record.lastPosition));
  return true;
}

const LOOK_MS = 250;

async function ofService(io: Io, client: Client, { keep }: BackupFlags): Promise<ExitCode> {
  const done = await withProgress(io, async (progress, signal) => {
    const { id } = await client.call('POST /api/backups', keep === undefined ? {} : { keep });
    for (;;) {
      const { directory, items } = await client.call('GET /api/backups');
      const own: Backup | undefined = items.find((item) => item.id === id);
      if (own?.state === 'complete' && own.reason === null)
        return doneText(id, directory ?? '', own.bytes, own.lastPosition ?? 0);
      if (own?.state !== 'running')
        throw new CommandFailure(own?.reason ?? 'there is no backup: the service was restarted');
      showBytes(progress, own.bytesDone, own.bytes);
      await pause(LOOK_MS, signal);
      if (signal.aborted) throw new CommandFailure('interrupted. The service goes on with the backup.');
    }
  });
  io.out.write(done);
  return EXIT.ok;
}

function showBytes(progress: Progress, done: number, total: number): void {
  progress.show(total === 0 ? 0 : done / total, `${megabytes(done)} of ${megabytes(total)}`);
}

function doneText(id: string, directory: string, bytes: number, lastPosition: number): string {
  return `${resolve(directory, id)}: ${megabytes(bytes)}, events to position ${grouped(lastPosition)}, checked\n`;
}

function megabytes(bytes: number): string {
  return `${grouped(Math.ceil(bytes / 1_000_000))} MB`;
}
