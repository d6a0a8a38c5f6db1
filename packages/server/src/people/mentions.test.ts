import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compile } from './evaluate.ts';
import { mentions } from './mentions.ts';
import type { Person } from './person.ts';
import { condition, moment, person } from './test-people.ts';

const HOUR = 3_600_000;

test('a condition mentions each thing once, with the longest look-back', () => {
  const found = mentions({
    all: [
      { trait: 'plan', is: { equals: 'pro' } },
      { not: { trait: 'plan', is: { exists: false } } },
      { groupTrait: 'size', is: { greater: 5 } },
      { any: [{ audience: 'a' }, { audience: 'b' }, { audience: 'a' }] },
      { event: { name: 'Buy', type: 'track' }, during: { lastDays: 2 } },
      { event: { name: 'Buy' }, during: { lastHours: 5 } },
      { event: { type: 'page' }, during: { lastHours: 1 } },
    ],
  });
  expect(found).toEqual({
    traits: new Set(['plan']),
    groupTraits: new Set(['size']),
    audiences: new Set(['a', 'b']),
    events: [
      { type: 'track', name: 'Buy', lookBack: 48 * HOUR },
      { type: 'page', name: null, lookBack: HOUR },
    ],
    lookBack: 48 * HOUR,
  });
});

test('what counts for all time or in a range looks back for ever, and what asks for no event not at all', () => {
  expect(mentions({ event: { name: 'Buy' } }).lookBack).toBe(Number.POSITIVE_INFINITY);
  expect(mentions({ event: { name: 'Buy' }, during: { to: '2026-01-01' } }).lookBack).toBe(Number.POSITIVE_INFINITY);
  expect(mentions({ audience: 'a' }).lookBack).toBe(0);
});

test('a computed trait mentions its events', () => {
  const found = mentions({
    compute: { count: true },
    event: { type: 'screen', name: 'Home' },
    during: { lastHours: 2 },
  });
  expect(found.events).toEqual([{ type: 'screen', name: 'Home', lookBack: 2 * HOUR }]);
});

test('nothing that is not mentioned decides', () => {
  fc.assert(
    fc.property(condition, person, moment, (definition, who, now) => {
      const needed = mentions(definition);
      const events = who.events.filter(({ type, name, at }) =>
        needed.events.some((of) => of.type === type && (of.name ?? name) === name && at > now - of.lookBack),
      );
      const known: Person = {
        traits: new Map([...who.traits].filter(([name]) => needed.traits.has(name))),
        groups: new Map(
          [...who.groups].map(([id, traits]) => [
            id,
            new Map([...traits].filter(([name]) => needed.groupTraits.has(name))),
          ]),
        ),
        events,
        audiences: new Set([...who.audiences].filter((id) => needed.audiences.has(id))),
      };
      expect(compile(definition)(known, now)).toEqual(compile(definition)(who, now));
    }),
    { numRuns: 1000 },
  );
});
