import fc from 'fast-check';
import { expect, test } from 'vitest';
import { condition, period, selection } from '../../../server/src/people/test-people.ts';
import { type Draft, newCondition, newGroup } from './draft.ts';
import { readCondition, readTrait } from './read.ts';
import { copyOf, edited, moved } from './tree.ts';
import { writtenCondition, writtenTrait } from './written.ts';

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
      expect(json(draft && writtenCondition(draft).definition)).toEqual(given);
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
      expect(json(draft && writtenTrait(draft).definition)).toEqual(given);
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
  expect(draft && writtenCondition(draft).gaps).toEqual([
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
  expect(draft && writtenCondition(draft)).toMatchObject({
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
  const written = draft && writtenCondition(draft);
  expect(written?.gaps).toEqual([
    { path: 'all.1.during.to', message: 'Must be later than the beginning', isBlank: false },
  ]);
  expect([...(written?.fields ?? [])]).toEqual([
    ...['all.0.trait', 'all.0.is', 'all.0.is.in.0', 'all.0.is.in.1'],
    ...['all.1.count', 'all.1.during', 'all.1.during.from', 'all.1.during.to'],
  ]);
});

/** The tree by its conditions' names: `(a (b c))`. */
function shape(draft: Draft): string {
  if (draft.kind === 'group') return `(${draft.parts.map(shape).join(' ')})`;
  return draft.kind === 'audience' ? draft.id : draft.kind;
}

function leaf(id: string): Draft {
  return { key: id, negations: 0, kind: 'audience', id };
}

test('a condition moves through every place of the tree, down and up again', () => {
  let tree = newGroup('all', [leaf('a'), leaf('b'), newGroup('any', [leaf('c')]), leaf('d')]);
  const down = ['(b a (c) d)', '(b (a c) d)', '(b (c a) d)', '(b (c) a d)', '(b (c) d a)', '(b (c) d a)'];
  for (const next of down) {
    tree = moved(tree, 'a', 1);
    expect(shape(tree)).toBe(next);
  }
  const up = ['(b (c) a d)', '(b (c a) d)', '(b (a c) d)', '(b a (c) d)', '(a b (c) d)', '(a b (c) d)'];
  for (const next of up) {
    tree = moved(tree, 'a', -1);
    expect(shape(tree)).toBe(next);
  }
});

test('a copy says the same and has keys of its own', () => {
  const group = newGroup('any', [leaf('a'), newCondition()]);
  const [tree] = edited(newGroup('all', [group]), group.key, (each) => [each, copyOf(each)]);
  expect(tree && shape(tree)).toBe('((a event) (a event))');
  const keys = tree?.kind === 'group' ? tree.parts.flatMap((part) => (part.kind === 'group' ? part.parts : [])) : [];
  expect(new Set(keys.map(({ key }) => key)).size).toBe(4);
});
