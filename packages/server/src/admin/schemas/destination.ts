import Type, { type Static } from 'typebox';
import { DEPARTURES } from '../../core/departure.ts';
import { MAX_EVENT_AGE_HOURS, MAX_WEBHOOKS, REDACTIONS, SIGNATURES } from '../../core/destination.ts';
import { ownRules } from './alert-rule.ts';
import { CallFilter } from './definition.ts';
import { anyObject, count, eventType, id, name, revision, time, timeOrNull } from './field.ts';
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
  type SchemaOf,
  text,
} from './shape.ts';

export const sourceIds = list(id, { maxItems: 1000, description: 'Each once' });

const headers: SchemaOf<Record<string, string>> = Type.Unsafe({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 4096 },
  maxProperties: 50,
  description: 'Static headers, sent with every request to this URL. Their values can be read back.',
});

export type Webhook = Static<typeof Webhook>;
export const Webhook = object({
  id,
  url: text(),
  headers,
  paused: optional(object({ since: time }), 'There while this URL stands still on demand'),
});

export type NewWebhook = Static<typeof NewWebhook>;
export const NewWebhook = closed({
  id: optional(
    described(
      id,
      'Of a URL that the destination has: edited, it stays the same one, with its retries and its history. Without an id it ' +
        'is the one that has this URL, else a new one',
    ),
  ),
  url: text({ minLength: 1, maxLength: 2048, description: 'Full URL, http or https' }),
  headers: optional(headers),
});

const webhooks = list(NewWebhook, { minItems: 1, maxItems: MAX_WEBHOOKS });

const sharedSecret = nullable(
  text({
    minLength: 1,
    maxLength: 1024,
    writeOnly: true,
    description:
      'Key of X-Signature, without control characters and without spaces at its ends. Null leaves requests unsigned. Write-only.',
  }),
);

const signatures = list(
  oneOf(
    SIGNATURES,
    '`segment`: `X-Signature` by `sharedSecret`; `standard` and `standard-ed25519`: the headers of Standard Webhooks by `standardSecret`',
  ),
  {
    minItems: 1,
    maxItems: SIGNATURES.length,
    description: 'By what requests are signed; `segment` where it is absent',
  },
);

const standardSecret = nullable(
  text({
    maxLength: 100,
    writeOnly: true,
    description:
      '`whsec_` and base64 of 24 to 64 bytes. Left out, and at null, one is made where a scheme needs one, and answered once. Write-only.',
  }),
);

const keys = optionals({ sharedSecret, signatures, standardSecret });

const secretOverlap = text({
  maxLength: 20,
  description:
    'A duration like `24h`, at most `30d`: a secret that is replaced by this request goes on signing beside the new one for so long; without it, ' +
    'it ends at once. Alone, it moves the end of secrets that were replaced before; `0s` ends them',
});

export const WebhooksSettings = input('WebhooksSettings', { webhooks, ...keys });

export type SecretView = Static<typeof SecretView>;
const SecretView = object(
  { set: flag(), previousUntil: optional(time, 'Until when the one before it signs too') },
  'Whether there is one, never what it is',
);

export type TrackFilter = Static<typeof TrackFilter>;
export const TrackFilter = input(
  'TrackFilter',
  { mode: oneOf(['allow', 'deny']), events: list(text({ maxLength: 1024 }), { maxItems: 5000 }) },
  'Which track calls pass: only those named (at least one), or all but those named',
);

export const trackFilter = nullable(TrackFilter);

const maxEventAgeHours = nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_EVENT_AGE_HOURS,
    description:
      'Events whose timestamp was further back when they were accepted are filtered (`too_old`). Null takes any age.',
  }),
);

export const duration = (description: string): SchemaOf<string> => text({ maxLength: 20, description });

const statuses = (description: string): SchemaOf<readonly number[]> =>
  list(Type.Integer({ minimum: 300, maximum: 499 }), { maxItems: 50, description });

export type Policy = Static<typeof Policy>;
export const Policy = input(
  'Policy',
  optionals({
    ratePerSecond: Type.Number({
      minimum: 0.01,
      maximum: 100_000,
      description: 'Most requests a second, to all its URLs and from all nodes together',
    }),
    maxConcurrency: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description:
        'Most requests under way at once to each URL, from all nodes together, but at least one from each; below it, the limit adapts',
    }),
    timeout: duration(
      'From the request to the head of the answer, `1s` to `30s`. More than `5s` departs from the contract',
    ),
    retryWindow: duration(
      'From the first round of attempts to the last, `1m` to `7d` and within the retention. More than `4h` departs from the contract',
    ),
    permanentStatuses: statuses('Statuses that are not tried again, beyond the rule. 5xx always is'),
    temporaryStatuses: statuses('Statuses that are tried again, beyond the rule'),
  }),
  'How requests depart from the settings of the process. Replaced whole',
);

export type Redaction = Static<typeof Redaction>;
export const Redaction = input('Redaction', {
  path: text({
    maxLength: 200,
    description: 'Below properties, traits or context: `traits.email`; `*` is each element of a list, or each key',
  }),
  do: oneOf(
    REDACTIONS,
    '`drop` takes the field away, `mask` puts `***` in its place, `hash` its HMAC-SHA256 in hex by a key of the destination, which is made once and never shown',
  ),
});

/** The options that decide which calls are sent, and with which fields. */
export const shaping = {
  filter: nullable(CallFilter, 'Which calls go out; null for all'),
  redact: nullable(
    list(Redaction, { maxItems: 50, description: 'What becomes of fields before a call leaves, in this order' }),
  ),
  consent: nullable(
    list(text({ minLength: 1, maxLength: 100 }), {
      maxItems: 20,
      description: 'Categories each of which `context.consent.categoryPreferences` of a call must have as true',
    }),
  ),
};

/** The options of deliveries; null means the default. */
const options = {
  trackFilter,
  maxEventAgeHours,
  policy: nullable(Policy),
  success: oneOf(
    ['any', 'all'],
    'When a message is processed: when one URL has taken it, or when each has. A URL that missed it is then tried again alone',
  ),
  order: oneOf(
    ['none', 'user'],
    '`user`: calls of one user (by user id, else anonymous id, of a source) go out one after the other, in the order in which they were accepted',
  ),
  orderHold: duration(
    'Longest that a call which is tried again holds up the later ones of its user, `1s` to `7d`; then they go on, which is recorded',
  ),
  ...shaping,
  alerts: ownRules('destination'),
};

export type Paused = Static<typeof Paused>;
export const Paused = object(
  {
    since: time,
    held: described(count, 'Messages that wait for it'),
    oldest: described(timeOrNull, 'When the oldest of them was received'),
    expires: described(
      timeOrNull,
      'When that one will have been held for as long as events are kept, and fails; a delete message may wait longer',
    ),
  },
  'It stands still on demand; null where it does not',
);

const url = {
  id: optional(id, 'Of one URL of the destination; without it and `url`, it is the destination as a whole'),
  url: optional(text({ maxLength: 2048 }), 'The same by its text'),
};

export type Pause = Static<typeof Pause>;
export const Pause = input('Pause', url, { examples: [{}] });

export type Resume = Static<typeof Resume>;
export const Resume = input(
  'Resume',
  { ...url, discard: optional(flag('What is held is filtered (`discarded`), not sent')) },
  { examples: [{}] },
);

export type Destination = Static<typeof Destination>;
export const Destination = answer(
  'Destination',
  {
    id,
    name,
    type: Type.Literal('Webhooks'),
    sourceIds: list(id),
    enabled: flag(),
    settings: object({
      webhooks: list(Webhook),
      signatures,
      sharedSecret: SecretView,
      standardSecret: object({
        set: flag(),
        previousUntil: optional(time),
        publicKey: optional(text('`whpk_` and base64: verifies the signatures of `standard-ed25519`')),
      }),
    }),
    ...options,
    paused: nullable(Paused),
    departures: list(
      oneOf(DEPARTURES),
      'What of the policy departs from the contract: a timeout above 5 s, a retry window above 4 h',
    ),
    createdAt: time,
    updatedAt: described(timeOrNull, 'Null for one that was last changed by a version that did not note it'),
    revision,
    standardSecret: optional(text('One that was made by this request. It is answered this once')),
  },
  {
    examples: [
      {
        id: 'dst_nbswy3dpeb3w64tm',
        name: 'CRM',
        type: 'Webhooks',
        sourceIds: ['src_mzxw6ytboi4dqmzt'],
        enabled: true,
        settings: {
          webhooks: [
            { id: 'url_pfxxk4tfoqxgg33n', url: 'https://crm.example.com/hook', headers: { 'X-Team': 'growth' } },
          ],
          signatures: ['segment'],
          sharedSecret: { set: true },
          standardSecret: { set: false },
        },
        trackFilter: null,
        maxEventAgeHours: null,
        policy: null,
        success: 'any',
        order: 'none',
        orderHold: '10m',
        filter: null,
        redact: [],
        consent: [],
        alerts: {},
        paused: null,
        departures: [],
        createdAt: '2026-11-20T09:31:00.000Z',
        updatedAt: '2026-11-20T09:31:00.000Z',
        revision: 2,
      },
    ],
  },
);

export type NewDestination = Static<typeof NewDestination>;
export const NewDestination = input(
  'NewDestination',
  {
    name,
    type: Type.Literal('Webhooks', { description: 'Name of a catalog item, case-sensitive' }),
    ...optionals({ sourceIds, enabled: flag({ default: true }) }),
    settings: WebhooksSettings,
    ...optionals(options),
  },
  {
    examples: [
      {
        name: 'CRM',
        type: 'Webhooks',
        sourceIds: ['src_mzxw6ytboi4dqmzt'],
        enabled: true,
        settings: {
          webhooks: [{ url: 'https://crm.example.com/hook', headers: { 'X-Team': 'growth' } }],
          sharedSecret: 'keep it long and random',
        },
        trackFilter: { mode: 'deny', events: ['Mouse Moved'] },
        maxEventAgeHours: 720,
        policy: { ratePerSecond: 100, timeout: '10s' },
        filter: { field: 'properties.total', is: { atLeast: 100 } },
        redact: [{ path: 'traits.email', do: 'hash' }],
        consent: ['advertising'],
      },
    ],
  },
);

export type DestinationChange = Static<typeof DestinationChange>;
export const DestinationChange = input(
  'DestinationChange',
  optionals({
    ...{ name, sourceIds, enabled: flag() },
    settings: closed({ ...optionals({ webhooks, secretOverlap }), ...keys }),
    ...options,
  }),
  {
    description: 'What is absent stays as it is; lists, headers and the filter are replaced whole',
    examples: [{ enabled: false }, { settings: { sharedSecret: null } }],
  },
);

export type CatalogItem = Static<typeof CatalogItem>;
export const CatalogItem = answer('CatalogItem', {
  name: text(),
  description: text(),
  messageTypes: list(eventType, 'Which messages the destination takes'),
  settings: described(anyObject, "JSON Schema of a destination's `settings`"),
});
