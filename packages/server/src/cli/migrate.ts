import { Command } from 'commander';
import { parseConfig, SETTINGS } from '../config.ts';
import { formatDuration } from '../core/duration.ts';
import { EXIT, type ExitCode, failing, type Io, usageFailure } from './io.ts';
import { counted, grouped } from './paint.ts';
import { withProgress } from './progress.ts';
import { optionOf } from './start.ts';

/** The service's settings that this command reads: where data is stored, and for how long. */
const USED = new Set([
  ...['dataDir', 'databaseUrl', 'natsUrl', 'natsStreams', 'natsReplicas', 'natsMaxBytes', 'natsDuplicateWindow'],
  ...['retention', 'retryWindow', 'nodeTimeout'],
]);

type Moved = Awaited<ReturnType<typeof import('../migration.ts').migrateFolder>>;

/** `millrace migrate`: moves a data folder to a cluster. */
export function migrateCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('migrate').description('move a data folder to a cluster').addHelpText(
    'after',
    `
Moves everything that one node keeps in its data folder to NATS and PostgreSQL, for the nodes of a cluster to go on with: settings,
accounts, events within retention and what became of them, what waits, people and audiences, deletion requests, statistics.
Stop the service first; start the nodes afterwards, with the same settings. The folder is only read and stays as it is.
What was interrupted, in any way, goes on where it was with the same command. The database and the streams must be empty.

Give it the settings that the nodes will have: the retention and those of NATS are made so here.
Exit code 0 when everything is moved; 1 when it was interrupted or failed; 2 when nothing was tried.

Examples:
  $ MILLRACE_DATA_DIR=/var/lib/millrace MILLRACE_NATS_URL=nats://nats:4222 \\
      MILLRACE_DATABASE_URL=postgres://millrace@db/millrace millrace migrate`,
  );
  for (const setting of SETTINGS) if (USED.has(setting.name)) command.addOption(optionOf(setting));
  return command.action(async (flags: Record<string, unknown>) => {
    const config = parseConfig({ env: io.env, flags });
    const { natsUrl, databaseUrl } = config;
    if (natsUrl === null || databaseUrl === null) {
      throw usageFailure('where to? Set MILLRACE_NATS_URL and MILLRACE_DATABASE_URL to those of the cluster.');
    }
    const { migrateFolder } = await import('../migration.ts');
    const begun = performance.now();
    const report = (error: unknown): boolean => io.err.write(`millrace: ${(error as Error).message}; trying again\n`);
    const moved = await withProgress(io, ({ show }, signal) =>
      migrateFolder({ ...config, natsUrl, databaseUrl }, { signal, progress: show, report }),
    ).catch(failing(`cannot move ${config.dataDir}`));
    end(reportMoved(io, moved, performance.now() - begun));
  });
}

function reportMoved(io: Io, { outcome, events, movedEvents, rows }: Moved, ms: number): ExitCode {
  if (outcome === 'interrupted') {
    io.err.write('millrace: interrupted. The same command goes on from here.\n');
    return EXIT.failed;
  }
  if (outcome === 'before') {
    io.out.write('Everything was moved before: start the nodes.\n');
    return EXIT.ok;
  }
  const took = formatDuration(Math.max(1, Math.round(ms / 1_000)) * 1_000);
  io.out.write(
    `Moved ${counted(events, 'event')} and ${grouped(rows)} rows of everything else; this run took ${took} for ${grouped(movedEvents)} of the events.
Start the nodes now, and not the old service: what it accepted or delivered from now on would be missing here, or sent twice.
NATS counts the age of the moved events from today, so their bodies stay there for up to one retention longer than elsewhere.
`,
  );
  return EXIT.ok;
}
