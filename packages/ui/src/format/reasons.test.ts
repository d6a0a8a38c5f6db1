import { expect, test } from 'vitest';
import { REASONS } from '../../../server/src/core/reason.ts';
import { SEND_ERRORS } from '../../../server/src/core/send-error.ts';
import { errorInWords, reasonInWords } from './reasons.ts';

test('there are words for each reason and each error', () => {
  for (const reason of Object.keys(REASONS)) expect(reasonInWords(reason)).toMatch(/^[A-Z].+\.$/);
  for (const error of Object.keys(SEND_ERRORS)) expect(errorInWords(error)).toMatch(/^[A-Z].+\.$/);
});

test('what is not known keeps its code', () => {
  expect([reasonInWords('moon'), reasonInWords('toString'), reasonInWords(null)]).toEqual(['moon', 'toString', null]);
  expect([errorInWords('moon'), errorInWords('toString'), errorInWords(null)]).toEqual(['moon', 'toString', null]);
});
