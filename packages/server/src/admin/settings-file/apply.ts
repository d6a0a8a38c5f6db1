import type { TSchema } from 'typebox';
import type { AuditChanges } from '../../accounts/contract.ts';
import type { Destination } from '../../core/destination.ts';
import { Fault } from '../../core/fault.ts';
import type { Source } from '../../core/source.ts';
import { changeAlerts } from '../alert-input.ts';
import { changedDestinations, type Did } from '../audit.ts';
import { alertFields, changesOf, destinationFields, sourceFields } from '../audited.ts';
import type { AdminDeps } from '../deps.ts';
import { changedDestination, newDestination } from '../destination-input.ts';
import { newId } from '../ids.ts';
import * as alert from '../schemas/alert.ts';
import * as destination from '../schemas/destination.ts';
import * as source from '../schemas/source.ts';
import { changedSource, newSource } from '../source-input.ts';
import { iso } from '../views.ts';
import type { SourceRef, Step } from './plan.ts';

type Deps = Pick<AdminDeps, 'settings' | 'clock'> & {
  readonly alerts: { readonly store: Parameters<typeof changeAlerts>[1] };
};

/** A step that was made: the call of the admin API that would have done the same. */
export interface MadeStep {
  readonly action: `${'source' | 'destination'}.${'create' | 'update' | 'delete'}` | 'alerts.update';
  /** Null of what there is one of. */
  readonly id: string | null;
  /** As it is called now; of what was deleted, as it was. */
  readonly name: string;
  /** Null: the call has none. */
  readonly body: object | null;
  readonly schema?: TSchema;
  readonly changes: AuditChanges;
  /** What was changed with it. */
  readonly beside?: readonly Did[];
}

/**
 * Makes the steps of a plan that was checked, one after the other.
 *
 * @param note Is told of each step as soon as it is made, and waited for.
 * @throws Fault when one can't be made, saying how many were made before it.
 */
export async function makeSteps(
  steps: readonly Step[],
  deps: Deps,
  note: (made: MadeStep) => Promise<void>,
): Promise<void> {
  /** Ids of the sources made here, by their path in the file. */
  const made = new Map<string, string>();
  for (const [done, step] of steps.entries()) {
    try {
      await note(await makeStep(step, deps, made));
    } catch (error) {
      throw halted(
        error,
        step,
        done === 0 ? 'Nothing was changed.' : `Changed before that: ${done} of ${steps.length}.`,
      );
    }
  }
}

/** The same refusal, with how far it came; an error that is no refusal is for the log. */
function halted(cause: unknown, { kind, name }: Step, before: string): Fault {
  const { code, message, retryAfter } = cause instanceof Fault ? cause : new Fault('internal', 'The log says why.');
  return new Fault(code, `Cannot ${kind} ${name}: ${message} ${before}`, {
    cause,
    ...(retryAfter === null ? {} : { retryAfter }),
  });
}

async function makeStep(step: Step, deps: Deps, made: Map<string, string>): Promise<MadeStep> {
  const { settings, clock } = deps;
  const at = iso(clock.now());
  switch (step.kind) {
    case 'create source': {
      const { body, name } = step;
      const created = newSource(body, at);
      const { id } = created;
      await settings.putSource(created);
      made.set(step.path, id);
      const changes = changesOf(sourceFields, null, created);
      return { action: 'source.create', id, name, body, schema: source.NewSource, changes };
    }
    case 'change source': {
      const { id, body } = step;
      const { before, after } = await settings.changeSource(id, (now) => changedSource(now, body));
      const changes = changesOf(sourceFields, before, after);
      return { action: 'source.update', id, name: body.name ?? step.name, body, schema: source.SourceChange, changes };
    }
    case 'delete source': {
      const { id, name } = step;
      const changes = changesOf(sourceFields, there<Source>(settings.source(id)), null);
      const destinations = settings.destinations();
      await settings.deleteSource(id);
      const beside = changedDestinations(destinations, settings);
      return { action: 'source.delete', id, name, body: null, changes, beside };
    }
    case 'create destination': {
      const body = { ...step.body, sourceIds: idsOf(step.sources, made) };
      const id = newId('dst');
      const created = newDestination(body, id, at);
      await settings.putDestination(created);
      const changes = changesOf(destinationFields, null, created);
      return { action: 'destination.create', id, name: step.name, body, schema: destination.NewDestination, changes };
    }
    case 'change destination': {
      const { id } = step;
      const bodyOf = ({ sourceIds }: Destination) => {
        if (step.sources === null) return step.body;
        // Audiences and traits that are connected are in no file: they stay.
        const kept = sourceIds.filter((source) => settings.source(source)?.sentBy !== undefined);
        return { ...step.body, sourceIds: [...idsOf(step.sources, made), ...kept] };
      };
      const change = (now: Destination): Destination => changedDestination(now, bodyOf(now), at);
      const { before, after } = await settings.changeDestination(id, change);
      const body = bodyOf(before);
      const name = body.name ?? step.name;
      const changes = changesOf(destinationFields, before, after);
      return { action: 'destination.update', id, name, body, schema: destination.DestinationChange, changes };
    }
    case 'delete destination': {
      const { id, name } = step;
      const changes = changesOf(destinationFields, there<Destination>(settings.destination(id)), null);
      await settings.deleteDestination(id);
      return { action: 'destination.delete', id, name, body: null, changes };
    }
    case 'change alerts': {
      const { body, name } = step;
      const { before, after } = await changeAlerts(body, deps.alerts.store);
      const changes = changesOf(alertFields, before, after);
      return { action: 'alerts.update', id: null, name, body, schema: alert.AlertSettingsChange, changes };
    }
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
