import Type from 'typebox';
import type * as contract from '../contract.ts';
import { id, textOrNull, time } from './field.ts';
import type { SchemaOf } from './shape.ts';
import { named, nullable, ref } from './shape.ts';

const bytes = Type.Integer({ minimum: 0 });

export const Backup: SchemaOf<contract.Backup> = named<contract.Backup>()(
  'Backup',
  Type.Object({
    id,
    state: Type.Enum(['running', 'complete', 'failed'], { type: 'string' }),
    at: time,
    bytes,
    bytesDone: bytes,
    lastPosition: nullable(Type.Integer({ minimum: 0, description: 'Position of the last event in it' })),
    pausedMs: nullable(Type.Number({ minimum: 0, description: 'How long commits waited, milliseconds' })),
    reason: textOrNull,
  }),
);

export const BackupList: SchemaOf<contract.BackupList> = Type.Unsafe<contract.BackupList>(
  Type.Object({ directory: textOrNull, items: Type.Array(ref(Backup)), next: textOrNull }),
);

export const NewBackup: SchemaOf<contract.NewBackup> = named<contract.NewBackup>()(
  'NewBackup',
  Type.Object(
    {
      keep: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100_000, description: 'How many complete ones are left; default all' }),
      ),
    },
    { additionalProperties: false },
  ),
);
