import { expect, test } from 'vitest';
import { EXPLAINED } from './explained.ts';
import { TERMS } from './terms.ts';

test('each word that explains itself is in the glossary', () => {
  expect(TERMS.length).toBeGreaterThan(40);
  expect(TERMS.map(({ word }) => word)).toEqual(expect.arrayContaining([...EXPLAINED]));
});
