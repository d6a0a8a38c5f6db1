import Type, {
  type Static,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TUnsafe,
} from 'typebox';

/** A JSON Schema for values of type T. The types of the contract come from it: `Static<typeof Source>`. */
export type SchemaOf<T> = TUnsafe<T>;

/** A description, or several JSON Schema keywords with it. */
type More = string | TSchemaOptions;

const options = (more: More): TSchemaOptions => (typeof more === 'string' ? { description: more } : more);

/** The schema with another description or further keywords. Keeps the hidden kind, which is needed to convert texts: a spread would lose it. */
export function described<S extends TSchema>(schema: S, more: More): SchemaOf<Static<S>> {
  const same = Object.defineProperties({}, Object.getOwnPropertyDescriptors(placed(schema)));
  return Type.Unsafe(Object.assign(same, options(more)));
}

export function text(more: More = {}): SchemaOf<string> {
  return Type.Unsafe(Type.String(options(more)));
}

export function flag(more: More = {}): SchemaOf<boolean> {
  return Type.Unsafe(Type.Boolean(options(more)));
}

export function oneOf<V extends string>(values: readonly V[], more: More = {}): SchemaOf<V> {
  return Type.Unsafe({ ...Type.Enum([...values], { type: 'string' }), ...options(more) });
}

export function list<S extends TSchema>(item: S, more: More = {}): SchemaOf<readonly Static<S>[]> {
  return Type.Unsafe(Type.Array(placed(item), options(more)));
}

/** The schema, or null. */
export function nullable<S extends TSchema>(schema: S, more: More = {}): SchemaOf<Static<S> | null> {
  const { type, enum: choice } = schema as { readonly type?: unknown; readonly enum?: unknown };
  const simple = typeof type === 'string' && choice === undefined && !isNamed(schema);
  return Type.Unsafe(
    simple
      ? { ...schema, type: [type, 'null'], ...options(more) }
      : Type.Union([placed(schema), Type.Null()], options(more)),
  );
}

/** A field that may be absent. */
export function optional<S extends TSchema>(schema: S, more: More = {}): TOptional<SchemaOf<Static<S>>> {
  return Type.Optional(described(schema, more)) as TOptional<SchemaOf<Static<S>>>;
}

/** Fields that may all be absent. */
export function optionals<F extends TProperties>(fields: F): { [K in keyof F]: TOptional<SchemaOf<Static<F[K]>>> } {
  const all = Object.entries(fields).map(([name, field]) => [name, optional(field)]);
  return Object.fromEntries(all) as { [K in keyof F]: TOptional<SchemaOf<Static<F[K]>>> };
}

/** For answers: an object with these fields. Fields with named schemas become references. */
export function object<F extends TProperties>(fields: F, more: More = {}): SchemaOf<Static<TObject<F>>> {
  const all = Object.entries(fields).map(([name, field]) => [name, placed(field)]);
  return Type.Unsafe(Type.Object(Object.fromEntries(all), options(more)));
}

/** For requests: an object with these fields and no others. */
export function closed<F extends TProperties>(fields: F, more: More = {}): SchemaOf<Static<TObject<F>>> {
  return object(fields, { additionalProperties: false, ...options(more) });
}

const NAMED = new Map<string, TSchema>();

/** All named schemas, by name: the targets of references, and the list in the OpenAPI document. Complete after all routes are imported. */
export const SCHEMAS: ReadonlyMap<string, TSchema> = NAMED;

/** Gives a schema a name in the OpenAPI document. */
export function named<S extends TSchema>(name: string, schema: S): SchemaOf<Static<S>> {
  const made = Type.Unsafe<Static<S>>({ ...schema, $id: name });
  if (NAMED.has(name)) throw new Error(`Two schemas are called ${name}`);
  NAMED.set(name, made);
  return made;
}

/** `object`, with a name. */
export function answer<F extends TProperties>(name: string, fields: F, more: More = {}): SchemaOf<Static<TObject<F>>> {
  return named(name, object(fields, more));
}

/** `closed`, with a name. */
export function input<F extends TProperties>(name: string, fields: F, more: More = {}): SchemaOf<Static<TObject<F>>> {
  return named(name, closed(fields, more));
}

function isNamed(schema: TSchema): boolean {
  return '$id' in schema;
}

export function nameOf(schema: TSchema): string {
  const name = '$id' in schema ? schema.$id : undefined;
  if (typeof name !== 'string') throw new Error('This schema has no name');
  return name;
}

/** The schema at a place of use: a reference, if it has a name. */
export function placed(schema: TSchema): TSchema {
  return isNamed(schema) ? Type.Ref(nameOf(schema)) : schema;
}
