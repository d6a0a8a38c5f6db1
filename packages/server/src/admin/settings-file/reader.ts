import { isObject, type JsonObject } from '../../core/json.ts';
import { fillPlaceholders } from '../../core/placeholder.ts';
import type { FieldError } from '../contract.ts';
import type { SchemaOf } from '../schemas/shape.ts';

/** Values for `${NAME}` in the texts of the file. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The parts of a schema that the reader uses. Limits are checked later, with the request that is made of the values. */
interface Shape {
  readonly type?: Kind | readonly [Kind, 'null'];
  readonly enum?: readonly unknown[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | false;
}

type Kind = keyof typeof MUST_BE;

const MUST_BE = {
  object: 'must be a mapping',
  array: 'must be a list',
  string: 'must be a text (put it in quotes)',
  number: 'must be a number',
  boolean: 'must be true or false',
} as const;

/** Reads values from a parsed file and collects all errors. In every text `${NAME}` stands for a variable and `$${` for `${`. */
export class SettingsReader {
  /** Errors by path in the file: `destinations.0.webhooks.1.url`. With a line only if it is already known. */
  readonly errors: FieldError[] = [];
  /** Paths of texts that contain values of variables: these texts are never shown. */
  readonly masked: Set<string> = new Set<string>();
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  refuse(path: string, message: string): undefined {
    this.errors.push({ path, message });
    return undefined;
  }

  /** Undefined if the value has another type than the schema. */
  read<T>(schema: SchemaOf<T>, value: unknown, path: string): T | undefined {
    return this.#read(schema as Shape, value, path) as T | undefined;
  }

  #read(shape: Shape, value: unknown, path: string): unknown {
    const { type = kindOf(value), enum: choices } = shape;
    const [kind, orNull] = [type].flat();
    if (value === null && orNull === 'null') return null;
    if (choices) return choices.includes(value) ? value : this.refuse(path, `must be one of ${choices.join(', ')}`);
    if (kindOf(value) !== kind) return this.refuse(path, MUST_BE[kind as Kind]);
    if (typeof value === 'string') return this.#text(value, path);
    if (Array.isArray(value)) return this.#list(shape, value, path);
    return isObject(value) ? this.#fields(shape, value, path) : value;
  }

  #text(value: string, path: string): string {
    return fillPlaceholders(value, (name) => {
      const substitute = this.#variables[name];
      if (!substitute) this.refuse(path, `the variable ${name} is not set, or is empty`);
      this.masked.add(path);
      return substitute ?? '';
    });
  }

  #list({ items = {} }: Shape, value: readonly unknown[], path: string): unknown[] {
    return value.map((each, place) => this.#read(items, each, `${path}.${place}`)).filter((each) => each !== undefined);
  }

  /** Undefined if a required field is missing. */
  #fields(shape: Shape, value: JsonObject, path: string): JsonObject | undefined {
    const { properties = {}, required = [], additionalProperties: other = {} } = shape;
    const known = Object.keys(properties);
    const unknown = Object.keys(value).filter((name) => !known.includes(name));
    const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
    for (const name of other === false ? unknown : []) {
      this.refuse(at(name), `is not a known field (known: ${known.join(', ')})`);
    }
    const isNameless = ['id', 'name'].every((name) => known.includes(name) && value[name] === undefined);
    if (isNameless) this.refuse(path, 'needs a name (or an id)');
    const read: [string, unknown][] = [];
    for (const name of [...known, ...(other === false ? [] : unknown)]) {
      if (value[name] !== undefined)
        read.push([name, this.#read(properties[name] ?? (other || {}), value[name], at(name))]);
      else if (required.includes(name)) return this.refuse(at(name), 'is required');
    }
    return Object.fromEntries(read);
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
