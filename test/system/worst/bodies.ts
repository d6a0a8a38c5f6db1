import { worstBatches } from './batches.ts';
import { DEFINITIONS } from './definitions.ts';
import { filled, HERE, type Known, type Place, placesOf, sample } from './places.ts';
import { type Document, type Route, resolved, type Schema } from './routes.ts';
import {
  ARRAYS,
  INSIDE,
  NUMBERS,
  OBJECTS,
  quoted,
  repeated,
  SHAPES,
  type Shape,
  some,
  TEXTS,
  type Worst,
} from './shapes.ts';
import type { Turns } from './turns.ts';
import { FILES } from './yaml-files.ts';

/** One in so many of the shapes that fit at a place is tried there. */
const SHARE = 8;
/** Places inside a definition are many, and in many routes: each route is tried at some of them. */
const DEFINITION_SHARE = 4;

/** The bodies for a route: shapes as the whole, some that fit at each place, and what its fields are known for. */
export function worstBodies(route: Route, document: Document, known: Known, turns: Turns): Worst[] {
  if (route.body === null) return [];
  const [whole, ...places] = placesOf(route.body, document, known);
  const dealt = [...turns.deal('wholes', SHAPES, SHARE), ...turns.deal('wholes inside', INSIDE, SHARE)];
  const shapes = dealt.map(({ name, text }) => ({ name, make: text }));
  return [
    {
      name: 'as small as it may be',
      make: (_, once) => named(JSON.stringify(sample(route.body ?? {}, document, known)), once),
    },
    ...(whole === undefined ? [] : [everyField(whole.schema)]),
    ...shapes,
    ...[
      ...places.filter((place) => !isInDefinition(place)),
      ...turns.deal('in definitions', places.filter(isInDefinition), DEFINITION_SHARE),
    ].flatMap((place) => at(place, document, known, turns)),
  ];
}

function isInDefinition({ path }: Place): boolean {
  return path.startsWith('definition.');
}

/** A body whose name is not the one of the body before. */
function named(text: string, once: string): string {
  return text.replace('"name":"x"', `"name":"x ${once}"`);
}

function put(place: Place, { name, text }: Shape): Worst {
  return {
    name: `${place.path}: ${name}`,
    make: (bytes, once) => named(filled(place.around(HERE), bytes - once.length - 1, text), once),
  };
}

function at(place: Place, document: Document, known: Known, turns: Turns): Worst[] {
  const field = place.path.split('.').at(-1);
  if (field === 'batch') return worstBatches(turns);
  if (field === 'yaml') return turns.deal('files', FILES, 2).map((file) => put(place, file));
  const special = field === 'definition' ? turns.deal('definitions', DEFINITIONS, SHARE) : [];
  return [...special, ...fitting(place, document, known, turns)].map((shape) => put(place, shape));
}

/** Some of the shapes that a schema lets in, and what goes to its very bounds. */
function fitting({ schema }: Place, document: Document, known: Known, turns: Turns): readonly Shape[] {
  const types = schema.anyOf?.flatMap((choice) => resolved(choice, document).type ?? []) ?? [schema.type ?? []].flat();
  const isAny = types.length === 0;
  const shapes = [
    ...(isAny || types.includes('object')
      ? [...turns.deal('objects', [...OBJECTS, ...INSIDE], SHARE), ...valuesOf(schema)]
      : []),
    ...(isAny || types.includes('array')
      ? [
          ...turns.deal('arrays', [...ARRAYS, ...INSIDE], SHARE),
          ...turns.deal('elements', elementsOf(schema, document, known), 3),
        ]
      : []),
    ...(types.includes('string') ? textsOf(schema, turns) : []),
    ...(types.includes('number') || types.includes('integer') ? turns.deal('numbers', NUMBERS, 2) : []),
  ];
  return shapes.length > 0 ? shapes : TEXTS.slice(0, 1);
}

/** A text is long where its schema lets it be, and once where it doesn't. */
function textsOf({ maxLength }: Schema, turns: Turns): Shape[] {
  if (maxLength === undefined) return turns.deal('texts', TEXTS, SHARE);
  return [
    { name: 'as long as it may be', text: (bytes) => quoted(bytes, '\\u0001', maxLength) },
    ...turns.deal(
      'texts too long',
      [{ name: 'spaces, as long as it may be', text: (bytes) => quoted(bytes, ' ', maxLength) }, ...TEXTS.slice(0, 3)],
      SHARE,
    ),
  ];
}

function valuesOf({ additionalProperties, maxProperties }: Schema): Shape[] {
  if (typeof additionalProperties !== 'object') return [];
  const most = maxProperties ?? Number.POSITIVE_INFINITY;
  const longest = (bytes: number): number => Math.min(additionalProperties.maxLength ?? 16, bytes / most || 16);
  return [
    {
      name: 'as many texts as there may be',
      text: (bytes) => some(bytes, most, (n) => `"X-${n}":"${'v'.repeat(longest(bytes))}"`, '{', '}'),
    },
  ];
}

function elementsOf({ items, maxItems }: Schema, document: Document, known: Known): Shape[] {
  if (items === undefined) return [];
  const item = resolved(items, document);
  const one = sample(item, document, known);
  const numbered = (n: number): string => JSON.stringify(typeof one === 'string' ? `${one}${n}` : one);
  const most = maxItems ?? Number.POSITIVE_INFINITY;
  const room = (bytes: number): number => bytes / Math.min(most, bytes / 20) - 12;
  const longest = (bytes: number, n: number): string =>
    typeof one === 'string' ? quoted(room(bytes), '\\u0001', item.maxLength ?? 0).replace('"', `"${n}`) : numbered(n);
  return [
    { name: 'as many elements as there may be', text: (bytes) => some(bytes, most, numbered) },
    { name: 'as many long elements as there may be', text: (bytes) => some(bytes, most, (n) => longest(bytes, n)) },
    { name: 'elements without end', text: (bytes) => repeated(bytes, numbered) },
    { name: 'the same element without end', text: (bytes) => repeated(bytes, () => JSON.stringify(one)) },
    { name: 'elements with unknown fields', text: (bytes) => repeated(bytes, (n) => `{"${n}":${n},"x":[${n}]}`) },
  ];
}

/** All fields of an object at once, each with its share of the bytes. */
function everyField({ properties }: Schema): Worst {
  const names = Object.keys(properties ?? {});
  return {
    name: 'every field',
    make: (bytes) => {
      const share = Math.floor((bytes - 2) / Math.max(1, names.length));
      const shape = (n: number): Shape | undefined => SHAPES[(n * 7) % SHAPES.length];
      const field = (name: string, n: number): string => `"${name}":${shape(n)?.text(share - name.length - 4)}`;
      return `{${names.map(field).join(',')}}`;
    },
  };
}
