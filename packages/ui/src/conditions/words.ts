import type { OperandOf, TestName } from '../../../server/src/admin/contract.ts';
import type { ComputeName, CountName } from './draft.ts';

/** How the parts of definitions read, in sentences and in the choices of their editor alike. */

/** Each test with its words, and what it compares with, as core/value-test.ts of the service has it. */
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

export const COUNT_WORDS: Readonly<Record<CountName, string>> = {
  atLeast: 'at least',
  exactly: 'exactly',
  atMost: 'at most',
};

export const COMPUTE_WORDS: Readonly<Record<ComputeName, string>> = {
  count: 'the number',
  sum: 'the sum',
  average: 'the average',
  min: 'the smallest',
  max: 'the largest',
  mostFrequent: 'the most frequent',
  first: 'the first',
  last: 'the last',
  uniqueList: 'the different values',
  uniqueCount: 'the number of different values',
};

/** Between a computation and its property: `the sum of total`, `the first coupon`. */
export const COMPUTE_LINKS: Readonly<Record<ComputeName, string>> = {
  count: 'of',
  sum: 'of',
  average: 'of',
  min: '',
  max: '',
  mostFrequent: '',
  first: '',
  last: '',
  uniqueList: 'of',
  uniqueCount: 'of',
};

/** `1 day`, `30 days` */
export function counted(times: number | string, one: string): string {
  return `${times} ${unitOf(times, one)}`;
}

export function unitOf(times: number | string, one: string): string {
  return Number(times) === 1 ? one : `${one}s`;
}
