import { randomId } from '@mantine/hooks';
import type { TestName } from '../../../server/src/admin/contract.ts';
import {
  DAYS,
  type Draft,
  type GroupDraft,
  type LeafDraft,
  newGroup,
  type Operands,
  type TestDraft,
  type Typed,
  typed,
} from './draft.ts';
import { TESTS } from './words.ts';

export function within(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

/** `1.3` for the third condition of the first; empty for the root. */
export function numberOf(path: string): string {
  return (path.match(/\d+/g) ?? []).map((place) => Number(place) + 1).join('.');
}

/** The part of a draft at a path. */
export function at(draft: unknown, path: string): unknown {
  return path === '' ? draft : path.split('.').reduce((part, name) => Reflect.get(Object(part), name), draft);
}

/** A copy of a draft with another part at a path; undefined removes the part. */
export function put(draft: unknown, path: string, part: unknown): unknown {
  if (path === '') return part;
  const [name = '', ...deeper] = path.split('.');
  const inner = put(at(draft, name), deeper.join('.'), part);
  return Array.isArray(draft) ? draft.with(Number(name), inner) : { ...Object(draft), [name]: inner };
}

/** A copy with new keys, to stand beside the original. */
export function copyOf(draft: Draft): Draft {
  return JSON.parse(JSON.stringify(draft), (name, value) => (name === 'key' ? randomId() : value)) as Draft;
}

interface Inside {
  readonly inner: GroupDraft | LeafDraft;
  readonly path: string;
  readonly negations: number;
}

/** What is inside all `not` around a condition, and its path. */
export function inside(draft: Draft, path = ''): Inside {
  if (!('not' in draft)) return { inner: draft, path, negations: 0 };
  const found = inside(draft.not, within(path, 'not'));
  return { ...found, negations: found.negations + 1 };
}

export function keyOf(draft: Draft): string {
  return inside(draft).inner.key;
}

/** Selects the element of a condition. */
export function withKey(draft: Draft): string {
  return `[data-condition="${keyOf(draft)}"]`;
}

/** The conditions in a group, and how they are joined; null for another condition. */
export function groupIn(
  inner: Inside['inner'],
): { readonly of: 'all' | 'any'; readonly parts: readonly Draft[] } | null {
  if ('all' in inner) return { of: 'all', parts: inner.all };
  return 'any' in inner ? { of: 'any', parts: inner.any } : null;
}

/** Where a condition stands: the path of the list, the place in it, and the path of its group. */
function placeOf(path: string): { readonly list: string; readonly place: number; readonly group: string } {
  const [, inner = '', of = '', place = ''] = /^(?:(.*)\.)?(all|any)\.(\d+)$/.exec(path) ?? [];
  return { list: within(inner, of), place: Number(place), group: inner.replace(/(?:(?:^|\.)not)+$/, '') };
}

/** The tree with these conditions in the place of one. Several in the place of the root become a group, none an empty group. */
export function replaced(root: Draft, path: string, ...by: readonly Draft[]): Draft {
  if (path === '') return by.length === 1 && by[0] ? by[0] : newGroup('all', by);
  const { list, place } = placeOf(path);
  return put(root, list, (at(root, list) as readonly Draft[]).toSpliced(place, 1, ...by)) as Draft;
}

/**
 * Moves a condition one place up or down in reading order: past the condition beside it, into the group beside it, or out
 * of its own group. So every place can be reached. Null if there is no further place.
 */
export function moved(root: Draft, path: string, by: 1 | -1): Draft | null {
  if (path === '') return null;
  const { list, place, group } = placeOf(path);
  const parts = at(root, list) as readonly Draft[];
  const [draft, beside] = [parts[place], parts[place + by]];
  if (!draft || (!beside && group === '')) return null;
  if (!beside) {
    const without = replaced(root, path);
    const own = at(without, group) as Draft;
    return replaced(without, group, ...(by === 1 ? [own, draft] : [draft, own]));
  }
  const { inner, path: besidePath } = inside(beside, within(list, place + by));
  const into = groupIn(inner);
  if (!into) return put(root, list, parts.with(place, beside).with(place + by, draft)) as Draft;
  const joined = by === 1 ? [draft, ...into.parts] : [...into.parts, draft];
  return replaced(put(root, within(besidePath, into.of), joined) as Draft, path);
}

/** The name of a test, and what it compares with. */
export function testIn(is: TestDraft): readonly [name: TestName, operand: TestDraft[TestName]] {
  const name = (Object.keys(is).find((each) => each in TESTS) ?? 'equals') as TestName;
  return [name, is[name]];
}

/** Another test of the same value, with the values that were typed. */
export function retested(is: TestDraft, name: TestName, exists = true): TestDraft {
  const [before, operand] = testIn(is);
  const typedValues = operand === undefined ? [] : OPERANDS[TESTS[before].operand].values(operand as never);
  const [value = typed('text'), ...others] = typedValues;
  return { [name]: OPERANDS[TESTS[name].operand].of([value, ...others], exists) };
}

interface Operand<Kind> {
  /** Made of typed values. */
  readonly of: (values: readonly [Typed, ...Typed[]], exists: boolean) => Kind;
  /** The typed values, for another test. */
  readonly values: (operand: Kind) => readonly Typed[];
}

const TEXT: Operand<string> = { of: ([{ text }]) => text, values: (text) => [typed('text', text)] };
const numberOr = (usual: string): Operand<Typed> => ({
  of: ([{ text }]) => typed('number', text || usual),
  values: ({ text }) => [typed('text', text)],
});

const OPERANDS: { readonly [Kind in keyof Operands]: Operand<Operands[Kind]> } = {
  flag: { of: (_, exists) => exists, values: (flag) => [typed(`${flag}`)] },
  scalar: { of: ([value]) => value, values: (value) => [value] },
  scalars: { of: (values) => values, values: (values) => values },
  text: TEXT,
  instant: TEXT,
  number: numberOr(''),
  days: numberOr(DAYS),
};
