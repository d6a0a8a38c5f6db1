import { expect, test } from 'vitest';
import type { TraitDefinition } from '../../../server/src/admin/contract.ts';
import { type Leaf, type Piece, sentenceOf, traitSentenceOf } from './pieces.ts';

function plain(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : Object.values(piece)[0])).join('');
}

test.each<[string, Leaf]>([
  ['did Order Completed', { event: { name: 'Order Completed' } }],
  [
    'did Order Completed at least 2 times in the last 30 days where total is greater than 100 and currency is EUR',
    {
      event: {
        name: 'Order Completed',
        where: [
          { property: 'total', is: { greater: 100 } },
          { property: 'currency', is: { equals: 'EUR' } },
        ],
      },
      count: { atLeast: 2 },
      during: { lastDays: 30 },
    },
  ],
  [
    'did not do Order Completed in the last 1 hour',
    { event: { name: 'Order Completed' }, count: { exactly: 0 }, during: { lastHours: 1 } },
  ],
  ['viewed any page exactly 1 time', { event: { type: 'page' }, count: { exactly: 1 } }],
  [
    'viewed the screen Home since 2026-11-01',
    { event: { type: 'screen', name: 'Home' }, during: { from: '2026-11-01' } },
  ],
  ['trait plan is pro', { trait: 'plan', is: { equals: 'pro' } }],
  ['trait zip is “10115”', { trait: 'zip', is: { equals: '10115' } }],
  ['trait zip is 10115', { trait: 'zip', is: { equals: 10115 } }],
  ['trait note is “”', { trait: 'note', is: { equals: '' } }],
  ['trait plan is one of pro, team or null', { trait: 'plan', is: { in: ['pro', 'team', null] } }],
  ['group trait seats does not exist', { groupTrait: 'seats', is: { exists: false } }],
  ['trait trial_ends is within the last 7 days', { trait: 'trial_ends', is: { withinDays: 7 } }],
  ['is in the audience aud_1', { audience: 'aud_1' }],
])('%s', (sentence, leaf) => {
  expect(plain(sentenceOf(leaf))).toBe(sentence);
});

test.each<[string, TraitDefinition]>([
  ['the number of Order Completed', { compute: { count: true }, event: { name: 'Order Completed' } }],
  [
    'the sum of total over Order Completed in the last 90 days',
    { compute: { sum: 'total' }, event: { name: 'Order Completed' }, during: { lastDays: 90 } },
  ],
  ['the first coupon over views of any page', { compute: { first: 'coupon' }, event: { type: 'page' } }],
])('%s', (sentence, definition) => {
  expect(plain(traitSentenceOf(definition))).toBe(sentence);
});
