import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Condition } from './definition.ts';
import { compile } from './evaluate.ts';
import type { Person, PersonEvent } from './person.ts';
import { condition, leaf, moment, naively, person, turningPoints } from './test-people.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21, 12);

function someone(more: Partial<Person> = {}): Person {
  return { traits: new Map(), groups: new Map(), events: [], audiences: new Set(), ...more };
}

function bought(...times: readonly number[]): Person {
  const events = times.map(
    (at, i): PersonEvent => ({
      at,
      type: 'track',
      name: 'Buy',
      properties: { total: i },
      messageId: `m${i}`,
    }),
  );
  return someone({ events });
}

const recently = { event: { name: 'Buy' }, during: { lastDays: 30 } } as const;

describe('changesAt', () => {
  test.each<[string, Condition, Person, boolean, number | null]>([
    ['an event leaves its window', recently, bought(NOW - DAY), true, NOW + 29 * DAY],
    ['the last of several does', recently, bought(NOW - 3 * DAY, NOW - DAY), true, NOW + 29 * DAY],
    ['an event comes', recently, bought(NOW + DAY), false, NOW + DAY],
    ['one comes as another goes', recently, bought(NOW - 29 * DAY, NOW + DAY), true, NOW + 31 * DAY],
    [
      'so is the number then',
      { ...recently, count: { exactly: 1 } },
      bought(NOW - 29 * DAY, NOW + DAY),
      true,
      NOW + 31 * DAY,
    ],
    ['the older end is outside', recently, bought(NOW - 30 * DAY), false, null],
    ['a window just begun', recently, bought(NOW), true, NOW + 30 * DAY],
    ['all time ends never', { event: { name: 'Buy' } }, bought(NOW - DAY), true, null],
    [
      'the second of two leaves',
      { ...recently, count: { exactly: 1 } },
      bought(NOW - 3 * DAY, NOW - DAY),
      false,
      NOW + 27 * DAY,
    ],
    ['nothing was done any more', { ...recently, count: { atMost: 0 } }, bought(NOW - DAY), false, NOW + 29 * DAY],
    [
      'a trait grows old',
      { trait: 'since', is: { withinDays: 7 } },
      someone({ traits: new Map([['since', { value: '2026-11-20', at: NOW }]]) }),
      true,
      Date.UTC(2026, 10, 27),
    ],
    [
      'all: what already fails for good decides',
      { all: [recently, { trait: 'plan', is: { exists: true } }] },
      bought(NOW - DAY),
      false,
      null,
    ],
    [
      'any: as long as one of them stands',
      { any: [recently, { ...recently, during: { lastDays: 7 } }] },
      bought(NOW - DAY),
      true,
      NOW + 29 * DAY,
    ],
  ])('%s', (_name, definition, who, value, changesAt) => {
    expect(compile(definition)(who, NOW)).toEqual({ value, changesAt });
  });

  test('of events and of a trait it is the moment when the value turns', () => {
    const alone = leaf.filter((definition) => !('groupTrait' in definition));
    fc.assert(
      fc.property(alone, person, moment, (definition, who, now) => {
        const { value, changesAt } = compile(definition)(who, now);
        const turns = turningPoints(definition, who, now).find((at) => naively(definition, who, at) !== value);
        expect(changesAt).toBe(turns ?? null);
      }),
      { numRuns: 3000 },
    );
  });
});

test('a predicate says what the definition says, now and as time passes, if it is asked again at changesAt', () => {
  fc.assert(
    fc.property(condition, person, moment, (definition, who, now) => {
      const holds = compile(definition);
      let known = holds(who, now);
      expect(known.value).toBe(naively(definition, who, now));
      for (const at of turningPoints(definition, who, now)) {
        for (const moment of [at - 1, at]) {
          if (known.changesAt !== null && moment >= known.changesAt) {
            expect(known.changesAt).toBe(moment);
            known = holds(who, moment);
          }
          if (moment > now) expect(known.value).toBe(naively(definition, who, moment));
        }
      }
    }),
    { numRuns: 3000 },
  );
});
