import { expect, test } from 'vitest';
import type { Attempt } from '../core/delivery.ts';
import type { Destination, Webhook } from '../core/destination.ts';
import type { Delivery } from '../record/contract.ts';
import type { TracedLane } from './contract.ts';
import { holdOf, urlFates } from './url-fates.ts';

const webhook = (id: string, more: Partial<Webhook> = {}): Webhook => ({
  id,
  url: `https://${id}/`,
  headers: {},
  ...more,
});
const HOLD = { since: '2026-11-23T10:00:00.000Z', past: [] };

const all: Destination = {
  ...{ id: 'd', name: 'D', type: 'Webhooks', sourceIds: [], enabled: true, sharedSecret: null, trackFilter: null },
  ...{ maxEventAgeHours: null, createdAt: '', updatedAt: null, success: 'all' },
  webhooks: [webhook('a'), webhook('b'), webhook('c', { hold: HOLD })],
};

const at = (webhookId: string, status: number | null, error: string | null = null): Attempt => {
  return { webhookId, url: `https://${webhookId}/`, at: 0, ms: 1, status, error, detail: null, answer: null };
};

const delivery = (more: Partial<Delivery>): Delivery => ({
  ...{
    destinationId: 'd',
    position: 1,
    sourceId: 's',
    messageId: 'm',
    type: 'track',
    event: 'E',
    userId: 'u',
    receivedAt: 0,
  },
  ...{ state: 'retrying', reason: null, attempts: [], rounds: 1, dueAt: 1, urlsLeft: null, at: 0, ...more },
});

test.each<[string, Destination, Delivery | null, string[]]>([
  ['before the first round', all, null, ['waits', 'waits', 'paused']],
  ['as a whole paused', { ...all, hold: HOLD }, null, ['paused', 'paused', 'paused']],
  [
    'being retried',
    all,
    delivery({ attempts: [at('a', 200), at('b', 400)], urlsLeft: ['c', '!b'] }),
    ['took', 'refused', 'paused'],
  ],
  [
    'refused before the policy was changed',
    { ...all, policy: { temporaryStatuses: [410] } },
    delivery({ attempts: [at('b', 410)], urlsLeft: ['a', '!b'] }),
    ['waits', 'refused', 'none'],
  ],
  ['by a replay', all, delivery({ attempts: [at('a', 200), at('b', 400)] }), ['waits', 'waits', 'paused']],
  [
    'failed',
    all,
    delivery({ state: 'failed', attempts: [at('b', 200), at('a', null, 'timeout'), at('c', 410)] }),
    ['missed', 'took', 'refused'],
  ],
  [
    'processed before a URL was added',
    all,
    delivery({ state: 'processed', attempts: [at('a', 204), at('b', 503), at('b', 200)] }),
    ['took', 'took', 'none'],
  ],
  [
    'by the policy of the destination',
    { ...all, policy: { temporaryStatuses: [410], permanentStatuses: [429] } },
    delivery({ state: 'failed', attempts: [at('a', 410), at('b', 429)] }),
    ['missed', 'refused', 'none'],
  ],
])('each URL has its own fate: %s', (_, destination, made, fates) => {
  expect(urlFates(destination, made).map(({ fate }) => fate)).toEqual(fates);
});

test('where one URL is enough there is none', () => {
  expect(urlFates({ ...all, success: 'any' }, null)).toEqual([]);
  expect(urlFates(null, null)).toEqual([]);
});

test.each<[string, Destination, Delivery | null, boolean, TracedLane['heldFor']]>([
  ['that is paused as a whole', { ...all, success: 'any', hold: HOLD }, null, false, 'resume'],
  ['of which one URL is paused and another tried', all, delivery({ urlsLeft: ['b', 'c'] }), true, null],
  [
    'of which only a paused URL is left',
    all,
    delivery({ attempts: [at('a', 200)], urlsLeft: ['c', '!b'] }),
    true,
    'resume',
  ],
  [
    'that is content with one URL, of which only a paused one is left',
    { ...all, success: 'any' },
    delivery({ attempts: [at('a', 400), at('b', 400)], urlsLeft: ['c'] }),
    true,
    'resume',
  ],
  ['for which it has ended', { ...all, hold: HOLD }, delivery({ state: 'failed' }), true, null],
  ['of this machine, which is not allowed', all, delivery({ urlsLeft: ['b', 'c'] }), false, 'permission'],
  ['of this machine that has ended', all, delivery({ state: 'failed' }), false, null],
])('a message is held by a destination %s: it says so', (_, destination, made, isAllowed, held) => {
  expect(holdOf(destination, made, isAllowed)).toBe(held);
});
