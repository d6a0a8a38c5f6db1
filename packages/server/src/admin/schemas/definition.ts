import Type, { type TSchema } from 'typebox';
import type * as destination from '../../core/destination.ts';
import type * as tests from '../../core/value-test.ts';
import { type OperandKind, VALUE_TESTS } from '../../core/value-test.ts';
import { CALL_OBJECTS, CALL_WORDS } from '../../deliver/call-filter.ts';
import { LIMITS } from '../../people/check-definition.ts';
import type * as language from '../../people/definition.ts';
import { closed, described, flag, list, named, oneOf, optional, optionals, ref, type SchemaOf, text } from './shape.ts';

/**
 * The language of audiences and computed traits (people/definition.ts), for those who read the OpenAPI document. Requests
 * are not held against it (validate.ts): people/ checks a definition itself, and says more of what is wrong. So its types
 * are those of people/, which is recursive.
 */

export type { OperandOf, TestName } from '../../core/value-test.ts';
export type { GroupTraitCondition, MemberCondition, TraitCondition } from '../../people/definition.ts';

const words = (description: string): SchemaOf<string> => text({ minLength: 1, maxLength: LIMITS.name, description });
const whole = (minimum: number, maximum: number, description: string): TSchema =>
  Type.Integer({ minimum, maximum, description });
const instant = (description: string): SchemaOf<string> =>
  text({ description: `${description}; ISO 8601`, examples: ['2026-11-21T09:30:00Z'] });
const parts = <S extends TSchema>(item: S): TSchema => list(item, { minItems: 1, maxItems: LIMITS.items });

/** Of what happened: what has a name and properties. */
export const seenType = oneOf(['track', 'page', 'screen']);

export type Scalar = tests.Scalar;
export const Scalar: SchemaOf<Scalar> = named(
  'Scalar',
  Type.Union([Type.String({ maxLength: LIMITS.text }), Type.Number(), Type.Boolean(), Type.Null()]),
);

const OPERANDS: Readonly<Record<OperandKind, TSchema>> = {
  scalar: Scalar,
  scalars: parts(Scalar),
  text: text({ minLength: 1, maxLength: LIMITS.text }),
  number: Type.Number(),
  flag: flag(),
  instant: instant('A time'),
  days: Type.Integer({ minimum: 1, maximum: LIMITS.days }),
};

export type Test = tests.Test;
export const Test: SchemaOf<Test> = Type.Unsafe({
  $id: 'Test',
  ...Type.Union(
    Object.entries(VALUE_TESTS).map(([name, { operand, means }]) => closed({ [name]: OPERANDS[operand] }, means)),
  ),
  description: 'What a value must be: exactly one of these. A value of another type fails it.',
  examples: [{ equals: 'pro' }, { greater: 100 }, { exists: false }],
});

export type Period = language.Period;
export const Period: SchemaOf<Period> = Type.Unsafe({
  $id: 'Period',
  ...Type.Union([
    closed({ lastHours: whole(1, LIMITS.days * 24, 'The last so many hours, sliding with the clock') }),
    closed({ lastDays: whole(1, LIMITS.days, 'The last so many days of 24 hours, sliding with the clock') }),
    closed(optionals({ from: instant('From this time on'), to: instant('Up to this time, without it') }), {
      minProperties: 1,
      description: 'A fixed range, one end of which may be open',
    }),
  ]),
  description: "When an event counts, by the call's `timestamp`. Absent: always.",
  examples: [{ lastDays: 30 }, { from: '2026-11-01', to: '2026-12-01' }],
});

export type EventSelection = language.EventSelection;
export const EventSelection: SchemaOf<EventSelection> = Type.Unsafe({
  $id: 'EventSelection',
  ...closed(
    optionals({
      name: words(
        "The event's name, or of a page or screen call its name. Only those need none: then any of them counts",
      ),
      type: described(seenType, { default: 'track' }),
      where: parts(
        closed({
          property: words('Name of a property; names joined by dots for what lies deeper in objects'),
          is: Test,
        }),
      ),
    }),
  ),
  description: 'Which events are meant; every test of `where` must hold',
  examples: [{ name: 'Order Completed', where: [{ property: 'total', is: { greater: 100 } }] }],
});

export type EventCondition = language.EventCondition;
export const EventCondition: SchemaOf<EventCondition> = Type.Unsafe({
  $id: 'EventCondition',
  ...closed({
    event: EventSelection,
    ...optionals({
      count: Type.Union(
        [
          closed({ atLeast: whole(1, LIMITS.times, 'Times, or more') }),
          closed({ exactly: whole(0, LIMITS.times, 'Times') }),
          closed({ atMost: whole(0, LIMITS.times, 'Times, or fewer, or never') }),
        ],
        { description: 'How often; at least once when absent' },
      ),
      during: Period,
    }),
  }),
  description: 'How often a person did something',
  examples: [{ event: { name: 'Order Completed' }, count: { atLeast: 2 }, during: { lastDays: 30 } }],
});

const condition = Type.Ref('Condition');

export type Condition = language.Condition;
export const Condition: SchemaOf<Condition> = Type.Unsafe({
  $id: 'Condition',
  ...Type.Union([
    closed({ all: parts(condition) }, 'Every one holds'),
    closed({ any: parts(condition) }, 'At least one holds'),
    closed({ not: condition }, 'It does not hold'),
    closed({ trait: words("The trait's name"), is: Test }, 'A trait of the person, its latest value by time'),
    closed({ groupTrait: words("The trait's name"), is: Test }, 'A trait of any group the person belongs to'),
    ref(EventCondition),
    closed({ audience: words('Id of another audience') }, 'Member of it; audiences may not ask in a circle'),
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

export type CallFilter = destination.CallFilter;
export const CallFilter: SchemaOf<CallFilter> = Type.Unsafe({
  $id: 'CallFilter',
  ...Type.Union([
    closed({ all: parts(Type.Ref('CallFilter')) }, 'Every one holds'),
    closed({ any: parts(Type.Ref('CallFilter')) }, 'At least one holds'),
    closed({ not: Type.Ref('CallFilter') }, 'It does not hold'),
    closed(
      {
        field: words(
          `${CALL_WORDS.join(', ')}; or a path below ${CALL_OBJECTS.join(', ')}, like \`properties.total\`. \`source\` is its id`,
        ),
        is: Test,
      },
      'A field of the call; `withinDays` can not be asked, because a call that is judged again is judged alike',
    ),
  ]),
  description: `True or false of one call: an object of exactly one of these forms, bounded as \`Condition\` is.`,
  examples: [
    {
      all: [
        { field: 'type', is: { equals: 'track' } },
        { field: 'properties.total', is: { atLeast: 100 } },
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

export type TraitDefinition = language.TraitDefinition;
export const TraitDefinition: SchemaOf<TraitDefinition> = Type.Unsafe({
  $id: 'TraitDefinition',
  ...closed({
    compute: Type.Union(
      [
        closed({ count: Type.Literal(true) }, 'How many events'),
        ...Object.entries(COMPUTED).map(([name, what]) => closed({ [name]: words("A property's name") }, what)),
      ],
      { description: 'What is computed: exactly one of these' },
    ),
    ...{ event: EventSelection, during: optional(Period) },
  }),
  description:
    "A value computed from one person's events. While no event counts there is none: the trait is not sent, and null is " +
    'sent where it had one.',
  examples: [{ compute: { sum: 'total' }, event: { name: 'Order Completed' }, during: { lastDays: 90 } }],
});
