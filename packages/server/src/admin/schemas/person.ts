import Type, { type Static } from 'typebox';
import { Condition, seenType } from './definition.ts';
import { anyObject, count, id, share, textOrNull, time, timeOrNull, whole } from './field.ts';
import { paged } from './page.ts';
import {
  answer,
  closed,
  described,
  flag,
  input,
  list,
  named,
  nullable,
  object,
  oneOf,
  optionals,
  placed,
  type SchemaOf,
  text,
} from './shape.ts';

/** The most characters of an id in a call: more than the collection API accepts. */
const LONGEST_ID = 8_000;

export const personId = text({
  minLength: 1,
  maxLength: LONGEST_ID,
  description: "Any of the person's ids, as calls gave it",
});

export const personName = {
  userId: nullable(text('The id they are spoken to by; null while no call has given one')),
  id: text('One of their ids: what `/api/people/{id}` takes'),
};

const owner = { id, name: text(), key: text() };

const value = Type.Unknown();

export type PersonEvent = Static<typeof PersonEvent>;
export const PersonEvent = answer('PersonEvent', {
  at: time,
  type: seenType,
  name: described(textOrNull, 'Of the event, the page or the screen; null where there is none'),
  properties: anyObject,
  messageId: text(),
});

export type PersonIdentity = Static<typeof PersonIdentity>;
export const PersonIdentity = object({
  id: text(),
  userIdSince: described(
    timeOrNull,
    'When a call first carried it as `userId`; null for one that was only an `anonymousId` or `previousId`',
  ),
  aliasedAt: described(
    timeOrNull,
    'Of the newest alias of a server source that had it as its new id, or left it behind: it counts as a user id then; null when none did',
  ),
});

export type NotJoined = Static<typeof NotJoined>;
export const NotJoined = object({
  id: text(),
  sourceId: id,
  why: oneOf(
    ['user', 'unknown', 'limit'],
    "`user`: another user's, and only a server's alias joins two; `unknown`: no call carried it; `limit`: too many ids",
  ),
  at: time,
});

export type PersonTrait = Static<typeof PersonTrait>;
export const PersonTrait = object({ name: text(), value, at: described(time, 'Of the call that said so') });

export type Person = Static<typeof Person>;
export const Person = answer('Person', {
  ...personName,
  identities: list(PersonIdentity, 'Everything calls have named them by'),
  notJoined: list(NotJoined, 'Ids that calls named beside theirs and that were not joined, the newest first'),
  traits: list(PersonTrait),
  groups: list(object({ id: text(), traits: anyObject })),
  notShown: whole(0, 'Traits and groups that are left out because there are too many, or too long'),
  events: list(PersonEvent, 'The newest, newest first, by when they happened'),
  nextEvents: nullable(text('The `cursor` of `/api/people/{id}/events` for those before; null when these are all')),
  audiences: list(object(owner)),
  computedTraits: list(object({ ...owner, value })),
});

/** A person with several user ids. */
export type JoinedPerson = Static<typeof JoinedPerson>;
export const JoinedPerson = answer('JoinedPerson', {
  userId: text(),
  userIds: list(text()),
  aliased: flag("An alias call named one of them. Without one, today's rules would not have joined them"),
});

export type NewIdentity = Static<typeof NewIdentity>;
export const NewIdentity = input(
  'NewIdentity',
  { id: personId, sourceId: text('A server source: the alias is sent under it') },
  { examples: [{ id: 'u1-old', sourceId: 'src_nbswy3dpeb3w64tm' }] },
);

export const peopleQuery = closed({
  ...optionals({
    prefix: text({ maxLength: LONGEST_ID, description: 'What one of their ids or names begins with' }),
    trait: text({ minLength: 1, maxLength: 1_000, description: 'Name of a trait that has the `value`' }),
    value: text({
      maxLength: 2_000,
      description:
        'Of the `trait`: this text in upper and lower case as it is, or this number, boolean or null; in quotes only the text',
      examples: ['pro'],
    }),
  }),
  ...paged,
});

/** A tree with the form of the condition. Not derived from a schema, because it is recursive. */
export type Reason = { value: boolean; changesAt: string | null } & (
  | { all: readonly Reason[] }
  | { any: readonly Reason[] }
  | { not: Reason }
  | { trait: string; found: { value: unknown; at: string } | null }
  | { groupTrait: string; found: readonly { groupId: string; value: unknown }[] }
  | { events: number; newest: readonly { messageId: string; at: string }[] }
  | { audience: string }
);

const reason: SchemaOf<Reason> = Type.Unsafe(Type.Ref('Reason'));
const decided = {
  value: flag(),
  changesAt: described(timeOrNull, 'When time alone will change the value; null for never'),
};

export const Reason: SchemaOf<Reason> = named('Reason', {
  ...Type.Union([
    object({ ...decided, all: list(reason) }),
    object({ ...decided, any: list(reason) }),
    object({ ...decided, not: reason }),
    object({
      ...{ ...decided, trait: text() },
      found: nullable(object({ value, at: time }), "The person's value and its time"),
    }),
    object({
      ...{ ...decided, groupTrait: text() },
      found: list(object({ groupId: text(), value }), "The person's groups that have the trait"),
    }),
    object({
      ...{ ...decided, events: whole(0, 'How many events count') },
      newest: list(object({ messageId: text(), at: time }), 'The newest of them, newest first'),
    }),
    object({ ...decided, audience: text() }),
  ]),
  description: "A tree of the condition's own form, each node with its value and what decides it",
});

export type Why = Static<typeof Why>;
export const Why = answer(
  'Why',
  {
    audienceId: id,
    definition: Type.Unsafe<unknown>(placed(Condition)),
    reason: Reason,
  },
  'Why a person is in an audience, or is not: the reason has the form of the definition as it is now',
);

export const whyQuery = closed({ person: personId });

export type PeopleStatus = Static<typeof PeopleStatus>;
export const PeopleStatus = answer('PeopleStatus', {
  persons: count,
  lag: whole(0, 'Calls that were accepted and are not taken in yet, but for those that a rebuild will come to'),
  outbox: whole(0, 'Identify calls of audiences and traits that wait to be sent'),
  rebuilding: nullable(described(share, 'How much of the log a rebuild has read; null when there is none')),
});
