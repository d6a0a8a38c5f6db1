import type { AuditChanges, AuditValue, StoredAccount } from '../accounts/contract.ts';
import type { AlertSettings } from '../alerts/contract.ts';
import { type Destination, optionsOf } from '../core/destination.ts';
import { revisionOf, type Versioned } from '../core/revision.ts';
import type { Source } from '../core/source.ts';
import type { Definition } from '../people/contract.ts';
import type { Condition, TraitDefinition } from '../people/definition.ts';
import { headersView } from './views.ts';

/** A definition with the destinations it sends to, which are stored with the destinations. */
export type Connected = Definition & { readonly destinationIds: readonly string[] };

/** The settable fields of a thing: `value` is compared by the audit log, `shown` is stored in it. */
type Fields = Readonly<Record<string, { readonly value: unknown; readonly shown: unknown }>>;

/** The most characters of a value in the audit log. There are few fields, so this limits the size of an entry. */
const MOST_SHOWN = 2_000;
const BEFORE_DIFFERENCE = 200;

/**
 * The changes of a thing; null for `before` or `after` if it does not exist then. For a secret only the fact that it changed.
 *
 * @param fields one of the functions below, for the kind of thing.
 */
export function changesOf<T extends Versioned>(
  fields: (thing: T) => Fields,
  before: T | null,
  after: T | null,
): AuditChanges {
  const was = before ? fields(before) : {};
  const is = after ? fields(after) : {};
  const values = Object.keys({ ...was, ...is }).flatMap((field): AuditValue[] => {
    if (JSON.stringify(was[field]?.value ?? null) === JSON.stringify(is[field]?.value ?? null)) return [];
    return [{ field, ...shownChange(textOf(was[field]?.shown), textOf(is[field]?.shown)) }];
  });
  return { revision: after && revisionOf(after), values };
}

/** What a call has asked for, of a thing that has no revisions. Give no secret and no user id: the audit log must not contain them. */
export function asked(values: Readonly<Record<string, unknown>>): AuditChanges {
  return { revision: null, values: changesOf(() => plain(values), null, {}).values };
}

export function sourceFields(source: Source): Fields {
  const { name, type, enabled, writeKey, allowedOrigins = [], quota = null, alerts = {} } = source;
  return {
    ...plain({ name, type, enabled, allowedOrigins, quota, alerts }),
    writeKey: { value: writeKey, shown: null },
  };
}

export function destinationFields(from: Destination): Fields {
  const { name, sourceIds, enabled, webhooks, sharedSecret } = from;
  const { signatures = ['segment'], standardSecret = null, former = {} } = from;
  const ends = Object.entries(former).map(([of, { until }]) => ({ of, until }));
  const urls = webhooks.map(({ hold, ...webhook }) => ({ ...webhook, ...(hold?.since && { paused: hold.since }) }));
  const shown = urls.map((webhook) => ({ ...webhook, headers: headersView(webhook.headers, 'viewer') }));
  return {
    ...plain({ name, sourceIds, enabled }),
    'settings.webhooks': { value: urls, shown },
    ...plain({ 'settings.signatures': signatures }),
    'settings.sharedSecret': { value: sharedSecret, shown: null },
    'settings.standardSecret': { value: standardSecret, shown: null },
    ...plain({ 'settings.secretOverlap': ends.length > 0 ? ends : null }),
    ...plain({ ...optionsOf(from), paused: from.hold?.since ?? null }),
  };
}

/** Only the fact that addresses changed: their URLs may be secrets. */
export function alertFields({ rules, addresses, endsAfter }: AlertSettings): Fields {
  const shown = addresses.map(({ id, kind }) => ({ id, kind }));
  return { ...plain({ rules, endsAfter }), addresses: { value: addresses, shown } };
}

export function definitionFields(from: Connected): Fields {
  const { name, key, destinationIds } = from;
  return plain({ name, key, definition: definitionIn(from), destinationIds });
}

/** The condition of an audience, or the computation of a trait. */
export function definitionIn({ what }: Pick<Definition, 'what'>): Condition | TraitDefinition {
  return 'audience' in what ? what.audience : what.trait;
}

export function accountFields({ name, role }: Pick<StoredAccount, 'name' | 'role'> & Versioned): Fields {
  return plain({ name, role });
}

function plain(values: Readonly<Record<string, unknown>>): Fields {
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, { value, shown: value }]));
}

function textOf(value: unknown): string | null {
  const text = JSON.stringify(value ?? null);
  return text === 'null' ? null : text;
}

/** The values to show. If long texts begin alike, both are shown from shortly before the first difference. */
function shownChange(before: string | null, after: string | null): Omit<AuditValue, 'field'> {
  // The shown form is the same, so only a secret has changed.
  if (before === after) return { before: null, after: null };
  if (before === null || after === null) return { before: before && cut(before, 0), after: after && cut(after, 0) };
  let same = 0;
  while (before[same] === after[same]) same++;
  const start = same < MOST_SHOWN / 2 ? 0 : same - BEFORE_DIFFERENCE;
  return { before: cut(before, start), after: cut(after, start) };
}

function cut(text: string, start: number): string {
  const end = start + MOST_SHOWN;
  return `${start > 0 ? '…' : ''}${text.slice(start, end).toWellFormed()}${text.length > end ? '…' : ''}`;
}
