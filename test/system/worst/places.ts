import { type Document, resolved, type Schema } from './routes.ts';

/** Stands in a value for the text that comes in its place. */
export const HERE = '@@here@@';

/** A place in a body that is else as small and as right as its schema lets it be. */
export interface Place {
  /** `settings.webhooks[].url`; empty for the body itself. */
  readonly path: string;
  readonly schema: Schema;
  /** The body with a value at this place. */
  readonly around: (value: unknown) => unknown;
}

/** What a name in a schema stands for: ids of things that are there, and URLs. */
export type Known = (name: string) => unknown;

const DEPTH = 4;
/** A definition has more places than that; definitions.ts knows where they hurt. */
const MOST = 16;

/** The places of a schema, the outer ones first. */
export function placesOf(schema: Schema, document: Document, known: Known): Place[] {
  const whole: Place = { path: '', schema: resolved(schema, document), around: (value) => value };
  const places: Place[] = [whole];
  let level: readonly Place[] = [whole];
  for (let depth = 0; depth < DEPTH; depth += 1) {
    level = level.flatMap((place) => inside(place, document, known));
    places.push(...level.filter(({ path }) => !places.some((other) => other.path === path)));
  }
  return places.slice(0, MOST);
}

function inside({ path, schema, around }: Place, document: Document, known: Known): Place[] {
  const choices = schema.anyOf?.map((choice) => resolved(choice, document)) ?? [schema];
  return choices.flatMap((choice) => {
    const base = sample(choice, document, known);
    const fields = Object.entries(choice.properties ?? {}).map(([name, field]) => ({
      path: path === '' ? name : `${path}.${name}`,
      schema: resolved(field, document),
      around: (value: unknown) => around({ ...(base as object), [name]: value }),
    }));
    const items = choice.items === undefined ? [] : [resolved(choice.items, document)];
    const elements = items.map((item) => ({
      path: `${path}[]`,
      schema: item,
      around: (value: unknown) => around([value]),
    }));
    return [...fields, ...elements];
  });
}

const TEXTS = ['x', 'a@b.example', '2026-11-20T09:30:00Z', 'k'.repeat(16)];

/** A small value that a schema takes. */
export function sample(from: Schema, document: Document, known: Known, name = ''): unknown {
  const schema = resolved(from, document);
  const given = known(name);
  if (given !== undefined) return given;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  // A choice that leads back to where it comes from has no end.
  const ends = (choice: Schema): boolean => !JSON.stringify(choice).includes(`"${from.$ref}"`);
  const choice = schema.anyOf?.find(ends);
  if (choice !== undefined) return sample(choice, document, known, name);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        fieldsOf(schema, known).map((field) => [
          field,
          sample(schema.properties?.[field] ?? {}, document, known, field),
        ]),
      );
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sample(schema.items ?? {}, document, known));
    case 'string': {
      const pattern = new RegExp(schema.pattern ?? '', 'u');
      const fits = TEXTS.find((text) => pattern.test(text) && text.length >= (schema.minLength ?? 0));
      return fits ?? 'x'.repeat(schema.minLength ?? 1);
    }
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return {};
  }
}

/** What must be there, and what is known: a call without a user is refused by every schema. */
function fieldsOf({ properties, required }: Schema, known: Known): readonly string[] {
  const more = Object.keys(properties ?? {}).filter((name) => known(name) !== undefined);
  return [...new Set([...(required ?? []), ...more])];
}

/** JSON of a value in which HERE stands for a text: as many bytes as are left for it are asked for. */
export function filled(value: unknown, bytes: number, text: (bytes: number) => string): string {
  const frame = JSON.stringify(value);
  const [before = '', after = ''] = frame.split(`"${HERE}"`);
  const room = bytes - Buffer.byteLength(before) - Buffer.byteLength(after);
  return before + text(Math.max(2, room)) + after;
}
