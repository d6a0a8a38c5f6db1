import Type, { type Static } from 'typebox';
import { RULE_CODES } from '../../alerts/rules.ts';
import { allRules, changedRules } from './alert-rule.ts';
import { bound, count, id, position, revision, textOrNull, time, timeOrNull } from './field.ts';
import { paged } from './page.ts';
import {
  answer,
  closed,
  described,
  flag,
  input,
  list,
  nullable,
  object,
  oneOf,
  optional,
  optionals,
  text,
} from './shape.ts';

const rule = oneOf(RULE_CODES);

const numbers = object({
  value: described(Type.Number(), 'What the rule measured: milliseconds, a share or a count'),
  threshold: Type.Number(),
  waiting: nullable(count),
  oldestWaitingAt: timeOrNull,
  failed: nullable(count, 'Failed attempts of a destination, refused calls of a source, in the last 15 minutes'),
});

export type Incident = Static<typeof Incident>;
export const Incident = answer('Incident', {
  id,
  rule: described(rule, 'The gravest that holds'),
  also: list(rule, 'The others of the same cause that hold'),
  cause: text('One sentence'),
  subject: object({ kind: oneOf(['destination', 'source', 'service']), id, name: text() }),
  state: oneOf(['open', 'ended']),
  since: time,
  endedAt: timeOrNull,
  numbers,
  sample: nullable(
    object({
      messageId: text(),
      sourceId: id,
      position: optional(position, 'Absent of one that an earlier version opened'),
      error: textOrNull,
    }),
    'A message that failed or waits, with how its last attempt ended; its trace is `GET /api/messages/{messageId}?position=`',
  ),
  updates: list(object({ at: time, numbers }), 'The last 20, oldest first'),
  snoozedUntil: timeOrNull,
  clearSince: described(timeOrNull, 'Of an open one, since when no rule of it holds; null while one does'),
  endsAt: described(timeOrNull, 'When it ends if none holds until then'),
  recovery: nullable(text('How it ended, one sentence; null while it is open')),
});

export const incidentQuery = closed({ ...paged, ...optionals({ state: oneOf(['open', 'ended']) }) });

export type Snooze = Static<typeof Snooze>;
export const Snooze = input(
  'Snooze',
  optionals({
    until: nullable(described(bound, 'ISO 8601 date or date-time; null ends it')),
    for: text({ maxLength: 20, description: 'A duration from now, like `4h`, at most `30d`', examples: ['4h'] }),
  }),
  { examples: [{ for: '4h' }] },
);

const secret = object({ set: flag() });

export type AlertAddress = Static<typeof AlertAddress>;
export const AlertAddress = answer('AlertAddress', {
  id,
  kind: oneOf(['webhook', 'slack', 'email']),
  url: nullable(
    text(
      'Of a Slack channel without its path, which is a secret, and to all but admins so of a webhook; null of an e-mail address',
    ),
  ),
  to: nullable(text('Of an e-mail address')),
  standardSecret: nullable(secret, 'Of a webhook'),
});

export type NewAlertAddress = Static<typeof NewAlertAddress>;
export const NewAlertAddress = closed({
  kind: oneOf(['webhook', 'slack', 'email']),
  ...optionals({
    id: described(id, 'Of an address that is there: what is left out stays as it is'),
    url: text({ maxLength: 2_000, description: 'Of a webhook or a Slack-compatible incoming webhook' }),
    to: text({ maxLength: 254, description: 'Of an e-mail address' }),
    standardSecret: text({
      maxLength: 100,
      writeOnly: true,
      description: 'Of a webhook: `whsec_` and base64 of 24 to 64 bytes. Without one it is made, and answered once',
    }),
  }),
});

const endsAfter = text({ maxLength: 20, description: 'An incident ends when no rule of it held for so long; `2m`' });

export type AlertSettings = Static<typeof AlertSettings>;
export const AlertSettings = answer('AlertSettings', {
  rules: allRules,
  addresses: list(AlertAddress),
  endsAfter,
  canMail: flag('Whether `MILLRACE_SMTP_URL` and `MILLRACE_SMTP_FROM` are set'),
  revision,
  standardSecrets: optional(
    Type.Unsafe<Record<string, string>>(Type.Record(Type.String(), Type.String())),
    'Secrets that this request made, by the id of the address. They are answered once',
  ),
});

export type AlertSettingsChange = Static<typeof AlertSettingsChange>;
export const AlertSettingsChange = input(
  'AlertSettingsChange',
  optionals({
    rules: changedRules(),
    addresses: list(NewAlertAddress, { maxItems: 10, description: 'Replaces all of them' }),
    endsAfter,
  }),
  { examples: [{ rules: { no_success: { after: '10m' } } }] },
);

export type AlertTest = Static<typeof AlertTest>;
export const AlertTest = answer('AlertTest', {
  items: list(
    object({
      addressId: id,
      kind: oneOf(['webhook', 'slack', 'email']),
      ok: flag(),
      detail: text('What came back, or why nothing was sent'),
    }),
  ),
});
