import type { Static } from 'typebox';
import { id, textOrNull, time, timeOrNull, whole } from './field.ts';
import { answer, described, flag, list, object, oneOf, text } from './shape.ts';

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
