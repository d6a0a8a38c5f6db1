import Type from 'typebox';
import type { Definition } from '../../people/contract.ts';
import { type DefinitionKind, RefusedDefinition } from '../../people/definitions.ts';
import { changesOf, definitionFields } from '../audited.ts';
import type {
  Audience,
  AudienceChange,
  ComputedTrait,
  ComputedTraitChange,
  NewAudience,
  NewComputedTrait,
  SizePoint,
} from '../contract.ts';
import { openCursor, pageOfAll, sealCursor } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { instant, invalidInput, refuse } from '../input.ts';
import { type CommonView, commonView, memberView } from '../people-views.ts';
import * as schemas from '../schemas/audience.ts';
import { bound } from '../schemas/field.ts';
import { DEFAULT_LIMIT, pageOf, pageQuery } from '../schemas/page.ts';
import { ref, type SchemaOf } from '../schemas/shape.ts';
import type { InTurn } from '../turns.ts';
import { expectedBy } from '../versions.ts';
import { iso } from '../views.ts';
import { type AdminApp, idParams, ifMatch, nothing, refusals } from './route.ts';

/** What tells audiences and computed traits apart, where their routes are the same. */
export interface DefinitionRoutes {
  readonly kind: DefinitionKind;
  /** `/audiences` */
  readonly path: string;
  readonly tags: readonly string[];
  /** As texts call it: `audience`, `computed trait`. */
  readonly called: string;
  /** As operations are named: `Audience`. */
  readonly operation: string;
  readonly one: SchemaOf<Defined>;
  readonly made: SchemaOf<NewAudience | NewComputedTrait>;
  readonly change: SchemaOf<AudienceChange | ComputedTraitChange>;
  /** One of this kind, as it is shown. */
  view(common: CommonView, what: Definition['what']): Defined;
}

type Defined = Audience | ComputedTrait;

interface SizesQuery {
  from?: string;
  to?: string;
}

const sizesQuery: SchemaOf<SizesQuery> = Type.Unsafe<SizesQuery>(
  Type.Object({ from: Type.Optional(bound), to: Type.Optional(bound) }, { additionalProperties: false }),
);

const sizes: SchemaOf<{ items: SizePoint[] }> = Type.Unsafe<{ items: SizePoint[] }>(
  Type.Object({ items: Type.Array(ref(schemas.SizePoint)) }),
);

const DAY = 24 * 60 * 60 * 1000;

/** The routes that audiences and computed traits have in common. */
export function definitionRoutes(
  app: AdminApp,
  { people, settings, clock }: AdminDeps,
  change: InTurn,
  { kind, path, tags, called, operation, one, made, change: changed, view: viewOf }: DefinitionRoutes,
): void {
  const { definitions, queries } = people;
  const view = (from: Definition): Defined => {
    const connected = settings.destinations().filter(({ sourceIds }) => sourceIds.includes(from.sourceId));
    const beside = { destinationIds: connected.map(({ id }) => id), rebuilding: people.status().rebuilt !== null };
    return viewOf(commonView(from, beside), from.what);
  };
  const get = (id: string): Promise<Definition> => definitions.get(kind, id);

  app.post(
    path,
    {
      config: { action: `${kind}.create` },
      schema: {
        operationId: `create${operation}`,
        summary: `Create ${withArticle(called)}`,
        description:
          'Everybody is decided of, and then every change is followed. Its identify calls are sent under a source of its ' +
          'own, to `destinationIds`.',
        tags,
        body: ref(made),
        response: { 201: ref(one), ...refusals(400, 503) },
      },
    },
    (request, reply) =>
      change(async () => {
        const defined = await definitions.create(kind, request.body).catch(asInput);
        request.auditChanges = changesOf(definitionFields, null, defined);
        return reply.code(201).header('location', `/api${path}/${defined.id}`).send(view(defined));
      }),
  );

  app.get(
    path,
    {
      config: { role: 'observer' },
      schema: {
        operationId: `list${operation}s`,
        summary: `List ${called}s, oldest first`,
        tags,
        querystring: pageQuery,
        response: { 200: pageOf(one), ...refusals(400, 503) },
      },
    },
    async ({ query }) => {
      const page = pageOfAll(await definitions.list(kind), ({ createdAt, id }) => `${iso(createdAt)} ${id}`, query);
      return { items: page.items.map(view), next: page.next };
    },
  );

  app.get(
    `${path}/:id`,
    {
      config: { role: 'observer' },
      schema: {
        operationId: `get${operation}`,
        summary: `Get ${withArticle(called)}`,
        tags,
        params: idParams,
        response: { 200: ref(one), ...refusals(404, 503) },
      },
    },
    async ({ params }) => view(await get(params.id)),
  );

  app.patch(
    `${path}/:id`,
    {
      config: { action: `${kind}.update` },
      schema: {
        operationId: `update${operation}`,
        summary: `Change ${withArticle(called)}`,
        description: 'After a change of the definition everybody is decided of anew, and only what differs is told.',
        tags,
        params: idParams,
        headers: ifMatch,
        body: ref(changed),
        response: { 200: ref(one), ...refusals(400, 404, 412, 503) },
      },
    },
    (request) =>
      change(async () => {
        const { params, body } = request;
        const made = await definitions.update(kind, params.id, body, expectedBy(request)).catch(asInput);
        request.auditChanges = changesOf(definitionFields, made.before, made.after);
        return view(made.after);
      }),
  );

  app.delete(
    `${path}/:id`,
    {
      config: { action: `${kind}.delete` },
      schema: {
        operationId: `delete${operation}`,
        summary: `Delete ${withArticle(called)}, with its source`,
        description: 'Nothing more is sent, and nobody is told that it is gone.',
        tags,
        params: idParams,
        headers: ifMatch,
        response: { 204: nothing, ...refusals(404, 409, 412, 503) },
      },
    },
    (request, reply) =>
      change(async () => {
        const definition = await get(request.params.id);
        await definitions.delete(kind, definition.id, expectedBy(request));
        request.auditChanges = changesOf(definitionFields, definition, null);
        return reply.code(204).send(null);
      }),
  );

  app.post(
    `${path}/:id/sync`,
    {
      config: { action: `${kind}.sync` },
      schema: {
        operationId: `sync${operation}`,
        summary: 'Tell every member again',
        description: 'Refused with 409 while it is being computed or synced.',
        tags,
        params: idParams,
        response: { 202: ref(one), ...refusals(404, 409, 503) },
      },
    },
    async ({ params }, reply) => reply.code(202).send(view(await definitions.sync(kind, params.id))),
  );

  app.get(
    `${path}/:id/members`,
    {
      schema: {
        operationId: `list${operation}Members`,
        summary: 'The persons in it, with their value',
        tags,
        params: idParams,
        querystring: pageQuery,
        response: { 200: pageOf(schemas.Member), ...refusals(400, 404, 503) },
      },
    },
    async ({ params, query }) => {
      const { id } = await get(params.id);
      const { cursor, limit = DEFAULT_LIMIT } = query;
      const found = await queries.members(id, cursor === undefined ? 0 : personAt(cursor), limit + 1);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(memberView),
        next: last && found.length > limit ? sealCursor(String(last.person)) : null,
      };
    },
  );

  app.get(
    `${path}/:id/sizes`,
    {
      config: { role: 'observer' },
      schema: {
        operationId: `list${operation}Sizes`,
        summary: 'How large it was at each full hour; the last 30 days unless `from` and `to` say otherwise',
        tags,
        params: idParams,
        querystring: sizesQuery,
        response: { 200: sizes, ...refusals(400, 404, 503) },
      },
    },
    async ({ params, query }) => {
      const to = instant(query.to, 'to') ?? clock.now();
      const from = instant(query.from, 'from') ?? to - 30 * DAY;
      if (from >= to) refuse('to', 'must be later than from');
      const { id } = await get(params.id);
      const found = await queries.sizes(id, from);
      return { items: found.filter(({ at }) => at < to).map(({ at, size }) => ({ at: iso(at), size })) };
    },
  );
}

/** A definition that people/ refuses is wrong input. For `catch`. */
export function asInput(error: unknown): never {
  throw error instanceof RefusedDefinition ? invalidInput(error.errors) : error;
}

/** @throws InvalidInput for a cursor of something else. */
function personAt(cursor: string): number {
  const person = Number(openCursor(cursor));
  return Number.isSafeInteger(person) && person >= 0 ? person : refuse('cursor', 'is not one this API gave');
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
