import Type, { type Static } from 'typebox';
import { MAX_EVENT_AGE_HOURS, MAX_WEBHOOKS } from '../../core/destination.ts';
import { anyObject, count, eventType, id, name, revision, textOrNull, time, timeOrNull, whole } from './field.ts';
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

const sourceIds = list(id, { maxItems: 1000, description: 'Each once' });

const headers: SchemaOf<Record<string, string>> = Type.Unsafe({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 4096 },
  maxProperties: 50,
  description: 'Static headers, sent with every request to this URL. Their values can be read back.',
});

export type Webhook = Static<typeof Webhook>;
export const Webhook = object({ url: text(), headers });

export type NewWebhook = Static<typeof NewWebhook>;
export const NewWebhook = closed({
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

export const WebhooksSettings = input('WebhooksSettings', { webhooks, sharedSecret: optional(sharedSecret) });

export type TrackFilter = Static<typeof TrackFilter>;
export const TrackFilter = input(
  'TrackFilter',
  { mode: oneOf(['allow', 'deny']), events: list(text({ maxLength: 1024 }), { maxItems: 5000 }) },
  'Which track calls pass: only those named (at least one), or all but those named',
);

const trackFilter = nullable(TrackFilter);

const maxEventAgeHours = nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_EVENT_AGE_HOURS,
    description:
      'Events whose timestamp was further back when they were accepted are filtered (`too_old`). Null takes any age.',
  }),
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
      sharedSecret: object({ set: flag() }, 'Whether there is one, never what it is'),
    }),
    trackFilter,
    maxEventAgeHours,
    createdAt: time,
    updatedAt: described(timeOrNull, 'Null for one that was last changed by a version that did not note it'),
    revision,
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
          webhooks: [{ url: 'https://crm.example.com/hook', headers: { 'X-Team': 'growth' } }],
          sharedSecret: { set: true },
        },
        trackFilter: null,
        maxEventAgeHours: null,
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
    ...optionals({ trackFilter, maxEventAgeHours }),
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
      },
    ],
  },
);

export type DestinationChange = Static<typeof DestinationChange>;
export const DestinationChange = input(
  'DestinationChange',
  optionals({
    ...{ name, sourceIds, enabled: flag() },
    settings: closed(optionals({ webhooks, sharedSecret })),
    ...{ trackFilter, maxEventAgeHours },
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

const counts = {
  accepted: count,
  processed: count,
  failed: count,
  filtered: count,
  waiting: count,
  retrying: count,
};

export type Counts = Static<typeof Counts>;
export const Counts = answer('Counts', counts, {
  description: 'Exact: accepted = processed + failed + filtered + waiting; retrying is a part of waiting',
  examples: [{ accepted: 10, processed: 7, failed: 1, filtered: 1, waiting: 1, retrying: 1 }],
});

export type LaneCounts = Static<typeof LaneCounts>;
export const LaneCounts = answer(
  'LaneCounts',
  {
    laneId: Type.Integer(),
    sourceId: id,
    ended: flag('The pair was cut; the lane only finishes what it holds'),
    ...counts,
  },
  'Of one source and destination. A pair that was cut and connected again has had several lanes',
);

export type UrlStatus = Static<typeof UrlStatus>;
export const UrlStatus = object({
  url: text(),
  concurrency: whole(0, 'Requests it may have under way at once, now'),
  inFlight: count,
  stalled: flag("It doesn't answer, and gets single attempts until it does"),
  lastError: textOrNull,
});

export type DestinationStatus = Static<typeof DestinationStatus>;
export const DestinationStatus = answer('DestinationStatus', {
  held: flag('It sends to this machine, which an admin has not allowed since the start: its events wait'),
  breaker: oneOf(['closed', 'open', 'probing'], '`open`: a sustained outage, nothing is sent until a probe succeeds'),
  probeAt: described(timeOrNull, 'When the next probe goes out; null while the breaker is closed'),
  urls: list(UrlStatus),
});
