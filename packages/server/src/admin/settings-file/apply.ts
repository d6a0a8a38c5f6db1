import type { Destination } from '../../core/destination.ts';
import { Fault } from '../../core/fault.ts';
import type { Source } from '../../core/source.ts';
import type { AdminDeps } from '../deps.ts';
import { changedDestination, newDestination } from '../destination-input.ts';
import { newId } from '../ids.ts';
import { newSource } from '../source-input.ts';
import { iso } from '../views.ts';
import type { SourceRef, Step } from './plan.ts';

type Made = Pick<AdminDeps, 'settings' | 'clock'>;

/**
 * Makes the steps of a plan that was checked, one after the other.
 *
 * @throws Fault when one can't be made, saying how many were made before it.
 */
export async function makeSteps(steps: readonly Step[], deps: Made): Promise<void> {
  /** Ids of the sources made here, by their path in the file. */
  const made = new Map<string, string>();
  for (const [done, step] of steps.entries()) {
    try {
      await makeStep(step, deps, made);
    } catch (error) {
      throw halted(
        error,
        step,
        done === 0 ? 'Nothing was changed.' : `Changed before that: ${done} of ${steps.length}.`,
      );
    }
  }
}

/** The same refusal, with how far it came; what is nobody's refusal is for the log. */
function halted(cause: unknown, { kind, name }: Step, before: string): Fault {
  const { code, message, retryAfter } = cause instanceof Fault ? cause : new Fault('internal', 'The log says why.');
  return new Fault(code, `Cannot ${kind} ${name}: ${message} ${before}`, {
    cause,
    ...(retryAfter === null ? {} : { retryAfter }),
  });
}

async function makeStep(step: Step, { settings, clock }: Made, made: Map<string, string>): Promise<void> {
  const now = iso(clock.now());
  switch (step.kind) {
    case 'create source': {
      const source = newSource(step.body, now);
      await settings.putSource(source);
      made.set(step.path, source.id);
      return;
    }
    case 'change source':
      return settings.putSource({ ...there<Source>(settings.source(step.id)), ...step.body });
    case 'delete source':
      return settings.deleteSource(step.id);
    case 'create destination': {
      const sourceIds = idsOf(step.sources, made);
      return settings.putDestination(newDestination({ ...step.body, sourceIds }, newId('dst'), now));
    }
    case 'change destination': {
      const sourceIds = step.sources === null ? {} : { sourceIds: idsOf(step.sources, made) };
      const old = there<Destination>(settings.destination(step.id));
      return settings.putDestination(changedDestination(old, { ...step.body, ...sourceIds }, now));
    }
    case 'delete destination':
      return settings.deleteDestination(step.id);
    default:
      return step satisfies never;
  }
}

/** The plan was made in the same turn: what it changes is there. */
function there<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('A plan names what is not there');
  return thing;
}

function idsOf(refs: readonly SourceRef[], made: ReadonlyMap<string, string>): string[] {
  return [...new Set(refs.map((ref) => ('id' in ref ? ref.id : there(made.get(ref.path)))))];
}
