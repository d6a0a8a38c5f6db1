import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { LimitFunction } from 'p-limit';
import type { Destination } from '../../core/destination.ts';
import { Fault } from '../../core/fault.ts';
import { iso } from '../../core/instant.ts';
import { revisionOf } from '../../core/revision.ts';
import type { Definition } from '../../people/contract.ts';
import { type DefinitionKind, RefusedDefinition } from '../../people/definitions.ts';
import { changedDestinations } from '../audit.ts';
import { type Connected, changesOf, definitionFields, definitionIn } from '../audited.ts';
import { questionsOf } from '../caller.ts';
import type {
  Audience,
  AudienceChange,
  ComputedTrait,
  ComputedTraitChange,
  NewAudience,
  NewComputedTrait,
} from '../contract.ts';
import { oldestFirst, pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { fileSender } from '../download.ts';
import { instant, invalidInput, refuse } from '../input.ts';
import { EXPORT_PAGE, exportName, memberFile } from '../member-export.ts';
import { type CommonView, commonView, listedMemberView, openMember, sealMember } from '../people-views.ts';
import * as schemas from '../schemas/audience.ts';
import { bound } from '../schemas/field.ts';
import { DEFAULT_LIMIT, pageOf, pageQuery } from '../schemas/page.ts';
import { closed, list, object, optionals, type SchemaOf } from '../schemas/shape.ts';
import { expectedBy } from '../versions.ts';
import { type AdminApp, ifMatch, media, nothing, refusals, type routesOf } from './route.ts';

/** The differences between the routes of audiences and of computed traits. */
export interface DefinitionRoutes {
  readonly kind: DefinitionKind;
  readonly routes: ReturnType<typeof routesOf>;
  /** Name in texts: `audience`, `computed trait`. */
  readonly called: string;
  /** Name in operation ids: `Audience`. */
  readonly operation: string;
  readonly shapes: {
    readonly one: SchemaOf<Defined>;
    readonly made: SchemaOf<NewAudience | NewComputedTrait>;
    readonly change: SchemaOf<AudienceChange | ComputedTraitChange>;
  };
}

type Defined = CommonView & Pick<Audience | ComputedTrait, 'definition'>;

const sizesQuery = closed(optionals({ from: bound, to: bound }));

const sizes = object({ items: list(schemas.SizePoint) });

const exported = media<Readable>('The file', 'text/csv', 'application/x-ndjson');

const DAY = 24 * 60 * 60 * 1000;

/** The common routes of audiences and computed traits. */
export function definitionRoutes(
  app: AdminApp,
  deps: AdminDeps,
  change: LimitFunction,
  { kind, routes, called, operation, shapes: { one, made, change: changed } }: DefinitionRoutes,
): void {
  const path = `/${kind}s` as const;
  const { people, settings, clock } = deps;
  const { definitions } = people;
  const connected = (definition: Definition, destinations: readonly Destination[]): Connected => {
    const ofIt = destinations.filter(({ sourceIds }) => sourceIds.includes(definition.sourceId));
    return { ...definition, revision: definitions.revision(definition), destinationIds: ofIt.map(({ id }) => id) };
  };
  const view = (from: Definition): Defined => ({
    ...commonView(connected(from, settings.destinations()), people.status().rebuilding),
    definition: definitionIn(from),
  });
  /** Makes a change, and notes for the audit log what it changed in the definition and in destinations. */
  const audited = async <T extends { readonly before: Definition | null; readonly after: Definition | null }>(
    request: FastifyRequest,
    work: () => Promise<T>,
  ): Promise<T> => {
    const destinations = settings.destinations();
    const made = await work().finally(() => {
      request.auditBeside = changedDestinations(destinations, settings);
    });
    const before = made.before && connected(made.before, destinations);
    const after = made.after && connected(made.after, settings.destinations());
    request.auditChanges = changesOf(definitionFields, before, after);
    return made;
  };
  const get = (id: string): Promise<Definition> => definitions.get(kind, id);

  routes.post(path, {
    action: `${kind}.create`,
    operationId: `create${operation}`,
    summary: `Create ${withArticle(called)}`,
    description:
      'Everybody is decided of, and then every change is followed. Its identify calls are sent under a source of its ' +
      'own, to `destinationIds`.',
    body: made,
    response: { 201: one, ...refusals() },
    handler: (request, reply) =>
      change(async () => {
        const { after } = await audited(request, async () => ({
          before: null,
          after: await definitions.create(kind, request.body).catch(asInput),
        }));
        return reply.header('location', `/api${path}/${after.id}`).send(view(after));
      }),
  });

  routes.get(path, {
    role: 'observer',
    operationId: `list${operation}s`,
    summary: `List ${called}s, oldest first`,
    querystring: pageQuery,
    response: { 200: pageOf(one), ...refusals() },
    handler: async ({ query }) => pageOfAll(await definitions.list(kind), oldestFirst, query, view),
  });

  routes.get(`${path}/:id`, {
    role: 'observer',
    operationId: `get${operation}`,
    summary: `Get ${withArticle(called)}`,
    response: { 200: one, ...refusals(404) },
    handler: async ({ params }) => view(await get(params.id)),
  });

  routes.patch(`${path}/:id`, {
    action: `${kind}.update`,
    operationId: `update${operation}`,
    summary: `Change ${withArticle(called)}`,
    description: 'After a change of the definition each person is evaluated again, and only differences are sent.',
    headers: ifMatch,
    body: changed,
    response: { 200: one, ...refusals(404, 412) },
    handler: (request) =>
      change(async () => {
        const { params, body } = request;
        const update = () => definitions.update(kind, params.id, body, expectedBy(request)).catch(asInput);
        return view((await audited(request, update)).after);
      }),
  });

  routes.delete(`${path}/:id`, {
    action: `${kind}.delete`,
    operationId: `delete${operation}`,
    summary: `Delete ${withArticle(called)}, with its source`,
    description: 'Nothing more is sent, also no call that says that it is gone.',
    headers: ifMatch,
    response: { 204: nothing, ...refusals(404, 409, 412) },
    handler: (request) =>
      change(async () => {
        const before = await get(request.params.id);
        await audited(request, async () => {
          await definitions.delete(kind, before.id, expectedBy(request));
          return { before, after: null };
        });
      }),
  });

  routes.post(`${path}/:id/sync`, {
    action: `${kind}.sync`,
    operationId: `sync${operation}`,
    summary: 'Tell every member again',
    description: 'Refused with 409 while it is being computed or synced.',
    response: { 202: one, ...refusals(404, 409) },
    handler: async ({ params }) => view(await definitions.sync(kind, params.id)),
  });

  routes.get(`${path}/:id/members`, {
    operationId: `list${operation}Members`,
    summary:
      'The persons in it, with their value and since when: those who joined last first, or those whom a text finds',
    querystring: schemas.membersQuery,
    response: { 200: schemas.Members, ...refusals(404) },
    handler: async (request) => {
      const { id } = await get(request.params.id);
      const { prefix, cursor, limit = DEFAULT_LIMIT } = request.query;
      const queries = questionsOf(deps, request);
      if (prefix !== undefined) {
        if (cursor !== undefined) refuse('cursor', 'is for all; a longer prefix finds the others');
        const { items, more } = await queries.findMembers(id, prefix, limit);
        return { items: items.map(listedMemberView), next: null, more };
      }
      const found = await queries.members(id, cursor === undefined ? null : openMember(cursor), limit + 1);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(listedMemberView),
        next: last && found.length > limit ? sealMember(last) : null,
        more: false,
      };
    },
  });

  const sendFile = fileSender(app, deps);

  routes.get(`${path}/:id/members/export`, {
    action: `${kind}.export`,
    operationId: `export${operation}Members`,
    summary: 'All of them as one file',
    description:
      'CSV (RFC 4180, with a header, UTF-8 with a byte order mark) or one JSON object a line, those who joined last first, while they are read. In CSV, a text that a ' +
      "spreadsheet would take for a formula begins with `'`. An answer that breaks off is not complete; so is one whose definition " +
      'was changed meanwhile, or where profiles were rebuilt. At most 10 at once, 2 of them of one caller. Refused with 409 while it is being computed. It is in the audit log.',
    querystring: schemas.exportQuery,
    response: { 200: exported, ...refusals(404, 409) },
    handler: async (request, reply) => {
      const { format } = request.query;
      const queries = questionsOf(deps, request);
      const begun = await settled(request.params.id);
      const newest = await queries.lastPerson();
      const first = await queries.members(begun.id, null, EXPORT_PAGE);
      const file = memberFile({
        ...{ format, first, isTrait: kind === 'trait' },
        read: (before, limit) => queries.members(begun.id, before, limit),
        async check() {
          const now = await settled(begun.id);
          const isOther = revisionOf(now) !== revisionOf(begun) || (await queries.firstPerson()) > newest;
          if (isOther) throw new Fault('conflict', 'It was changed, or profiles were rebuilt, while it was exported.');
        },
      });
      const type = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson';
      return sendFile(request, reply, { type, name: exportName(begun.key, format, clock.now()) }, file);
    },
  });

  /** @throws Fault `conflict` until it is decided for everybody: a file would lack members without saying so. */
  async function settled(id: string): Promise<Definition> {
    const definition = await get(id);
    const isWhole = definition.job === null || definition.job.kind === 'sync';
    if (isWhole && !people.status().rebuilding) return definition;
    throw new Fault('conflict', `The ${called} is being computed; export it when that is done.`);
  }

  routes.get(`${path}/:id/sizes`, {
    role: 'observer',
    operationId: `list${operation}Sizes`,
    summary: 'How large it was at each full hour',
    description: 'Of the last 30 days unless `from` and `to` say otherwise.',
    querystring: sizesQuery,
    response: { 200: sizes, ...refusals(404) },
    handler: async (request) => {
      const { params, query } = request;
      const to = instant(query.to, 'to') ?? clock.now();
      const from = instant(query.from, 'from') ?? to - 30 * DAY;
      if (from >= to) refuse('to', 'must be later than from');
      const { id } = await get(params.id);
      const found = await questionsOf(deps, request).sizes(id, from);
      return { items: found.filter(({ at }) => at < to).map(({ at, size }) => ({ at: iso(at), size })) };
    },
  });
}

/** For `catch`: turns a definition that people/ refuses into wrong input. */
export function asInput(error: unknown): never {
  throw error instanceof RefusedDefinition ? invalidInput(error.errors) : error;
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
