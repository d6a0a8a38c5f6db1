import { InvalidInput } from '../../http/problem.ts';
import type { FieldError, NewSettings } from '../contract.ts';
import { checkDestination, type DestinationChecks } from '../destination-input.ts';
import * as destination from '../schemas/destination.ts';
import * as source from '../schemas/source.ts';
import { sourceErrors } from '../source-input.ts';
import { schemaErrors } from '../validate.ts';
import { type Current, type ReadSettings, readSettings } from './document.ts';
import { type Plan, planSettings, type Step } from './plan.ts';
import type { PlaceError } from './reader.ts';

export interface ReadPlan {
  readonly file: ReadSettings;
  readonly plan: Plan;
}

/**
 * Reads a settings file and plans what it asks for, without asking anybody outside.
 *
 * @param isKeyTaken Whether a write key is a source's already.
 * @throws InvalidInput naming everything that is wrong, each with its line and its place in the file.
 */
export function readPlan(
  { yaml, variables = {}, prune = false, setSecrets = false }: NewSettings,
  current: Current,
  isKeyTaken: (writeKey: string) => boolean,
): ReadPlan {
  const file = readSettings(yaml, variables);
  refuse(file.errors, file);
  const plan = planSettings(file.settings, current, { prune, setSecrets });
  refuse(plan.errors, file);
  refuse([...plan.steps.flatMap(stepErrors), ...keyErrors(plan.steps, isKeyTaken)], file);
  return { file, plan };
}

/**
 * What takes time: whether the URLs may be called. `lookUps` is how many names may be looked up for it, each once; URLs of
 * other names are checked as they are written, and when they are called.
 *
 * @throws InvalidInput as `readPlan`.
 */
export async function checkWebhooks(
  { file, plan }: ReadPlan,
  given: DestinationChecks,
  lookUps: number = MAX_LOOK_UPS,
): Promise<void> {
  const names = new Set<string>();
  const checks: DestinationChecks = {
    ...given,
    checkUrl(url) {
      const name = URL.parse(url)?.hostname ?? '';
      const isKnown = names.has(name);
      if (names.size < lookUps) names.add(name);
      return given.checkUrl(url, !isKnown && names.has(name));
    },
  };
  const found = plan.steps.map(async (step): Promise<readonly PlaceError[]> => {
    if (step.kind !== 'create destination' && step.kind !== 'change destination') return [];
    try {
      await checkDestination(step.body, checks);
      return [];
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return inFile(error.errors, step.path);
    }
  });
  refuse((await Promise.all(found)).flat(), file);
}

/** More names than most files have; they share the threads that look up names for deliveries. */
const MAX_LOOK_UPS = 100;

function stepErrors(step: Step): PlaceError[] {
  switch (step.kind) {
    case 'create source':
      return inFile([...schemaErrors(source.NewSource, step.body), ...sourceErrors(step.body)], step.path);
    case 'change source':
      return inFile([...schemaErrors(source.SourceChange, step.body), ...sourceErrors(step.body)], step.path);
    case 'create destination':
      return inFile(schemaErrors(destination.NewDestination, step.body), step.path);
    case 'change destination':
      return inFile(schemaErrors(destination.DestinationChange, step.body), step.path);
    case 'delete source':
    case 'delete destination':
      return [];
    default:
      return step satisfies never;
  }
}

function keyErrors(steps: readonly Step[], isTaken: (writeKey: string) => boolean): PlaceError[] {
  const seen = new Set<string>();
  return steps.flatMap((step) => {
    const key = step.kind === 'create source' ? step.body.writeKey : undefined;
    if (key === undefined) return [];
    const clash = seen.has(key) || isTaken(key);
    seen.add(key);
    return clash ? [{ path: `${step.path}.writeKey`, message: 'is the write key of another source' }] : [];
  });
}

/** The API names the fields of its own shapes; the file has them elsewhere. */
function inFile(errors: readonly FieldError[], at: string): PlaceError[] {
  return errors.map(({ path, message }) => {
    const field = path.replace(/^settings\.?/, '').replace(/^sourceIds\b/, 'sources');
    return { path: field === '' ? at : `${at}.${field}`, message };
  });
}

function refuse(errors: readonly PlaceError[], file: ReadSettings): void {
  if (errors.length === 0) return;
  const placed = errors.slice(0, MAX_ERRORS).map(({ path, message, line = file.lineOf(path) }): FieldError => {
    return { path, message, ...(line === null ? {} : { line }) };
  });
  const more = errors.length > MAX_ERRORS ? [`and ${errors.length - MAX_ERRORS} more`] : [];
  throw new InvalidInput(placed, [...placed.map(sentence), ...more].join('; '));
}

/** Errors that one answer names: as many as somebody reads. */
const MAX_ERRORS = 100;

function sentence({ path, message, line }: FieldError): string {
  const place = [line === undefined ? [] : `line ${line}`, path === '' ? [] : path].flat();
  return [...place, message].join(': ');
}
