import Type, { type Static } from 'typebox';
import { SOURCE_TYPES } from '../../core/source.ts';
import { ownRules } from './alert-rule.ts';
import { count, id, name, revision, textOrNull, time, WRITE_KEY, whole } from './field.ts';
import { paged } from './page.ts';
import { answer, closed, described, flag, input, list, nullable, oneOf, optional, optionals, text } from './shape.ts';

const type = oneOf(SOURCE_TYPES);

export type OldKey = Static<typeof OldKey>;
export const OldKey = answer(
  'OldKey',
  { writeKey: text(), until: time },
  'The key before the last rotation, while it is still taken; refused from `until` on',
);

export type Quota = Static<typeof Quota>;
export const Quota = input(
  'Quota',
  {
    eventsPerSecond: nullable(
      whole(1, 'Events a second; for a moment ten times as many, and never less than a full batch'),
    ),
    bytesPerSecond: nullable(
      whole(1, 'Bytes a second; for a moment ten times as many, and never less than a full batch'),
    ),
    eventsPerDay: nullable(whole(1, 'Events a day (UTC)')),
  },
  {
    description:
      'What a source may send; null for no bound. A quarter of the rates is for one address, unless the source is a server.',
    examples: [{ eventsPerSecond: 500, bytesPerSecond: 1_000_000, eventsPerDay: null }],
  },
);

const allowedOrigins = list(text({ maxLength: 300, description: 'As browsers name it' }), {
  maxItems: 100,
  description: 'Origins whose pages may send (`https://shop.example.com`); empty for any',
});
const quota = nullable(Quota, 'Null for what its type may');
const alerts = ownRules('source');

export type Source = Static<typeof Source>;
export const Source = answer(
  'Source',
  {
    id,
    name,
    type,
    writeKey: text(),
    enabled: flag(),
    createdAt: time,
    oldKey: nullable(OldKey),
    allowedOrigins,
    quota,
    alerts,
    limits: described(Quota, 'The quota in force'),
    sentBy: nullable(
      text(
        'The audience or computed trait that sends under it, and alone changes it; null where calls come from outside',
      ),
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
        alerts: {},
        limits: { eventsPerSecond: 2_000, bytesPerSecond: 4_000_000, eventsPerDay: null },
        sentBy: null,
        revision: 1,
      },
    ],
  },
);

export type NewSource = Static<typeof NewSource>;
export const NewSource = input(
  'NewSource',
  {
    ...{ name, type },
    ...optionals({
      enabled: flag({ default: true }),
      writeKey: text({
        pattern: WRITE_KEY,
        description: 'For moving an installation: the key that clients already carry. Made when absent.',
      }),
      ...{ allowedOrigins, quota, alerts },
    }),
  },
  { examples: [{ name: 'Web shop', type: 'web' }] },
);

export type SourceChange = Static<typeof SourceChange>;
export const SourceChange = input(
  'SourceChange',
  optionals({ name, type, enabled: flag(), allowedOrigins, quota, alerts }),
  {
    examples: [{ enabled: false }],
  },
);

const MAX_OVERLAP_HOURS = 720;

export type KeyRotation = Static<typeof KeyRotation>;
export const KeyRotation = input(
  'KeyRotation',
  {
    overlapHours: optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_OVERLAP_HOURS,
        default: 0,
        description: 'Hours that the old key is still taken beside the new one',
      }),
    ),
  },
  { examples: [{ overlapHours: 48 }] },
);

export type SourceTotals = Static<typeof SourceTotals>;
export const SourceTotals = answer(
  'SourceTotals',
  { accepted: count, duplicates: count, rejected: count, notJoined: count },
  "Since the source's first call; `rejected` since this process started. `notJoined`: ids that its calls named together and that were not joined, up to 10,000",
);

export const rejectionsQuery = closed({
  limit: optional(Type.Integer({ minimum: 1, maximum: 500, description: 'Most items; all that are kept are 100' })),
});

const refused = { code: text(), message: text() };

/** A call, or a whole request, that the collection API has refused. */
export type Rejection = Static<typeof Rejection>;
export const Rejection = answer('Rejection', {
  ...{ at: time, ...refused },
  part: text('The beginning of what was refused, as text'),
});

/** Similar refused calls, stored over restarts. */
export type RejectionGroup = Static<typeof RejectionGroup>;
export const RejectionGroup = answer(
  'RejectionGroup',
  {
    sourceId: textOrNull,
    ...refused,
    key: nullable(text('The end of a write key that names no source, the rest masked')),
    address: nullable(text('Who sent it last')),
    userAgent: textOrNull,
    example: text('The beginning of what was refused last, as text'),
    count,
    firstAt: time,
    lastAt: time,
  },
  '`sourceId` is null where the write key names no source; then there are `key`, `address` and `userAgent`',
);

export const rejectionGroupsQuery = closed({ ...paged, sourceId: optional(id) });
