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

/** Fastify with types from the schemas of a route. */
export type AdminApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  /** The `config` of a route under /api, beside its schema. */
  interface FastifyContextConfig {
    /** The lowest role that may call it; `anyone` needs no sign-in. Default: `viewer` for GET, `admin` for other methods. */
    role?: Role | 'anyone';
    /**
     * Name of a successful call in the audit log: `source.create`. Required for every route except GETs, and for GETs that send
     * files of persons. Null if the route changes nothing. The part before the dot is the type of the entry's target.
     */
    action?: string | null;
    /** An open page calls it again on its own: no use of the session. */
    watches?: boolean;
    /** Tells by the body whether a call only reads: then a viewer may make it, and it is not audited. */
    reads?: (body: unknown) => boolean;
  }
}

/** The largest body without a sign-in: more than twice the longest valid one with all characters escaped. */
const OPEN_BODY_BYTES = 16 * 1024;

const idParams: SchemaOf<{ id: string }> = object({ id });

/** 204 without a body. */
export const nothing: SchemaOf<null> = Type.Unsafe<null>(Type.Null({ description: 'Done; no body' }));

/** 202 with null as its body. */
export const accepted: SchemaOf<null> = Type.Unsafe<null>({
  description: 'Taken; it runs on',
  content: { 'application/json': { schema: Type.Null() } },
});

/** An answer that is not JSON, of one of these media types. */
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
  414: 'An id in the path has more than 8,192 characters',
  415: 'The body is not called JSON by its Content-Type, or has a Content-Encoding',
  429: 'Too many attempts, or too many wrong tokens; Retry-After says when to try again',
  503: 'Storage can take or tell nothing now, or more comes in at once than there is memory for; Retry-After says when to try again',
} as const;

/** Refusals for a route's `response`. 400, 401, 403, 429 and 503 are always included; with a body 413 and 415 too; with an id in the path 414. */
export function refusals(...more: readonly (404 | 409 | 412 | 413 | 414 | 415)[]): Record<number, SchemaOf<never>> {
  return Object.fromEntries(
    ([400, 401, 403, 429, 503, ...more] as const).map((status) => [status, refusal(REFUSALS[status])]),
  );
}

/** The declaration of a route. */
interface Said<P, Q, B, H, R> extends FastifyContextConfig {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Default: the security of the whole document. */
  readonly security?: NonNullable<FastifySchema['security']>;
  readonly params?: P;
  readonly querystring?: Q;
  readonly body?: B;
  readonly headers?: H;
  readonly response: R;
  /** HEAD is answered as GET is, without the body. */
  readonly exposeHeadRoute?: boolean;
}

/**
 * Adds a route: its declaration and its handler. The handler's types follow from the declaration. A path with `/:id` has
 * `idParams`. A route with a single success status answers with it; a handler of 204 returns nothing.
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

/** Adds routes with the same tags in the document. */
export function routesOf(
  app: AdminApp,
  ...tags: readonly string[]
): Readonly<Record<'get' | 'post' | 'patch' | 'delete', AddRoute>> {
  const add =
    (method: HTTPMethods): AddRoute =>
    (url, { role, action, reads, watches, exposeHeadRoute = false, handler, ...said }) => {
      const answers = {
        ...(said.body && refusals(413, 415)),
        ...(url.includes('/:') && refusals(414)),
        ...said.response,
      };
      const response = Object.entries(answers).map(([status, answer]) => [status, placed(answer)]);
      const schema = {
        ...{ tags, ...(url.includes('/:id') && { params: idParams }), ...said },
        ...(said.body && { body: placed(said.body) }),
        response: Object.fromEntries(response),
      };
      const [status = 200, another] = Object.keys(said.response)
        .map(Number)
        .filter((code) => code < 300);
      const config = {
        ...{ ...(role && { role }), ...(action !== undefined && { action }) },
        ...{ ...(reads && { reads }), ...(watches && { watches }) },
      };
      const preHandler = ({ body }: FastifyRequest, reply: FastifyReply, done: () => void): void => {
        if (said.body === undefined) refuseFields(body);
        if (another === undefined) reply.code(status);
        done();
      };
      // The types of the handler are checked above, through the schemas.
      const bodyLimit = role === 'anyone' && { bodyLimit: OPEN_BODY_BYTES };
      app.route({ method, url, config, schema, exposeHeadRoute, preHandler, ...bodyLimit, handler: handler as never });
    };
  return { get: add('GET'), post: add('POST'), patch: add('PATCH'), delete: add('DELETE') };
}

/** A route without a declared body refuses fields, as other routes refuse unknown ones. */
function refuseFields(body: unknown): void {
  const errors = schemaErrors(NO_FIELDS, body ?? {});
  if (errors.length > 0) throw invalidInput(errors);
}

/** Makes routes without a declared query refuse parameters, as other routes refuse unknown ones. */
export function refuseUndeclaredQueries(api: AdminApp): void {
  api.addHook('onRoute', (route) => {
    route.schema = { querystring: NO_FIELDS, ...route.schema };
  });
}

const NO_FIELDS = closed({});

/** Typed `never`, because a handler throws a Fault instead of returning it. */
function refusal(description: string): SchemaOf<never> {
  const answer: TSchema = { description, content: { 'application/problem+json': { schema: placed(Problem) } } };
  return Type.Unsafe<never>(answer);
}

/** Headers of a change to a thing with revisions. */
export const ifMatch: SchemaOf<{ 'if-match'?: string }> = object({
  'if-match': optional(text('The `ETag` that the change began with, or a list of them, or `*`. Absent: any')),
});

export function found<T>(thing: T | undefined | null, what: string): T {
  if (thing === undefined || thing === null) throw new Fault('not_found', `There is no ${what}`);
  return thing;
}

/** Whether a request only asks what it would change. */
export function isDryRun(body: unknown): boolean {
  return Reflect.get(Object(body), 'dryRun') === true;
}

/** A signal that aborts when the client closes the connection before it has the answer. */
export function leftBy({ raw }: { readonly raw: ServerResponse }): AbortSignal {
  const left = new AbortController();
  if (raw.closed) left.abort();
  else raw.once('close', () => left.abort());
  return left.signal;
}
