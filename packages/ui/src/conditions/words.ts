import type { OperandOf, TestName } from '../../../server/src/admin/contract.ts';

/** The words for the parts of definitions, used in sentences and in the editor. */

/** Each test with its words and the kind of value it compares with. The tests are those of the service's core/value-test.ts. */
export const TESTS: { readonly [Name in TestName]: { readonly words: string; readonly operand: OperandOf<Name> } } = {
  equals: { words: 'is', operand: 'scalar' },
  not: { words: 'is not', operand: 'scalar' },
  contains: { words: 'contains', operand: 'text' },
  in: { words: 'is one of', operand: 'scalars' },
  greater: { words: 'is greater than', operand: 'number' },
  atLeast: { words: 'is at least', operand: 'number' },
  less: { words: 'is less than', operand: 'number' },
  atMost: { words: 'is at most', operand: 'number' },
  exists: { words: 'exists', operand: 'flag' },
  before: { words: 'is before', operand: 'instant' },
  after: { words: 'is after', operand: 'instant' },
  withinDays: { words: 'is within the last', operand: 'days' },
};

export const COUNT_WORDS = {
  atLeast: 'at least',
  exactly: 'exactly',
  atMost: 'at most',
} as const;

export type CountName = keyof typeof COUNT_WORDS;

/** Each computation with its words, and the words between it and its property: `the sum of total`, `the first coupon`. */
export const COMPUTES = {
  count: { words: 'the number', link: 'of' },
  sum: { words: 'the sum', link: 'of' },
  average: { words: 'the average', link: 'of' },
  min: { words: 'the smallest', link: '' },
  max: { words: 'the largest', link: '' },
  mostFrequent: { words: 'the most frequent', link: '' },
  first: { words: 'the first', link: '' },
  last: { words: 'the last', link: '' },
  uniqueList: { words: 'the different values', link: 'of' },
  uniqueCount: { words: 'the number of different values', link: 'of' },
} as const;

export type ComputeName = keyof typeof COMPUTES;

/** `1 day`, `30 days` */
export function counted(times: number | string, one: string): string {
  return `${times} ${unitOf(times, one)}`;
}

export function unitOf(times: number | string, one: string): string {
  return Number(times) === 1 ? one : `${one}s`;
}
