import { expect, test } from 'vitest';
import { undeclaredExports } from './exports.ts';
import { Field } from './plant.ts';

test('an export without a type is refused, but for the schemas', async () => {
  using field = new Field();
  field.plant('packages/server/src/core/late.ts', 'export const late = new Date();\n');
  field.plant('packages/server/src/core/said.ts', 'export const said: Date = new Date();\n');
  field.plant('packages/server/src/admin/schemas/late.ts', 'export const late = new Date();\n');
  const { code, output } = await undeclaredExports(field.root);
  expect(code).toBe(1);
  expect(output.match(/^\S+(?=\()/gm)).toEqual(['packages/server/src/core/late.ts']);
});
