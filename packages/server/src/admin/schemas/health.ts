import Type from 'typebox';
import type * as contract from '../contract.ts';
import { count, id, textOrNull, time, timeOrNull } from './field.ts';
import type { SchemaOf } from './shape.ts';
import { named } from './shape.ts';

export const HealthReport: SchemaOf<contract.HealthReport> = named<contract.HealthReport>()(
  'HealthReport',
  Type.Object({
    status: Type.Enum(['ok', 'degraded', 'failing'], { type: 'string' }),
    checks: Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean(), reason: textOrNull })),
  }),
);

export const Loss: SchemaOf<contract.Loss> = named<contract.Loss>()(
  'Loss',
  Type.Object({
    id,
    foundAt: time,
    events: Type.Integer({ minimum: 0, description: 'How many are known of; there may have been more' }),
    what: Type.String({ description: 'Which they are, in words' }),
    notedAt: timeOrNull,
  }),
);

export type Loopback = contract.Loopback;
export const Loopback: SchemaOf<contract.Loopback> = named<contract.Loopback>()(
  'Loopback',
  Type.Object({ allowed: Type.Boolean(), canBeAllowed: Type.Boolean(), held: count }),
);
