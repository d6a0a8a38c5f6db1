import { Fault } from '../../core/fault.ts';
import { readJson } from '../../core/json.ts';
import type { Scalar } from '../../core/value-test.ts';
import { findHolding } from '../../people/previews.ts';
import { questionsOf } from '../caller.ts';
import type { FoundPeople } from '../contract.ts';
import { placeIn, sealNext } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { refuse } from '../input.ts';
import { eventsView, foundPersonView, openEvent, personView } from '../people-views.ts';
import * as schemas from '../schemas/audience.ts';
import { DEFAULT_LIMIT, pageOf, pageQuery } from '../schemas/page.ts';
import {
  JoinedPerson,
  NewIdentity,
  PeopleStatus,
  Person,
  PersonEvent,
  peopleQuery,
  personId,
} from '../schemas/person.ts';
import { object } from '../schemas/shape.ts';
import { type AdminApp, accepted, found, leftBy, nothing, refusals, routesOf } from './route.ts';

const personParams = object({ id: personId });

const identityParams = object({ id: personId, identity: personId });

/** The profiles of persons. */
export function peopleRoutes(app: AdminApp, deps: AdminDeps): void {
  const routes = routesOf(app, 'Profiles');
  const { people, clock, settings, collect, isPlaceholderId } = deps;
  const { definitions } = people;

  routes.get('/people', {
    operationId: 'findPeople',
    summary: 'Persons by the beginning of an id or a name, or by the value of any trait',
    description:
      'With `prefix`: those one of whose ids begins with it (upper and lower case told apart), or `email`, `name`, `firstName`, `lastName`, ' +
      '`username` or `phone`, in any case; without, the first of all. With `trait` and `value`: all persons are looked through for as long as half a second; a page may ' +
      'hold few of them, or none, and still have a next one.',
    querystring: peopleQuery,
    response: { 200: schemas.FoundPeople, ...refusals() },
    handler: async (request, reply): Promise<FoundPeople> => {
      const { prefix, trait, value, cursor, limit = DEFAULT_LIMIT } = request.query;
      const queries = questionsOf(deps, request);
      if (trait === undefined) {
        if (value !== undefined) refuse('value', 'needs a trait');
        if (cursor !== undefined) refuse('cursor', 'is for a trait; a longer prefix finds the others');
        const { items, more } = await queries.find(prefix ?? '', limit);
        return { items: items.map(foundPersonView), next: null, more, searched: null };
      }
      if (prefix !== undefined) refuse('prefix', 'can not be asked for together with a trait');
      if (value === undefined) refuse('value', 'is missing');
      const { items, next, searched } = await findHolding(
        queries,
        { trait, is: { in: scalarsOf(value) } },
        { after: placeIn(cursor), limit, now: () => clock.now(), signal: leftBy(reply) },
      );
      return {
        items: items.map((one) => foundPersonView({ ...one, trait, value })),
        ...{ next: sealNext(next), more: false, searched },
      };
    },
  });

  routes.get('/people/:id', {
    operationId: 'getPerson',
    summary: 'What is known of a person, by any of their ids',
    params: personParams,
    response: { 200: Person, ...refusals(404) },
    handler: async (request) => {
      const { id } = request.params;
      const person = found(await questionsOf(deps, request).person(id, clock.now()), `person ${id}`);
      return personView(person, id, await definitions.list());
    },
  });

  routes.get('/people/:id/events', {
    operationId: 'listPersonEvents',
    summary: 'What a person did, newest first, by when it happened',
    description: 'A page may hold fewer than its limit and still have a next one, where their properties are long.',
    params: personParams,
    querystring: pageQuery,
    response: { 200: pageOf(PersonEvent), ...refusals(404) },
    handler: async (request) => {
      const { id } = request.params;
      const { cursor, limit = DEFAULT_LIMIT } = request.query;
      const before = cursor === undefined ? null : openEvent(cursor);
      return eventsView(found(await questionsOf(deps, request).events(id, before, limit), `person ${id}`));
    },
  });

  routes.post('/people/:id/identities', {
    action: 'person.join',
    operationId: 'joinPerson',
    summary: 'Say that another id is this person’s too',
    description:
      'Sends an alias call with the person’s user id as the new one under a server source, which is delivered like any other; ' +
      'of a person without one, with the other id as the new one. Who is who is decided when it is taken in.',
    params: personParams,
    body: NewIdentity,
    response: { 202: accepted, ...refusals(404, 409) },
    handler: async (request) => {
      const { body } = request;
      const { id } = request.params;
      const queries = questionsOf(deps, request);
      const source = settings.source(body.sourceId);
      if (source?.type !== 'server' || source.sentBy !== undefined) refuse('sourceId', 'names no server source');
      if (isPlaceholderId(body.id)) refuse('id', 'is no id: many callers send it in the place of one');
      const { userId, identities } = found(await queries.person(id, clock.now()), `person ${id}`);
      if (identities.some((one) => one.id === body.id)) refuse('id', 'is theirs already');
      if (userId === null && (await queries.person(body.id, clock.now()))?.userId === null)
        throw new Fault(
          'conflict',
          'Neither id is a user’s yet: a call with a userId and the anonymousId joins each to it',
        );
      // For a visitor without a user id the direction is reversed: as the new id of an alias, the visitor's id would become a
      // user id.
      const ids = userId === null ? { userId: body.id, previousId: id } : { userId, previousId: body.id };
      const call = { type: 'alias', ...ids };
      for (const { message } of await collect(source.id, [call])) throw new Fault('conflict', message);
      return null;
    },
  });

  routes.delete('/people/:id/identities/:identity', {
    action: 'person.take_out',
    operationId: 'takeIdentityOut',
    summary: 'Take an id out of a person',
    description:
      'The person keeps what they are and did; the id is a person of its own, of whom nothing else is known. What calls ' +
      'say later decides anew, and so does a rebuild by what the log still has.',
    params: identityParams,
    response: { 204: nothing, ...refusals(404, 409) },
    handler: async (request) => {
      const { id, identity } = request.params;
      const { identities } = found(await questionsOf(deps, request).person(id, clock.now()), `person ${id}`);
      found(
        identities.find((one) => one.id === identity),
        `id ${identity} of this person`,
      );
      await people.takeOut(identity);
    },
  });

  routes.get('/profiles/status', {
    role: 'observer',
    operationId: 'getPeopleStatus',
    summary: 'How many persons are known, and what is still to be done',
    response: { 200: PeopleStatus, ...refusals() },
    handler: () => people.state(),
  });

  routes.get('/profiles/joined', {
    operationId: 'listJoined',
    summary: 'Persons who have several user ids',
    description:
      'What an older version joined stays joined until a rebuild. Persons without `aliased` would not be joined today; of the ' +
      'others an older version does not say whether the alias was a server’s. A page may hold fewer than its limit and still ' +
      'have a next one.',
    querystring: pageQuery,
    response: { 200: pageOf(JoinedPerson), ...refusals() },
    handler: async (request) => {
      const { cursor, limit = DEFAULT_LIMIT } = request.query;
      const { items, next } = await questionsOf(deps, request).joined(placeIn(cursor), limit);
      return {
        items: items.map(({ userId, userIds, isAliased }) => {
          return { userId: userId ?? userIds[0] ?? '', userIds, aliased: isAliased };
        }),
        next: sealNext(next),
      };
    },
  });

  routes.post('/profiles/rebuild', {
    action: 'profiles.rebuild',
    operationId: 'rebuildProfiles',
    summary: 'Forget all persons and take them in again from the log',
    description:
      'What the log no longer holds is lost. Millrace remembers what it sent before, so only differences are sent; of persons whom the log no longer holds nothing is told. ' +
      'Nothing is decided until the log has been read.',
    response: { 202: PeopleStatus, ...refusals() },
    handler: async () => {
      await people.rebuild();
      return people.state();
    },
  });
}

/** The trait values that a typed text may mean: the text, and its value as JSON. */
function scalarsOf(typed: string): Scalar[] {
  const json = readJson(typed);
  if (typeof json === 'string') return [json];
  const isScalar = json === null || typeof json === 'boolean' || Number.isFinite(json);
  return isScalar ? [typed, json as Scalar] : [typed];
}
