import { expect, test } from 'vitest';
import { peopleQuery } from './people-search.ts';

test.each([
  ['plan = pro', { trait: 'plan', value: 'pro' }],
  [' favourite colour="dark  red" ', { trait: 'favourite colour', value: '"dark  red"' }],
  ['query=a=b', { trait: 'query', value: 'a=b' }],
  ['plan =', { prefix: 'plan =' }],
  ['= pro', { prefix: '= pro' }],
  ['dXNlcg==', { prefix: 'dXNlcg==' }],
  ['u-4711', { prefix: 'u-4711' }],
])('%j is looked for as it is meant', (text, query) => {
  expect(peopleQuery(text)).toEqual(query);
});
