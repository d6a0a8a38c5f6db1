import Type from 'typebox';
import type * as contract from '../contract.ts';
import { textOrNull } from './field.ts';
import type { SchemaOf } from './shape.ts';
import { named } from './shape.ts';

export const HealthReport: SchemaOf<contract.HealthReport> = named<contract.HealthReport>()(
  'HealthReport',
  Type.Object({
    status: Type.Enum(['ok', 'failing'], { type: 'string' }),
    checks: Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean(), reason: textOrNull })),
  }),
);
