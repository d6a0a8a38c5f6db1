import { Command } from 'commander';
import { parseConfig } from '../config.ts';
import { EXIT, type ExitCode, failing, type Io } from './io.ts';
import { counted, grouped } from './paint.ts';
import { withProgress } from './progress.ts';

interface RestoreFlags {
  readonly dataDir?: string;
  readonly replace?: true;
}

type Restored = Awaited<ReturnType<typeof import('../folder-backup.ts').restoreFolder>>;

/** `millrace restore`: puts a backup in the place of a data folder. */
export function restoreCommand(io: Io, end: (code: ExitCode) => void): Command {
  return new Command('restore')
    .description('put a backup in place of a data folder')
    .argument('<backup>', 'the folder of one backup')
    .option('--data-dir <folder>', 'where to: a folder that is empty or not there (MILLRACE_DATA_DIR; default ./data)')
    .option('--replace', 'rename a data folder that is there, and put the backup in its place')
    .addHelpText(
      'after',
      `
Stop the service first. Every file is copied and checked before anything is put in place; the backup stays as it is.
Run it as the user that runs the service. It says what the old folder has that is later than the backup.
Exit code 0 when the folder is in place; nothing was changed with 1 (a damaged file, a full disk, interrupted) and 2 (no backup, a folder that is not empty).

Examples:
  $ millrace restore /var/backups/millrace/2026-11-22T18-00-00.000Z --data-dir /var/lib/millrace --replace`,
    )
    .action(async (backup: string, flags: RestoreFlags) => end(await restore(io, backup, flags)));
}

async function restore(io: Io, backup: string, flags: RestoreFlags): Promise<ExitCode> {
  const { dataDir } = parseConfig({ env: io.env, flags: { dataDir: flags.dataDir } });
  const { checkRestore, restoreFolder } = await import('../folder-backup.ts');
  const replace = flags.replace === true;
  try {
    checkRestore({ backup, dataDir, replace });
  } catch (error) {
    failing('nothing was restored', EXIT.usage)(error);
  }
  const restored = await withProgress(io, (bar, signal) => {
    const progress = (share: number, text: string): void => bar.show(share, text);
    return restoreFolder({ backup, dataDir, replace, now: Date.now(), progress, signal });
  }).catch(failing('nothing was restored'));
  io.out.write(report(dataDir, restored));
  return EXIT.ok;
}

function report(dataDir: string, { record, aside, later }: Restored): string {
  const { at, lastPosition, files } = record;
  const head = `Restored to ${dataDir}: ${counted(files.length, 'file')} of ${at}, events to position ${grouped(lastPosition)}.\n`;
  return `${head}${laterText(at, aside, later)}Accounts, tokens, passwords and write keys that were deleted or changed after ${at} are as they were then.\n`;
}

function laterText(at: string, aside: Restored['aside'], later: Restored['later']): string {
  if (aside === null || later === null) return `What was accepted after ${at} is not in it.\n`;
  const old = `The folder that was there is ${aside}.`;
  if (typeof later === 'string') return `${old} What is later in it is not known: ${later}\n`;
  if (later.from === null || later.to === null) return `${old} It has no event that is later.\n`;
  const [from, to] = [later.from, later.to].map((time) => new Date(time).toISOString());
  return `${old} It has ${counted(later.events, 'event')} that ${later.events === 1 ? 'is' : 'are'} later, received from ${from} to ${to}.\n`;
}
