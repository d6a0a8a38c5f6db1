import { expect, test } from 'vitest';
import { variablesOf } from './file-variables.ts';

test('each variable once, in its order; an escaped one is none', () => {
  expect(variablesOf(`a: \${TOKEN}\nb: Bearer \${KEY_2} \${TOKEN}\nc: $\${NOT}\nd: $PLAIN`)).toEqual([
    'TOKEN',
    'KEY_2',
  ]);
  expect(variablesOf(`a: 1\n  # To set another: url: \${NAME}\nb: \${KEY} # kept`)).toEqual(['KEY']);
});
