import Type from 'typebox';
import { MAX_EVENT_AGE_HOURS, MAX_WEBHOOKS } from '../../core/destination.ts';
import type * as contract from '../contract.ts';
import { anyObject, count, eventType, id, name, revision, textOrNull, time, timeOrNull } from './field.ts';
import type { SchemaOf } from './shape.ts';
import { named, nullable, ref, refOrNull } from './shape.ts';

const closed = { additionalProperties: false };

const sourceIds = Type.Array(id, { maxItems: 1000, uniqueItems: true });

const headers: SchemaOf<Record<string, string>> = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 4096 },
  maxProperties: 50,
  description: 'Static headers, sent with every request to this URL. Their values can be read back.',
});

const newWebhook: SchemaOf<contract.NewWebhook> = Type.Unsafe<contract.NewWebhook>(
  Type.Object(
    {
      url: Type.String({ minLength: 1, maxLength: 2048, description: 'Full URL, http or https' }),
      headers: Type.Optional(headers),
    },
    closed,
  ),
);

const webhooks = Type.Array(newWebhook, { minItems: 1, maxItems: MAX_WEBHOOKS });

const sharedSecret: SchemaOf<string | null> = nullable(
  Type.String({
    minLength: 1,
    maxLength: 1024,
    writeOnly: true,
    description:
      'Key of X-Signature, without control characters and without spaces at its ends. Null leaves requests unsigned. Write-only.',
  }),
);

export const WebhooksSettings: SchemaOf<contract.NewDestination['settings']> = named<
  contract.NewDestination['settings']
>()('WebhooksSettings', Type.Object({ webhooks, sharedSecret: Type.Optional(sharedSecret) }, closed));

export const TrackFilter: SchemaOf<contract.TrackFilter> = named<contract.TrackFilter>()(
  'TrackFilter',
  Type.Object(
    {
      mode: Type.Enum(['allow', 'deny'], { type: 'string' }),
      events: Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 5000 }),
    },
    { ...closed, description: 'Which track calls pass: only those named (at least one), or all but those named' },
  ),
);

const maxEventAgeHours: SchemaOf<number | null> = nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_EVENT_AGE_HOURS,
    description: 'Events whose timestamp was further back when they were accepted are filtered. Null takes any age.',
  }),
);

export const Destination: SchemaOf<contract.Destination> = named<contract.Destination>()(
  'Destination',
  Type.Object(
    {
      id,
      name,
      type: Type.Literal('Webhooks'),
      sourceIds: Type.Array(id),
      enabled: Type.Boolean(),
      settings: Type.Object({
        webhooks: Type.Array(Type.Object({ url: Type.String(), headers })),
        sharedSecret: Type.Object({ set: Type.Boolean() }, { description: 'Whether there is one, never what it is' }),
      }),
      trackFilter: refOrNull(TrackFilter),
      maxEventAgeHours,
      createdAt: time,
      updatedAt: timeOrNull,
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
  ),
);

export const NewDestination: SchemaOf<contract.NewDestination> = named<contract.NewDestination>()(
  'NewDestination',
  Type.Object(
    {
      name,
      type: Type.Literal('Webhooks', { description: 'Name of a catalog item, case-sensitive' }),
      sourceIds: Type.Optional(sourceIds),
      enabled: Type.Optional(Type.Boolean({ default: true })),
      settings: ref(WebhooksSettings),
      trackFilter: Type.Optional(refOrNull(TrackFilter)),
      maxEventAgeHours: Type.Optional(maxEventAgeHours),
    },
    {
      ...closed,
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
  ),
);

export const DestinationChange: SchemaOf<contract.DestinationChange> = named<contract.DestinationChange>()(
  'DestinationChange',
  Type.Object(
    {
      name: Type.Optional(name),
      sourceIds: Type.Optional(sourceIds),
      enabled: Type.Optional(Type.Boolean()),
      settings: Type.Optional(
        Type.Object({ webhooks: Type.Optional(webhooks), sharedSecret: Type.Optional(sharedSecret) }, closed),
      ),
      trackFilter: Type.Optional(refOrNull(TrackFilter)),
      maxEventAgeHours: Type.Optional(maxEventAgeHours),
    },
    {
      ...closed,
      description: 'What is absent stays as it is; lists, headers and the filter are replaced whole',
      examples: [{ enabled: false }, { settings: { sharedSecret: null } }],
    },
  ),
);

export const CatalogItem: SchemaOf<contract.CatalogItem> = named<contract.CatalogItem>()(
  'CatalogItem',
  Type.Object({
    name: Type.String(),
    description: Type.String(),
    messageTypes: Type.Array(eventType),
    settings: anyObject,
  }),
);

const counts = {
  accepted: count,
  processed: count,
  failed: count,
  filtered: count,
  waiting: count,
  retrying: count,
};

export const Counts: SchemaOf<contract.Counts> = named<contract.Counts>()(
  'Counts',
  Type.Object(counts, {
    description: 'Exact: accepted = processed + failed + filtered + waiting; retrying is a part of waiting',
    examples: [{ accepted: 10, processed: 7, failed: 1, filtered: 1, waiting: 1, retrying: 1 }],
  }),
);

export const LaneCounts: SchemaOf<contract.LaneCounts> = named<contract.LaneCounts>()(
  'LaneCounts',
  Type.Object({ laneId: Type.Integer(), sourceId: id, ended: Type.Boolean(), ...counts }),
);

export const DestinationStatus: SchemaOf<contract.DestinationStatus> = named<contract.DestinationStatus>()(
  'DestinationStatus',
  Type.Object({
    held: Type.Boolean(),
    breaker: Type.Enum(['closed', 'open', 'probing'], { type: 'string' }),
    probeAt: timeOrNull,
    urls: Type.Array(
      Type.Object({
        url: Type.String(),
        concurrency: count,
        inFlight: count,
        stalled: Type.Boolean(),
        lastError: textOrNull,
      }),
    ),
  }),
);
