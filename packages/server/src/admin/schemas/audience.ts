import Type, { type Static } from 'typebox';
import { Condition, seenType, TraitDefinition } from './definition.ts';
import { anyObject, count, id, name, revision, share, textOrNull, time, timeOrNull, whole } from './field.ts';
import { next, paged } from './page.ts';
import { personName } from './person.ts';
import {
  answer,
  closed,
  described,
  flag,
  input,
  list,
  nullable,
  object,
  oneOf,
  optional,
  optionals,
  type SchemaOf,
  text,
} from './shape.ts';

const destinationIds = list(id, { maxItems: 1000, description: 'The destinations its identify calls go to' });

const key = text({
  minLength: 1,
  maxLength: 1000,
  description:
    "The trait's name in the identify calls: lower-case words joined by `_`. Made of the name when absent, and fixed " +
    'once it is made',
  examples: ['order_completed_last_30days'],
});

/** The common fields of audiences and computed traits, without the definition. */
const defined = {
  id,
  name: text(),
  key: text(),
  sourceId: described(id, 'The source its identify calls are sent under'),
  destinationIds: list(id),
  state: oneOf(
    ['live', 'computing', 'syncing'],
    '`live`: every change is followed; `computing`: each person is being evaluated; `syncing`: every member is sent again',
  ),
  progress: nullable(described(share, 'Of 1; null while it is live')),
  size: whole(0, 'Members, or persons with a value'),
  sentAt: described(timeOrNull, 'When the last of its calls was accepted; null when none was'),
  createdAt: time,
  updatedAt: time,
  revision,
};

const change = { description: 'What is absent stays as it is', examples: [{ destinationIds: [] }] };

const namedForKey = optional(
  text({ maxLength: 200, description: 'As far as it is typed; gives the answer its `key`' }),
);

/** The schemas of audiences, or of computed traits: an existing one, a new one, a change, and a preview. */
function schemasOf<D>(
  called: string,
  definition: SchemaOf<D>,
  example: { readonly name: string; readonly definition: D },
) {
  return {
    one: answer(called, { ...defined, definition }),
    made: input(`New${called}`, { name, ...optionals({ key, destinationIds }), definition }, { examples: [example] }),
    change: input(`${called}Change`, optionals({ name, destinationIds, definition }), change),
    toPreview: input(
      `${called}ToPreview`,
      { definition, name: namedForKey },
      { examples: [{ definition: example.definition }] },
    ),
  };
}

export type Audience = Static<typeof audience.one>;
export type NewAudience = Static<typeof audience.made>;
export type AudienceChange = Static<typeof audience.change>;
export const audience = schemasOf('Audience', Condition, {
  name: 'order completed last 30 days',
  definition: { event: { name: 'Order Completed' }, during: { lastDays: 30 } },
});

export type ComputedTrait = Static<typeof computedTrait.one>;
export type NewComputedTrait = Static<typeof computedTrait.made>;
export type ComputedTraitChange = Static<typeof computedTrait.change>;
export const computedTrait = schemasOf('ComputedTrait', TraitDefinition, {
  name: 'Order total last 90 days',
  definition: { compute: { sum: 'total' }, event: { name: 'Order Completed' }, during: { lastDays: 90 } },
});

export type PersonName = Static<typeof PersonName>;
export const PersonName = answer('PersonName', personName);

const valued = {
  ...personName,
  value: Type.Unknown({ description: '`true` in an audience; the value of a computed trait' }),
};

export type Member = Static<typeof Member>;
export const Member = answer('Member', valued);

export type ListedMember = Static<typeof ListedMember>;
export const ListedMember = answer('ListedMember', {
  ...valued,
  joinedAt: described(
    timeOrNull,
    'When it was decided that they are in; null for those who were before the service kept it',
  ),
  ids: list(text(), 'What they are known by, the user id first; 10 at most'),
  names: described(
    anyObject,
    'Those of `email`, `name`, `firstName`, `lastName`, `username` and `phone` that are known',
  ),
});

export type Members = Static<typeof Members>;
export const Members = answer('Members', {
  ...{ items: list(ListedMember), next },
  more: flag(
    'More were found than are listed, or there is too much that begins with the `prefix` to look at: a longer one finds them',
  ),
});

export const membersQuery = closed({
  prefix: optional(text({ minLength: 1, maxLength: 1_000, description: 'What one of their ids or names begins with' })),
  ...paged,
});

export const exportQuery = closed({ format: oneOf(['csv', 'ndjson']) });

export type FoundPerson = Static<typeof FoundPerson>;
export const FoundPerson = answer('FoundPerson', {
  ...personName,
  foundBy: object({ trait: nullable(text('Null where one of their ids begins with the text')), value: text() }),
});

export type FoundPeople = Static<typeof FoundPeople>;
export const FoundPeople = answer('FoundPeople', {
  ...{ items: list(FoundPerson), next },
  more: flag('There are others that the `prefix` finds: a longer one finds them'),
  searched: nullable(
    described(
      share,
      'How much of all persons was looked through for the `trait` up to the end of this page; null for a `prefix`',
    ),
  ),
});

const keyOfName = described(textOrNull, 'What the name would give; null when there is none, or none can be made of it');

export type AudiencePreview = Static<typeof AudiencePreview>;
export const AudiencePreview = answer('AudiencePreview', {
  size: whole(0, 'How many members there would be now'),
  persons: whole(0, 'How many persons there are'),
  sample: list(PersonName, 'Some of the members'),
  key: keyOfName,
});

export type ComputedTraitPreview = Static<typeof ComputedTraitPreview>;
export const ComputedTraitPreview = answer('ComputedTraitPreview', {
  sample: list(Member, 'Persons who have a value, of those that were looked at'),
  key: keyOfName,
});

/** Size of an audience at a full hour. */
export type SizePoint = Static<typeof SizePoint>;
export const SizePoint = answer('SizePoint', { at: time, size: count });

export type Suggestions = Static<typeof Suggestions>;
export const Suggestions = answer('Suggestions', {
  items: list(
    object({ value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]), count }),
    'The most frequent first, at most 200',
  ),
  counted: oneOf(
    ['events', 'persons', 'groups'],
    'What `count` counts: of traits the persons who have them, of group traits the groups',
  ),
  of: nullable(
    whole(
      0,
      'How many were looked at, the newest; null for names of events: of each, the events of the last 7 days, up to 10,000',
    ),
  ),
});

const asked = text({ minLength: 1, maxLength: 1000 });

export type SuggestionsQuery = Static<typeof suggestionsQuery>;
export const suggestionsQuery = closed({
  of: oneOf(['event', 'property', 'trait', 'groupTrait']),
  ...optionals({
    type: described(seenType, {
      default: 'track',
      description: 'Of an event, or of the event that has the property',
    }),
    event: described(asked, 'Name of the event that has the property; absent for any'),
    name: described(asked, 'A property or trait: its values are answered; absent for the names'),
    text: text({ maxLength: 200, description: 'A part of the name of an event, in any case of ASCII letters' }),
  }),
});
