import { randomId } from '@mantine/hooks';
import { type Draft, typed } from './draft.ts';
import { COMPUTES, COUNT_WORDS, TESTS } from './words.ts';
import { numberIn } from './written.ts';

/** Turns JSON into a part of a draft; undefined if it is something else. */
type Reader = (input: unknown) => unknown;

/** The draft of a condition. Null if it is none, or sentences can't express it. */
export function readCondition(input: unknown): Draft | null {
  return (condition(input) as Draft | undefined) ?? null;
}

/** The draft of a computed trait. */
export function readTrait(input: unknown): object | null {
  return (computation(input) as object | undefined) ?? null;
}

const text: Reader = (input) => (typeof input === 'string' ? input : undefined);

const flag: Reader = (input) => (typeof input === 'boolean' ? input : undefined);

/** Also a text that is no number: it was typed. */
const number: Reader = (input) => {
  if (typeof input === 'number') return typed('number', String(input));
  return typeof input === 'string' && numberIn(input) === undefined ? typed('number', input) : undefined;
};

const scalar: Reader = (input) => {
  if (typeof input === 'boolean' || input === null) return typed(`${input}`);
  if (typeof input === 'number') return number(input);
  return input === '' ? typed('empty') : text(input) && typed('text', String(input));
};

function list(of: Reader, least = 0): Reader {
  return (input) => {
    if (!Array.isArray(input) || input.length < least) return undefined;
    const parts = input.map((part) => of(part));
    return parts.includes(undefined) ? undefined : parts;
  };
}

type Readers = Readonly<Record<string, Reader>>;

/** An object with all fields of `needed`, and any of `others`. */
function object(needed: Readers, others: Readers = {}): Reader {
  const readers = new Map(Object.entries({ ...needed, ...others }));
  return (input) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
    if (Object.keys(needed).some((name) => !Object.hasOwn(input, name))) return undefined;
    const parts = Object.entries(input).map(([name, part]) => [name, readers.get(name)?.(part)] as const);
    if (parts.some(([, part]) => part === undefined)) return undefined;
    return { key: randomId(), ...Object.fromEntries(parts) };
  };
}

/** An object with one field of these names. */
function one<Words>(words: Readonly<Record<string, Words>>, readerOf: (words: Words, name: string) => Reader): Reader {
  const read = object({}, Object.fromEntries(Object.entries(words).map(([name, of]) => [name, readerOf(of, name)])));
  return (input) => (Object.keys(Object(input)).length === 1 ? read(input) : undefined);
}

const OPERANDS = { scalar, scalars: list(scalar), text, number, flag, instant: text, days: number };

const is = one(TESTS, ({ operand }) => OPERANDS[operand]);

const event = object(
  {},
  {
    type: (input) => (input === 'track' || input === 'page' || input === 'screen' ? input : undefined),
    name: text,
    where: list(object({ property: text, is }), 1),
  },
);

const length = one({ lastHours: number, lastDays: number }, (reader) => reader);
const between = object({}, { from: text, to: text });
const during: Reader = (input) => length(input) ?? between(input);

const CONDITIONS = [
  object({ all: list(condition) }),
  object({ any: list(condition) }),
  object({ not: condition }),
  object({ trait: text, is }),
  object({ groupTrait: text, is }),
  object({ field: text, is }),
  object({ audience: text }),
  object({ event }, { count: one(COUNT_WORDS, () => number), during }),
];

function condition(input: unknown): unknown {
  return CONDITIONS.reduce<unknown>((draft, read) => draft ?? read(input), undefined);
}

const compute = one(COMPUTES, (_, name) => (name === 'count' ? (input) => input === true || undefined : text));

const computation = object({ compute, event }, { during });
