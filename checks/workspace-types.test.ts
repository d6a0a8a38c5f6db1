import { expect, test } from 'vitest';
import { Field } from './plant.ts';
import { workspaceTypes } from './workspace-types.ts';

test('a wrong type is refused, and an export without one, but for the schemas', async () => {
  using field = new Field();
  field.plant('package.json', '{ "type": "module" }\n');
  field.plant('packages/server/src/core/late.ts', 'export const late = new Date();\n');
  field.plant('packages/server/src/core/said.ts', 'export const said: Date = new Date();\n');
  field.plant('packages/server/src/admin/schemas/late.ts', 'export const late = new Date();\n');
  field.plant('packages/server/src/admin/schemas/wrong.ts', 'export const wrong: Date = {};\n');
  const { code, output } = await workspaceTypes(field.root);
  expect(code).toBe(1);
  const refused = ['packages/server/src/admin/schemas/wrong.ts', 'packages/server/src/core/late.ts'];
  expect(output.match(/^\S+(?=\()/gm)).toEqual(refused);
});
