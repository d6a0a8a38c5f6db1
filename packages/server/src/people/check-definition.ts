import {
  BOUNDS,
  type Checked,
  checked,
  choice,
  conditions,
  counted,
  type Form,
  fail,
  instant,
  list,
  named,
  type ObjectForm,
  object,
  oneOf,
  optional,
  refined,
  text,
  value,
  wholeNumber,
} from '../core/definition-form.ts';
import { nameFlaw } from '../core/event-name.ts';
import { readInstant } from '../core/instant.ts';
import { isObject } from '../core/json.ts';
import { valueTest } from '../core/value-test-form.ts';
import type { Condition, TraitDefinition } from './definition.ts';
import { EVENTS_OF_A_PERSON } from './fact-bounds.ts';

/** How large a definition of a person may grow. */
export const LIMITS: typeof BOUNDS & { readonly times: number } = {
  ...BOUNDS,
  /** More of them are not kept of a person: a greater count would never be reached. */
  times: EVENTS_OF_A_PERSON.alike,
};

export function checkCondition(input: unknown): Checked<Condition> {
  return checked(input, condition);
}

export function checkTrait(input: unknown): Checked<TraitDefinition> {
  return checked(input, traitDefinition);
}

const name = (description: string): Form => text(LIMITS.name, description);

const sliding = choice('a period (from and to, or a sliding one)', [
  object({ lastHours: wholeNumber(1, LIMITS.days * 24, 'hours', 'The last so many hours, sliding with the clock') }),
  object({
    lastDays: wholeNumber(1, LIMITS.days, 'days', 'The last so many days of 24 hours, sliding with the clock'),
  }),
]);

const range = object(
  { from: optional(instant('From this time on')), to: optional(instant('Up to this time, without it')) },
  { minProperties: 1, description: 'A fixed range, one end of which may be open' },
);

export const period: Form = named(
  'Period',
  {
    schema: { anyOf: [...(sliding.schema['anyOf'] as object[]), range.schema] },
    check(input, path, report) {
      if (!isObject(input) || !range.keys.some((key) => Object.hasOwn(input, key))) {
        return sliding.check(input, path, report);
      }
      range.check(input, path, report);
      if (readInstant(input['from']) >= readInstant(input['to'])) fail(report, path, 'must begin before it ends');
    },
  },
  {
    description: "When an event counts, by the call's `timestamp`. Absent: always.",
    examples: [{ lastDays: 30 }, { from: '2026-11-01', to: '2026-12-01' }],
  },
);

const propertyTest = object({
  property: name('Name of a property; names joined by dots for what lies deeper in objects'),
  is: valueTest,
});

const where = optional(list(LIMITS.items, counted(propertyTest)));

/** Only track calls need a name, and keep to the rules of names. */
const selectedName = refined(
  optional(
    name("The event's name, or of a page or screen call its name. Only those need none: then any of them counts"),
  ),
  (input, path, report, { type = 'track' } = {}) => {
    if (type !== 'track') return;
    if (input === undefined) fail(report, path, 'is required: the name of a track event');
    const flaw = typeof input === 'string' && input !== '' ? nameFlaw(input) : null;
    if (flaw !== null) fail(report, path, flaw);
  },
);

const selectedType = optional(oneOf(['track', 'page', 'screen'], { default: 'track' }));

export const eventSelection: Form = named(
  'EventSelection',
  object({ type: selectedType, name: selectedName, where }, {}, ['name', 'type', 'where']),
  {
    description: 'Which events are meant; every test of `where` must hold',
    examples: [{ name: 'Order Completed', where: [{ property: 'total', is: { greater: 100 } }] }],
  },
);

const count = choice(
  'a count',
  [
    // At least 0 times says nothing about anybody.
    object({ atLeast: wholeNumber(1, LIMITS.times, 'times', 'Times, or more') }),
    object({ exactly: wholeNumber(0, LIMITS.times, 'times', 'Times') }),
    object({ atMost: wholeNumber(0, LIMITS.times, 'times', 'Times, or fewer, or never') }),
  ],
  'How often; at least once when absent',
);

const ORDERED_TWICE = { event: { name: 'Order Completed' }, count: { atLeast: 2 }, during: { lastDays: 30 } };

export const eventCondition: ObjectForm = named(
  'EventCondition',
  object({ event: eventSelection, count: optional(count), during: optional(period) }),
  {
    description: 'How often a person did something',
    examples: [ORDERED_TWICE],
  },
);

const traitName = name("The trait's name");

export const condition: Form = conditions(
  'Condition',
  [
    object({ trait: traitName, is: valueTest }, 'A trait of the person, its latest value by time'),
    object(
      { groupTrait: traitName, is: valueTest },
      'A trait of any group the person belongs to. `not` and `exists: false` hold only where no group has what they deny.',
    ),
    eventCondition,
    object({ audience: name('Id of another audience') }, 'Member of it; audiences may not ask in a circle'),
  ],
  {
    description:
      `True or false of one person: an object of exactly one of these forms, at most ${LIMITS.depth} levels deep and with ` +
      `at most ${LIMITS.nodes} conditions and tests.`,
    examples: [{ all: [ORDERED_TWICE, { not: { trait: 'plan', is: { equals: 'free' } } }] }],
  },
);

/** Of a property; `count` alone needs none. */
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

const isTrue = value({ const: true, type: 'boolean' }, (input) => input === true, 'must be true');

const computation = choice(
  'a computation',
  [
    object({ count: isTrue }, 'How many events'),
    ...Object.entries(COMPUTED).map(([key, what]) => object({ [key]: name("A property's name") }, what)),
  ],
  'What is computed: exactly one of these',
);

export const traitDefinition: Form = named(
  'TraitDefinition',
  object({ compute: computation, event: eventSelection, during: optional(period) }),
  {
    description:
      "A value computed from one person's events. While no event counts there is none: the trait is not sent, and null is " +
      'sent where it had one.',
    examples: [{ compute: { sum: 'total' }, event: { name: 'Order Completed' }, during: { lastDays: 90 } }],
  },
);
