import { BATCHES } from './batches.ts';
import { DEFINITIONS } from './definitions.ts';
import { filled, HERE, type Known, type Place, placesOf, sample } from './places.ts';
import { type Document, type Route, resolved, type Schema } from './routes.ts';
import { ARRAYS, NUMBERS, OBJECTS, quoted, repeated, SHAPES, type Shape, TEXTS, type Worst } from './shapes.ts';
import { FILES } from './yaml-files.ts';

/** The bodies for a route: every shape as the whole, those that fit at each place, and what its fields are known for. */
export function worstBodies(route: Route, document: Document, known: Known): Worst[] {
  if (route.body === null) return [];
  const [whole, ...places] = placesOf(route.body, document, known);
  const shapes = SHAPES.map(({ name, text }) => ({ name, make: text }));
  return [
    {
      name: 'as small as it may be',
      make: (_, once) => named(JSON.stringify(sample(route.body ?? {}, document, known)), once),
    },
    ...(whole === undefined ? [] : [everyField(whole.schema)]),
    ...shapes,
    ...places.flatMap((place) => at(place, document, known)),
  ];
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

function at(place: Place, document: Document, known: Known): Worst[] {
  const field = place.path.split('.').at(-1);
  const special = field === 'batch' ? BATCHES : field === 'yaml' ? FILES : field === 'definition' ? DEFINITIONS : [];
  const own = special.map((worst) => ('make' in worst ? worst : put(place, worst)));
  if (field === 'batch') return own;
  return [...own, ...fitting(place.schema, document, known).map((shape) => put(place, shape))];
}

/** The shapes that a schema lets in, and one that it refuses in thousands of places. */
function fitting(schema: Schema, document: Document, known: Known): readonly Shape[] {
  const types = schema.anyOf?.flatMap((choice) => resolved(choice, document).type ?? []) ?? [schema.type ?? []].flat();
  const shapes = [
    ...(types.includes('object') || types.length === 0 ? [...OBJECTS, ...valuesOf(schema)] : []),
    ...(types.includes('array') || types.length === 0 ? [...ARRAYS, ...elementsOf(schema, document, known)] : []),
    ...(types.includes('string') ? textsOf(schema) : []),
    ...(types.includes('number') || types.includes('integer') ? NUMBERS : []),
  ];
  return shapes.length > 0 ? shapes : TEXTS.slice(0, 1);
}

/** A text is long where its schema lets it be, and once where it doesn't. */
function textsOf({ maxLength }: Schema): Shape[] {
  if (maxLength === undefined) return [...TEXTS];
  return [
    { name: 'as long as it may be', text: (bytes) => quoted(bytes, '\\u0001', maxLength) },
    { name: 'spaces, as long as it may be', text: (bytes) => quoted(bytes, ' ', maxLength) },
    ...TEXTS.slice(0, 2),
  ];
}

function valuesOf({ additionalProperties, maxProperties }: Schema): Shape[] {
  if (typeof additionalProperties !== 'object') return [];
  const most = maxProperties ?? Number.POSITIVE_INFINITY;
  const longest = (bytes: number): number => Math.min(additionalProperties.maxLength ?? 16, bytes / most || 16);
  return [
    {
      name: 'as many texts as there may be',
      text: (bytes) =>
        repeated(bytes, (n) => (n < most ? `"X-${n}":"${'v'.repeat(longest(bytes))}"` : 'x'.repeat(bytes)), '{', '}'),
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
  const upTo = (bytes: number, piece: (n: number) => string): string =>
    repeated(bytes, (n) => (n < most ? piece(n) : 'x'.repeat(bytes)));
  return [
    { name: 'as many elements as there may be', text: (bytes) => upTo(bytes, numbered) },
    { name: 'as many long elements as there may be', text: (bytes) => upTo(bytes, (n) => longest(bytes, n)) },
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
