import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { parseDocument, visit } from 'yaml';
import type { FieldChange, NewSettings, PlannedChange } from '../admin/contract.ts';
import { placeholdersIn } from '../core/placeholder.ts';
import { Refused } from './client.ts';
import { confirmed } from './confirm.ts';
import { connect, type ServiceFlags, withServiceFlags } from './connection.ts';
import { EXIT, type ExitCode, failing, type Io, usageFailure } from './io.ts';
import { counted, type Paint, paintFor, printable } from './paint.ts';

interface ApplyFlags extends ServiceFlags {
  readonly yes?: true;
  readonly dryRun?: true;
  readonly exitCode?: true;
  readonly prune?: true;
  readonly setSecrets?: true;
}

/** `millrace apply`: changes the settings to those of a file. */
export function applyCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('apply')
    .description('make sources, destinations and alerts what a YAML file says, after showing the difference')
    .argument('<file>', 'as millrace export writes it')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only show the difference')
    .option('--exit-code', 'with --dry-run: exit code 1 when there is a difference, or something was not compared')
    .option('--prune', 'delete what is not in the file (of the sections that are in it)')
    .option('--set-secrets', 'set shared secrets also where one is set');
  return withServiceFlags(command)
    .addHelpText(
      'after',
      `
An entry belongs to what has its id, else to what has its name; else it is made. What an entry leaves out stays as it is.
\${NAME} in a text stands for a variable of the environment: sharedSecret: \${CRM_SECRET}. A shared secret can't be read
back: where one is set it stays, unless --set-secrets is given.

The service checks the whole file before it changes anything.

Exit code 0 when the service is as the file says, 1 when it could not be made so, 2 when the file is wrong.

Examples:
  $ millrace apply settings.yaml --dry-run
  $ CRM_SECRET=… millrace apply settings.yaml --yes`,
    )
    .action(async (file: string, flags: ApplyFlags) => end(await apply(io, file, flags)));
}

async function apply(io: Io, path: string, flags: ApplyFlags): Promise<ExitCode> {
  if (flags.exitCode && !flags.dryRun) throw usageFailure('--exit-code goes with --dry-run');
  const bytes = await readFile(path).catch(failing(`cannot read ${path}`, EXIT.usage));
  if (!isUtf8(bytes)) throw usageFailure(`${path} is not UTF-8: save it as that`);
  const yaml = bytes.toString('utf8');
  const settings: NewSettings = {
    yaml,
    prune: flags.prune === true,
    setSecrets: flags.setSecrets === true,
    variables: variablesOf(yaml, io.env),
  };
  const client = await connect(io, flags);
  const { revision, changes, notes, uncompared } = await client
    .call('POST /api/settings-file/plan', settings)
    .catch((error: unknown) => refuseFile(error, path));
  for (const note of notes) io.err.write(`${printable(note)}\n`);
  if (changes.length === 0) {
    io.out.write(uncompared ? 'Nothing to change in what was compared.\n' : 'Nothing to change.\n');
    return uncompared && (!flags.dryRun || flags.exitCode) ? EXIT.failed : EXIT.ok;
  }
  io.out.write(planText(changes, paintFor(io.out)));
  if (flags.dryRun) return flags.exitCode ? EXIT.failed : EXIT.ok;
  if (!flags.yes && !io.in.isTTY)
    throw usageFailure('nothing was changed: --yes applies this without asking, --dry-run only shows it');
  if (!flags.yes && !(await confirmed(io, 'Apply this? [y/N] '))) {
    io.err.write('millrace: nothing was changed\n');
    return EXIT.failed;
  }
  const applied = await client.applySettings(settings, revision).catch((error: unknown) => refuseFile(error, path));
  io.out.write(`Done: ${counted(applied.changes.length, 'change')}.\n`);
  return EXIT.ok;
}

/** Sends the service only the variables that the file names. */
function variablesOf(yaml: string, env: Io['env']): Record<string, string> {
  const names = new Set<string>();
  visit(parseDocument(yaml), {
    Scalar(_, { value }) {
      if (typeof value === 'string') for (const name of placeholdersIn(value)) names.add(name);
    },
  });
  return Object.fromEntries([...names].flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** The service checks the whole file before it changes anything. Problems are printed with their lines, as a compiler does. */
function refuseFile(error: unknown, path: string): never {
  if (!(error instanceof Refused)) throw error;
  if (error.status === 413)
    throw usageFailure(`${path} can't be applied; nothing was changed: ${error.message}`, error);
  if (error.errors.length === 0) throw error;
  const lines = error.errors.map(({ path: place, message, line }) => {
    const at = [path, line ?? []].flat().join(':');
    return `  ${at}:${place === '' ? '' : ` ${printable(place)}:`} ${printable(message)}`;
  });
  throw usageFailure(`${path} can't be applied; nothing was changed:\n${lines.join('\n')}`, error);
}

function planText(changes: readonly PlannedChange[], paint: Paint): string {
  const lines = changes.flatMap(({ action, type, name, values }) => {
    const title = `${type} ${printable(name)}`;
    const fields = values.map((value) => fieldText(value, action, paint));
    if (action === 'create') return [paint.good(`+ ${title}`), ...fields];
    return action === 'delete' ? [paint.bad(`- ${title}`)] : [paint.warn(`~ ${title}`), ...fields];
  });
  const count = (action: string): number => changes.filter((change) => change.action === action).length;
  return `${lines.join('\n')}\n${count('create')} to make, ${count('update')} to change, ${count('delete')} to delete\n`;
}

function fieldText({ field, from, to }: FieldChange, action: PlannedChange['action'], paint: Paint): string {
  const name = printable(field);
  const [was, is] = [from, to].map((value) => (value === null ? 'nothing' : printable(value)));
  if (action === 'create') return `    ${name}: ${is}`;
  return `    ${name}: ${paint.bad(String(was))} → ${paint.good(String(is))}`;
}
