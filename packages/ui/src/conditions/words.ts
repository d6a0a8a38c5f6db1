import type { ComputeName, CountName, TestName } from './draft.ts';

/** How the parts of definitions read, in sentences and in the choices of their editor alike. */

export const TEST_WORDS: Readonly<Record<TestName, string>> = {
  equals: 'is',
  not: 'is not',
  contains: 'contains',
  in: 'is one of',
  greater: 'is greater than',
  atLeast: 'is at least',
  less: 'is less than',
  atMost: 'is at most',
  exists: 'exists',
  before: 'is before',
  after: 'is after',
  withinDays: 'is within the last',
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
