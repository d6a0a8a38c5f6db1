import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { Command } from 'commander';
import type { BackupList } from '../admin/contract.ts';
import { durationOption } from './arguments.ts';
import { type Client, reach } from './client.ts';
import { connect, isThisMachine, type ServiceFlags, withServiceFlags } from './connection.ts';
import { type Finding, findings } from './hardening.ts';
import { EXIT, type ExitCode, failing, type Io } from './io.ts';
import { paintFor, printable } from './paint.ts';

interface DoctorFlags extends ServiceFlags {
  readonly dataDir?: string;
  readonly backup?: string;
  readonly backupAge: number;
  readonly strict?: true;
}

const METRICS_MS = 10_000;

/** `millrace doctor`: checks a running service against the hardening list. */
export function doctorCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('doctor')
    .description('hold a running service against the hardening list')
    .option(
      '--data-dir <folder>',
      'its data folder on this machine (default: what the service says, where it is absolute)',
    )
    .option(
      '--backup <folder>',
      'where its backups are: the newest file tells how old they are (default: what the service says of those it makes)',
    )
    .addOption(durationOption('--backup-age <duration>', 'how old the newest may be', '1d'))
    .option('--strict', 'what is only advised counts too');
  return withServiceFlags(command)
    .addHelpText(
      'after',
      `
Exit code 0 when nothing is wrong, 1 when something is (with --strict: what is advised too) or the service can't be asked,
2 when a folder that was named can't be looked at.

Examples:
  $ millrace doctor --backup /var/backups/millrace
  $ millrace doctor --url https://collect.example.com --strict`,
    )
    .action(async (flags: DoctorFlags) => end(await doctor(io, flags)));
}

async function doctor(io: Io, flags: DoctorFlags): Promise<ExitCode> {
  const client = await connect(io, flags);
  const url = new URL(client.url);
  const inside = ['/metrics', '/health/live'].map((path) =>
    reach(client.url, path, { signal: AbortSignal.timeout(METRICS_MS) }),
  );
  const [{ items: settings }, sources, tokens, backups, loopback, answers] = await Promise.all([
    client.call('GET /api/process-settings'),
    client.sources(),
    client.tokens(),
    client.call('GET /api/backups'),
    client.call('GET /api/loopback'),
    Promise.all(inside),
  ]);
  const found = findings({
    ...{
      url,
      settings,
      sources,
      tokens,
      isLoopbackAllowed: loopback.allowed,
      isInsideOpen: answers.some(({ ok }) => ok),
      maxBackupAge: flags.backupAge,
    },
    folderMode: await folderMode(flags, client, settings.find(({ name }) => name === 'MILLRACE_DATA_DIR')?.value ?? ''),
    backupAge:
      flags.backup === undefined
        ? ageOfOwn(backups)
        : await ageOf(flags.backup).catch(failing("the backups can't be looked at", EXIT.usage)),
  });
  const paint = paintFor(io.out);
  const shown: Readonly<Record<Finding['state'], string>> = {
    ...{ good: paint.good('ok  '), bad: paint.bad('BAD '), warn: paint.warn('warn'), open: paint.faint('?   ') },
  };
  for (const { state, what, words } of found) io.out.write(`${shown[state]} ${what}: ${printable(words)}\n`);
  const isWrong = found.some(({ state }) => state === 'bad' || (flags.strict && state === 'warn'));
  return isWrong ? EXIT.failed : EXIT.ok;
}

async function folderMode({ dataDir }: DoctorFlags, client: Client, told: string): Promise<number | null> {
  if (dataDir === undefined && !(isThisMachine(client.url) && isAbsolute(told))) return null;
  const mode = stat(dataDir ?? told).then((own) => own.mode);
  // The path that the service reports may be inside a container, so it may be missing here.
  if (dataDir === undefined) return mode.catch(() => null);
  return mode.catch(failing("the data folder can't be looked at", EXIT.usage));
}

/** Age of the service's newest complete backup. Infinity if there is none; null if the service makes no backups. */
function ageOfOwn({ directory, items }: BackupList): number | null {
  if (directory === null) return null;
  const newest = items.find(({ state, at }) => state === 'complete' && Date.parse(at) <= Date.now());
  return newest === undefined ? Number.POSITIVE_INFINITY : Date.now() - Date.parse(newest.at);
}

/** Names of the folders that `millrace backup` creates. */
const BACKUP_FOLDER = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

/**
 * Age of a file, or of the newest file in a folder. In a backup by Millrace only `backup.json` counts, which is written last.
 * Parts of an interrupted backup do not count, nor do empty files and files with a time in the future. Infinity if no file
 * counts.
 */
async function ageOf(path: string): Promise<number> {
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder ? await readdir(path, { recursive: true }) : [''];
  const complete = names.filter((name) => {
    const parts = name.split(sep);
    if (parts.some((part) => part.startsWith('.partial-'))) return false;
    return parts.at(-1) === 'backup.json' || !parts.some((part) => BACKUP_FOLDER.test(part));
  });
  const stats = await Promise.all(complete.map((name) => statOrNull(join(path, name))));
  const now = Date.now();
  const counts = (one: Stats | null): one is Stats => one?.isFile() === true && one.size > 0 && one.mtimeMs <= now;
  const times = stats.map((one) => (counts(one) ? one.mtimeMs : Number.NEGATIVE_INFINITY));
  return now - times.reduce((last, time) => Math.max(last, time), Number.NEGATIVE_INFINITY);
}

/** Null for a broken link, and for a file that was removed meanwhile. */
async function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ELOOP') return null;
    throw error;
  });
}
