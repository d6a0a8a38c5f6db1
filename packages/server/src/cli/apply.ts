import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { type Client, Refused } from './client.ts';
import { connect, type ServiceFlags, withServiceFlags } from './connection.ts';
import { CommandFailure, EXIT, type ExitCode, type Io, usageFailure } from './io.ts';
import { counted, type Paint, paintFor, printable } from './paint.ts';
import { type ReadSettings, readSettings } from './settings-file.ts';
import { type FieldChange, type Plan, planSettings, type SourceRef, type Step } from './settings-plan.ts';
import type { PlaceError } from './settings-reader.ts';

interface ApplyFlags extends ServiceFlags {
  readonly yes?: true;
  readonly dryRun?: true;
  readonly exitCode?: true;
  readonly prune?: true;
  readonly setSecrets?: true;
}

/** `millrace apply`: makes the settings what a file says. */
export function applyCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('apply')
    .description('make sources and destinations what a YAML file says, after showing the difference')
    .argument('<file>', 'as millrace export writes it')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only show the difference')
    .option('--exit-code', 'with --dry-run: exit code 1 when there is a difference')
    .option('--prune', 'delete what is not in the file (of the sections that are in it)')
    .option('--set-secrets', 'set shared secrets also where one is set');
  return withServiceFlags(command)
    .addHelpText(
      'after',
      `
An entry belongs to what has its id, else to what has its name; else it is made. What an entry leaves out stays as it is.
\${NAME} in a text stands for a variable of the environment: sharedSecret: \${CRM_SECRET}. A shared secret can't be read
back: where one is set it stays, unless --set-secrets is given.

Exit code 0 when the service is as the file says, 1 when a change was refused, 2 when the file is wrong.

Examples:
  $ millrace apply settings.yaml --dry-run
  $ CRM_SECRET=… millrace apply settings.yaml --yes`,
    )
    .action(async (file: string, flags: ApplyFlags) => end(await apply(io, file, flags)));
}

async function apply(io: Io, path: string, flags: ApplyFlags): Promise<ExitCode> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw usageFailure(`cannot read ${path}: ${error.message}`, error);
  });
  const file = readSettings(text, io.env);
  refuseWrong(file.errors, path, file);
  const client = await connect(io, flags);
  const [sources, destinations] = await Promise.all([client.sources(), client.destinations()]);
  const plan = planSettings(
    file.settings,
    { sources, destinations },
    { prune: flags.prune === true, setSecrets: flags.setSecrets === true },
  );
  refuseWrong(plan.errors, path, file);
  for (const note of plan.notes) io.err.write(`${note}\n`);
  if (plan.steps.length === 0) {
    io.out.write('Nothing to change.\n');
    return EXIT.ok;
  }
  io.out.write(planText(plan, paintFor(io.out)));
  if (flags.dryRun) return flags.exitCode ? EXIT.failed : EXIT.ok;
  if (!flags.yes && !(await confirmed(io))) {
    io.err.write('millrace: nothing was changed\n');
    return EXIT.failed;
  }
  await carryOut(plan.steps, client, path, file);
  io.out.write(`Done: ${counted(plan.steps.length, 'change')}.\n`);
  return EXIT.ok;
}

function refuseWrong(errors: readonly PlaceError[], path: string, file: ReadSettings): void {
  if (errors.length === 0) return;
  throw usageFailure(`${path} can't be applied; nothing was changed:\n${placesText(errors, path, file)}`);
}

function placesText(errors: readonly PlaceError[], path: string, file: ReadSettings): string {
  return errors
    .map((error) => {
      const line = file.lineOf(error.path);
      const place = error.path === '' ? '' : ` ${printable(error.path)}:`;
      return `  ${path}${line === null ? '' : `:${line}`}:${place} ${printable(error.message)}`;
    })
    .join('\n');
}

function planText({ steps }: Plan, paint: Paint): string {
  const lines = steps.flatMap(({ kind, name, changes }) => {
    const [verb = '', thing = ''] = kind.split(' ');
    const title = `${thing} ${printable(name)}`;
    const fields = changes.map((change) => fieldText(change, verb, paint));
    if (verb === 'create') return [paint.good(`+ ${title}`), ...fields];
    return verb === 'delete' ? [paint.bad(`- ${title}`)] : [paint.warn(`~ ${title}`), ...fields];
  });
  const count = (verb: string): number => steps.filter(({ kind }) => kind.startsWith(verb)).length;
  return `${lines.join('\n')}\n${count('create')} to make, ${count('change')} to change, ${count('delete')} to delete\n`;
}

function fieldText({ field, from, to }: FieldChange, verb: string, paint: Paint): string {
  const name = printable(field);
  const [was, is] = [from, to].map((value) => (value === null ? 'nothing' : printable(value)));
  if (verb === 'create') return `    ${name}: ${is}`;
  return `    ${name}: ${paint.bad(String(was))} → ${paint.good(String(is))}`;
}

/** Asks on the terminal. @throws CommandFailure where there is none to ask on. */
async function confirmed(io: Io): Promise<boolean> {
  if (!io.in.isTTY)
    throw usageFailure('nothing was changed: --yes applies this without asking, --dry-run only shows it');
  const dialogue = createInterface({ input: io.in, output: io.err });
  try {
    const answer = await new Promise<string>((resolve) => {
      // Ctrl-C and Ctrl-D are a no.
      dialogue.once('close', () => resolve(''));
      dialogue.question('Apply this? [y/N] ', resolve);
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    dialogue.close();
  }
}

/** One step after the other; the first that is refused ends it. */
async function carryOut(steps: readonly Step[], client: Client, path: string, file: ReadSettings): Promise<void> {
  /** Ids of the sources made here, by their path in the file. */
  const made = new Map<string, string>();
  for (const [done, step] of steps.entries()) {
    try {
      await carryOutStep(step, client, made);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      const { kind, name } = step;
      const before = done === 0 ? 'Nothing was changed.' : `Changed before that: ${done} of ${steps.length}.`;
      throw new CommandFailure(
        `cannot ${kind} ${printable(name)}:\n${placesText(placesOf(error, step.path), path, file)}\n${before}`,
        { cause: error },
      );
    }
  }
}

async function carryOutStep(step: Step, client: Client, made: Map<string, string>): Promise<void> {
  switch (step.kind) {
    case 'create source':
      made.set(step.path, (await client.createSource(step.body)).id);
      return;
    case 'change source':
      await client.changeSource(step.id, step.body);
      return;
    case 'delete source':
      return client.deleteSource(step.id);
    case 'create destination':
      await client.createDestination({ ...step.body, sourceIds: idsOf(step.sources, made) });
      return;
    case 'change destination':
      await client.changeDestination(step.id, {
        ...step.body,
        ...(step.sources === null ? {} : { sourceIds: idsOf(step.sources, made) }),
      });
      return;
    case 'delete destination':
      return client.deleteDestination(step.id);
    default:
      return step satisfies never;
  }
}

function idsOf(refs: readonly SourceRef[], made: ReadonlyMap<string, string>): string[] {
  return [...new Set(refs.map((ref) => ('id' in ref ? ref.id : (made.get(ref.path) ?? ''))))];
}

/** The service names the fields of its own shapes; the file has them elsewhere. */
function placesOf(error: CommandFailure, at: string): PlaceError[] {
  if (!(error instanceof Refused) || error.errors.length === 0) return [{ path: at, message: error.message }];
  return error.errors.map(({ path, message }) => {
    const field = path.replace(/^settings\./, '').replace(/^sourceIds\b/, 'sources');
    return { path: [at, field].filter((part) => part !== '').join('.'), message };
  });
}
