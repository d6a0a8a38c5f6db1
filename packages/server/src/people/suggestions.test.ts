import { expect, test } from 'vitest';
import { type Suggestible, suggest } from './suggestions.ts';

const NOW = 1_800_000_000_000;

type Reader = Parameters<typeof suggest>[0];

/** A reader of what is given, which is what a store would have answered. */
function reader(given: Partial<Record<keyof Reader, readonly unknown[]>>): Reader {
  const answers = (name: keyof Reader) => async () => (given[name] ?? []) as readonly never[];
  return {
    eventNames: answers('eventNames'),
    newestProperties: answers('newestProperties'),
    newestTraits: answers('newestTraits'),
  };
}

const ORDERS = { of: 'property', type: 'track', event: 'Order', name: null } as const;

const asked = async (given: Parameters<typeof reader>[0], what: Suggestible) => {
  const { items, ...rest } = await suggest(reader(given), what, NOW);
  return { ...rest, items: items.map(({ value, count }) => [value, count]) };
};

test('properties are named by where they lie, each once an event, the most frequent first', async () => {
  const newestProperties = [
    '{"total":1,"address":{"city":"Berlin","zip":null},"products":[{"id":1}]}',
    '{"total":2,"address.city":"Bonn","address":{"city":"Ulm"},"deep":{"a":{"b":{"c":{"d":{"e":1}}}}}}',
    `{"total":3,"${'x'.repeat(201)}":1,"__proto__":1}`,
  ];
  expect(await asked({ newestProperties }, ORDERS)).toEqual({
    counted: 'events',
    of: 3,
    items: [
      ['total', 3],
      ['address.city', 2],
      ['__proto__', 1],
      ['deep.a.b.c.d', 1],
      ['products', 1],
    ],
  });
});

test('values are told apart by type, and what is no value to compare with is left out', async () => {
  const values = [1, '1', '1', true, null, '', [1], {}, 'x'.repeat(201), 2];
  const newestProperties = values.map((plan) => JSON.stringify({ plan }));
  const { items } = await asked({ newestProperties }, { ...ORDERS, name: 'plan' });
  expect(items).toEqual([
    ['1', 2],
    [1, 1],
    [2, 1],
    [true, 1],
  ]);
});

test('traits are counted by person, and a person that was read in part is left out', async () => {
  const traits = [
    { owner: 2, name: 'plan', value: '"pro"' },
    { owner: 2, name: 'away', value: 'null' },
    { owner: 1, name: 'plan', value: '"free"' },
  ];
  const plan = { of: 'trait', name: null } as const;
  expect(await asked({ newestTraits: traits }, plan)).toEqual({ counted: 'persons', of: 2, items: [['plan', 2]] });
  const seats = { of: 'groupTrait', name: 'plan' } as const;
  expect(await asked({ newestTraits: traits }, seats)).toEqual({
    ...{ counted: 'groups', of: 2 },
    items: [
      ['free', 1],
      ['pro', 1],
    ],
  });
  const long = { owner: 3, name: 'long', value: JSON.stringify('x'.repeat(4_000_000)) };
  expect(await asked({ newestTraits: [...traits, long] }, plan)).toMatchObject({ of: 2, items: [['plan', 2]] });
});

test('an answer has 200 items at most, of any number of names in calls', async () => {
  const made = Array.from({ length: 20 }, (_, i) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, j) => [`p${i}-${j}`, 1]))),
  );
  expect((await asked({ newestProperties: made }, ORDERS)).items).toHaveLength(200);
});

test('names that a few calls invent hide none that all others have', async () => {
  const invented = Array.from({ length: 3 }, (_, i) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 4_000 }, (_, j) => [`p${i}-${j}`, 1]))),
  );
  const newestProperties = [...invented, ...Array.from({ length: 997 }, () => '{"total":1}')];
  const { items } = await asked({ newestProperties }, ORDERS);
  expect(items[0]).toEqual(['total', 997]);
});
