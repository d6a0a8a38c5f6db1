import fc from 'fast-check';
import { expect, test } from 'vitest';
import { literal } from '../../core/placeholder.ts';
import { text as aText } from '../schemas/shape.ts';
import { SettingsReader } from './reader.ts';

function read(
  text: string,
  variables: Readonly<Record<string, string>> = {},
): { value: unknown; reader: SettingsReader } {
  const reader = new SettingsReader(variables);
  return { value: reader.read(aText(), text, 'at'), reader };
}

test('a literal reads back as the text it was made of', () => {
  const text = fc
    .array(fc.constantFrom('$', '$$', '{', '}', '${', '$${', 'NAME', ' ', 'é'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (each) => {
      const { value, reader } = read(literal(each));
      expect(value).toBe(each);
      expect(reader.errors).toEqual([]);
      expect(reader.masked.size).toBe(0);
    }),
  );
});

test.each([
  [`\${A}`, 'one'],
  [`x\${A}y\${B}`, 'xoneytwo'],
  [`$\${A}`, `\${A}`],
  [`\${`, `\${`],
  ['$A', '$A'],
  [`\${1}`, `\${1}`],
])('%s reads as %s', (text, expected) => {
  expect(read(text, { A: 'one', B: 'two' }).value).toBe(expected);
});

test('what comes from a variable is masked, one that is not there is an error', () => {
  expect([...read(`\${A}`, { A: 'one' }).reader.masked]).toEqual(['at']);
  expect(read(`\${A} \${B}`, { A: '' }).reader.errors).toEqual([
    { path: 'at', message: 'the variable A is not set, or is empty' },
    { path: 'at', message: 'the variable B is not set, or is empty' },
  ]);
});
