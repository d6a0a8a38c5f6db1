/** The parts of an OpenAPI 3.1 document that the API docs show. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
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
  readonly example?: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Media {
  readonly schema?: Schema;
}

export interface Answer {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface DocumentOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Readonly<Record<string, Media>> };
  readonly responses?: Readonly<Record<string, Answer>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: Readonly<Record<string, { readonly description?: string }>>;
  };
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface Operation {
  readonly id: string;
  /** `GET` */
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string | null;
  readonly parameters: readonly Parameter[];
  /** Null if the operation takes no body. */
  readonly body: Schema | null;
  /** By status, in the document's order. */
  readonly answers: readonly (readonly [status: string, answer: Answer])[];
  /** Names of the ways to authenticate; one is enough. Empty if none is needed. */
  readonly security: readonly string[];
}

export interface Tag {
  readonly name: string;
  readonly description: string | null;
  readonly operations: readonly Operation[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** All operations by their first tag, in the order of the document's tags. */
export function tagsOf(document: OpenApiDocument): Tag[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [operationOf(document, path, method, item[method])] : [])),
  );
  const named = document.tags ?? [];
  const unnamed = operations.map(({ tag }) => tag).filter((tag) => !named.some(({ name }) => name === tag));
  return [...named, ...[...new Set(unnamed)].map((name) => ({ name, description: undefined }))]
    .map(({ name, description }) => ({
      name,
      description: description ?? null,
      operations: operations.filter(({ tag }) => tag === name),
    }))
    .filter(({ operations: those }) => those.length > 0);
}

/** The operations that contain all words of the query, in any order, in upper or lower case. */
export function search(tags: readonly Tag[], query: string): Tag[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return tags
    .map((tag) => ({ ...tag, operations: tag.operations.filter((one) => holds(one, words)) }))
    .filter(({ operations }) => operations.length > 0);
}

function holds({ id, method, path, tag, summary, description }: Operation, words: readonly string[]): boolean {
  const text = [id, method, path, tag, summary, description].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

function operationOf(document: OpenApiDocument, path: string, method: string, given: DocumentOperation): Operation {
  return {
    id: given.operationId ?? `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    tag: given.tags?.[0] ?? 'Other',
    summary: given.summary ?? path,
    description: given.description ?? null,
    parameters: given.parameters ?? [],
    body: Object.values(given.requestBody?.content ?? {})[0]?.schema ?? null,
    answers: Object.entries(given.responses ?? {}),
    security: (given.security ?? document.security ?? []).flatMap((way) => Object.keys(way)),
  };
}
