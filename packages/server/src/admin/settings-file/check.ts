import { setImmediate } from 'node:timers/promises';
import { InvalidInput } from '../../http/problem.ts';
import { type AlertChecks, checkAlerts } from '../alert-input.ts';
import type { FieldError, NewSettings } from '../contract.ts';
import { checkDestination, type DestinationChecks } from '../destination-input.ts';
import { invalidInput } from '../input.ts';
import { sourceErrors } from '../source-input.ts';
import { schemaErrors } from '../validate.ts';
import { type Current, readSettings, writeSettings } from './document.ts';
import { planSettings } from './plan.ts';
import { BODIES, type Step } from './step.ts';

/** A file that was read, with the changes it asks for. */
export interface ReadPlan {
  readonly steps: readonly Step[];
  readonly notes: readonly string[];
  /** See SettingsPlan. */
  readonly uncompared: readonly string[];
  /** The settings as files, before and after the changes. */
  readonly before: string;
  readonly after: string;
  /** Line of each path in the file, from 1. */
  readonly lines: ReadonlyMap<string, number>;
}

/** All errors of a file, each with its line and path. */
export interface WrongFile {
  readonly errors: readonly FieldError[];
}

/** Reads a settings file and plans its changes. Reads nothing but its arguments. */
export function readPlan(
  { yaml, variables = {}, prune = false, setSecrets = false }: NewSettings,
  current: Current,
): ReadPlan | WrongFile {
  const { settings, errors, lines } = readSettings(yaml, variables);
  if (errors.length > 0) return { errors: placed(errors, lines) };
  const plan = planSettings(settings, current, { prune, setSecrets });
  const { steps, notes, uncompared } = plan;
  const wrong = plan.errors.length > 0 ? plan.errors : steps.flatMap(stepErrors);
  if (wrong.length > 0) return { errors: placed(wrong, lines) };
  const [before, after] = [writeSettings(current), writeSettings(plan.after, plan)];
  return { steps, notes, uncompared, before, after, lines };
}

/** @throws InvalidInput naming the first of the errors. */
export function refuseFile({ errors }: WrongFile): never {
  throw invalidInput(errors, sentence);
}

/** @throws InvalidInput if a new source has the write key of another source. */
export function checkKeys({ steps, lines }: ReadPlan, isTaken: (writeKey: string) => boolean): void {
  const seen = new Set<string>();
  const errors = steps.flatMap((step) => {
    const key = step.kind === 'create source' ? step.body.writeKey : undefined;
    if (key === undefined) return [];
    const clash = seen.has(key) || isTaken(key);
    seen.add(key);
    return clash ? [{ path: `${step.path}.writeKey`, message: 'is the write key of another source' }] : [];
  });
  if (errors.length > 0) refuseFile({ errors: placed(errors, lines) });
}

type FileChecks = DestinationChecks & AlertChecks;

/**
 * The slow check: whether the URLs may be called. At most `lookUps` host names are looked up, each once. URLs with other names
 * are only checked by their text now, and by address when they are called.
 *
 * @throws InvalidInput as `readPlan`.
 */
export async function checkWebhooks(
  { steps, lines }: ReadPlan,
  given: FileChecks,
  lookUps: number = MAX_LOOK_UPS,
): Promise<void> {
  const names = new Set<string>();
  const checks: FileChecks = {
    ...given,
    checkUrl(url) {
      const name = URL.parse(url)?.hostname ?? '';
      const isKnown = names.has(name);
      if (names.size < lookUps) names.add(name);
      return given.checkUrl(url, !isKnown && names.has(name));
    },
  };
  const errorsOf = async (step: Step): Promise<readonly FieldError[]> => {
    try {
      if (step.kind === 'change alerts') await checkAlerts(step.body, checks);
      if (step.kind === 'create destination' || step.kind === 'change destination') {
        await checkDestination(step.body, checks);
      }
      return [];
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return inFile(error.errors, step.path);
    }
  };
  const errors: FieldError[] = [];
  for (let start = 0; start < steps.length; start += AT_ONCE) {
    const found = await Promise.all(steps.slice(start, start + AT_ONCE).map(errorsOf));
    errors.push(...found.flat());
    await setImmediate();
  }
  if (errors.length > 0) refuseFile({ errors: placed(errors, lines) });
}

/** Steps that are checked before other work gets a turn. */
const AT_ONCE = 200;

/** More names than most files have. Look-ups use the threads that deliveries need for theirs. */
const MAX_LOOK_UPS = 100;

function stepErrors(step: Step): FieldError[] {
  // Alerts were checked with their schema when the file was read.
  if (!('body' in step) || step.kind === 'change alerts') return [];
  const isOfSource = step.kind === 'create source' || step.kind === 'change source';
  const errors = [...schemaErrors(BODIES[step.kind], step.body), ...(isOfSource ? sourceErrors(step.body) : [])];
  return inFile(errors, step.path);
}

/** Translates paths of the API's bodies into paths of the file. */
function inFile(errors: readonly FieldError[], at: string): FieldError[] {
  return errors.map(({ path, message }) => {
    const field = path.replace(/^settings\.?/, '').replace(/^sourceIds\b/, 'sources');
    return { path: field === '' ? at : `${at}.${field}`, message };
  });
}

function placed(errors: readonly FieldError[], lines: ReadonlyMap<string, number>): FieldError[] {
  return errors.map(({ path, message, line = lineOf(path, lines) }) => {
    return { path, message, ...(line === undefined ? {} : { line }) };
  });
}

/** The line of a path. A missing field has none: then that of the nearest parent. */
function lineOf(path: string, lines: ReadonlyMap<string, number>): number | undefined {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('.'), 0))) {
    const line = lines.get(at);
    if (line !== undefined) return line;
  }
  return undefined;
}

function sentence({ path, message, line }: FieldError): string {
  const place = [line === undefined ? [] : `line ${line}`, path === '' ? [] : path].flat();
  return [...place, message].join(': ');
}
