import Type from 'typebox';
import type * as contract from '../contract.ts';
import { Condition, TraitDefinition } from './definition.ts';
import { anyObject, count, id, name, revision, textOrNull, time, timeOrNull } from './field.ts';
import { cursor, limit, next, type PageQuery } from './page.ts';
import type { SchemaOf } from './shape.ts';
import { named, nullable, ref } from './shape.ts';

const closed = { additionalProperties: false };

const destinationIds = Type.Array(id, {
  maxItems: 1000,
  uniqueItems: true,
  description: 'The destinations its identify calls go to',
});

const key: SchemaOf<string> = Type.Unsafe<string>(
  Type.String({
    minLength: 1,
    maxLength: 1000,
    description:
      "The trait's name in the identify calls: lower-case words joined by `_`. Made of the name when absent, and fixed " +
      'once it is made',
    examples: ['order_completed_last_30days'],
  }),
);

/** What audiences and computed traits have in common, beside their definition. */
const defined = {
  id,
  name: Type.String(),
  key: Type.String(),
  sourceId: id,
  destinationIds: Type.Array(id),
  state: Type.Enum(['live', 'computing', 'syncing'], {
    type: 'string',
    description:
      '`live`: every change is followed; `computing`: it is being decided of everybody; `syncing`: every member is told again',
  }),
  progress: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Of 1; null while it is live' })),
  size: Type.Integer({ minimum: 0, description: 'Members, or persons with a value' }),
  sentAt: timeOrNull,
  createdAt: time,
  updatedAt: time,
  revision,
};

const ORDERED = { event: { name: 'Order Completed' }, during: { lastDays: 30 } };
const TOTAL = { compute: { sum: 'total' }, event: { name: 'Order Completed' }, during: { lastDays: 90 } };

export const Audience: SchemaOf<contract.Audience> = named<contract.Audience>()(
  'Audience',
  Type.Object({ ...defined, definition: ref(Condition) }),
);

export const ComputedTrait: SchemaOf<contract.ComputedTrait> = named<contract.ComputedTrait>()(
  'ComputedTrait',
  Type.Object({ ...defined, definition: ref(TraitDefinition) }),
);

const made = { name, key: Type.Optional(key), destinationIds: Type.Optional(destinationIds) };

export const NewAudience: SchemaOf<contract.NewAudience> = named<contract.NewAudience>()(
  'NewAudience',
  Type.Object(
    { ...made, definition: ref(Condition) },
    { ...closed, examples: [{ name: 'order completed last 30 days', definition: ORDERED }] },
  ),
);

export const NewComputedTrait: SchemaOf<contract.NewComputedTrait> = named<contract.NewComputedTrait>()(
  'NewComputedTrait',
  Type.Object(
    { ...made, definition: ref(TraitDefinition) },
    { ...closed, examples: [{ name: 'Order total last 90 days', definition: TOTAL }] },
  ),
);

const changed = { name: Type.Optional(name), destinationIds: Type.Optional(destinationIds) };

export const AudienceChange: SchemaOf<contract.AudienceChange> = named<contract.AudienceChange>()(
  'AudienceChange',
  Type.Object(
    { ...changed, definition: Type.Optional(ref(Condition)) },
    { ...closed, description: 'What is absent stays as it is', examples: [{ destinationIds: [] }] },
  ),
);

export const ComputedTraitChange: SchemaOf<contract.ComputedTraitChange> = named<contract.ComputedTraitChange>()(
  'ComputedTraitChange',
  Type.Object(
    { ...changed, definition: Type.Optional(ref(TraitDefinition)) },
    { ...closed, description: 'What is absent stays as it is', examples: [{ destinationIds: [] }] },
  ),
);

const namedForKey = Type.Optional(
  Type.String({ maxLength: 200, description: 'As far as it is typed; gives the answer its `key`' }),
);

export const AudienceToPreview: SchemaOf<contract.AudienceToPreview> = named<contract.AudienceToPreview>()(
  'AudienceToPreview',
  Type.Object({ definition: ref(Condition), name: namedForKey }, { ...closed, examples: [{ definition: ORDERED }] }),
);

export const ComputedTraitToPreview: SchemaOf<contract.ComputedTraitToPreview> =
  named<contract.ComputedTraitToPreview>()(
    'ComputedTraitToPreview',
    Type.Object(
      { definition: ref(TraitDefinition), name: namedForKey },
      { ...closed, examples: [{ definition: TOTAL }] },
    ),
  );

const personName = {
  userId: nullable(Type.String({ description: 'The id they are spoken to by; null while no call has given one' })),
  id: Type.String({ description: 'One of their ids' }),
};

const valued = {
  ...personName,
  value: Type.Unknown({ description: '`true` in an audience; the value of a computed trait' }),
};

export const PersonName: SchemaOf<contract.PersonName> = named<contract.PersonName>()(
  'PersonName',
  Type.Object(personName),
);

export const ListedMember: SchemaOf<contract.ListedMember> = named<contract.ListedMember>()(
  'ListedMember',
  Type.Object({
    ...valued,
    joinedAt: nullable(
      Type.String({
        format: 'date-time',
        description: 'When it was decided that they are in; null for those who were before the service kept it',
      }),
    ),
    ids: Type.Array(Type.String(), { description: 'What they are known by, the user id first; 10 at most' }),
    names: Type.Unsafe<Record<string, unknown>>({
      ...anyObject,
      description: 'Those of `email`, `name`, `firstName`, `lastName`, `username` and `phone` that are known',
    }),
  }),
);

export const Members: SchemaOf<contract.Members> = named<contract.Members>()(
  'Members',
  Type.Object({
    items: Type.Array(ref(ListedMember)),
    next,
    more: Type.Boolean({
      description:
        'More were found than are listed, or there is too much that begins with the `prefix` to look at: a longer one finds them',
    }),
  }),
);

export interface MembersQuery extends PageQuery {
  prefix?: string;
}

export const membersQuery: SchemaOf<MembersQuery> = Type.Unsafe<MembersQuery>(
  Type.Object(
    {
      prefix: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1_000, description: 'What one of their ids or names begins with' }),
      ),
      cursor: Type.Optional(cursor),
      limit: Type.Optional(limit),
    },
    closed,
  ),
);

export interface ExportQuery {
  format: 'csv' | 'ndjson';
}

export const exportQuery: SchemaOf<ExportQuery> = Type.Unsafe<ExportQuery>(
  Type.Object({ format: Type.Enum(['csv', 'ndjson'], { type: 'string' }) }, closed),
);

export const FoundPerson: SchemaOf<contract.FoundPerson> = named<contract.FoundPerson>()(
  'FoundPerson',
  Type.Object({
    ...personName,
    foundBy: Type.Object({
      trait: nullable(Type.String({ description: 'Null where one of their ids begins with the text' })),
      value: Type.String(),
    }),
  }),
);

export const FoundPeople: SchemaOf<contract.FoundPeople> = named<contract.FoundPeople>()(
  'FoundPeople',
  Type.Object({
    items: Type.Array(ref(FoundPerson)),
    next,
    more: Type.Boolean({ description: 'There are others that the `prefix` finds: a longer one finds them' }),
    searched: nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'How much of all persons was looked through for the `trait` up to the end of this page; null for a `prefix`',
      }),
    ),
  }),
);

export const Member: SchemaOf<contract.Member> = named<contract.Member>()('Member', Type.Object(valued));

export const AudiencePreview: SchemaOf<contract.AudiencePreview> = named<contract.AudiencePreview>()(
  'AudiencePreview',
  Type.Object({
    size: Type.Integer({ minimum: 0, description: 'How many members there would be now' }),
    persons: Type.Integer({ minimum: 0, description: 'How many persons there are' }),
    sample: Type.Array(ref(PersonName)),
    key: textOrNull,
  }),
);

export const ComputedTraitPreview: SchemaOf<contract.ComputedTraitPreview> = named<contract.ComputedTraitPreview>()(
  'ComputedTraitPreview',
  Type.Object({ sample: Type.Array(ref(Member)), key: textOrNull }),
);

export const SizePoint: SchemaOf<contract.SizePoint> = named<contract.SizePoint>()(
  'SizePoint',
  Type.Object({ at: time, size: count }),
);

export const Suggestions: SchemaOf<contract.Suggestions> = named<contract.Suggestions>()(
  'Suggestions',
  Type.Object({
    items: Type.Array(
      Type.Object({
        value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
        count,
      }),
      { description: 'The most frequent first, at most 200' },
    ),
    counted: Type.Enum(['events', 'persons', 'groups'], { type: 'string', description: 'What `count` counts' }),
    of: nullable(
      Type.Integer({
        minimum: 0,
        description:
          'How many were looked at, the newest; null for names of events: of each, the events of the last 7 days, up to 10,000',
      }),
    ),
  }),
);

export interface SuggestionsQuery {
  of: 'event' | 'property' | 'trait' | 'groupTrait';
  type?: 'track' | 'page' | 'screen';
  event?: string;
  name?: string;
  text?: string;
}

const asked = Type.String({ minLength: 1, maxLength: 1000 });

export const suggestionsQuery: SchemaOf<SuggestionsQuery> = Type.Unsafe<SuggestionsQuery>(
  Type.Object(
    {
      of: Type.Enum(['event', 'property', 'trait', 'groupTrait'], { type: 'string' }),
      type: Type.Optional(
        Type.Enum(['track', 'page', 'screen'], {
          type: 'string',
          default: 'track',
          description: 'Of an event, or of the event that has the property',
        }),
      ),
      event: Type.Optional(
        Type.Unsafe<string>({ ...asked, description: 'Name of the event that has the property; absent for any' }),
      ),
      name: Type.Optional(
        Type.Unsafe<string>({
          ...asked,
          description: 'A property or trait: its values are answered; absent for the names',
        }),
      ),
      text: Type.Optional(
        Type.String({ maxLength: 200, description: 'A part of the name of an event, in any case of ASCII letters' }),
      ),
    },
    { additionalProperties: false },
  ),
);
