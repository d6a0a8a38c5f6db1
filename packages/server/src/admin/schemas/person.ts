import Type from 'typebox';
import type * as contract from '../contract.ts';
import { Condition } from './definition.ts';
import { anyObject, count, id, time } from './field.ts';
import { cursor, limit } from './page.ts';
import type { SchemaOf } from './shape.ts';
import { named, nameOf, nullable, ref } from './shape.ts';

/** Of an id that calls carry, in characters: what the collection API may let through, with room. */
const LONGEST_ID = 8_000;

export const personId: SchemaOf<string> = Type.Unsafe<string>(
  Type.String({ minLength: 1, maxLength: LONGEST_ID, description: "Any of the person's ids, as calls gave it" }),
);

const owner = { id, name: Type.String(), key: Type.String() };

export const PersonEvent: SchemaOf<contract.PersonEvent> = named<contract.PersonEvent>()(
  'PersonEvent',
  Type.Object({
    at: time,
    type: Type.Enum(['track', 'page', 'screen'], { type: 'string' }),
    name: nullable(Type.String()),
    properties: anyObject,
    messageId: Type.String(),
  }),
);

export const Person: SchemaOf<contract.Person> = named<contract.Person>()(
  'Person',
  Type.Object({
    userId: nullable(Type.String({ description: 'The id they are spoken to by; null while no call has given one' })),
    id: Type.String(),
    identities: Type.Array(
      Type.Object({
        id: Type.String(),
        userIdSince: nullable(
          Type.String({
            format: 'date-time',
            description: 'When a call first carried it as `userId`; null for one that was only another kind of id',
          }),
        ),
      }),
    ),
    notJoined: Type.Array(
      Type.Object({
        id: Type.String(),
        sourceId: id,
        why: Type.Enum(['user', 'unknown', 'limit'], {
          type: 'string',
          description:
            "`user`: another user's, and only a server's alias joins two; `unknown`: no call carried it; `limit`: too many ids",
        }),
        at: time,
      }),
      { description: 'Ids that calls named beside theirs and that were not joined, the newest first' },
    ),
    traits: Type.Array(Type.Object({ name: Type.String(), value: Type.Unknown(), at: time })),
    groups: Type.Array(Type.Object({ id: Type.String(), traits: anyObject })),
    notShown: Type.Integer({
      minimum: 0,
      description: 'Traits and groups that are left out because there are too many, or too long',
    }),
    events: Type.Array(ref(PersonEvent), { description: 'The newest, newest first, by when they happened' }),
    nextEvents: nullable(
      Type.String({
        description: 'The `cursor` of `/api/people/{id}/events` for those before; null when these are all',
      }),
    ),
    audiences: Type.Array(Type.Object(owner)),
    computedTraits: Type.Array(Type.Object({ ...owner, value: Type.Unknown() })),
  }),
);

export const JoinedPerson: SchemaOf<contract.JoinedPerson> = named<contract.JoinedPerson>()(
  'JoinedPerson',
  Type.Object({
    userId: Type.String(),
    userIds: Type.Array(Type.String()),
    aliased: Type.Boolean({
      description: "An alias call named one of them. Without one, today's rules would not have joined them",
    }),
  }),
);

export const NewIdentity: SchemaOf<contract.NewIdentity> = named<contract.NewIdentity>()(
  'NewIdentity',
  Type.Object(
    { id: personId, sourceId: Type.String({ description: 'A server source: the alias is sent under it' }) },
    { additionalProperties: false, examples: [{ id: 'u1-old', sourceId: 'src_nbswy3dpeb3w64tm' }] },
  ),
);

export interface PeopleQuery {
  prefix?: string;
  trait?: string;
  value?: string;
  cursor?: string;
  limit?: number;
}

export const peopleQuery: SchemaOf<PeopleQuery> = Type.Unsafe<PeopleQuery>(
  Type.Object(
    {
      prefix: Type.Optional(
        Type.String({ maxLength: LONGEST_ID, description: 'What one of their ids or names begins with' }),
      ),
      trait: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1_000, description: 'Name of a trait that has the `value`' }),
      ),
      value: Type.Optional(
        Type.String({
          maxLength: 2_000,
          description:
            'Of the `trait`: this text in upper and lower case as it is, or this number, boolean or null; in quotes only the text',
          examples: ['pro'],
        }),
      ),
      cursor: Type.Optional(cursor),
      limit: Type.Optional(limit),
    },
    { additionalProperties: false },
  ),
);

const reason = Type.Ref('Reason');
const decided = {
  value: Type.Boolean(),
  changesAt: nullable(
    Type.String({ format: 'date-time', description: 'When time alone will change the value; null for never' }),
  ),
};

/** The type is recursive, which the compiler can't hold against a schema. */
export const Reason: SchemaOf<contract.Reason> = Type.Unsafe<contract.Reason>({
  $id: 'Reason',
  ...Type.Union([
    Type.Object({ ...decided, all: Type.Array(reason) }),
    Type.Object({ ...decided, any: Type.Array(reason) }),
    Type.Object({ ...decided, not: reason }),
    Type.Object({
      ...decided,
      trait: Type.String(),
      found: Type.Union([Type.Object({ value: Type.Unknown(), at: time }), Type.Null()], {
        description: "The person's value and its time",
      }),
    }),
    Type.Object({
      ...decided,
      groupTrait: Type.String(),
      found: Type.Array(Type.Object({ groupId: Type.String(), value: Type.Unknown() }), {
        description: "The person's groups that have the trait",
      }),
    }),
    Type.Object({
      ...decided,
      events: Type.Integer({ minimum: 0, description: 'How many events count' }),
      newest: Type.Array(Type.Object({ messageId: Type.String(), at: time }), {
        description: 'The newest of them, newest first',
      }),
    }),
    Type.Object({ ...decided, audience: Type.String() }),
  ]),
  description: "A tree of the condition's own form, each node with its value and what decides it",
});

export const Why: SchemaOf<contract.Why> = named<contract.Why>()(
  'Why',
  Type.Object({
    audienceId: id,
    definition: Type.Unsafe<unknown>(Type.Ref(nameOf(Condition))),
    reason: ref(Reason),
  }),
);

export interface WhyQuery {
  person: string;
}

export const whyQuery: SchemaOf<WhyQuery> = Type.Unsafe<WhyQuery>(
  Type.Object({ person: personId }, { additionalProperties: false }),
);

export const PeopleStatus: SchemaOf<contract.PeopleStatus> = named<contract.PeopleStatus>()(
  'PeopleStatus',
  Type.Object({
    persons: count,
    lag: Type.Integer({
      minimum: 0,
      description: 'Calls that were accepted and are not taken in yet, but for those that a rebuild will come to',
    }),
    outbox: Type.Integer({ minimum: 0, description: 'Identify calls of audiences and traits that wait to be sent' }),
    rebuilding: nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'How much of the log a rebuild has read; null when there is none',
      }),
    ),
  }),
);
