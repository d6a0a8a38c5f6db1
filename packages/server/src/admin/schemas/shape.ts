import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';

/** A JSON Schema whose valid values have type T. */
export type SchemaOf<T> = TUnsafe<T>;

/** Matches everything when the two types are the same, nothing when they differ. */
type Same<A, B> = [A] extends [B]
  ? [B] extends [A]
    ? unknown
    : { readonly differsFrom: B }
  : { readonly differsFrom: B };

/**
 * A schema with a name in the OpenAPI document, for a type of the contract. It compiles only while schema and type say
 * the same, so one can't be changed without the other.
 */
export function named<T>(): <S extends TSchema>(name: string, schema: S & Same<Static<S>, T>) => SchemaOf<T> {
  return (name, schema) => Type.Unsafe<T>({ ...(schema as TSchema), $id: name });
}

/** A reference to a named schema. */
export function ref<T>(schema: SchemaOf<T>): SchemaOf<T> {
  return Type.Unsafe<T>(Type.Ref(nameOf(schema)));
}

export function nameOf(schema: TSchema): string {
  const name = '$id' in schema ? schema.$id : undefined;
  if (typeof name !== 'string') throw new Error('This schema has no name');
  return name;
}

/** The schema, or null. For schemas of one simple type. */
export function nullable<S extends TSchema & { type: string }>(schema: S): SchemaOf<Static<S> | null> {
  return Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] });
}

/** A named schema, or null. */
export function refOrNull<T>(schema: SchemaOf<T>): SchemaOf<T | null> {
  return Type.Unsafe<T | null>(Type.Union([Type.Ref(nameOf(schema)), Type.Null()]));
}
