import { Command, CommanderError } from 'commander';
import { type Config, ConfigError, parseConfig, SETTINGS } from '../config.ts';
import { EXIT, type Io } from './io.ts';
import { start } from './start.ts';

/** Runs the command that the arguments name; answers the exit code. */
export async function run(io: Io): Promise<number> {
  let code: number = EXIT.ok;
  const program = new Command('millrace')
    .description('Collects analytics calls and delivers them, durably and signed, to webhooks.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out.write(text), writeErr: (text) => io.err.write(text) });

  const startCommand = program.command('start').description('run the service');
  for (const setting of SETTINGS) {
    startCommand.option(`--${setting.flag} <${setting.type}>`, `${setting.help} (${setting.env})`);
  }
  startCommand.action(async (flags: Record<string, unknown>) => {
    code = await start(readConfig(io, flags), io);
  });

  try {
    await program.parseAsync([...io.argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (error instanceof ConfigError) {
      io.err.write(`millrace: ${error.message}\n`);
      return EXIT.usage;
    }
    throw error;
  }
}

function readConfig(io: Io, flags: Record<string, unknown>): Config {
  return parseConfig({ env: io.env, flags });
}
