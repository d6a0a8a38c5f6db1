import { ALERT_RULES, RULE_CODES, type RuleCode } from '../../../server/src/alerts/rules.ts';
import { local } from './moment.ts';

/** The pages' names for fields of the settings, by path in the API. */
export const FIELD_WORDS: Readonly<Record<string, string>> = {
  name: 'Name',
  type: 'Kind',
  key: 'Key',
  email: 'E-mail address',
  role: 'Role',
  readOnly: 'Only reads',
  expiresAt: 'Ends',
  enabled: 'Switched on',
  writeKey: 'Write key',
  allowedOrigins: 'Allowed origins',
  quota: 'Limits',
  sourceIds: 'Sources',
  destinationIds: 'Destinations',
  destinationId: 'Destination',
  webhookId: 'URL',
  state: 'Which messages',
  chosen: 'Chosen messages',
  'filter.event': 'Event',
  'filter.error': 'Error',
  ofOneUser: 'Of one user',
  from: 'From',
  to: 'Before',
  perSecond: 'Messages a second',
  until: 'Until',
  regulationType: 'Kind',
  users: 'Users',
  keep: 'Backups kept',
  'settings.webhooks': 'URLs',
  'settings.sharedSecret': 'Shared secret',
  'settings.signatures': 'Signatures',
  'settings.standardSecret': 'Secret of Standard Webhooks',
  'settings.secretOverlap': 'Old secrets sign until',
  trackFilter: 'Track filter',
  filter: 'Filter',
  redact: 'Left out',
  consent: 'Consent',
  order: 'Order',
  orderHold: 'Longest hold of the order',
  policy: 'Pace and retries',
  success: 'Processed when',
  paused: 'Paused since',
  maxEventAgeHours: 'Oldest event, hours',
  leftOut: 'Others that were not written down',
  definition: 'Definition',
  alerts: 'Alerts',
  rules: 'Rules',
  ...Object.fromEntries(RULE_CODES.map((code) => [`rules.${code}`, `Rule: ${ALERT_RULES[code].title}`])),
  addresses: 'Addresses',
  endsAfter: 'Ends after',
};

/** A time as the API writes it. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/**
 * The value of a field in one line.
 *
 * @param names names of things, by id.
 */
export function valueWords(value: unknown, names: ReadonlyMap<string, string> = new Map()): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'string') return names.get(value) ?? (INSTANT.test(value) ? local(new Date(value)) : value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return value.length === 0 ? 'none' : value.map((each) => names.get(each) ?? each).join(', ');
  }
  const text = JSON.stringify(value);
  return text === '{}' ? 'none' : text;
}

type RuleSet = Readonly<Record<string, unknown>>;

/** The alert rules that one destination or source sets itself, by code, in one line. */
export function ownRulesWords(rules: Readonly<Record<string, RuleSet>>): string {
  const own = RULE_CODES.flatMap((code) =>
    rules[code] ? [`${ALERT_RULES[code].title}: ${ruleWords(code, rules[code])}`] : [],
  );
  return own.length === 0 ? 'as for all' : own.join('; ');
}

/** The values set for a rule: `on, age of the oldest 2h`. */
export function ruleWords(code: RuleCode, set: RuleSet): string {
  const state = set['enabled'] === undefined ? [] : [set['enabled'] === true ? 'on' : 'off'];
  const values = Object.entries(ALERT_RULES[code].fields).flatMap(([name, { means }]) => {
    const value = set[name];
    if (value === undefined) return [];
    return [`${means.toLowerCase()} ${typeof value === 'number' ? value.toLocaleString('en') : valueWords(value)}`];
  });
  return [...state, ...values].join(', ');
}
