import { expect, test } from 'vitest';
import { type HealthSigns, healthOf } from './health-of.ts';

const NONE = { processed: 0, failed: 0, retried: 0 };
const WELL = { processed: 100, failed: 0, retried: 0 };
const ON: HealthSigns = {
  enabled: true,
  status: { breaker: 'closed', urls: [{ stalled: false }, { stalled: false }] },
  lastHour: WELL,
  lastMinutes: WELL,
};
const open = { breaker: 'open', urls: [{ stalled: true }] } as const;
const stalled = { breaker: 'closed', urls: [{ stalled: false }, { stalled: true }] } as const;

test.each<[Partial<HealthSigns>, health: string, reason: string | null]>([
  [{}, 'healthy', null],
  [{ status: null }, 'healthy', null],
  [{ enabled: false }, 'off', 'Switched off'],
  [{ enabled: false, status: open }, 'off', 'Switched off'],
  [{ status: open }, 'failing', 'The breaker is open'],
  [{ status: { ...open, breaker: 'probing' } }, 'failing', 'The breaker is open'],
  [{ status: open, lastHour: NONE, lastMinutes: NONE }, 'failing', 'The breaker is open'],
  [{ lastMinutes: { ...NONE, retried: 1 } }, 'failing', 'Nothing was delivered in the last 5 minutes'],
  [{ lastMinutes: { ...NONE, failed: 1 }, status: stalled }, 'failing', 'Nothing was delivered in the last 5 minutes'],
  [{ lastMinutes: { processed: 1, failed: 50, retried: 50 } }, 'healthy', null],
  [{ lastMinutes: NONE }, 'healthy', null],
  [{ status: stalled }, 'degraded', '1 of 2 URLs stalled'],
  [{ status: stalled, lastHour: NONE, lastMinutes: NONE }, 'degraded', '1 of 2 URLs stalled'],
  [{ lastHour: { processed: 99, failed: 0, retried: 1 } }, 'healthy', null],
  [{ lastHour: { processed: 98, failed: 1, retried: 1 } }, 'degraded', "98 % of the last hour's rounds succeeded"],
  [
    { lastHour: { processed: 98_999, failed: 1_001, retried: 0 } },
    'degraded',
    "98.9 % of the last hour's rounds succeeded",
  ],
  [{ lastHour: NONE, lastMinutes: NONE }, 'idle', 'Nothing was sent in the last hour'],
])('%j is %s', (signs, health, reason) => {
  expect(healthOf({ ...ON, ...signs })).toEqual({ health, reason });
});
