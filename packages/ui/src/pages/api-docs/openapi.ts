/** The parts of the service's OpenAPI 3.1 document that the API docs show. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly additionalProperties?: boolean | Schema;
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface Answer {
  readonly description: string;
  readonly content?: Content;
}

interface OperationOfDocument {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [tag: string];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  /** By status. */
  readonly responses: Readonly<Record<string, Answer>>;
  readonly security?: Security;
}

type Security = readonly Readonly<Record<string, unknown>>[];

export interface OpenApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly Pick<Tag, 'name' | 'description'>[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationOfDocument>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
  };
  readonly security: Security;
}

export interface Operation extends Omit<OperationOfDocument, 'security'> {
  readonly id: string;
  /** `GET` */
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Undefined if the operation takes no body. */
  readonly body: Schema | undefined;
  /** Names of the ways to authenticate; one is enough. Empty if none is needed. */
  readonly security: readonly string[];
}

export interface Tag {
  readonly name: string;
  readonly description?: string | undefined;
  readonly operations: readonly Operation[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** All operations by their tag, in the order of the document's tags. */
export function tagsOf({ paths, tags, security: usual }: OpenApiDocument): Tag[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const given = item[method];
      return given ? [{ ...given, path, ...partsOf(given, usual), method: method.toUpperCase() }] : [];
    }),
  );
  const byTag = Map.groupBy(operations, (operation) => operation.tags[0]);
  const described = new Map(tags.map(({ name, description }) => [name, description]));
  return [...new Set([...described.keys(), ...byTag.keys()])]
    .map((name) => ({ name, description: described.get(name), operations: byTag.get(name) ?? [] }))
    .filter(({ operations: those }) => those.length > 0);
}

function partsOf({ operationId, parameters = [], requestBody, security }: OperationOfDocument, usual: Security) {
  return {
    id: operationId,
    parameters,
    body: requestBody?.content['application/json']?.schema,
    security: (security ?? usual).flatMap((way) => Object.keys(way)),
  };
}

/** The operations that contain all words of the query, in any order, in upper or lower case. */
export function search(tags: readonly Tag[], query: string): Tag[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return tags
    .map((tag) => ({ ...tag, operations: tag.operations.filter((one) => holds(one, words)) }))
    .filter(({ operations }) => operations.length > 0);
}

function holds({ id, method, path, tags, summary, description }: Operation, words: readonly string[]): boolean {
  const text = [id, method, path, ...tags, summary, description].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}
