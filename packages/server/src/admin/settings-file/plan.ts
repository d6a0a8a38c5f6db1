import { isDeepStrictEqual } from 'node:util';
import {
  DEFAULT_OPTIONS,
  OPTION_NAMES,
  type OptionName,
  optionsAfter,
  SECRETS,
  type SecretName,
} from '../../core/destination.ts';
import { finder, type Named, nameAndId } from '../../core/named.ts';
import type { FieldError, NewSource, SourceChange } from '../contract.ts';
import { typeErrors } from '../source-input.ts';
import { picked, seesSecrets } from '../views.ts';
import { idErrors, identified } from '../webhook-input.ts';
import { planAlerts } from './alerts.ts';
import { difference, type Planning, type PlanOptions, shown } from './difference.ts';
import type {
  Current,
  CurrentDestination,
  CurrentSource,
  FileDestination,
  FileSource,
  SettingsFile,
} from './document.ts';
import type { Step } from './step.ts';

export interface Plan {
  /** The steps, in an order in which they can be made. */
  readonly steps: readonly Step[];
  readonly notes: readonly string[];
  readonly errors: readonly FieldError[];
  /** See SettingsPlan. */
  readonly uncompared: readonly string[];
  /** The settings after the steps. Values from variables are masked. */
  readonly after: Current;
  /** Ids in `after` that stand for planned things. */
  readonly unmade: ReadonlySet<string>;
}

/** A step, and the thing after it. The id of a planned thing is its path. */
interface Planned<T> {
  readonly step: Step;
  readonly after: T;
}

/** Plans the steps after which the service has the settings of the file. Reads nothing but its arguments. */
export function planSettings(file: SettingsFile, current: Current, options: PlanOptions): Plan {
  const errors: FieldError[] = [];
  const notes: string[] = [];
  const uncompared: string[] = [];
  const sources = matched(file.sources ?? [], current.sources, errors);
  const destinations = matched(file.destinations ?? [], current.destinations, errors);
  const find = sourceFinder(sources, current.sources, errors);
  const { role } = current;
  const planning = { ...options, role, masked: file.masked, notes, errors, uncompared };
  const steps: Step[] = [];
  const after = { sources: byId(current.sources), destinations: byId(current.destinations) };
  const take = <T extends Named>(planned: Planned<T> | null, things: Map<string, T>): void => {
    if (!planned) return;
    steps.push(planned.step);
    things.set(planned.after.id, planned.after);
  };
  for (const { entry, now } of sources) {
    take(now ? changeSource(entry, now, planning) : createSource(entry, planning), after.sources);
  }
  for (const { entry, now } of destinations) {
    const refs = entry.sources
      ?.map((named, place) => find(named, `${entry.path}.sources.${place}`))
      .filter((ref) => ref !== null);
    const own = withOwnUrls(entry, now, errors);
    take(planDestination(own, now, refs ?? null, current.sources, planning), after.destinations);
  }
  const unlisted = {
    destinations: file.destinations ? without(current.destinations, destinations) : [],
    sources: file.sources ? without(current.sources, sources) : [],
  };
  for (const kind of ['destination', 'source'] as const) {
    for (const { id, name } of options.prune ? unlisted[`${kind}s`] : []) {
      steps.push({ kind: `delete ${kind}`, id, name, path: '', changes: [] });
      after[`${kind}s`].delete(id);
    }
  }
  const alerts = file.alerts && planAlerts(file.alerts, current.alerts, planning);
  if (alerts) {
    const { body, changes } = alerts;
    steps.push({ kind: 'change alerts', path: 'alerts', name: 'Alerts', body, changes });
  }
  const kept = options.prune ? [] : [...unlisted.sources, ...unlisted.destinations];
  if (kept.length > 0) notes.push(`Not in the file, and kept: ${kept.map(nameAndId).join(', ')}`);
  if (uncompared.length > 0) {
    notes.push(`Not compared, because only an admin sees these values: ${uncompared.join(', ')}`);
  }
  return {
    ...{ steps, notes, errors, uncompared },
    after: {
      role,
      sources: [...after.sources.values()],
      destinations: [...after.destinations.values()].map((destination) => ({
        ...destination,
        sourceIds: destination.sourceIds.filter((id) => after.sources.has(id)),
      })),
      alerts: alerts ? shown(alerts.after, 'alerts', file.masked) : current.alerts,
    },
    unmade: new Set(steps.filter(({ kind }) => kind.startsWith('create')).map(({ path }) => path)),
  };
}

function byId<T extends Named>(things: readonly T[]): Map<string, T> {
  return new Map(things.map((thing) => [thing.id, thing]));
}

interface Entry {
  readonly path: string;
  readonly id?: string;
  readonly name?: string;
}

interface Match<E, T> {
  readonly entry: E;
  /** The existing thing; null if it will be created. */
  readonly now: T | null;
}

/** Matches entries with things, by id, else by name. Two entries never match the same thing. */
function matched<E extends Entry, T extends Named>(
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
  sources: readonly Match<FileSource, CurrentSource>[],
  current: readonly CurrentSource[],
  errors: FieldError[],
): (named: string, path: string) => string | null {
  const byId = new Map(sources.toReversed().map((source) => [source.entry.id, source]));
  const byOwnName = Map.groupBy(sources, ({ entry, now }) => entry.name ?? now?.name);
  const find = finder(current);
  return (named, path) => {
    const withId = byId.get(named);
    const listed = withId ? [withId] : (byOwnName.get(named) ?? []);
    const refs = listed.map(({ entry, now }) => now?.id ?? entry.path);
    const [ref = null, ...more] = refs.length > 0 ? refs : find(named, named).map(({ id }) => id);
    if (ref && more.length === 0) return ref;
    errors.push({ path, message: ref ? 'several sources have this name; give the id' : `names no source: ${named}` });
    return null;
  };
}

function createSource(entry: FileSource, planning: Planning): Planned<CurrentSource> | null {
  const { masked, errors } = planning;
  const { path, id: _, name, type, ...given } = entry;
  if (name === undefined) errors.push({ path, message: 'there is no source with this id, and a new one needs a name' });
  if (type === undefined) errors.push({ path: `${path}.type`, message: 'a new source needs a type' });
  if (name === undefined || type === undefined) return null;
  const body: NewSource = { name, type, ...given };
  const { writeKey = '', ...fields } = { enabled: true, ...given };
  const changes = difference({}, { type, ...fields }, path, planning);
  const source = { name, type, writeKey, allowedOrigins: [], quota: null, alerts: {}, ...fields };
  return {
    step: { kind: 'create source', path, name, body, changes },
    after: { id: path, ...shown(source, path, masked) },
  };
}

function changeSource(entry: FileSource, now: CurrentSource, planning: Planning): Planned<CurrentSource> | null {
  const { role, masked, errors, uncompared } = planning;
  const { path, id: _, writeKey, ...fields } = entry;
  if (writeKey !== undefined && !seesSecrets(role)) {
    uncompared.push(`${path}.writeKey`);
  } else if (writeKey !== undefined && writeKey !== now.writeKey) {
    errors.push({ path: `${path}.writeKey`, message: 'is not the one the service has; a write key cannot be changed' });
  }
  const changed = Object.entries(fields).filter(([field, value]) => !isDeepStrictEqual(value, Reflect.get(now, field)));
  const body: SourceChange = Object.fromEntries(changed);
  for (const error of typeErrors(now, body)) errors.push({ ...error, path: `${path}.${error.path}` });
  const changes = difference(now, { ...now, ...body }, path, planning);
  if (changes.length === 0) return null;
  return {
    step: { kind: 'change source', path, name: now.name, id: now.id, body, changes },
    after: { ...now, ...shown(body, path, masked) },
  };
}

/**
 * The entry's URLs with the ids that they have in this service, if any. Ids belong to one service: those in a file of another
 * service are ignored.
 */
function withOwnUrls(entry: FileDestination, now: CurrentDestination | null, errors: FieldError[]): FileDestination {
  if (!entry.webhooks) return entry;
  const isForeign = entry.id !== undefined && entry.id !== now?.id;
  const asked = isForeign ? entry.webhooks.map(({ id: _, ...webhook }) => webhook) : entry.webhooks;
  const known = now?.webhooks ?? [];
  for (const { path, message } of idErrors(asked, known)) {
    errors.push({ path: `${entry.path}.webhooks.${path}`, message });
  }
  return { ...entry, webhooks: identified(asked, known) };
}

/** Plans a destination. For a new one the plan shows only the fields in the file, and `enabled`. */
function planDestination(
  entry: FileDestination,
  now: CurrentDestination | null,
  refs: readonly string[] | null,
  sources: readonly CurrentSource[],
  planning: Planning,
): Planned<CurrentDestination> | null {
  const { role, setSecrets, masked, notes, errors } = planning;
  const { path, name = now?.name, webhooks = now?.webhooks } = entry;
  if (name === undefined)
    errors.push({ path, message: 'there is no destination with this id, and a new one needs a name' });
  if (now === null && !webhooks?.length)
    errors.push({ path: `${path}.webhooks`, message: 'a new destination needs at least one URL' });
  if (name === undefined || !webhooks) return null;
  const from = now ?? { ...NONE, id: path };
  const isSet = (secret: SecretName): boolean => from[secret];
  const given = SECRETS.filter((secret) => typeof entry[secret] === 'string');
  const kept = setSecrets ? [] : given.filter(isSet);
  for (const secret of kept)
    notes.push(`${nameAndId(from)} has a ${secret}, which stays: it is set anew only when that is asked for`);
  demandStandardSecret(entry, isSet('standardSecret'), errors);
  const set = given.filter((secret) => !kept.includes(secret));
  const removed = SECRETS.filter((secret) => entry[secret] === null && isSet(secret));
  const setting = [...set, ...removed];
  const shownName = (id: string): string => sources.find((source) => source.id === id)?.name ?? id;
  const sameSources = refs === null || sameIds(refs, from.sourceIds);
  const { enabled = from.enabled, signatures = from.signatures } = entry;
  const fields: Fields = { name, enabled, webhooks, signatures, ...optionsAfter(from, entry) };
  const said = FIELDS.filter((field) => now !== null || field === 'enabled' || entry[field] !== undefined);
  const isHidden = (field: string): boolean =>
    !seesSecrets(role) && entry.webhooks !== undefined && HEADER_VALUE.test(field);
  const changes = difference(
    {
      ...(now ? shownFields(picked(now, ...FIELDS)) : { name }),
      ...(sameSources ? {} : { sources: from.sourceIds.map(shownName) }),
      ...Object.fromEntries(setting.filter(isSet).map((secret) => [secret, 'set'])),
    },
    {
      ...shownFields(picked(fields, ...said)),
      ...(sameSources ? {} : { sources: entry.sources ?? [] }),
      ...Object.fromEntries(set.map((secret) => [secret, isSet(secret) ? 'set again' : 'set'])),
    },
    path,
    planning,
    isHidden,
  );
  if (now && changes.length === 0 && sameSources) return null;
  const isChanged = (field: string): boolean =>
    now === null || changes.some((change) => change.field === field || change.field.startsWith(`${field}.`));
  const {
    webhooks: urls,
    signatures: schemes,
    ...others
  } = picked<Partial<Fields>, keyof Fields>(fields, ...said.filter(isChanged));
  const settings = {
    ...(urls && { webhooks: urls }),
    ...(schemes && { signatures: schemes }),
    ...Object.fromEntries(setting.map((secret) => [secret, entry[secret] ?? null])),
  };
  const body = { ...others, ...(Object.keys(settings).length > 0 && { settings }) };
  const step: Step = now
    ? {
        kind: 'change destination',
        path,
        name: now.name,
        id: now.id,
        body,
        sources: sameSources ? null : refs,
        changes,
      }
    : {
        ...{ kind: 'create destination', path, name, sources: refs ?? [], changes },
        body: { ...others, name, type: 'Webhooks', settings: { ...settings, webhooks } },
      };
  const after = {
    ...{ ...from, ...shown(fields, path, masked) },
    ...Object.fromEntries(setting.map((secret) => [secret, entry[secret] !== null])),
    sourceIds: refs ?? from.sourceIds,
  };
  return { step, after };
}

/** Path of a static header's value, below that of its destination. */
const HEADER_VALUE = /^webhooks\.\d+\.headers\./;

/** The fields of a destination in a file, except its sources and secrets. */
const FIELDS = ['name', 'enabled', 'webhooks', 'signatures', ...OPTION_NAMES] as const;

type Fields = Pick<CurrentDestination, (typeof FIELDS)[number] | OptionName>;

const NONE: CurrentDestination = {
  ...{ id: '', name: '', type: 'Webhooks', sourceIds: [], enabled: true },
  ...{ webhooks: [], signatures: ['segment'], sharedSecret: false, standardSecret: false },
  ...DEFAULT_OPTIONS,
};

/** Requires a secret, because the service would make one that no answer shows. */
function demandStandardSecret(
  { path, signatures = [], standardSecret }: FileDestination,
  isSet: boolean,
  errors: FieldError[],
): void {
  if (isSet || standardSecret || signatures.every((scheme) => scheme === 'segment')) return;
  errors.push({ path: `${path}.standardSecret`, message: 'is required: a file gets no answer with a new one' });
}

function sameIds(refs: readonly string[], ids: readonly string[]): boolean {
  const wanted = new Set(refs);
  return wanted.size === ids.length && ids.every((id) => wanted.has(id));
}

/** A track filter is shown as one text: it is replaced as a whole, and the order of its events does not matter. */
function shownFields({ trackFilter, ...others }: Partial<Fields>): object {
  return { ...others, trackFilter: trackFilter && `${trackFilter.mode} ${JSON.stringify(trackFilter.events)}` };
}

function without<T extends { readonly id: string }>(things: readonly T[], matches: readonly Match<unknown, T>[]): T[] {
  const listed = new Set(matches.map(({ now }) => now?.id));
  return things.filter(({ id }) => !listed.has(id));
}
