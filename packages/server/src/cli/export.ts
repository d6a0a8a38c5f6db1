import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Command } from 'commander';
import { connect, type ServiceFlags, withServiceFlags } from './connection.ts';
import { EXIT, type ExitCode, failing, type Io } from './io.ts';

interface ExportFlags extends ServiceFlags {
  readonly output?: string;
  readonly withWriteKeys?: true;
}

/** `millrace export`: all settings as one file. */
export function exportCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('export')
    .description('write sources, destinations and alerts as one YAML file')
    .option('-o, --output <file>', 'write it there (default: standard output)')
    .option('--with-write-keys', 'with the write keys of the sources');
  return withServiceFlags(command)
    .addHelpText(
      'after',
      `
Shared secrets never come out of the service, and are not in the file. Headers are, with their values.
millrace apply takes the file.

Examples:
  $ millrace export > settings.yaml
  $ millrace export --with-write-keys -o move.yaml      for another installation: clients keep their keys`,
    )
    .action(async (flags: ExportFlags) => end(await exportSettings(io, flags)));
}

async function exportSettings(io: Io, flags: ExportFlags): Promise<ExitCode> {
  const client = await connect(io, flags);
  const text = await client.settingsFile({ withWriteKeys: flags.withWriteKeys === true });
  if (flags.output === undefined) {
    io.out.write(text);
    return EXIT.ok;
  }
  // Headers often hold credentials of the receiving side, and write keys let anybody send.
  await writePrivate(flags.output, text).catch(failing(`cannot write ${flags.output}`, EXIT.usage));
  io.err.write(`all settings are in ${flags.output}\n`);
  return EXIT.ok;
}

/** A file that was there has the mode that it had: that is set before anything new is in it. */
async function writePrivate(path: string, text: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT, PRIVATE);
  try {
    if ((await file.stat()).isFile()) {
      await file.chmod(PRIVATE);
      await file.truncate();
    }
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

const PRIVATE = 0o600;
