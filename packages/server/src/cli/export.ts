import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { Command } from 'commander';
import { connect, type ServiceFlags, withServiceFlags } from './connection.ts';
import { EXIT, type ExitCode, failing, type Io } from './io.ts';

interface ExportFlags extends ServiceFlags {
  readonly output?: string;
  readonly withWriteKeys?: true;
}

/** `millrace export`: writes all settings to one file. */
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
  const { yaml: text } = await client.call(`GET /api/settings-file${flags.withWriteKeys ? '?withWriteKeys=true' : ''}`);
  if (flags.output === undefined) {
    io.out.write(text);
    return EXIT.ok;
  }
  await writePrivate(flags.output, text);
  io.err.write(`all settings are in ${flags.output}\n`);
  return EXIT.ok;
}

/** Replaces a file as a whole or not at all: writes and syncs a draft beside it, then renames the draft. */
async function writePrivate(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const there = await stat(target).catch(() => null);
  const isFile = there === null || there.isFile();
  const written = isFile ? `${target}.${randomBytes(4).toString('hex')}.new` : target;
  const how = isFile ? constants.O_CREAT | constants.O_EXCL : 0;
  const file = await open(written, constants.O_WRONLY | how, PRIVATE).catch(
    failing(`cannot write ${path}`, EXIT.usage),
  );
  try {
    await fill(file, text, isFile);
    if (isFile) await rename(written, target);
  } catch (cause) {
    if (isFile) await rm(written, { force: true });
    failing(`cannot write ${path}`)(cause);
  }
}

async function fill(file: FileHandle, text: string, isFile: boolean): Promise<void> {
  try {
    await file.writeFile(text);
    if (isFile) await file.sync();
  } finally {
    await file.close();
  }
}

/** Only for the owner: headers often contain credentials of receivers, and write keys let anybody send. */
const PRIVATE = 0o600;
