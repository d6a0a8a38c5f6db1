import Type from 'typebox';
import { SOURCE_TYPES, type SourceType } from '../../core/source.ts';
import type * as contract from '../contract.ts';
import { count, id, name, revision, textOrNull, time } from './field.ts';
import { limit } from './page.ts';
import { WRITE_KEY } from './pattern.ts';
import type { SchemaOf } from './shape.ts';
import { named, nullable, ref, refOrNull } from './shape.ts';

const type: SchemaOf<SourceType> = Type.Unsafe<SourceType>(Type.Enum([...SOURCE_TYPES], { type: 'string' }));

export const OldKey: SchemaOf<contract.OldKey> = named<contract.OldKey>()(
  'OldKey',
  Type.Object({ writeKey: Type.String(), until: time }, { description: 'The key before; refused from `until` on' }),
);

const bound = (what: string): SchemaOf<number | null> => nullable(Type.Integer({ minimum: 1, description: what }));

export const Quota: SchemaOf<contract.Quota> = named<contract.Quota>()(
  'Quota',
  Type.Object(
    {
      eventsPerSecond: bound('Events a second; for a moment ten times as many, and never less than a full batch'),
      bytesPerSecond: bound('Bytes a second; for a moment ten times as many, and never less than a full batch'),
      eventsPerDay: bound('Events a day (UTC)'),
    },
    {
      additionalProperties: false,
      description:
        'What a source may send; null for no bound. A quarter of the rates is for one address, unless the source is a server.',
      examples: [{ eventsPerSecond: 500, bytesPerSecond: 1_000_000, eventsPerDay: null }],
    },
  ),
);

const allowedOrigins = Type.Array(Type.String({ maxLength: 300, description: 'As browsers name it' }), {
  maxItems: 100,
  description: 'Origins whose pages may send (`https://shop.example.com`); empty for any',
});
const quota = refOrNull(Quota);

export const Source: SchemaOf<contract.Source> = named<contract.Source>()(
  'Source',
  Type.Object(
    {
      id,
      name,
      type,
      writeKey: Type.String(),
      enabled: Type.Boolean(),
      createdAt: time,
      oldKey: refOrNull(OldKey),
      allowedOrigins,
      quota,
      limits: ref(Quota),
      sentBy: nullable(
        Type.String({
          description: 'The audience or computed trait that sends under it, and alone changes it; else null',
        }),
      ),
      revision,
    },
    {
      examples: [
        {
          id: 'src_mzxw6ytboi4dqmzt',
          name: 'Web shop',
          type: 'web',
          writeKey: 'Qm3uXo7fJw2Lr9TzKc5VhYb8NdPe1GsA',
          enabled: true,
          createdAt: '2026-11-20T09:30:00.000Z',
          oldKey: null,
          allowedOrigins: ['https://shop.example.com'],
          quota: null,
          limits: { eventsPerSecond: 2_000, bytesPerSecond: 4_000_000, eventsPerDay: null },
          sentBy: null,
          revision: 1,
        },
      ],
    },
  ),
);

export const NewSource: SchemaOf<contract.NewSource> = named<contract.NewSource>()(
  'NewSource',
  Type.Object(
    {
      name,
      type,
      enabled: Type.Optional(Type.Boolean({ default: true })),
      writeKey: Type.Optional(
        Type.String({
          pattern: WRITE_KEY,
          description: 'For moving an installation: the key that clients already carry. Made when absent.',
        }),
      ),
      allowedOrigins: Type.Optional(allowedOrigins),
      quota: Type.Optional(quota),
    },
    { additionalProperties: false, examples: [{ name: 'Web shop', type: 'web' }] },
  ),
);

export const SourceChange: SchemaOf<contract.SourceChange> = named<contract.SourceChange>()(
  'SourceChange',
  Type.Object(
    {
      name: Type.Optional(name),
      type: Type.Optional(type),
      enabled: Type.Optional(Type.Boolean()),
      allowedOrigins: Type.Optional(allowedOrigins),
      quota: Type.Optional(quota),
    },
    { additionalProperties: false, examples: [{ enabled: false }] },
  ),
);

const MAX_OVERLAP_HOURS = 720;

export const KeyRotation: SchemaOf<contract.KeyRotation> = named<contract.KeyRotation>()(
  'KeyRotation',
  Type.Object(
    {
      overlapHours: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: MAX_OVERLAP_HOURS,
          default: 0,
          description: 'Hours that the old key is still taken beside the new one',
        }),
      ),
    },
    { additionalProperties: false, examples: [{ overlapHours: 48 }] },
  ),
);

export const SourceTotals: SchemaOf<contract.SourceTotals> = named<contract.SourceTotals>()(
  'SourceTotals',
  Type.Object(
    { accepted: count, duplicates: count, rejected: count, notJoined: count },
    {
      description:
        "Since the source's first call; `rejected` since this process started. `notJoined`: ids that its calls named together and that were not joined, up to 10,000",
    },
  ),
);

export interface RejectionsQuery {
  limit?: number;
}

export const rejectionsQuery: SchemaOf<RejectionsQuery> = Type.Unsafe<RejectionsQuery>(
  Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 500, description: 'Most items; all that are kept are 100' }),
      ),
    },
    { additionalProperties: false },
  ),
);

export const Rejection: SchemaOf<contract.Rejection> = named<contract.Rejection>()(
  'Rejection',
  Type.Object({ at: time, code: Type.String(), message: Type.String(), part: Type.String() }),
);

export const RejectionGroup: SchemaOf<contract.RejectionGroup> = named<contract.RejectionGroup>()(
  'RejectionGroup',
  Type.Object(
    {
      sourceId: textOrNull,
      code: Type.String(),
      message: Type.String(),
      key: nullable(Type.String({ description: 'The end of a write key that names no source, the rest masked' })),
      address: textOrNull,
      userAgent: textOrNull,
      example: Type.String({ description: 'The beginning of what was refused last' }),
      count,
      firstAt: time,
      lastAt: time,
    },
    {
      description:
        '`sourceId` is null where the write key names no source; then `key`, `address` and `userAgent` are told',
    },
  ),
);

export interface RejectionGroupsQuery {
  sourceId?: string;
  limit?: number;
}

export const rejectionGroupsQuery: SchemaOf<RejectionGroupsQuery> = Type.Unsafe<RejectionGroupsQuery>(
  Type.Object({ sourceId: Type.Optional(id), limit: Type.Optional(limit) }, { additionalProperties: false }),
);
