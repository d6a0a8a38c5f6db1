import fc from 'fast-check';
import { expect, test } from 'vitest';
import { condition, period, selection } from '../../../server/src/people/test-people.ts';
import { type Draft, newCondition, newGroup } from './draft.ts';
import { readCondition, readTrait } from './read.ts';
import { at, copyOf, groupIn, inside, keyOf, moved, put, replaced, within } from './tree.ts';
import { looked, written } from './written.ts';

/** As the API would answer it. */
function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

test('a condition is the same after it was a draft', () => {
  fc.assert(
    fc.property(condition, (definition) => {
      const given = json(definition);
      const draft = readCondition(given);
      expect(draft).not.toBeNull();
      expect(json(draft && written(draft))).toEqual(given);
    }),
    { numRuns: 500 },
  );
});

const compute = fc.oneof(
  fc.constant({ count: true }),
  fc
    .tuple(
      fc.constantFrom('sum', 'average', 'min', 'max', 'mostFrequent', 'first', 'last', 'uniqueList', 'uniqueCount'),
      fc.string({ minLength: 1 }),
    )
    .map(([name, property]) => ({ [name]: property })),
);

test('a computed trait is the same after it was a draft', () => {
  fc.assert(
    fc.property(fc.record({ compute, event: selection, during: period }), (definition) => {
      const given = json(definition);
      const draft = readTrait(given);
      expect(draft).not.toBeNull();
      expect(json(draft && written(draft))).toEqual(given);
    }),
  );
});

test.each([
  null,
  [],
  'all',
  {},
  { all: 'everybody' },
  { all: [], any: [] },
  { trait: 'plan' },
  { trait: 'plan', is: { equals: 'pro', not: 'free' } },
  { trait: 'plan', is: { resembles: 'pro' } },
  { trait: 'age', is: { greater: '5' } },
  { event: { name: 'Order Completed', where: [] } },
  { event: { name: 'Order Completed' }, during: { lastWeeks: 2 } },
  { not: { not: {} } },
])('%j is no condition', (input) => {
  expect(readCondition(input)).toBeNull();
});

test('what is not filled in yet is named by its place', () => {
  const draft = readCondition({
    all: [{ not: { event: { name: '' } } }, { trait: 'age', is: { greater: 'old' } }, { any: [] }],
  });
  expect(draft && looked(draft).gaps).toEqual([
    { path: 'all.0.not.event.name', message: 'Name the event', isBlank: true },
    { path: 'all.1.is.greater', message: 'Must be a number', isBlank: false },
    { path: 'all.2.any', message: 'Add a condition, or remove the group', isBlank: true },
  ]);
});

test.each([
  ['9007199254740993', '9007199254740992'],
  ['1e-400', '0'],
  ['1e400', 'Infinity'],
])('%s is refused where it is typed: it would be kept as %s', (typed, kept) => {
  const draft = readCondition({ trait: 'id', is: { greater: typed } });
  expect(draft && { definition: written(draft), ...looked(draft) }).toMatchObject({
    definition: { is: { greater: typed } },
    gaps: [{ path: 'is.greater', message: `Can’t be kept exactly: it would become ${kept}` }],
  });
});

test('a period that ends before it begins is named at its end, and an empty text is a value', () => {
  const draft = readCondition({
    all: [
      { trait: 'plan', is: { in: ['', 'pro'] } },
      { event: { type: 'page' }, during: { from: '2026-02-01', to: '2026-02-01T00:00:00Z' } },
    ],
  });
  const { gaps, fields } = looked(draft);
  expect(gaps).toEqual([{ path: 'all.1.during.to', message: 'Must be later than the beginning', isBlank: false }]);
  expect([...fields]).toEqual([
    ...['all.0.trait', 'all.0.is', 'all.0.is.in.0', 'all.0.is.in.1'],
    ...['all.1.count', 'all.1.during', 'all.1.during.from', 'all.1.during.to'],
  ]);
});

/** The tree by its conditions' names: `(a (b c))`. */
function shape(draft: Draft): string {
  const { inner } = inside(draft);
  const group = groupIn(inner);
  if (group) return `(${group.parts.map(shape).join(' ')})`;
  return 'audience' in inner ? inner.audience : 'event';
}

function leaf(id: string): Draft {
  return { key: id, audience: id };
}

/** The path of a leaf. */
function pathOf(draft: Draft, id: string, path = ''): string | null {
  const { inner, path: innerPath } = inside(draft, path);
  if ('audience' in inner) return inner.audience === id ? path : null;
  const group = groupIn(inner);
  const found = group?.parts.map((part, i) => pathOf(part, id, within(within(innerPath, group.of), i)));
  return found?.find((each) => each !== null) ?? null;
}

test.each([1, 2])('a condition moves through every place of the tree, down and up again', (negations) => {
  let negated = newGroup('any', [leaf('c')]);
  for (let i = 1; i < negations; i += 1) negated = { not: negated };
  let tree = newGroup('all', [leaf('a'), leaf('b'), negated, leaf('d')]);
  const move = (by: 1 | -1): void => {
    tree = moved(tree, pathOf(tree, 'a') ?? '', by) ?? tree;
  };
  const down = ['(b a (c) d)', '(b (a c) d)', '(b (c a) d)', '(b (c) a d)', '(b (c) d a)', '(b (c) d a)'];
  for (const next of down) {
    move(1);
    expect(shape(tree)).toBe(next);
  }
  const up = ['(b (c) a d)', '(b (c a) d)', '(b (a c) d)', '(b a (c) d)', '(a b (c) d)', '(a b (c) d)'];
  for (const next of up) {
    move(-1);
    expect(shape(tree)).toBe(next);
  }
});

test('a copy says the same and has keys of its own', () => {
  const group = newGroup('any', [leaf('a'), newCondition()]);
  const tree = replaced(newGroup('all', [group]), 'all.0', group, copyOf(group));
  expect(shape(tree)).toBe('((a event) (a event))');
  const keys = ['all.0.any.0', 'all.0.any.1', 'all.1.any.0', 'all.1.any.1'].map((path) =>
    keyOf(at(tree, path) as Draft),
  );
  expect(new Set(keys).size).toBe(4);
});

test('what is put into one part leaves the others and the draft before as they were', () => {
  const tree = newGroup('all', [leaf('a'), { not: newGroup('any', [leaf('b')]) }]);
  const changed = put(tree, 'all.1.not.any.0', leaf('c')) as Draft;
  expect([shape(tree), shape(changed)]).toEqual(['(a (b))', '(a (c))']);
  expect(at(changed, 'all.0')).toBe(at(tree, 'all.0'));
  expect(written(put(changed, 'all', undefined))).toEqual({});
});

test('the last condition that is removed leaves an empty group, and a second one beside the root makes one', () => {
  expect(shape(replaced(leaf('a'), ''))).toBe('()');
  expect(shape(replaced(leaf('a'), '', leaf('a'), leaf('b')))).toBe('(a b)');
  expect(moved(leaf('a'), '', 1)).toBeNull();
});
