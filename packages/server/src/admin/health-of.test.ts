import { expect, test } from 'vitest';
import { type HealthSigns, healthOf } from './health-of.ts';

const NONE = { processed: 0, failed: 0, retried: 0, attempts: 0, attemptsFailed: 0 };
/** Of one URL: a round is an attempt. */
const tried = (processed: number, failed: number, retried: number): HealthSigns['lastHour'] => {
  return { processed, failed, retried, attempts: processed + failed + retried, attemptsFailed: failed + retried };
};
const WELL = tried(100, 0, 0);
const FINE = { stalled: false, overloaded: false };
const ON: HealthSigns = {
  enabled: true,
  pausedSince: null,
  status: { breaker: 'closed', urls: [FINE, FINE] },
  lastHour: WELL,
  lastMinutes: WELL,
  isOver: false,
  pausedUrls: 0,
  waiting: 0,
  retrying: 0,
  longestWait: null,
  isAboutToBeLost: false,
};
const PAUSED = 'Millrace has paused sending: no attempt succeeded for a while';
const SINCE = '2026-11-23T10:02:30.500Z';
const MINUTE = 60_000;
const open = { breaker: 'open', urls: [{ ...FINE, stalled: true }] } as const;
const overloaded = { breaker: 'closed', urls: [FINE, { ...FINE, overloaded: true }] } as const;
const stalled = { breaker: 'closed', urls: [FINE, { ...FINE, stalled: true }] } as const;

test.each<[Partial<HealthSigns>, health: string, reason: string | null]>([
  [{}, 'healthy', null],
  [{ status: null }, 'healthy', null],
  [{ enabled: false }, 'off', 'Switched off'],
  [{ enabled: false, status: open }, 'off', 'Switched off'],
  [{ status: open }, 'failing', PAUSED],
  [{ pausedSince: SINCE, status: open, waiting: 12 }, 'paused', 'Paused; 12 messages wait'],
  [{ pausedSince: SINCE, lastMinutes: tried(0, 9, 0) }, 'paused', 'Paused; nothing waits'],
  [{ pausedSince: SINCE, enabled: false }, 'off', 'Switched off'],
  [{ status: { ...open, breaker: 'probing' } }, 'failing', PAUSED],
  [{ status: open, lastHour: NONE, lastMinutes: NONE }, 'failing', PAUSED],
  [{ lastMinutes: tried(0, 0, 1) }, 'failing', 'Nothing was delivered in the last 5 minutes'],
  [{ lastMinutes: tried(0, 1, 0), status: stalled }, 'failing', 'Nothing was delivered in the last 5 minutes'],
  // It hangs, and a few get through.
  [
    { lastHour: tried(112, 0, 2738), lastMinutes: tried(10, 0, 200) },
    'failing',
    'Only 4.7% of what was tried in the last 5 minutes was delivered',
  ],
  [{ lastMinutes: tried(50, 50, 0) }, 'healthy', null],
  // Never 0%, which reads as none.
  [{ lastMinutes: tried(1, 0, 2999) }, 'failing', 'Only 0.1% of what was tried in the last 5 minutes was delivered'],
  // It was paused for too long: what was lost then was not tried, and what was tried since was taken.
  [{ lastMinutes: { ...tried(25, 0, 0), failed: 175 } }, 'healthy', null],
  [
    { lastMinutes: { ...NONE, failed: 175 }, lastHour: { ...NONE, failed: 175 } },
    'idle',
    'Nothing was sent in the last hour',
  ],
  // The breaker let a backlog fail, which was not tried either.
  [
    { lastMinutes: { ...tried(20, 30, 0), failed: 20_030 } },
    'failing',
    'Only 40.0% of what was tried in the last 5 minutes was delivered',
  ],
  // Traffic stopped.
  [
    { lastMinutes: tried(0, 9, 0), isOver: true, lastHour: NONE },
    'failing',
    'The last attempts failed, and nothing was tried since',
  ],
  [{ lastMinutes: WELL, isOver: true, lastHour: NONE }, 'idle', 'Nothing was sent in the last hour'],
  [{ waiting: 101, longestWait: 7.5 * MINUTE }, 'degraded', '101 events wait; the oldest has waited for 7 minutes'],
  // Nothing came for hours: a backlog drains.
  [
    { waiting: 20_000, longestWait: 90 * MINUTE },
    'degraded',
    '20,000 events wait; the oldest has waited for 90 minutes',
  ],
  [
    { waiting: 101, retrying: 51, longestWait: 7.5 * MINUTE },
    'degraded',
    '101 events wait, most of them to be tried again; the oldest has waited for 7 minutes',
  ],
  [{ waiting: 100, longestWait: 7.5 * MINUTE }, 'healthy', null],
  // The other URLs took all of it.
  [
    { pausedUrls: 1, waiting: 7, lastMinutes: { ...NONE, retried: 7, attempts: 7 } },
    'degraded',
    '7 messages wait for a URL that is paused',
  ],
  [
    { pausedUrls: 1, waiting: 7, lastMinutes: { ...NONE, retried: 7, attempts: 7, attemptsFailed: 7 } },
    'failing',
    'Nothing was delivered in the last 5 minutes',
  ],
  [{ pausedUrls: 1 }, 'healthy', null],
  // One that was paused let go of what waited for it.
  [{ lastHour: { ...NONE, attempts: 7 }, lastMinutes: { ...NONE, attempts: 7 } }, 'healthy', null],
  [{ waiting: 1_000, longestWait: MINUTE }, 'healthy', null],
  [{ lastMinutes: NONE }, 'healthy', null],
  [{ status: stalled }, 'degraded', '1 of 2 URLs stalled'],
  [{ status: overloaded }, 'degraded', '1 of 2 URLs overloaded'],
  [{ status: stalled, lastHour: NONE, lastMinutes: NONE }, 'degraded', '1 of 2 URLs stalled'],
  [{ lastHour: tried(99, 0, 1) }, 'healthy', null],
  [{ lastHour: tried(98, 1, 1) }, 'degraded', "98.0% of the last hour's attempts succeeded"],
  [{ lastHour: tried(98_999, 1_001, 0) }, 'degraded', "98.9% of the last hour's attempts succeeded"],
  // Of ten attempts four failed; a replay has taken three of them out of what failed.
  [
    { lastHour: { processed: 6, failed: 1, retried: 0, attempts: 10, attemptsFailed: 4 } },
    'degraded',
    "60.0% of the last hour's attempts succeeded",
  ],
  [
    { isAboutToBeLost: true, pausedUrls: 1, waiting: 3 },
    'failing',
    '3 messages wait for a URL that is paused, and the oldest is lost within a day',
  ],
  [
    { isAboutToBeLost: true, pausedSince: SINCE, waiting: 1 },
    'paused',
    'Paused; 1 message waits, and the oldest is lost within a day',
  ],
  [{ isAboutToBeLost: true, enabled: false }, 'off', 'Switched off'],
  // A replay delivered what had failed, or the other URL took it: the attempts tell, as the page's success rate does.
  [
    { lastHour: { processed: 10, failed: 0, retried: 0, attempts: 13, attemptsFailed: 3 } },
    'degraded',
    "76.9% of the last hour's attempts succeeded",
  ],
  [{ lastHour: NONE, lastMinutes: NONE }, 'idle', 'Nothing was sent in the last hour'],
])('%j is %s', (signs, health, reason) => {
  expect(healthOf({ ...ON, ...signs })).toEqual({ health, reason });
});
