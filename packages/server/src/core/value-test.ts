import { memo, weakMemo } from './bounded-map.ts';
import { readInstant } from './instant.ts';

export type Scalar = string | number | boolean | null;

/** The types that a value may be compared with. */
interface Operands {
  readonly scalar: Scalar;
  readonly scalars: readonly Scalar[];
  readonly text: string;
  readonly number: number;
  readonly flag: boolean;
  /** ISO 8601. */
  readonly instant: string;
  readonly days: number;
}

export type OperandKind = keyof Operands;

/** The type that each test compares with. */
interface OperandKinds {
  readonly equals: 'scalar';
  readonly not: 'scalar';
  readonly contains: 'text';
  readonly in: 'scalars';
  readonly greater: 'number';
  readonly atLeast: 'number';
  readonly less: 'number';
  readonly atMost: 'number';
  readonly exists: 'flag';
  readonly before: 'instant';
  readonly after: 'instant';
  readonly withinDays: 'days';
}

export type TestName = keyof OperandKinds;

export type OperandOf<Name extends TestName> = OperandKinds[Name];

export type Passes = (value: unknown) => boolean;

interface ValueTest<Kind extends OperandKind> {
  readonly operand: Kind;
  readonly means: string;
  /** Null for a test that depends on the time (value-span.ts). */
  readonly passes: ((operand: Operands[Kind]) => Passes) | null;
}

/**
 * Every test of a value: what it means, and which values pass. The language, its check and its documents are made from this
 * table; the interface adds the words (ui/src/conditions/words.ts).
 */
export const VALUE_TESTS: { readonly [Name in TestName]: ValueTest<OperandOf<Name>> } = {
  equals: test('scalar', 'The same JSON value: `1` is not `"1"`', (scalar) => (value) => value === scalar),
  not: test(
    'scalar',
    'The opposite of `equals`; true where there is no value',
    (scalar) => (value) => value !== scalar,
  ),
  contains: test('text', 'Part of a text, without regard to case, or an element of a list', contains),
  in: test('scalars', 'One of these', isOneOf),
  greater: test('number', 'Numbers are compared with numbers alone', (least) => number((value) => value > least)),
  atLeast: test('number', 'This number or a greater one', (least) => number((value) => value >= least)),
  less: test('number', 'A number that is less', (most) => number((value) => value < most)),
  atMost: test('number', 'This number or a smaller one', (most) => number((value) => value <= most)),
  exists: test('flag', 'Whether there is a value; null is none', (exists) => (value) => isThere(value) === exists),
  before: test('instant', 'A time before this one', (edge) => instant(edge, (at, end) => at < end)),
  after: test('instant', 'A time after this one', (edge) => instant(edge, (at, end) => at > end)),
  withinDays: test('days', 'A time in the last so many days of 24 hours, not in the future', null),
};

/**
 * What a value must be: one test and what it compares with. A value of another type fails the test. A value of `null` equals null
 * and does not exist: a call that sends null takes a value away.
 */
export type Test = {
  [Name in TestName]: { readonly [_ in Name]: Operands[OperandOf<Name>] };
}[TestName];

/** The name of a test and what it compares with. */
export function partsOf(asked: Test): readonly [name: TestName, operand: unknown] {
  const [[name, operand] = []] = Object.entries(asked);
  return [name as TestName, operand];
}

/** Makes the function that tells whether a value passes. Not for `withinDays`, which depends on the time (value-span.ts). */
export function compilePasses(asked: Test): Passes {
  const [name, operand] = partsOf(asked);
  const compile = VALUE_TESTS[name].passes as ((operand: unknown) => Passes) | null;
  return compile?.(operand) ?? (() => false);
}

function test<Kind extends OperandKind>(
  operand: Kind,
  means: string,
  passes: ValueTest<Kind>['passes'],
): ValueTest<Kind> {
  return { operand, means, passes };
}

function contains(part: string): Passes {
  const wanted = inLowerCase(part);
  return (value) => {
    if (typeof value === 'string') return folded(value).includes(wanted);
    return Array.isArray(value) && elements(value).has(wanted);
  };
}

/** A condition asks up to a hundred times about a value of up to 32 KB: so this many texts stay in lower case. */
const MOST_FOLDED = 16;
/** A shorter text is folded faster than it is found among them. */
const LONG = 1_000;
const foldedLong = memo(MOST_FOLDED, inLowerCase);
const folded = (text: string): string => (text.length < LONG ? inLowerCase(text) : foldedLong(text));
const elements = weakMemo(
  (list: readonly unknown[]) =>
    new Set(list.filter((item): item is string => typeof item === 'string').map(inLowerCase)),
);

/** A Greek sigma has another lower-case form at the end of a word. */
function inLowerCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

function isOneOf(scalars: readonly Scalar[]): Passes {
  const set = new Set<unknown>(scalars);
  return (value) => set.has(value);
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function number(passes: (value: number) => boolean): Passes {
  return (value) => typeof value === 'number' && passes(value);
}

/** A value that is no time is NaN, and NaN is neither before nor after any edge. */
function instant(edge: string, passes: (at: number, edge: number) => boolean): Passes {
  const at = readInstant(edge);
  return (value) => passes(readInstant(value), at);
}
