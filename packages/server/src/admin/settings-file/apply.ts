import type { AuditChanges } from '../../accounts/contract.ts';
import type { Destination } from '../../core/destination.ts';
import { Fault } from '../../core/fault.ts';
import { iso } from '../../core/instant.ts';
import type { Named } from '../../core/named.ts';
import type { Source } from '../../core/source.ts';
import { changeAlerts } from '../alert-input.ts';
import { changedDestinations, type Did, fieldsOf } from '../audit.ts';
import { alertFields, changesOf, destinationFields, sourceFields } from '../audited.ts';
import type { AdminDeps } from '../deps.ts';
import { changedDestination, newDestination } from '../destination-input.ts';
import { newId } from '../ids.ts';
import { changedSource, newSource } from '../source-input.ts';
import { BODIES, type Step } from './step.ts';

type Deps = Pick<AdminDeps, 'settings' | 'clock'> & {
  readonly alerts: { readonly store: Parameters<typeof changeAlerts>[1] };
};

/**
 * Makes the steps of a checked plan, one after the other.
 *
 * @param note called and awaited after each step, with what the step did.
 * @throws Fault if a step fails; the message says how many were made before it.
 */
export async function makeSteps(steps: readonly Step[], deps: Deps, note: (did: Did) => Promise<void>): Promise<void> {
  /** Ids of new sources, by their path in the file. */
  const made = new Map<string, string>();
  for (const [done, step] of steps.entries()) {
    try {
      for (const did of await makeStep(step, deps, made)) await note(did);
    } catch (error) {
      throw halted(
        error,
        step,
        done === 0 ? 'Nothing was changed.' : `Changed before that: ${done} of ${steps.length}.`,
      );
    }
  }
}

/** The same refusal, with the progress so far. For an unexpected error the message points to the log. */
function halted(cause: unknown, { kind, name }: Step, before: string): Fault {
  const { code, message, retryAfter } = cause instanceof Fault ? cause : new Fault('internal', 'The log says why.');
  return new Fault(code, `Cannot ${kind} ${name}: ${message} ${before}`, {
    cause,
    ...(retryAfter === null ? {} : { retryAfter }),
  });
}

/** Makes one step. Answers the audit entries that a call of the admin API would have written. */
async function makeStep(step: Step, deps: Deps, made: Map<string, string>): Promise<readonly Did[]> {
  const { settings, clock } = deps;
  const at = iso(clock.now());
  switch (step.kind) {
    case 'create source': {
      const source = newSource(step.body, at);
      await settings.putSource(source);
      made.set(step.path, source.id);
      return [did('source.create', source, changesOf(sourceFields, null, source), step)];
    }
    case 'change source': {
      const { before, after } = await settings.changeSource(step.id, (now) => changedSource(now, step.body));
      return [did('source.update', after, changesOf(sourceFields, before, after), step)];
    }
    case 'delete source': {
      const source = there<Source>(settings.source(step.id));
      const destinations = settings.destinations();
      await settings.deleteSource(source.id);
      const deleted = did('source.delete', source, changesOf(sourceFields, source, null), step);
      return [deleted, ...changedDestinations(destinations, settings)];
    }
    case 'create destination': {
      const body = { ...step.body, sourceIds: idsOf(step.sources, made) };
      const destination = newDestination(body, newId('dst'), at);
      await settings.putDestination(destination);
      const changes = changesOf(destinationFields, null, destination);
      return [did('destination.create', destination, changes, { ...step, body })];
    }
    case 'change destination': {
      const bodyOf = ({ sourceIds }: Destination) => {
        if (step.sources === null) return step.body;
        // Connected audiences and traits are in no file: they stay connected.
        const kept = sourceIds.filter((source) => settings.source(source)?.sentBy !== undefined);
        return { ...step.body, sourceIds: [...idsOf(step.sources, made), ...kept] };
      };
      const change = (now: Destination): Destination => changedDestination(now, bodyOf(now), at);
      const { before, after } = await settings.changeDestination(step.id, change);
      const changes = changesOf(destinationFields, before, after);
      return [did('destination.update', after, changes, { ...step, body: bodyOf(before) })];
    }
    case 'delete destination': {
      const destination = there<Destination>(settings.destination(step.id));
      await settings.deleteDestination(destination.id);
      return [did('destination.delete', destination, changesOf(destinationFields, destination, null), step)];
    }
    case 'change alerts': {
      const { before, after } = await changeAlerts(step.body, deps.alerts.store);
      return [did('alerts.update', null, changesOf(alertFields, before, after), step)];
    }
    default:
      return step satisfies never;
  }
}

/** @param thing the thing, if deleted as it was; null for settings that exist only once. */
function did(action: string, thing: Named | null, changes: AuditChanges, step: Step): Did {
  const [type = ''] = action.split('.', 1);
  const fields = 'body' in step ? fieldsOf(step.body, BODIES[step.kind]) : [];
  return { action, target: thing && { type, id: thing.id, name: thing.name }, fields, changes };
}

/** The plan was made in the same turn, so the things it changes exist. */
function there<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('A plan names what is not there');
  return thing;
}

function idsOf(sources: readonly string[], made: ReadonlyMap<string, string>): string[] {
  return [...new Set(sources.map((source) => made.get(source) ?? source))];
}
