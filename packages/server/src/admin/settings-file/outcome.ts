import { DEFAULT_OPTIONS, type OptionName, optionsAfter, type SecretName } from '../../core/destination.ts';
import { withTexts } from '../../core/json.ts';
import type { Destination, PlannedChange, Source, Webhook } from '../contract.ts';
import { type IsMasked, MASK } from './difference.ts';
import type { Current } from './document.ts';
import type { SourceRef, Step } from './plan.ts';

/** A step as the admin API tells it. */
export function plannedChange({ kind, name, changes }: Step): PlannedChange {
  const [verb, type] = kind.split(' ') as ['create' | 'change' | 'delete', PlannedChange['type']];
  const fields = changes.map(({ field }) => field);
  return { action: verb === 'change' ? 'update' : verb, type, name, fields, values: [...changes] };
}

export interface Outcome extends Current {
  /** Ids that stand for what is not made yet. */
  readonly unmade: ReadonlySet<string>;
}

/** What there would be when the steps were made. Values that came from variables are masked. Pure. */
export function outcomeOf(
  { sources, destinations, alerts }: Current,
  steps: readonly Step[],
  masked: IsMasked,
): Outcome {
  const after = {
    sources: new Map(sources.map((source) => [source.id, source])),
    destinations: new Map(destinations.map((destination) => [destination.id, destination])),
    unmade: new Set<string>(),
    alerts,
  };
  for (const step of steps) take(step, after, masked);
  const left = new Set(after.sources.keys());
  return {
    sources: [...after.sources.values()],
    destinations: [...after.destinations.values()].map((destination) => ({
      ...destination,
      sourceIds: destination.sourceIds.filter((id) => left.has(id)),
    })),
    alerts: after.alerts,
    unmade: after.unmade,
  };
}

interface After {
  readonly sources: Map<string, Source>;
  readonly destinations: Map<string, Destination>;
  readonly unmade: Set<string>;
  alerts: Current['alerts'];
}

function take(step: Step, after: After, masked: IsMasked): void {
  const { sources, destinations, unmade } = after;
  const { path } = step;
  switch (step.kind) {
    case 'create source': {
      unmade.add(path);
      const made = {
        id: path,
        writeKey: '',
        createdAt: '',
        oldKey: null,
        sentBy: null,
        limits: NO_LIMITS,
        revision: 1,
      };
      const source = { enabled: true, allowedOrigins: [], quota: null, alerts: {}, ...step.body, ...made };
      sources.set(path, shown(source, path, masked));
      return;
    }
    case 'change source': {
      const source = sources.get(step.id);
      if (source) sources.set(step.id, shown({ ...source, ...step.body }, path, masked));
      return;
    }
    case 'delete source':
      sources.delete(step.id);
      return;
    case 'create destination': {
      unmade.add(path);
      destinations.set(path, changed(EMPTY, { ...step, id: path }, masked));
      return;
    }
    case 'change destination': {
      const destination = destinations.get(step.id);
      if (destination) destinations.set(step.id, changed(destination, step, masked));
      return;
    }
    case 'delete destination':
      destinations.delete(step.id);
      return;
    case 'change alerts':
      after.alerts = shown(step.after, path, masked);
      return;
    default:
      step satisfies never;
  }
}

/** No part of a file. */
const NO_LIMITS = { eventsPerSecond: null, bytesPerSecond: null, eventsPerDay: null };

const EMPTY: Destination = {
  id: '',
  name: '',
  type: 'Webhooks',
  sourceIds: [],
  enabled: true,
  settings: { webhooks: [], signatures: ['segment'], sharedSecret: { set: false }, standardSecret: { set: false } },
  ...(DEFAULT_OPTIONS as Pick<Destination, OptionName>),
  paused: null,
  departures: [],
  createdAt: '',
  updatedAt: null,
  revision: 1,
};

type DestinationStep = Extract<Step, { kind: 'create destination' | 'change destination' }>;

function changed(from: Destination, step: DestinationStep & { id: string }, masked: IsMasked): Destination {
  const { path, body, sources } = step;
  const { settings = {} } = body;
  const webhooks: Webhook[] =
    settings.webhooks?.map(({ id = '', url, headers = {} }) => ({ id, url, headers })) ?? from.settings.webhooks;
  const options = optionsAfter(from, body);
  const leaves = shown({ ...options, name: body.name ?? from.name, webhooks }, path, masked);
  const isSet = (name: SecretName): boolean =>
    settings[name] === undefined ? from.settings[name].set : settings[name] !== null;
  const { webhooks: webhooksShown, ...others } = leaves;
  return {
    ...from,
    ...others,
    id: step.id,
    enabled: body.enabled ?? from.enabled,
    sourceIds: sources?.map(idOf) ?? from.sourceIds,
    settings: {
      webhooks: webhooksShown,
      signatures: settings.signatures ?? from.settings.signatures,
      sharedSecret: { set: isSet('sharedSecret') },
      standardSecret: { set: isSet('standardSecret') },
    },
  };
}

function idOf(ref: SourceRef): string {
  return 'id' in ref ? ref.id : ref.path;
}

/** The same value with every masked text in it replaced. */
function shown<T>(value: T, path: string, masked: IsMasked): T {
  return withTexts(value, (text, at) => (masked(at) ? MASK : text), path);
}
