import Type, { type TSchema } from 'typebox';
import { LIMITS } from '../../people/check-definition.ts';
import type * as contract from '../contract.ts';
import type { SchemaOf } from './shape.ts';
import { named, nameOf, ref } from './shape.ts';

/**
 * The language of audiences and computed traits (people/definition.ts), for those who read the OpenAPI document. Requests
 * are not held against it (validate.ts): people/ checks a definition itself, and says more of what is wrong.
 */

const closed = { additionalProperties: false };

const text = (description: string): TSchema => Type.String({ minLength: 1, maxLength: LIMITS.name, description });
const wholeNumber = (minimum: number, maximum: number, description: string): TSchema =>
  Type.Integer({ minimum, maximum, description });
const instant = (description: string): TSchema =>
  Type.String({ description: `${description}; ISO 8601`, examples: ['2026-11-21T09:30:00Z'] });

/** An object of exactly these fields, all required. */
const exactly = (fields: Record<string, TSchema>, description?: string): TSchema =>
  Type.Object(fields, { ...closed, ...(description === undefined ? {} : { description }) });

export const Scalar: SchemaOf<contract.Scalar> = named<contract.Scalar>()(
  'Scalar',
  Type.Union([Type.String({ maxLength: LIMITS.text }), Type.Number(), Type.Boolean(), Type.Null()]),
);

const parts = (item: TSchema): TSchema => Type.Array(item, { minItems: 1, maxItems: LIMITS.items });

export const Test: SchemaOf<contract.Test> = Type.Unsafe<contract.Test>({
  $id: 'Test',
  ...Type.Union([
    exactly({ equals: ref(Scalar) }, 'The same JSON value: `1` is not `"1"`'),
    exactly({ not: ref(Scalar) }, 'The opposite of `equals`; true where there is no value'),
    exactly({
      contains: Type.String({
        minLength: 1,
        maxLength: LIMITS.text,
        description: 'Part of a text, without regard to case, or an element of a list',
      }),
    }),
    exactly({ in: parts(ref(Scalar)) }, 'One of these'),
    exactly({ greater: Type.Number() }, 'Numbers are compared with numbers alone'),
    exactly({ atLeast: Type.Number() }),
    exactly({ less: Type.Number() }),
    exactly({ atMost: Type.Number() }),
    exactly({ exists: Type.Boolean() }, 'Whether there is a value; null is none'),
    exactly({ before: instant('A time before this one') }),
    exactly({ after: instant('A time after this one') }),
    exactly({
      withinDays: wholeNumber(1, LIMITS.days, 'A time in the last so many days of 24 hours, not in the future'),
    }),
  ]),
  description: 'What a value must be: exactly one of these. A value of another type fails it.',
  examples: [{ equals: 'pro' }, { greater: 100 }, { exists: false }],
});

export const Period: SchemaOf<contract.Period> = Type.Unsafe<contract.Period>({
  $id: 'Period',
  ...Type.Union([
    exactly({ lastHours: wholeNumber(1, LIMITS.days * 24, 'The last so many hours, sliding with the clock') }),
    exactly({ lastDays: wholeNumber(1, LIMITS.days, 'The last so many days of 24 hours, sliding with the clock') }),
    Type.Object(
      { from: Type.Optional(instant('From this time on')), to: Type.Optional(instant('Up to this time, without it')) },
      { ...closed, minProperties: 1, description: 'A fixed range, one end of which may be open' },
    ),
  ]),
  description: "When an event counts, by the call's `timestamp`. Absent: always.",
  examples: [{ lastDays: 30 }, { from: '2026-11-01', to: '2026-12-01' }],
});

export const EventSelection: SchemaOf<contract.EventSelection> = Type.Unsafe<contract.EventSelection>({
  $id: 'EventSelection',
  ...Type.Object(
    {
      name: Type.Optional(
        text("The event's name, or of a page or screen call its name. Only those need none: then any of them counts"),
      ),
      type: Type.Optional(Type.Enum(['track', 'page', 'screen'], { type: 'string', default: 'track' })),
      where: Type.Optional(
        parts(
          exactly({
            property: text('Name of a property; names joined by dots for what lies deeper in objects'),
            is: ref(Test),
          }),
        ),
      ),
    },
    closed,
  ),
  description: 'Which events are meant; every test of `where` must hold',
  examples: [{ name: 'Order Completed', where: [{ property: 'total', is: { greater: 100 } }] }],
});

export const EventCondition: SchemaOf<contract.EventCondition> = Type.Unsafe<contract.EventCondition>({
  $id: 'EventCondition',
  ...Type.Object(
    {
      event: ref(EventSelection),
      count: Type.Optional(
        Type.Union(
          [
            exactly({ atLeast: wholeNumber(1, LIMITS.times, 'Times, or more') }),
            exactly({ exactly: wholeNumber(0, LIMITS.times, 'Times') }),
            exactly({ atMost: wholeNumber(0, LIMITS.times, 'Times, or fewer, or never') }),
          ],
          { description: 'How often; at least once when absent' },
        ),
      ),
      during: Type.Optional(ref(Period)),
    },
    closed,
  ),
  description: 'How often a person did something',
  examples: [{ event: { name: 'Order Completed' }, count: { atLeast: 2 }, during: { lastDays: 30 } }],
});

const condition = Type.Ref('Condition');

export const Condition: SchemaOf<contract.Condition> = Type.Unsafe<contract.Condition>({
  $id: 'Condition',
  ...Type.Union([
    exactly({ all: parts(condition) }, 'Every one holds'),
    exactly({ any: parts(condition) }, 'At least one holds'),
    exactly({ not: condition }, 'It does not hold'),
    exactly({ trait: text("The trait's name"), is: ref(Test) }, 'A trait of the person, its latest value by time'),
    exactly({ groupTrait: text("The trait's name"), is: ref(Test) }, 'A trait of any group the person belongs to'),
    Type.Ref(nameOf(EventCondition)),
    exactly({ audience: text('Id of another audience') }, 'Member of it; audiences may not ask in a circle'),
  ]),
  description:
    `True or false of one person: an object of exactly one of these forms, at most ${LIMITS.depth} levels deep and with ` +
    `at most ${LIMITS.nodes} conditions and tests.`,
  examples: [
    {
      all: [
        { event: { name: 'Order Completed' }, count: { atLeast: 2 }, during: { lastDays: 30 } },
        { not: { trait: 'plan', is: { equals: 'free' } } },
      ],
    },
  ],
});

const COMPUTED = {
  sum: 'Of numbers',
  average: 'Of numbers',
  min: 'Of numbers',
  max: 'Of numbers',
  mostFrequent: 'What occurs most often, at least twice; of equals the first by alphabet',
  first: 'The value of the first event that has one',
  last: 'The value of the last event that has one',
  uniqueList: 'Up to 100 different values in the order of first occurrence',
  uniqueCount: 'How many different values',
} as const;

export const TraitDefinition: SchemaOf<contract.TraitDefinition> = Type.Unsafe<contract.TraitDefinition>({
  $id: 'TraitDefinition',
  ...Type.Object(
    {
      compute: Type.Union(
        [
          exactly({ count: Type.Literal(true) }, 'How many events'),
          ...Object.entries(COMPUTED).map(([name, what]) => exactly({ [name]: text("A property's name") }, what)),
        ],
        { description: 'What is computed: exactly one of these' },
      ),
      event: ref(EventSelection),
      during: Type.Optional(ref(Period)),
    },
    closed,
  ),
  description:
    "A value computed from one person's events. While no event counts there is none: the trait is not sent, and null is " +
    'sent where it had one.',
  examples: [{ compute: { sum: 'total' }, event: { name: 'Order Completed' }, during: { lastDays: 90 } }],
});
