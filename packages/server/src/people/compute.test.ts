import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileTrait, MAX_LISTED, MAX_VALUE_BYTES } from './compute.ts';
import type { TraitDefinition } from './definition.ts';
import type { Person } from './person.ts';
import { countedNaively, moment, period, person, propertyNaively, selection, turningPoints } from './test-people.ts';

type Compute = TraitDefinition['compute'];

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;

/** One event a day for each value, the last of them now; `undefined` is an event without the property. */
function saw(...values: readonly unknown[]): Person {
  const events = values.map((value, i) => ({
    at: NOW - (values.length - 1 - i) * DAY,
    type: 'track' as const,
    name: 'Buy',
    properties: value === undefined ? {} : { p: value },
    messageId: `m${i}`,
  }));
  return { traits: new Map(), groups: new Map(), events, audiences: new Set() };
}

function computed(compute: Compute, who: Person): unknown {
  return compileTrait({ compute, event: { name: 'Buy' } })(who, NOW).value;
}

describe('each computation', () => {
  test.each<[string, Compute, readonly unknown[], unknown]>([
    ['counts events', { count: true }, [1, undefined, 'x'], 3],
    ['counts nothing as no value', { count: true }, [], undefined],
    ['sums numbers alone', { sum: 'p' }, [1, '2', null, true, [3], 4.5], 5.5],
    ['sums fractions as people do', { sum: 'p' }, [0.1, 0.2], 0.3],
    ['sums whole numbers exactly', { sum: 'p' }, [2 ** 52, 1], 2 ** 52 + 1],
    ['has no sum beyond the numbers', { sum: 'p' }, [1e308, 1e308], undefined],
    ['has no sum without numbers', { sum: 'p' }, ['1', undefined], undefined],
    ['averages numbers alone', { average: 'p' }, [1, 'x', 2], 1.5],
    ['finds the least', { min: 'p' }, [3, -1, 'a', 2], -1],
    ['finds the greatest', { max: 'p' }, [3, -1, 'z', 2], 3],
    ['wants two of the most frequent', { mostFrequent: 'p' }, ['a', 'b', 'c'], undefined],
    ['takes the most frequent', { mostFrequent: 'p' }, ['a', 'b', 'b', 'a', 'b'], 'b'],
    ['takes the first by alphabet of equals', { mostFrequent: 'p' }, ['b', 'a', 'b', 'a', 'c'], 'a'],
    ['takes the number of equal texts', { mostFrequent: 'p' }, ['1', 1, '1', 1], 1],
    ['does not count objects, lists and null', { mostFrequent: 'p' }, [{}, {}, [], [], null, null, 1, 1], 1],
    ['takes the first value there is', { first: 'p' }, [undefined, null, { a: 1 }, 2], { a: 1 }],
    ['takes the last value there is', { last: 'p' }, [1, [2], null, undefined], [2]],
    ['lists in the order of first occurrence', { uniqueList: 'p' }, ['b', 'a', 'b', 1, '1', null], ['b', 'a', 1, '1']],
    ['counts different values', { uniqueCount: 'p' }, ['b', 'a', 'b', 1, '1', null], 4],
  ])('%s', (_name, compute, values, expected) => {
    expect(computed(compute, saw(...values))).toEqual(expected);
  });

  test('the sum of many prices is what a cashier says', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 300, size: 'max' }), (cents) => {
        const prices = cents.map((each) => each / 100);
        expect(computed({ sum: 'p' }, saw(...prices))).toBe(cents.reduce((a, b) => a + b) / 100);
      }),
    );
  });

  test('a list ends at its number of values and at its size', () => {
    const many = Array.from({ length: MAX_LISTED + 1 }, (_, i) => i);
    expect(computed({ uniqueList: 'p' }, saw(...many))).toEqual(many.slice(0, MAX_LISTED));
    const long = ['ä', 'b', 'c'].map((text) => text.repeat(MAX_VALUE_BYTES / 4));
    expect(computed({ uniqueList: 'p' }, saw(...long))).toEqual(long.slice(0, 2));
    expect(computed({ uniqueList: 'p' }, saw('x'.repeat(MAX_VALUE_BYTES)))).toBeUndefined();
  });

  test('a value too long to send is none', () => {
    const longest = 'x'.repeat(MAX_VALUE_BYTES - 2);
    expect(computed({ last: 'p' }, saw(longest))).toBe(longest);
    expect(computed({ last: 'p' }, saw(`${longest}x`))).toBeUndefined();
  });
});

const KINDS = ['sum', 'average', 'min', 'max', 'mostFrequent', 'first', 'last', 'uniqueList', 'uniqueCount'] as const;

const definition: fc.Arbitrary<TraitDefinition> = fc
  .record({
    kind: fc.constantFrom('count' as const, ...KINDS),
    property: fc.constantFrom('a', 'b', 'a.b', '__proto__'),
    event: selection,
    during: period,
  })
  .map(({ kind, property, event, during }) => ({
    compute: (kind === 'count' ? { count: true } : { [kind]: property }) as Compute,
    event,
    ...(during && { during }),
  }));

test('a computed value is what its definition says, now and as time passes, if it is asked again at changesAt', () => {
  fc.assert(
    fc.property(definition, person, moment, (of, who, now) => {
      const compute = compileTrait(of);
      let known = compute(who, now);
      expect(known.value).toEqual(valueNaively(of, who, now));
      for (const at of turningPoints(of, who, now)) {
        for (const moment of [at - 1, at]) {
          if (known.changesAt !== null && moment >= known.changesAt) {
            expect(known.changesAt).toBe(moment);
            known = compute(who, moment);
          }
          if (moment > now) expect(known.value).toEqual(valueNaively(of, who, moment));
        }
      }
    }),
    { numRuns: 3000 },
  );
});

function valueNaively({ compute, event, during }: TraitDefinition, who: Person, now: number): unknown {
  const events = countedNaively(event, during, who, now);
  const [[kind, property] = ['', '']] = Object.entries(compute) as [string, string][];
  if (kind === 'count') return events.length || undefined;
  const values = events.map(({ properties }) => propertyNaively(properties, property));
  const numbers = values.filter((value) => typeof value === 'number');
  const words = values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value));
  const there = values.filter((value) => value !== undefined && value !== null);
  const different = words.filter((value, i) => words.indexOf(value) === i);
  switch (kind) {
    case 'sum':
    case 'average': {
      if (numbers.length === 0) return undefined;
      const sum = spelled(numbers.reduce((a, b) => a + b, 0));
      return sum === undefined || kind === 'sum' ? sum : spelled(sum / numbers.length);
    }
    case 'min':
      return numbers.toSorted((a, b) => a - b)[0];
    case 'max':
      return numbers.toSorted((a, b) => b - a)[0];
    case 'first':
      return there[0];
    case 'last':
      return there.at(-1);
    case 'uniqueList':
      return different.length === 0 ? undefined : different;
    case 'uniqueCount':
      return different.length || undefined;
    default: {
      const often = (value: unknown): number => words.filter((each) => each === value).length;
      const repeated = different.filter((value) => often(value) >= 2);
      const order = (value: unknown): string => `${value} ${typeof value === 'string'}`;
      return repeated.toSorted((a, b) => often(b) - often(a) || (order(a) < order(b) ? -1 : 1))[0];
    }
  }
}

function spelled(value: number): number | undefined {
  if (!Number.isFinite(value)) return undefined;
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}
