import { ALERT_RULES, RULE_CODES } from '../../../server/src/alerts/rules.ts';

/** Fields of the set-up as pages call them, by their path in the API. */
export const FIELD_WORDS: Readonly<Record<string, string>> = {
  name: 'Name',
  type: 'Kind',
  key: 'Key',
  role: 'Role',
  enabled: 'Switched on',
  writeKey: 'Write key',
  allowedOrigins: 'Allowed origins',
  quota: 'Limits',
  sourceIds: 'Sources',
  destinationIds: 'Destinations',
  'settings.webhooks': 'URLs',
  'settings.sharedSecret': 'Shared secret',
  'settings.signatures': 'Signatures',
  'settings.standardSecret': 'Secret of Standard Webhooks',
  'settings.secretOverlap': 'Old secrets sign until',
  trackFilter: 'Track filter',
  policy: 'Pace and retries',
  success: 'Processed when',
  paused: 'Paused since',
  maxEventAgeHours: 'Oldest event, hours',
  definition: 'Definition',
  alerts: 'Alerts',
  rules: 'Rules',
  ...Object.fromEntries(RULE_CODES.map((code) => [`rules.${code}`, `Rule: ${ALERT_RULES[code].title}`])),
  addresses: 'Addresses',
  endsAfter: 'Ends after',
};

/**
 * A value of a field in one line.
 *
 * @param names of things, by their ids.
 */
export function valueWords(value: unknown, names: ReadonlyMap<string, string> = new Map()): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'string') return names.get(value) ?? value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return value.length === 0 ? 'none' : value.map((each) => names.get(each) ?? each).join(', ');
  }
  return JSON.stringify(value);
}
