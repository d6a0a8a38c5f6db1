import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import { OPTION_NAMES, optionsAfter, SECRETS, type SecretName } from '../../core/destination.ts';
import { finder, nameAndId } from '../../core/named.ts';
import type {
  AlertSettingsChange,
  Destination,
  DestinationChange,
  FieldChange,
  FieldError,
  NewDestination,
  NewSource,
  Source,
  SourceChange,
} from '../contract.ts';
import * as alert from '../schemas/alert.ts';
import * as destination from '../schemas/destination.ts';
import * as source from '../schemas/source.ts';
import { typeErrors } from '../source-input.ts';
import { idErrors, identified } from '../webhook-input.ts';
import { type CurrentAlerts, planAlerts } from './alerts.ts';
import { difference, type Planning, type PlanOptions } from './difference.ts';
import type { Current, FileDestination, FileSource, OptionsChange, SettingsFile } from './document.ts';

/** A source that is there, by its id; or one that will be made, by its path in the file. */
export type SourceRef = { readonly id: string } | { readonly path: string };

interface About {
  /** In the file; empty for what is not in it. */
  readonly path: string;
  readonly name: string;
  readonly changes: readonly FieldChange[];
}

export type Step = About &
  (
    | { readonly kind: 'create source'; readonly body: NewSource }
    | { readonly kind: 'change source'; readonly id: string; readonly body: SourceChange }
    | { readonly kind: 'delete source'; readonly id: string }
    | { readonly kind: 'create destination'; readonly body: NewDestination; readonly sources: readonly SourceRef[] }
    | {
        readonly kind: 'change destination';
        readonly id: string;
        readonly body: DestinationChange;
        /** Null: they stay. */
        readonly sources: readonly SourceRef[] | null;
      }
    | { readonly kind: 'delete destination'; readonly id: string }
    | { readonly kind: 'change alerts'; readonly body: AlertSettingsChange; readonly after: CurrentAlerts }
  );

/** What the bodies of steps must be, by the kind of step: those of the calls of the admin API. */
export const BODIES: Readonly<Record<Extract<Step, { readonly body: object }>['kind'], TSchema>> = {
  'create source': source.NewSource,
  'change source': source.SourceChange,
  'create destination': destination.NewDestination,
  'change destination': destination.DestinationChange,
  'change alerts': alert.AlertSettingsChange,
};

export interface Plan {
  /** In the order in which they can be made. */
  readonly steps: readonly Step[];
  readonly notes: readonly string[];
  readonly errors: readonly FieldError[];
}

/** What must be done so that the service has what the file says. Pure. */
export function planSettings(file: SettingsFile, current: Current, options: PlanOptions): Plan {
  const errors: FieldError[] = [];
  const notes: string[] = [];
  const sources = matched(file.sources ?? [], current.sources, errors);
  const destinations = matched(file.destinations ?? [], current.destinations, errors);
  const find = sourceFinder(sources, current.sources, errors);
  // A field that is shown as one text has what is below it.
  const masked = (path: string): boolean =>
    file.masked.has(path) || [...file.masked].some((one) => one.startsWith(`${path}.`));
  const planning = { ...options, masked, notes, errors };

  const steps: Step[] = [];
  for (const { entry, now } of sources) {
    const step = now ? changeSource(entry, now, planning) : createSource(entry, planning);
    if (step) steps.push(step);
  }
  for (const { entry, now } of destinations) {
    const refs = entry.sources
      ?.map((named, place) => find(named, `${entry.path}.sources.${place}`))
      .filter((ref) => ref !== null);
    const own = withOwnUrls(entry, now, errors);
    const step = now
      ? changeDestination(own, now, refs ?? null, current.sources, planning)
      : createDestination(own, refs ?? [], planning);
    if (step) steps.push(step);
  }
  const unlisted = {
    destinations: file.destinations ? without(current.destinations, destinations) : [],
    sources: file.sources ? without(current.sources, sources) : [],
  };
  for (const kind of ['destination', 'source'] as const) {
    for (const { id, name } of options.prune ? unlisted[`${kind}s`] : [])
      steps.push({ kind: `delete ${kind}`, id, name, path: '', changes: [] });
  }
  const alerts = file.alerts && planAlerts(file.alerts, current.alerts, planning);
  if (alerts) steps.push({ kind: 'change alerts', path: 'alerts', name: 'Alerts', ...alerts });
  const kept = options.prune ? [] : [...unlisted.sources, ...unlisted.destinations];
  if (kept.length > 0) notes.push(`Not in the file, and kept: ${kept.map(nameAndId).join(', ')}`);
  return { steps, notes, errors };
}

interface Entry {
  readonly path: string;
  readonly id?: string;
  readonly name?: string;
}

interface Match<E, T> {
  readonly entry: E;
  /** Null: there is none yet. */
  readonly now: T | null;
}

/** By id, else by name; never two entries with the same thing. */
function matched<E extends Entry, T extends { readonly id: string; readonly name: string }>(
  entries: readonly E[],
  things: readonly T[],
  errors: FieldError[],
): Match<E, T>[] {
  const taken = new Map<string, string>();
  const find = finder(things);
  return entries.map((entry) => {
    const fitting = find(entry.id, entry.name);
    const [now = null, ...more] = fitting;
    if (more.length > 0) {
      errors.push({
        path: entry.path,
        message: `several have this name; give the id: ${fitting.map(nameAndId).join(', ')}`,
      });
    }
    const key = now?.id ?? `new ${entry.name}`;
    const before = taken.get(key);
    if (before !== undefined)
      errors.push({ path: entry.path, message: `is the same as ${before}; two need a name each` });
    taken.set(key, entry.path);
    return { entry, now };
  });
}

function sourceFinder(
  sources: readonly Match<FileSource, Source>[],
  current: readonly Source[],
  errors: FieldError[],
): (named: string, path: string) => SourceRef | null {
  const byId = new Map(sources.toReversed().map((source) => [source.entry.id, source]));
  const byOwnName = Map.groupBy(sources, ({ entry, now }) => entry.name ?? now?.name);
  const find = finder(current);
  return (named, path) => {
    const withId = byId.get(named);
    const listed = withId ? [withId] : (byOwnName.get(named) ?? []);
    const refs = listed.map(({ entry, now }) => (now ? { id: now.id } : { path: entry.path }));
    const [ref = null, ...more] = refs.length > 0 ? refs : find(named, named).map(({ id }) => ({ id }));
    if (ref && more.length === 0) return ref;
    errors.push({ path, message: ref ? 'several sources have this name; give the id' : `names no source: ${named}` });
    return null;
  };
}

function createSource(entry: FileSource, { masked, errors }: Planning): Step | null {
  const { path, id: _, name, type, ...given } = entry;
  if (name === undefined) errors.push({ path, message: 'there is no source with this id, and a new one needs a name' });
  if (type === undefined) errors.push({ path: `${path}.type`, message: 'a new source needs a type' });
  if (name === undefined || type === undefined) return null;
  const body: NewSource = { name, type, ...given };
  const { writeKey: _key, ...shown } = { enabled: true, ...given };
  return { kind: 'create source', path, name, body, changes: difference({}, { type, ...shown }, path, masked) };
}

function changeSource(entry: FileSource, now: Source, { masked, errors }: Planning): Step | null {
  const { path, id: _, writeKey = now.writeKey, ...fields } = entry;
  if (writeKey !== now.writeKey) {
    errors.push({ path: `${path}.writeKey`, message: 'is not the one the service has; a write key cannot be changed' });
  }
  const changed = Object.entries(fields).filter(([field, value]) => !isDeepStrictEqual(value, Reflect.get(now, field)));
  const body: SourceChange = Object.fromEntries(changed);
  for (const error of typeErrors(now, body)) errors.push({ ...error, path: `${path}.${error.path}` });
  const changes = difference(now, { ...now, ...body }, path, masked);
  return changes.length === 0 ? null : { kind: 'change source', path, name: now.name, id: now.id, body, changes };
}

/**
 * Each URL with the id that it has here, where it has one. Ids belong to one service, as that of the destination: in a file of
 * another they say nothing.
 */
function withOwnUrls(entry: FileDestination, now: Destination | null, errors: FieldError[]): FileDestination {
  if (!entry.webhooks) return entry;
  const isForeign = entry.id !== undefined && entry.id !== now?.id;
  const asked = isForeign ? entry.webhooks.map(({ id: _, ...webhook }) => webhook) : entry.webhooks;
  const known = now?.settings.webhooks ?? [];
  for (const { path, message } of idErrors(asked, known)) {
    errors.push({ path: `${entry.path}.webhooks.${path}`, message });
  }
  return { ...entry, webhooks: identified(asked, known) };
}

function createDestination(
  entry: FileDestination,
  sources: readonly SourceRef[],
  { masked, errors }: Planning,
): Step | null {
  const { path, name, enabled = true, webhooks, signatures, options } = entry;
  if (name === undefined)
    errors.push({ path, message: 'there is no destination with this id, and a new one needs a name' });
  if (!webhooks || webhooks.length === 0)
    errors.push({ path: `${path}.webhooks`, message: 'a new destination needs at least one URL' });
  if (name === undefined || !webhooks) return null;
  const secrets = SECRETS.filter((name) => typeof entry[name] === 'string');
  demandStandardSecret(entry, false, errors);
  const settings = {
    webhooks: [...webhooks],
    ...(signatures && { signatures: [...signatures] }),
    ...Object.fromEntries(secrets.map((name) => [name, entry[name]])),
  };
  const body: NewDestination = { name, type: 'Webhooks', enabled, settings, ...options };
  const shown = {
    enabled,
    sources: entry.sources ?? [],
    webhooks,
    ...optionsShown(options),
    signatures: signatures ?? null,
    ...Object.fromEntries(secrets.map((name) => [name, 'set'])),
  };
  return { kind: 'create destination', path, name, body, sources, changes: difference({}, shown, path, masked) };
}

function changeDestination(
  entry: FileDestination,
  now: Destination,
  refs: readonly SourceRef[] | null,
  sources: readonly Source[],
  { setSecrets, masked, notes, errors }: Planning,
): Step | null {
  const { path, name = now.name, enabled = now.enabled, signatures = now.settings.signatures } = entry;
  const options = optionsAfter(now, entry.options);
  // A pause is no part of a file.
  const webhooksNow = now.settings.webhooks.map(({ paused: _, ...webhook }) => webhook);
  const webhooks = entry.webhooks ?? webhooksNow;
  const isSet = (secret: SecretName): boolean => now.settings[secret].set;
  for (const secret of SECRETS) {
    if (typeof entry[secret] === 'string' && isSet(secret) && !setSecrets)
      notes.push(`${nameAndId(now)} has a ${secret}, which stays: it is set anew only when that is asked for`);
  }
  demandStandardSecret(entry, isSet('standardSecret'), errors);
  const setting = SECRETS.filter((secret) =>
    typeof entry[secret] === 'string' ? !isSet(secret) || setSecrets : entry[secret] === null && isSet(secret),
  );
  const shownName = (id: string): string => sources.find((source) => source.id === id)?.name ?? id;
  const sameSources = refs === null || sameIds(refs, now.sourceIds);
  const before = {
    ...{
      name: now.name,
      enabled: now.enabled,
      webhooks: webhooksNow,
      signatures: now.settings.signatures,
      ...optionsShown(optionsAfter(now, {})),
    },
    ...(sameSources ? {} : { sources: now.sourceIds.map(shownName) }),
    ...Object.fromEntries(setting.filter(isSet).map((secret) => [secret, 'set'])),
  };
  const after = {
    ...{ name, enabled, webhooks, signatures, ...optionsShown(options) },
    ...(sameSources ? {} : { sources: entry.sources ?? [] }),
    ...Object.fromEntries(
      setting
        .filter((secret) => typeof entry[secret] === 'string')
        .map((secret) => [secret, isSet(secret) ? 'set again' : 'set']),
    ),
  };
  const changes = difference(before, after, path, masked);
  if (changes.length === 0 && sameSources) return null;
  const changed = (field: string): boolean =>
    changes.some((change) => change.field === field || change.field.startsWith(`${field}.`));
  const settings = {
    ...(changed('webhooks') ? { webhooks: [...webhooks] } : {}),
    ...(changed('signatures') ? { signatures: [...signatures] } : {}),
    ...Object.fromEntries(setting.map((secret) => [secret, entry[secret] ?? null])),
  };
  const body: DestinationChange = {
    ...(changed('name') ? { name } : {}),
    ...(changed('enabled') ? { enabled } : {}),
    ...Object.fromEntries(OPTION_NAMES.filter(changed).map((option) => [option, options[option]])),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
  };
  const kept = sameSources ? null : refs;
  return { kind: 'change destination', path, name: now.name, id: now.id, body, sources: kept, changes };
}

/** The service would make one, and no answer would tell it. */
function demandStandardSecret(
  { path, signatures = [], standardSecret }: FileDestination,
  isSet: boolean,
  errors: FieldError[],
): void {
  if (isSet || standardSecret || signatures.every((scheme) => scheme === 'segment')) return;
  errors.push({ path: `${path}.standardSecret`, message: 'is required: a file gets no answer with a new one' });
}

function sameIds(refs: readonly SourceRef[], ids: readonly string[]): boolean {
  const wanted = new Set(refs.map((ref) => ('id' in ref ? ref.id : null)));
  return wanted.size === ids.length && ids.every((id) => wanted.has(id));
}

/** A track filter is one text: it is replaced whole, and its events have no order that matters line by line. */
function optionsShown({ trackFilter, ...others }: OptionsChange): object {
  return { ...others, trackFilter: trackFilter && `${trackFilter.mode} ${JSON.stringify(trackFilter.events)}` };
}

function without<T extends { readonly id: string }>(things: readonly T[], matches: readonly Match<unknown, T>[]): T[] {
  const listed = new Set(matches.map(({ now }) => now?.id));
  return things.filter(({ id }) => !listed.has(id));
}
