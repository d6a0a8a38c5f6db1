import {
  BOUNDS,
  type Check,
  exactlyOne,
  fail,
  list,
  onlyKeys,
  type Report,
  text,
  wholeNumber,
  within,
} from './definition-report.ts';
import { readInstant } from './instant.ts';
import { type OperandKind, type TestName, VALUE_TESTS } from './value-test.ts';

/** What a value may be compared with. */
const OPERANDS: Readonly<Record<OperandKind, Check>> = {
  scalar,
  scalars: list(BOUNDS.items, scalar),
  text: text(BOUNDS.text),
  number,
  flag: boolean,
  instant,
  days: wholeNumber(1, BOUNDS.days, 'days'),
};

const TEST_NAMES: readonly TestName[] = Object.keys(VALUE_TESTS) as TestName[];

/** Those by whose answer time changes nothing. */
export const TIMELESS_TESTS: readonly TestName[] = TEST_NAMES.filter((name) => VALUE_TESTS[name].passes !== null);

/** A value test. `names` are the tests that may be asked. */
export function valueTest(input: unknown, path: string, report: Report, names: readonly TestName[] = TEST_NAMES): void {
  const found = exactlyOne(input, path, report, 'a test', names);
  if (!found) return;
  onlyKeys(found.object, path, report, [found.key]);
  OPERANDS[VALUE_TESTS[found.key].operand](found.object[found.key], within(path, found.key), report);
}

function scalar(input: unknown, path: string, report: Report): void {
  if (input === null || typeof input === 'boolean' || Number.isFinite(input)) return;
  if (typeof input === 'string' && input.length <= BOUNDS.text) return;
  fail(report, path, `must be true, false, null, a number or text of at most ${BOUNDS.text} characters`);
}

function number(input: unknown, path: string, report: Report): void {
  // JSON can write numbers that JavaScript reads as infinite.
  if (!Number.isFinite(input)) fail(report, path, 'must be a number');
}

function boolean(input: unknown, path: string, report: Report): void {
  if (typeof input !== 'boolean') fail(report, path, 'must be true or false');
}

export function instant(input: unknown, path: string, report: Report): void {
  if (typeof input === 'string' && !Number.isNaN(readInstant(input))) return;
  fail(report, path, 'must be an ISO 8601 date or date-time, for example 2026-11-21T09:30:00Z');
}
