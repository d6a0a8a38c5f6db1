import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { applyCommand } from './apply.ts';
import { backupCommand } from './backup.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { CommandFailure, EXIT, type ExitCode, type Io } from './io.ts';
import { listenCommand } from './listen.ts';
import { migrateCommand } from './migrate.ts';
import { replayCommand } from './replay.ts';
import { restoreCommand } from './restore.ts';
import { sendCommand } from './send.ts';
import { startCommand } from './start.ts';

const COMMANDS = [
  startCommand,
  demoCommand,
  listenCommand,
  sendCommand,
  importCommand,
  replayCommand,
  exportCommand,
  applyCommand,
  backupCommand,
  restoreCommand,
  migrateCommand,
  doctorCommand,
];

/** Runs the command in the arguments and answers the exit code. It throws only on a bug. */
export async function run(io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = new Command('millrace')
    .description('Collects analytics calls and delivers them, durably and signed, to webhooks.')
    .version(io.version)
    .exitOverride()
    .showHelpAfterError('(--help shows what can be given)')
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: (text) => io.err.write(text),
      getOutHelpWidth: () => io.out.columns ?? 100,
      getErrHelpWidth: () => io.err.columns ?? 100,
    })
    .addHelpText('after', EPILOGUE);
  for (const make of COMMANDS) {
    const command = make(io, (ended) => {
      code = ended;
    });
    program.addCommand(command.copyInheritedSettings(program));
  }

  try {
    await program.parseAsync([...io.argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (error instanceof ConfigError) {
      io.err.write(`millrace: ${error.message}\n`);
      return EXIT.usage;
    }
    if (error instanceof CommandFailure) {
      io.err.write(`millrace: ${error.message}\n`);
      return error.exitCode;
    }
    throw error;
  }
}

const EPILOGUE = `
The first event, on this machine:
  $ millrace demo                                        everything at once, to look at
or step by step, each in a terminal of its own:
  $ millrace start
  $ millrace listen --connect --allow-loopback
  $ millrace send

Exit codes: 0 done, 1 tried and failed, 2 not tried (wrong arguments, settings or files).`;
