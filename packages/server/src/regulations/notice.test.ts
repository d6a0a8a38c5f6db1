import { expect, test } from 'vitest';
import { verdict } from '../deliver/route.ts';
import { destinationOf } from '../deliver/test-world.ts';
import type { Regulation } from './contract.ts';
import { countsOf, noticeEvent } from './notice.ts';

test('a delete message of an old request is never too old, and no track filter holds it back', () => {
  const now = 1_800_000_000_000;
  const regulation = { id: 'reg_1', createdAt: now - 30 * 24 * 3_600_000 } as Regulation;
  const event = noticeEvent(regulation, 'u1', 'src_1', now);
  expect(JSON.parse(Buffer.from(event.body).toString())).toMatchObject({
    timestamp: new Date(regulation.createdAt).toISOString(),
  });
  const picky = destinationOf([], { maxEventAgeHours: 1, trackFilter: { mode: 'allow', events: [] } });
  expect(verdict(event, picky)).toBe(null);
});

test('the counts that an earlier version stored say how many were delivered', () => {
  expect(countsOf({ total: 9, ended: 8, failed: 2 })).toMatchObject({ delivered: 6, filtered: 0 });
  expect(countsOf({ total: 9, ended: 8, failed: 2, filtered: 1 })).toMatchObject({ delivered: 5 });
});
