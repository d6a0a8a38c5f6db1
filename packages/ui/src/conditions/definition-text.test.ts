import { expect, test } from 'vitest';
import { changedNumber, definitionIn } from './definition-text.ts';

test('a number that would become another one is found, and makes no definition', () => {
  const text = '{"trait":"id","is":{"equals":9007199254740993}}';
  expect(changedNumber(text)).toBe('9007199254740993');
  expect(definitionIn(text)).toBeUndefined();
  expect(changedNumber('[-9007199254740995, 1]')).toBe('-9007199254740995');
  const endless = '1'.repeat(310);
  expect(changedNumber(`[${endless}]`)).toBe(endless);
});

test.each(['{', '{"a":[1,-0,9007199254740992,1000000000000000000,1e300,0.1,"9007199254740993"]}'])(
  '%s is left as it is',
  (text) => {
    expect(changedNumber(text)).toBeNull();
  },
);
