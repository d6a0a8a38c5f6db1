import Type, { type Static } from 'typebox';
import { count, id, milliseconds, textOrNull, time, timeOrNull, whole } from './field.ts';
import { answer, described, flag, input, list, nullable, object, oneOf, optional, text } from './shape.ts';

export type HealthCheck = Static<typeof HealthCheck>;
export const HealthCheck = object({
  name: text(),
  ok: flag(),
  reason: described(textOrNull, "Why it fails; null when it doesn't"),
});

export type HealthReport = Static<typeof HealthReport>;
export const HealthReport = answer('HealthReport', {
  status: oneOf(['ok', 'degraded', 'failing'], '`degraded`: calls are taken, and something needs attention'),
  checks: list(HealthCheck),
});

export type Loss = Static<typeof Loss>;
export const Loss = answer(
  'Loss',
  {
    id,
    foundAt: time,
    events: whole(0, 'How many are known of; there may have been more'),
    what: text('Which they are, in words'),
    notedAt: described(timeOrNull, 'When an admin took note of it; null while none has'),
  },
  'Events that the service had confirmed and has lost',
);

export type Loopback = Static<typeof Loopback>;
export const Loopback = answer(
  'Loopback',
  {
    allowed: flag(),
    canBeAllowed: flag('An admin can allow it until the process ends: the service is bound to this machine alone'),
    held: whole(0, 'Destinations that hold their events until it is allowed'),
  },
  'Whether webhooks may go to the machine that the service runs on',
);

/** A backup of all data of a single node. */
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
  trouble: described(textOrNull, "Why that directory can't be read, so that no complete backup is known; else null"),
  items: list(Backup),
  next: textOrNull,
});

export type NewBackup = Static<typeof NewBackup>;
export const NewBackup = input('NewBackup', {
  keep: optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: 'How many complete ones are left; default all' }),
  ),
});
