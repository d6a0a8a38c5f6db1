import {
  BOUNDS,
  choice,
  type Form,
  instant,
  list,
  named,
  object,
  text,
  value,
  wholeNumber,
} from './definition-form.ts';
import { type OperandKind, type TestName, VALUE_TESTS } from './value-test.ts';

export const scalar: Form = named(
  'Scalar',
  value(
    {
      anyOf: [{ type: 'string', maxLength: BOUNDS.text }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }],
    },
    (input) =>
      input === null ||
      typeof input === 'boolean' ||
      Number.isFinite(input) ||
      (typeof input === 'string' && input.length <= BOUNDS.text),
    `must be true, false, null, a number or text of at most ${BOUNDS.text} characters`,
  ),
);

/** What a value may be compared with. */
const OPERANDS: Readonly<Record<OperandKind, Form>> = {
  scalar,
  scalars: list(BOUNDS.items, scalar),
  text: text(BOUNDS.text),
  // JSON can hold numbers that JavaScript reads as infinite.
  number: value({ type: 'number' }, Number.isFinite, 'must be a number'),
  flag: value({ type: 'boolean' }, (input) => typeof input === 'boolean', 'must be true or false'),
  instant: instant('A time'),
  days: wholeNumber(1, BOUNDS.days, 'days'),
};

const TEST_NAMES = Object.keys(VALUE_TESTS) as TestName[];

export const valueTest: Form = named('Test', oneTestOf(TEST_NAMES), {
  description: 'What a value must be: exactly one of these. A value of another type fails it.',
  examples: [{ equals: 'pro' }, { greater: 100 }, { exists: false }],
});

/** A test whose answer does not change with time. Its description refers to all tests. */
export const timelessTest: Form = {
  ...oneTestOf(TEST_NAMES.filter((name) => VALUE_TESTS[name].passes !== null)),
  schema: valueTest.schema,
};

function oneTestOf(names: readonly TestName[]): Form {
  return choice(
    'a test',
    names.map((name) => object({ [name]: OPERANDS[VALUE_TESTS[name].operand] }, VALUE_TESTS[name].means)),
  );
}
