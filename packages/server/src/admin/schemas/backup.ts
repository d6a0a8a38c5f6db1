import Type, { type Static } from 'typebox';
import { count, id, milliseconds, textOrNull, time, whole } from './field.ts';
import { answer, described, input, list, nullable, object, oneOf, optional } from './shape.ts';

/** Of everything that a single node keeps. */
export type Backup = Static<typeof Backup>;
export const Backup = answer('Backup', {
  id: described(id, 'Name of its folder'),
  state: oneOf(['running', 'complete', 'failed']),
  at: described(time, 'The moment it is of'),
  bytes: whole(0, 'Size of all files; 0 until that is known'),
  bytesDone: whole(0, 'How much of that is in its folder'),
  lastPosition: nullable(described(count, 'Position of the last event in it; null unless it is complete')),
  pausedMs: nullable(described(milliseconds, 'How long commits waited, milliseconds; null unless it is complete')),
  reason: described(textOrNull, 'Why it failed, or why older ones could not be removed; else null'),
});

export type BackupList = Static<typeof BackupList>;
export const BackupList = object({
  directory: described(textOrNull, 'Where the service makes them; null when it makes none'),
  items: list(Backup),
  next: textOrNull,
});

export type NewBackup = Static<typeof NewBackup>;
export const NewBackup = input('NewBackup', {
  keep: optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: 'How many complete ones are left; default all' }),
  ),
});
