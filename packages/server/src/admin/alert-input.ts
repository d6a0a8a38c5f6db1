import { type Address, type AlertSettings, type AlertStore, NO_ALERT_SETTINGS } from '../alerts/contract.ts';
import { ALERT_RULES, fieldFlaw, RULE_CODES } from '../alerts/rules.ts';
import { changedMeanwhile, type Expects, revisionOf } from '../core/revision.ts';
import type { RuleChanges } from '../core/rule-changes.ts';
import { standardSecretFlaw } from '../deliver/signature.ts';
import type { AlertSettingsChange, FieldError, NewAlertAddress } from './contract.ts';
import type { AdminDeps } from './deps.ts';
import { newId } from './ids.ts';
import { durationErrors, invalidInput } from './input.ts';
import { newStandardSecret } from './signing-input.ts';

/** What `checkAlerts` needs. */
export type AlertChecks = Pick<AdminDeps, 'checkUrl'> & { readonly alerts: Pick<AdminDeps['alerts'], 'canMail'> };

/** Checks what a schema can't: values of rules, and whether URLs and addresses may be used. @throws InvalidInput */
export async function checkAlerts(change: AlertSettingsChange, checks: AlertChecks): Promise<void> {
  const addresses = (change.addresses ?? []).map((address, i) => addressErrors(address, `addresses.${i}`, checks));
  const errors = [
    ...ruleErrors('rules', change.rules),
    ...idsTwice(change.addresses, 'addresses'),
    ...(await Promise.all(addresses)).flat(),
    ...durationErrors('endsAfter', change.endsAfter, '10s', '1d', '2m'),
  ];
  if (errors.length > 0) throw invalidInput(errors);
}

/**
 * Saves a checked change.
 *
 * @throws InvalidInput if an address has an unknown id; Fault `changed_meanwhile` if the revision is not an expected one.
 */
export async function changeAlerts(
  change: AlertSettingsChange,
  store: Pick<AlertStore, 'settings' | 'saveSettings'>,
  expects?: Expects,
): Promise<{ readonly before: AlertSettings; readonly after: AlertSettings }> {
  for (;;) {
    const before = (await store.settings()) ?? NO_ALERT_SETTINGS;
    if (expects && !expects(revisionOf(before))) throw changedMeanwhile('set-up of alerts');
    const changed = changedAlerts(before, change);
    if (changed.errors.length > 0) throw invalidInput(changed.errors);
    const after = { ...changed.after, revision: revisionOf(before) + 1 };
    // If another node was faster, apply the change again to the settings it has saved.
    if (await store.saveSettings(after)) return { before, after };
  }
}

/** The settings after a change, and what of the change is not possible. */
export function changedAlerts(
  now: AlertSettings,
  change: AlertSettingsChange,
): { readonly after: AlertSettings; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const rules = { ...now.rules };
  for (const [code, set] of Object.entries(change.rules ?? {})) rules[code] = { ...rules[code], ...set };
  const addresses = change.addresses?.map((asked, i) =>
    addressOf(asked, now.addresses, (field, message) => errors.push({ path: `addresses.${i}.${field}`, message })),
  );
  const { endsAfter = now.endsAfter } = change;
  return { after: { ...now, rules, addresses: addresses ?? now.addresses, endsAfter }, errors };
}

/** The errors in values of rules. `rules` may be those of all subjects or of one. */
export function ruleErrors(at: string, rules: RuleChanges | null = {}): FieldError[] {
  return RULE_CODES.flatMap((code) =>
    Object.entries(ALERT_RULES[code].fields).flatMap(([name, field]) => {
      const value = rules?.[code]?.[name];
      const message = value === undefined ? null : fieldFlaw(field, value);
      return message === null ? [] : [{ path: `${at}.${code}.${name}`, message }];
    }),
  );
}

/** Errors for ids that are given twice: the second entry would undo the first. */
export function idsTwice(addresses: readonly Pick<NewAlertAddress, 'id'>[] = [], at: string): FieldError[] {
  return addresses.flatMap(({ id }, place) => {
    const isFirst = id === undefined || addresses.findIndex((other) => other.id === id) === place;
    return isFirst ? [] : [{ path: `${at}.${place}.id`, message: 'is there twice' }];
  });
}

async function addressErrors(address: NewAlertAddress, at: string, checks: AlertChecks): Promise<FieldError[]> {
  const { kind, url, to, standardSecret } = address;
  const errors: FieldError[] = [];
  const isMail = kind === 'email';
  const wrong = (field: string, message: string): void => void errors.push({ path: `${at}.${field}`, message });
  if (isMail && url !== undefined) wrong('url', 'is not of an e-mail address: give `to`');
  if (!isMail && to !== undefined) wrong('to', 'is of an e-mail address only');
  if (kind !== 'webhook' && standardSecret !== undefined) wrong('standardSecret', 'is of a webhook only');
  if (isMail && !checks.alerts.canMail) {
    wrong('kind', 'needs a mail server: start Millrace with MILLRACE_SMTP_URL and MILLRACE_SMTP_FROM');
  }
  if (to !== undefined && !/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(to)) wrong('to', 'must be one e-mail address');
  const flaw = standardSecret === undefined ? null : standardSecretFlaw(standardSecret);
  if (flaw !== null) wrong('standardSecret', flaw);
  const refusal = url === undefined || isMail ? null : await checks.checkUrl(url);
  if (refusal !== null) wrong('url', refusal.message);
  return errors;
}

function addressOf(
  asked: NewAlertAddress,
  now: readonly Address[],
  wrong: (field: string, message: string) => void,
): Address {
  const { kind } = asked;
  const before = now.find(({ id }) => id === asked.id);
  const isOther = asked.id !== undefined && before?.kind !== kind;
  if (isOther) wrong('id', `names no address of the kind ${kind}`);
  const given = (field: 'to' | 'url', kept = ''): string => {
    const value = asked[field]?.trim() ?? kept;
    if (value === '' && !isOther) wrong(field, 'is required');
    return value;
  };
  const id = before?.id ?? newId('adr');
  if (kind === 'email') return { id, kind, to: given('to', before?.kind === kind ? before.to : undefined) };
  const url = given('url', before && before.kind !== 'email' ? before.url : undefined);
  if (kind === 'slack') return { id, kind, url };
  const kept = before?.kind === kind ? before.standardSecret : newStandardSecret();
  return { id, kind, url, standardSecret: asked.standardSecret ?? kept };
}
