import { isDeepStrictEqual } from 'node:util';
import { type Address, type AlertSettings, NO_ALERT_SETTINGS } from '../../alerts/contract.ts';
import { RULE_CODES, shownRule } from '../../alerts/rules.ts';
import { changedAlerts, idsTwice } from '../alert-input.ts';
import type * as contract from '../contract.ts';
import { seesSecrets, urlMasked } from '../views.ts';
import { difference, type Planning } from './difference.ts';

/** Stands for a secret: no plan compares or shows one. */
const SET = 'set';

/** The settings as a file may compare them: no secrets, and URLs only for those who see them. A planned address has an empty id. */
export function currentAlerts(settings: AlertSettings, role: contract.Role): AlertSettings {
  const addresses = settings.addresses.map((address): Address => {
    if (address.kind === 'email') return address;
    const seen = { ...address, url: seenUrl(address.url, role) };
    return seen.kind === 'slack' ? seen : { ...seen, standardSecret: SET };
  });
  return { ...settings, addresses };
}

function seenUrl(url: string, role: contract.Role): string {
  return seesSecrets(role) ? url.trim() : urlMasked(url);
}

/** The settings that differ from the defaults; null if there are none. */
export function alertsWritten({ rules, endsAfter, addresses }: AlertSettings, role: contract.Role): object | null {
  const set = RULE_CODES.filter((code) => !isDeepStrictEqual(shownRule(code, rules[code]), shownRule(code)));
  const written = {
    ...(set.length > 0 && { rules: Object.fromEntries(set.map((code) => [code, shownRule(code, rules[code])])) }),
    ...(endsAfter !== NO_ALERT_SETTINGS.endsAfter && { endsAfter }),
    ...(addresses.length > 0 && { addresses: addresses.map((address) => addressWritten(address, role)) }),
  };
  return Object.keys(written).length > 0 ? written : null;
}

function addressWritten(address: Address, role: contract.Role): object {
  const { id, kind } = address;
  const place = kind === 'email' ? { to: address.to } : urlKept(address, role) === null && { url: address.url };
  return { ...(id !== '' && { id }), kind, ...place };
}

/** The URL of an address without its path, if a file does not contain the URL. Null if it does, or if the address has no URL. */
export function urlKept(address: Address, role: contract.Role): string | null {
  if (address.kind === 'email' || (address.kind === 'webhook' && seesSecrets(role))) return null;
  return urlMasked(address.url);
}

export interface AlertsPlanned {
  readonly body: contract.AlertSettingsChange;
  readonly after: AlertSettings;
  readonly changes: readonly contract.FieldChange[];
}

/** Null if nothing changes. */
export function planAlerts(
  asked: contract.AlertSettingsChange,
  now: AlertSettings,
  planning: Planning,
): AlertsPlanned | null {
  const { role, setSecrets, notes, errors, uncompared } = planning;
  const listed = new Set(asked.addresses?.map(({ id }) => id));
  const free = new Set(now.addresses.filter(({ id }) => !listed.has(id)));
  const known = new Map(now.addresses.map((address) => [address.id, address]));
  const addresses = asked.addresses?.map(({ id, standardSecret, ...entry }, place): contract.NewAlertAddress => {
    const before = known.get(id ?? '') ?? sameTarget(entry, free, role);
    const path = `alerts.addresses.${place}`;
    if (entry.url !== undefined && !seesSecrets(role) && targetOf(before) === seenUrl(entry.url, role)) {
      uncompared.push(`${path}.url`);
    }
    const isKept = standardSecret !== undefined && before?.kind === 'webhook' && !setSecrets;
    if (isKept) {
      notes.push(`Address ${before.id} has a standardSecret, which stays: it is set anew only when that is asked for`);
    }
    if (!before && entry.kind === 'webhook' && standardSecret === undefined) {
      // Without it, the service would make a secret that no answer shows.
      errors.push({ path: `${path}.standardSecret`, message: 'is required: a file gets no answer with a new one' });
    }
    return {
      ...entry,
      ...(before && { id: before.id }),
      ...(!isKept && standardSecret !== undefined && { standardSecret }),
    };
  });
  const change = { ...asked, ...(addresses && { addresses }) };
  const changed = changedAlerts(now, change);
  errors.push(...changed.errors.map(({ path, message }) => ({ path: `alerts.${path}`, message })));
  errors.push(...idsTwice(asked.addresses, 'alerts.addresses'));
  const seen = currentAlerts(changed.after, role);
  const after = { ...seen, addresses: seen.addresses.map((one) => (known.has(one.id) ? one : { ...one, id: '' })) };
  const again = new Set(
    addresses?.flatMap(({ id, standardSecret }) => (standardSecret === undefined ? [] : (id ?? []))),
  );
  const changes = difference(shownAlerts(now), shownAlerts(after, known, again), 'alerts', planning);
  if (changes.length === 0) return null;
  const isChanged = (section: string): boolean => changes.some(({ field }) => field.split('.', 1)[0] === section);
  const body = Object.fromEntries(Object.entries(change).filter(([section]) => isChanged(section)));
  return { body, after, changes };
}

/** The existing address with the target of an entry. The id of another service fits none. */
function sameTarget(
  { kind, url, to }: contract.NewAlertAddress,
  free: Set<Address>,
  role: contract.Role,
): Address | undefined {
  const target = kind === 'email' ? to : url && seenUrl(url, role);
  const same = [...free].find((one) => one.kind === kind && targetOf(one) === target);
  if (same) free.delete(same);
  return same;
}

function targetOf(address: Address | undefined): string | undefined {
  return address?.kind === 'email' ? address.to : address?.url;
}

/**
 * The settings as a plan shows them. Of a secret, and of the URL of a Slack channel, it only says whether it changes.
 *
 * @param again ids of the addresses whose secret is set again.
 */
function shownAlerts(
  { rules, endsAfter, addresses }: AlertSettings,
  before: ReadonlyMap<string, Address> = new Map(),
  again: ReadonlySet<string> = new Set(),
): object {
  const addressShown = (address: Address): object => {
    const { id, kind } = address;
    const known = before.get(id);
    if (kind === 'email') return { id: id || null, kind, to: address.to };
    const isOther = known !== undefined && targetOf(known) !== address.url;
    const url = kind === 'slack' ? `${urlMasked(address.url)}${isOther ? ' (another)' : ''}` : address.url;
    const standardSecret = kind === 'webhook' ? (again.has(id) ? 'set again' : SET) : null;
    return { id: id || null, kind, url, standardSecret };
  };
  return {
    rules: Object.fromEntries(RULE_CODES.map((code) => [code, shownRule(code, rules[code])])),
    endsAfter,
    addresses: addresses.map(addressShown),
  };
}
