/** A piece of JSON, as text, that is as bad as it can be within a number of bytes. */
export interface Shape {
  readonly name: string;
  readonly text: (bytes: number) => string;
}

/** A body that is as bad as it may be large. `once` makes each one different, where the same again would be easier. */
export interface Worst {
  readonly name: string;
  readonly make: (bytes: number, once: string) => string;
}

function shape(name: string, text: (bytes: number) => string): Shape {
  return { name, text };
}

/** `pieces` one after the other, with commas between, as many as fit. */
export function repeated(bytes: number, piece: (place: number) => string, open = '[', close = ']'): string {
  const pieces: string[] = [];
  let length = open.length + close.length;
  for (let place = 0; ; place += 1) {
    const next = piece(place);
    length += Buffer.byteLength(next) + 1;
    if (length > bytes) return `${open}${pieces.join(',')}${close}`;
    pieces.push(next);
  }
}

/** As many of a piece as `most`, fewer when there is no room for them. */
export function some(
  bytes: number,
  most: number,
  piece: (place: number) => string,
  open?: string,
  close?: string,
): string {
  return repeated(bytes, (n) => (n < most ? piece(n) : 'x'.repeat(bytes)), open, close);
}

export function nested(bytes: number, open: string, close: string, inner = '1'): string {
  const depth = Math.max(1, Math.floor((bytes - inner.length) / (open.length + close.length)));
  return `${open.repeat(depth)}${inner}${close.repeat(depth)}`;
}

/** A text of this piece over and over, in quotes; `most` is what a schema allows, in characters. */
export function quoted(bytes: number, piece: string, most: number = Number.POSITIVE_INFINITY): string {
  const characters = (JSON.parse(`"${piece}"`) as string).length;
  const times = Math.min((bytes - 2) / Buffer.byteLength(piece), most / characters);
  return `"${piece.repeat(Math.max(1, Math.floor(times)))}"`;
}

const object = (bytes: number, entry: (place: number) => string): string => repeated(bytes, entry, '{', '}');

export const OBJECTS: readonly Shape[] = [
  shape('deep objects', (bytes) => nested(bytes, '{"a":', '}')),
  shape('objects 1,000 deep, many', (bytes) => object(bytes, (n) => `"${n}":${nested(6_000, '{"a":', '}')}`)),
  shape('short keys', (bytes) => object(bytes, (n) => `"k${n.toString(36)}":0`)),
  shape('keys like integers', (bytes) => object(bytes, (n) => `"${n}":0`)),
  shape('keys like large integers, falling', (bytes) => object(bytes, (n) => `"${4_294_967_290 - n * 7}":0`)),
  shape('__proto__ over and over', (bytes) => object(bytes, () => '"__proto__":{"a":1}')),
  shape('__proto__ in __proto__', (bytes) => nested(bytes, '{"__proto__":', '}', '{}')),
  shape('one long key', (bytes) => `{${quoted(bytes - 6, 'k')}:1}`),
  shape('long keys that are escaped', (bytes) => object(bytes, (n) => `"${'\\u0001'.repeat(300)}${n}":1`)),
  shape('keys with dots and slashes', (bytes) => object(bytes, (n) => `"a.b/c~${n}.${n}":null`)),
  shape('objects in objects', (bytes) => object(bytes, (n) => `"${n}":{"a":{"b":[{}]}}`)),
];

export const ARRAYS: readonly Shape[] = [
  shape('deep arrays', (bytes) => nested(bytes, '[', ']')),
  shape('arrays 1,000 deep, many', (bytes) => repeated(bytes, () => nested(2_000, '[', ']'))),
  shape('numbers that grow', (bytes) => repeated(bytes, () => '1e20')),
  shape('small numbers that grow', (bytes) => repeated(bytes, () => '1e-6')),
  shape('empty objects', (bytes) => repeated(bytes, () => '{}')),
  shape('empty texts', (bytes) => repeated(bytes, () => '""')),
  shape('small objects', (bytes) => repeated(bytes, (n) => `{"a":${n}}`)),
  shape('pairs', (bytes) => repeated(bytes, (n) => `[${n},[]]`)),
];

export const TEXTS: readonly Shape[] = [
  shape('one long text', (bytes) => quoted(bytes, 'x')),
  shape('control characters', (bytes) => quoted(bytes, '\\u0001')),
  shape('quotes and backslashes', (bytes) => quoted(bytes, '\\"\\\\')),
  shape('half surrogates', (bytes) => quoted(bytes, '\\ud800')),
  shape('letters of two bytes', (bytes) => quoted(bytes, 'é')),
  shape('spaces', (bytes) => `"${' '.repeat(Math.max(1, bytes - 3))}x"`),
  shape('line breaks', (bytes) => quoted(bytes, '\\r\\n')),
  shape('brackets', (bytes) => quoted(bytes, '([{')),
  shape('at signs', (bytes) => quoted(bytes, 'a@')),
  shape('digits and dots', (bytes) => quoted(bytes, '1.')),
  shape('a URL of slashes', (bytes) => `"http://${'a/..%2f'.repeat(Math.max(1, Math.floor((bytes - 9) / 7)))}"`),
  shape('placeholders', (bytes) => quoted(bytes, '\u0024{A}')),
  shape('JSON of deep arrays', (bytes) => `"${nested(Math.min(bytes - 2, 10_000), '[', ']')}"`),
  shape('JSON of many arrays 1,000 deep', (bytes) => `"${repeated(bytes - 2, () => nested(2_000, '[', ']'))}"`),
];

export const NUMBERS: readonly Shape[] = [
  shape('a long number', (bytes) => '7'.repeat(bytes)),
  shape('a long fraction', (bytes) => `0.${'1'.repeat(Math.max(1, bytes - 6))}e-9`),
];

/** What a body may have at most (values, and levels of them), less what lies around a place. */
const MOST = { values: 5_900, levels: 120 };
const most = (bytes: number, piece: (place: number) => string, open?: string, close?: string): string =>
  some(bytes, MOST.values, piece, open, close);
const deep = (open: string, close: string, levels = MOST.levels): string =>
  nested((open + close).length * levels + 1, open, close);

/** Just inside the bounds that many of the others exceed: what lies behind the bounds has to do with these. */
export const INSIDE: readonly Shape[] = [
  shape('objects as deep as they may be', () => deep('{"a":', '}')),
  shape('as many short keys as there may be', (bytes) => most(bytes, (n) => `"k${n.toString(36)}":0`, '{', '}')),
  shape('as many numbers that grow as there may be', (bytes) => most(bytes, () => '1e20')),
  shape('as many keys like integers as there may be', (bytes) => most(bytes, (n) => `"${9_000_000 - n}":0`, '{', '}')),
  shape('arrays as deep as they may be, many', (bytes) =>
    some(bytes, MOST.values / MOST.levels, () => deep('[', ']', MOST.levels - 1)),
  ),
  shape('as many long keys as there may be', (bytes) =>
    most(bytes, (n) => `${quoted(bytes / MOST.values - 8, '\\u0001').slice(0, -1)}${n}":0`, '{', '}'),
  ),
  shape('as many objects as there may be', (bytes) => some(bytes, MOST.values / 4, (n) => `{"a":{},"b":${n}}`)),
  shape('as many long texts as there may be', (bytes) => most(bytes, () => quoted(bytes / MOST.values - 2, '\\"'))),
];

export const SHAPES: readonly Shape[] = [...OBJECTS, ...ARRAYS, ...TEXTS, ...NUMBERS];
