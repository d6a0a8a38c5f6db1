import Type from 'typebox';
import type { PersonName } from '../contract.ts';
import type { AdminDeps } from '../deps.ts';
import { personNameView, personView } from '../people-views.ts';
import * as audience from '../schemas/audience.ts';
import { DEFAULT_LIMIT } from '../schemas/page.ts';
import { PeopleStatus, Person, peopleQuery, personId } from '../schemas/person.ts';
import { ref, type SchemaOf } from '../schemas/shape.ts';
import { type AdminApp, found, refusals } from './route.ts';

const tags = ['Profiles'];

const personParams: SchemaOf<{ id: string }> = Type.Unsafe<{ id: string }>(Type.Object({ id: personId }));

const names: SchemaOf<{ items: PersonName[] }> = Type.Unsafe<{ items: PersonName[] }>(
  Type.Object({ items: Type.Array(ref(audience.PersonName)) }),
);

/** What is known of the persons that calls speak of. */
export function peopleRoutes(app: AdminApp, { people, clock }: AdminDeps): void {
  const { definitions, queries } = people;

  app.get(
    '/people',
    {
      schema: {
        operationId: 'findPeople',
        summary: 'Persons one of whose ids begins with a text, by that id; without a text the first of all',
        tags,
        querystring: peopleQuery,
        response: { 200: names, ...refusals(400, 503) },
      },
    },
    async ({ query }) => {
      const some = await queries.find(query.prefix ?? '', query.limit ?? DEFAULT_LIMIT);
      return { items: some.map(personNameView) };
    },
  );

  app.get(
    '/people/:id',
    {
      schema: {
        operationId: 'getPerson',
        summary: 'What is known of a person, by any of their ids',
        tags,
        params: personParams,
        response: { 200: ref(Person), ...refusals(404, 503) },
      },
    },
    async ({ params: { id } }) => {
      const person = found(await queries.person(id, clock.now()), `person ${id}`);
      return personView(person, id, await definitions.list());
    },
  );

  app.get(
    '/profiles/status',
    {
      config: { role: 'observer' },
      schema: {
        operationId: 'getPeopleStatus',
        summary: 'How many persons are known, and what is still to be done',
        tags,
        response: { 200: ref(PeopleStatus), ...refusals(503) },
      },
    },
    () => people.state(),
  );

  app.post(
    '/profiles/rebuild',
    {
      config: { action: 'profiles.rebuild' },
      schema: {
        operationId: 'rebuildProfiles',
        summary: 'Forget all persons and take them in again from the log',
        description:
          'What the log no longer holds is lost. What was told before stays known, so that only differences are told. ' +
          'Nothing is decided until the log has been read.',
        tags,
        response: { 202: ref(PeopleStatus), ...refusals(503) },
      },
    },
    async (_, reply) => {
      await people.rebuild();
      return reply.code(202).send(await people.state());
    },
  );
}
