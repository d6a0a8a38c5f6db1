import type { OpenApiDocument, Schema } from './openapi.ts';

/** A schema whose reference was followed, with the reference's name. An unknown reference allows any value. */
export interface Resolved {
  readonly schema: Schema;
  readonly name: string | null;
}

export type Schemas = OpenApiDocument['components']['schemas'];

/** More levels than any schema that does not contain itself. */
const DEEPEST = 8;

const REFERENCE = '#/components/schemas/';

/** Follows references to references too. A reference that leads back to itself counts as unknown. */
export function resolve(schema: Schema, schemas: Schemas): Resolved {
  let name: string | null = null;
  let at = schema;
  for (let steps = 0; at.$ref !== undefined; steps += 1) {
    name = at.$ref.replace(REFERENCE, '');
    at = (steps < 10 && schemas[name]) || {};
  }
  return { schema: at, name };
}

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/**
 * The fields inside a value: an object's properties, the fields of a list's items, or the fields of each alternative. A
 * free name is written `<name>`.
 */
export function fieldsOf(schema: Schema, schemas: Schemas, depth = 0): Field[] {
  const { schema: found } = resolve(schema, schemas);
  if (depth > DEEPEST) return [];
  const { properties = {}, required = [], additionalProperties, items } = found;
  const own = Object.entries(properties).map(([name, property]) => ({
    name,
    schema: property,
    isRequired: required.includes(name),
  }));
  if (typeof additionalProperties === 'object') {
    own.push({ name: '<name>', schema: additionalProperties, isRequired: false });
  }
  const parts = [...(items ? [items] : []), ...(found.anyOf ?? [])];
  const all = [...own, ...parts.flatMap((part) => fieldsOf(part, schemas, depth + 1))];
  return all.filter(({ name }, i) => all.findIndex((other) => other.name === name) === i);
}

/** The type of a value in words: `string`, `array of Source`, `"a" or "b"`, `Source or null`. */
export function typeInWords(schema: Schema, schemas: Schemas): string {
  const { schema: found, name } = resolve(schema, schemas);
  if (name !== null) return name;
  if (found.const !== undefined) return JSON.stringify(found.const);
  if (found.enum) return found.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (found.anyOf) return found.anyOf.map((choice) => typeInWords(choice, schemas)).join(' or ');
  if (found.items) return `array of ${typeInWords(found.items, schemas)}`;
  return [found.type ?? 'anything'].flat().join(' or ');
}

/** The limits of a value besides its type: `1–200 characters`, `default true`. */
export function limitsInWords(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format, pattern } = schema;
  const words = [
    between(minimum, maximum, ''),
    between(minLength, maxLength, ' characters'),
    between(minItems, maxItems, ' items'),
    format,
    pattern && `matches ${pattern}`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ];
  return words.filter((word): word is string => typeof word === 'string' && word !== '');
}

function between(least: number | undefined, most: number | undefined, unit: string): string | null {
  if (least === undefined && most === undefined) return null;
  if (most === undefined) return `at least ${least}${unit}`;
  if (least === undefined) return `at most ${most}${unit}`;
  return least === most ? `${least}${unit}` : `${least}–${most}${unit}`;
}

/** An example of a schema: the schema's own, or one made from its parts. */
export function exampleOf(schema: Schema, schemas: Schemas, depth = 0): unknown {
  const { schema: found } = resolve(schema, schemas);
  const given = found.examples?.[0] ?? found.const ?? found.default ?? found.enum?.[0];
  if (given !== undefined) return given;
  if (depth > DEEPEST) return null;
  if (found.anyOf) return found.anyOf[0] ? exampleOf(found.anyOf[0], schemas, depth + 1) : null;
  switch ([found.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(found.properties ?? {}).map(([name, property]) => [
          name,
          exampleOf(property, schemas, depth + 1),
        ]),
      );
    case 'array':
      return found.items ? [exampleOf(found.items, schemas, depth + 1)] : [];
    case 'integer':
    case 'number':
      return found.minimum ?? 0;
    case 'boolean':
      return true;
    case 'string':
      return found.format === 'date-time' ? '2026-11-20T09:30:00.000Z' : 'text';
    default:
      return null;
  }
}
