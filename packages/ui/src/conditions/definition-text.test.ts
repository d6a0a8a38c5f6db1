import { expect, test } from 'vitest';
import { definitionIn, troubleIn } from './definition-text.ts';

test.each([
  '9007199254740993',
  '-9007199254740995',
  '9007199254740993.0',
  '1'.repeat(310),
  '1e400',
  '-1e400',
  '1e-400',
  '0.001e-400',
])('%s would become another number: it is found, and makes no definition', (number) => {
  const text = `{"trait":"id","is":{"equals":${number}}}`;
  expect(troubleIn(text)).toContain(`The number ${number} can’t be kept exactly: it would become ${Number(number)}.`);
  expect(definitionIn(text)).toBeUndefined();
});

test.each([
  '{"event":{"name":"A"},"event":{"name":"B"}}',
  '[{"is":{"a":"\\"b\\":","a" : 2}}]',
  '{"a":1,"\\u0061":2}',
  '{"__proto__":1,"__proto__":2}',
])('%s has a name twice, and makes no definition', (text) => {
  expect(troubleIn(text)).toContain('comes twice');
  expect(definitionIn(text)).toBeUndefined();
});

test.each([
  '{"a":[1,-0,0.0,0e-400,9007199254740992,1000000000000000000,123456789012345680000,1e300,0.1,1e-300,"9007199254740993"]}',
  '{"a":{"":1,"a":{"a":":"}},"b":["a","a",{"a":"\\\\"},{"a":1}]}',
  '7',
])('%s is left as it is', (text) => {
  expect(troubleIn(text)).toBeNull();
  expect(definitionIn(text)).toEqual(JSON.parse(text));
});

test('a text that is no JSON makes no definition', () => {
  expect([troubleIn('{'), definitionIn('{')]).toEqual(['This is no JSON.', undefined]);
});
