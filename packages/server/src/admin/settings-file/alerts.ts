import { isDeepStrictEqual } from 'node:util';
import { type AlertSettings, NO_ALERT_SETTINGS } from '../../alerts/contract.ts';
import { RULE_CODES, shownRule } from '../../alerts/rules.ts';
import { idsTwice } from '../alert-input.ts';
import type * as contract from '../contract.ts';
import { alertsView, seesSecrets, urlMasked } from '../views.ts';
import { difference, type Planning } from './difference.ts';

/** The alert settings that a file can contain: rules with all their settings, addresses without secrets. */
export interface CurrentAlerts extends Pick<contract.AlertSettings, 'rules' | 'endsAfter'> {
  /** If the caller sees URLs, URLs of Slack channels are whole too, for comparison: no file contains them. A new address has an empty id. */
  readonly addresses: readonly contract.AlertAddress[];
}

export function currentAlerts(settings: AlertSettings, role: contract.Role): CurrentAlerts {
  const { rules, endsAfter, addresses } = alertsView(settings, false, role);
  const whole = addresses.map((view, i) => ({ ...view, ...urlOf(settings.addresses[i]) }));
  return { rules, endsAfter, addresses: seesSecrets(role) ? whole : addresses };
}

function urlOf(address: AlertSettings['addresses'][number] | undefined): { readonly url?: string } {
  return address && 'url' in address ? { url: address.url } : {};
}

/** The settings that differ from the defaults; null if there are none. */
export function alertsWritten({ rules, endsAfter, addresses }: CurrentAlerts, role: contract.Role): object | null {
  const set = RULE_CODES.filter((code) => !isDeepStrictEqual(rules[code], shownRule(code)));
  const written = {
    ...(set.length > 0 && { rules: Object.fromEntries(set.map((code) => [code, rules[code]])) }),
    ...(endsAfter !== NO_ALERT_SETTINGS.endsAfter && { endsAfter }),
    ...(addresses.length > 0 && { addresses: addresses.map((address) => addressWritten(address, role)) }),
  };
  return Object.keys(written).length > 0 ? written : null;
}

function addressWritten({ id, kind, url, to }: contract.AlertAddress, role: contract.Role): object {
  const isShown = kind === 'webhook' && seesSecrets(role);
  return { ...(id !== '' && { id }), kind, ...(isShown && { url }), ...(to !== null && { to }) };
}

/** The URL of an address without its path, if a file does not contain the URL. Null if it does, or if the address has no URL. */
export function urlKept({ kind, url }: contract.AlertAddress, role: contract.Role): string | null {
  return url === null || (kind === 'webhook' && seesSecrets(role)) ? null : urlMasked(url);
}

export interface AlertsPlanned {
  readonly body: contract.AlertSettingsChange;
  readonly after: CurrentAlerts;
  readonly changes: readonly contract.FieldChange[];
}

/** Null if nothing changes. */
export function planAlerts(
  asked: contract.AlertSettingsChange,
  now: CurrentAlerts,
  planning: Planning,
): AlertsPlanned | null {
  const { role, setSecrets, notes, errors, uncompared } = planning;
  const listed = new Set(asked.addresses?.map(({ id }) => id));
  const free = new Set(now.addresses.filter(({ id }) => !listed.has(id)));
  const addresses = asked.addresses?.map((entry, place): PlannedAddress => {
    const before = addressBefore(entry, now, free, role);
    const path = `alerts.addresses.${place}`;
    errors.push(...addressErrors(entry, before, path));
    if (!seesSecrets(role) && entry.url !== undefined && before?.url === urlMasked(entry.url)) {
      uncompared.push(`${path}.url`);
    }
    const isKept = entry.standardSecret !== undefined && before?.standardSecret?.set === true && !setSecrets;
    if (isKept) {
      notes.push(`Address ${before.id} has a standardSecret, which stays: it is set anew only when that is asked for`);
    }
    return planAddress(entry, before, isKept, role);
  });
  errors.push(...idsTwice(asked.addresses, 'alerts.addresses'));
  const rules = RULE_CODES.map((code) => [code, { ...now.rules[code], ...asked.rules?.[code] }] as const);
  const after: CurrentAlerts = {
    rules: Object.fromEntries(rules) as CurrentAlerts['rules'],
    endsAfter: asked.endsAfter ?? now.endsAfter,
    addresses: addresses?.map((address) => address.after) ?? now.addresses,
  };
  const shownBefore = now.addresses.map((address) => addressShown(address));
  const shownAfter = addresses?.map((address) => address.shown) ?? shownBefore;
  const changes = difference(
    { rules: now.rules, endsAfter: now.endsAfter, addresses: shownBefore },
    { rules: after.rules, endsAfter: after.endsAfter, addresses: shownAfter },
    'alerts',
    planning,
  );
  if (changes.length === 0) return null;
  const changed = (section: string): boolean => changes.some(({ field }) => field.split('.', 1)[0] === section);
  const body: contract.AlertSettingsChange = {
    ...(asked.rules && changed('rules') && { rules: asked.rules }),
    ...(asked.endsAfter !== undefined && changed('endsAfter') && { endsAfter: asked.endsAfter }),
    ...(addresses && changed('addresses') && { addresses: addresses.map((address) => address.body) }),
  };
  return { body, after, changes };
}

interface PlannedAddress {
  readonly body: contract.NewAlertAddress;
  readonly after: contract.AlertAddress;
  readonly shown: object;
}

/** The existing address with this id, else with this target. The id of another service fits none. */
function addressBefore(
  entry: contract.NewAlertAddress,
  { addresses }: CurrentAlerts,
  free: Set<contract.AlertAddress>,
  role: contract.Role,
): contract.AlertAddress | null {
  const withId = addresses.find(({ id }) => id === entry.id);
  if (withId) return withId;
  const url = seenUrl(entry, role);
  const same = [...free].find(
    (each) => each.kind === entry.kind && each.url === url && each.to === (entry.to ?? null) && (url ?? each.to),
  );
  if (same) free.delete(same);
  return same ?? null;
}

function addressErrors(
  { id, kind, url, to, standardSecret }: contract.NewAlertAddress,
  before: contract.AlertAddress | null,
  path: string,
): contract.FieldError[] {
  if (before) {
    return before.kind === kind ? [] : [{ path: `${path}.id`, message: `names no address of the kind ${kind}` }];
  }
  const place = kind === 'email' ? { name: 'to', value: to } : { name: 'url', value: url };
  const why =
    id === undefined ? 'is required' : 'is required: there is no address with this id, and a new one needs it';
  return [
    ...(place.value === undefined ? [{ path: `${path}.${place.name}`, message: why }] : []),
    // Without it, the service would make a secret that no answer shows.
    ...(kind === 'webhook' && standardSecret === undefined
      ? [{ path: `${path}.standardSecret`, message: 'is required: a file gets no answer with a new one' }]
      : []),
  ];
}

function planAddress(
  { id: _, standardSecret, ...entry }: contract.NewAlertAddress,
  before: contract.AlertAddress | null,
  isKept: boolean,
  role: contract.Role,
): PlannedAddress {
  const setsSecret = standardSecret !== undefined && !isKept;
  const hasSecret = setsSecret || before?.standardSecret?.set === true;
  const after: contract.AlertAddress = {
    id: before?.id ?? '',
    kind: entry.kind,
    url: seenUrl(entry, role) ?? before?.url ?? null,
    to: entry.to ?? before?.to ?? null,
    standardSecret: hasSecret ? { set: true } : null,
  };
  return {
    body: { ...entry, ...(before && { id: before.id }), ...(setsSecret && { standardSecret }) },
    after,
    shown: addressShown(after, before, setsSecret),
  };
}

function seenUrl({ url }: contract.NewAlertAddress, role: contract.Role): string | null {
  if (url === undefined) return null;
  return seesSecrets(role) ? url.trim() : urlMasked(url);
}

/** The address as a plan shows it. Of a changed secret it only says so. */
function addressShown(
  { id, kind, url, to, standardSecret }: contract.AlertAddress,
  before: contract.AlertAddress | null = null,
  setsSecret = false,
): object {
  const isOther = before !== null && before.url !== url;
  const slackUrl = url === null ? null : `${urlMasked(url)}${isOther ? ' (another)' : ''}`;
  return {
    id: id === '' ? null : id,
    kind,
    url: kind === 'slack' ? slackUrl : url,
    to,
    standardSecret: standardSecret && (setsSecret && before?.standardSecret ? 'set again' : 'set'),
  };
}
