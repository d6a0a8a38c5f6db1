import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  HTTPMethods,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify';
import Type, { type TSchema } from 'typebox';
import { Fault } from '../../core/fault.ts';
import type { Role } from '../contract.ts';
import { invalidInput } from '../input.ts';
import { id } from '../schemas/field.ts';
import { Problem } from '../schemas/problem.ts';
import { closed, object, optional, placed, type SchemaOf, text } from '../schemas/shape.ts';
import { schemaErrors } from '../validate.ts';

/** Fastify with types taken from the schemas of a route. */
export type AdminApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  /** What a route under /api declares as its `config`, beside its schema. */
  interface FastifyContextConfig {
    /** The least role that may call it; `anyone` wants no sign-in. Absent: `viewer` for GET, `admin` for the rest. */
    role?: Role | 'anyone';
    /**
     * What the audit log calls a successful call of it: `source.create`. Every route that isn't a GET has one, and one that hands out
     * persons by the file; null says that it changes nothing. What stands before the dot is the type of the entry's target.
     */
    action?: string | null;
    /** Tells a call that only reads by its body: a viewer may make it, and it is not audited. */
    reads?: (body: unknown) => boolean;
  }
}

/** Of a body that comes before a sign-in: more than twice what any of them may have, each character escaped. */
const OPEN_BODY_BYTES = 16 * 1024;

const idParams: SchemaOf<{ id: string }> = object({ id });

/** 204 without a body. */
export const nothing: SchemaOf<null> = Type.Unsafe<null>(Type.Null({ description: 'Done; no body' }));

/** An answer that is no JSON, of one of these types. */
export function media<T>(description: string, ...types: readonly string[]): SchemaOf<T> {
  return Type.Unsafe<T>({ description, content: Object.fromEntries(types.map((type) => [type, { schema: text() }])) });
}

/** Server-sent events. */
export const eventStream: SchemaOf<Readable> = media('The stream', 'text/event-stream');

const REFUSALS = {
  400: 'The input is wrong; `errors` names each wrong field',
  401: 'The caller is not signed in, or the token is wrong',
  403: 'The role of the caller does not allow it, or the CSRF token is missing',
  404: 'There is no such thing',
  409: 'It clashes with what is there',
  412: 'It was changed since the version of `If-Match`; `changes` says how',
  413: 'The body, or the call in it, has more bytes than it may have',
  429: 'Too many attempts, or too many wrong tokens; Retry-After says when to try again',
  503: 'Storage can take or tell nothing now, or more comes in at once than there is memory for; Retry-After says when to try again',
} as const;

/** The refusals a route can answer, for its `response`; 400, 401, 403 and 429 are among them always, with a body 413 and 503 too. */
export function refusals(...more: readonly (404 | 409 | 412 | 413 | 503)[]): Record<number, SchemaOf<never>> {
  return Object.fromEntries(
    ([400, 401, 403, 429, ...more] as const).map((status) => [status, refusal(REFUSALS[status])]),
  );
}

/** What a route says of itself. */
interface Said<P, Q, B, H, R> extends FastifyContextConfig {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Absent: those of the document. */
  readonly security?: NonNullable<FastifySchema['security']>;
  readonly params?: P;
  readonly querystring?: Q;
  readonly body?: B;
  readonly headers?: H;
  readonly response: R;
}

/**
 * Adds a route: what it says of itself, and its handler, whose request and answer are read off that. A path with `/:id` has `idParams`.
 * One that succeeds in a single way is answered with that status: a handler of 204 returns nothing.
 */
type AddRoute = <
  const Path extends string,
  Q extends TSchema,
  B extends TSchema,
  H extends TSchema,
  R extends Readonly<Record<number, TSchema>>,
  P extends TSchema = Path extends `${string}/:id${string}` ? typeof idParams : TSchema,
>(
  path: Path,
  says: Said<P, Q, B, H, R> & {
    readonly handler: RouteHandlerMethod<
      RawServerDefault,
      IncomingMessage,
      ServerResponse,
      RouteGenericInterface,
      FastifyContextConfig,
      { params: P; querystring: Q; body: B; headers: H; response: R },
      TypeBoxTypeProvider,
      FastifyBaseLogger
    >;
  },
) => void;

/** Adds routes that the document lists under the same tags. */
export function routesOf(
  app: AdminApp,
  ...tags: readonly string[]
): Readonly<Record<'get' | 'post' | 'patch' | 'delete', AddRoute>> {
  const add =
    (method: HTTPMethods): AddRoute =>
    (url, { role, action, reads, handler, ...said }) => {
      const answers = { ...(said.body && refusals(413, 503)), ...said.response };
      const response = Object.entries(answers).map(([status, answer]) => [status, placed(answer)]);
      const schema = {
        ...{ tags, ...(url.includes('/:id') && { params: idParams }), ...said },
        ...(said.body && { body: placed(said.body) }),
        response: Object.fromEntries(response),
      };
      const [status = 200, another] = Object.keys(said.response)
        .map(Number)
        .filter((code) => code < 300);
      const config = { ...(role && { role }), ...(action !== undefined && { action }), ...(reads && { reads }) };
      const preHandler = ({ body }: FastifyRequest, reply: FastifyReply, done: () => void): void => {
        if (said.body === undefined) refuseFields(body);
        if (another === undefined) reply.code(status);
        done();
      };
      // What the handler takes and answers is checked above, by the schemas.
      const bodyLimit = role === 'anyone' && { bodyLimit: OPEN_BODY_BYTES };
      app.route({ method, url, config, schema, preHandler, ...bodyLimit, handler: handler as never });
    };
  return { get: add('GET'), post: add('POST'), patch: add('PATCH'), delete: add('DELETE') };
}

/** A route that declares no body refuses what it would not look at, as the others refuse what they don't know. */
function refuseFields(body: unknown): void {
  const errors = schemaErrors(NO_FIELDS, body ?? {});
  if (errors.length > 0) throw invalidInput(errors);
}

/** Makes routes that declare no query refuse any, as the others refuse what they don't know. */
export function refuseUndeclaredQueries(api: AdminApp): void {
  api.addHook('onRoute', (route) => {
    route.schema = { querystring: NO_FIELDS, ...route.schema };
  });
}

const NO_FIELDS = closed({});

/** Typed `never`: a handler throws a Fault, it doesn't answer one. */
function refusal(description: string): SchemaOf<never> {
  const answer: TSchema = { description, content: { 'application/problem+json': { schema: placed(Problem) } } };
  return Type.Unsafe<never>(answer);
}

/** Of a change of a thing that has versions. */
export const ifMatch: SchemaOf<{ 'if-match'?: string }> = object({
  'if-match': optional(text('The `ETag` that the change began with, or a list of them, or `*`. Absent: any')),
});

export function found<T>(thing: T | undefined | null, what: string): T {
  if (thing === undefined || thing === null) throw new Fault('not_found', `There is no ${what}`);
  return thing;
}

/** Whether a request only asks what it would do. */
export function isDryRun(body: unknown): boolean {
  return Reflect.get(Object(body), 'dryRun') === true;
}

/** Aborts when the client closes the connection before it has the answer. */
export function leftBy({ raw }: { readonly raw: ServerResponse }): AbortSignal {
  const left = new AbortController();
  if (raw.closed) left.abort();
  else raw.once('close', () => left.abort());
  return left.signal;
}
