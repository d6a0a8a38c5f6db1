/** What the tests read of a JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  /** `POST /api/sources/{id}` */
  readonly name: string;
  readonly body: Schema | null;
  readonly parameters: readonly Parameter[];
  /** Part of the collection API: it takes a write key, and gzip. */
  readonly collects: boolean;
}

type Security = readonly Readonly<Record<string, unknown>>[];

interface Operation {
  readonly security?: Security;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Every route that a document tells of, in its order. */
export function routesOf({ paths }: Document): Route[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security, parameters, requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      name: `${method.toUpperCase()} ${path}`,
      body: Object.values(requestBody?.content ?? {})[0]?.schema ?? null,
      parameters: parameters ?? [],
      collects: security?.some((way) => 'writeKey' in way) ?? false,
    })),
  );
}

/** The schema itself, where it is only a name. */
export function resolved(schema: Schema, document: Document): Schema {
  const name = schema.$ref?.split('/').at(-1);
  const found = name === undefined ? undefined : document.components.schemas[name];
  return found === undefined ? schema : resolved(found, document);
}
