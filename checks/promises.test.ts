import { expect, test } from 'vitest';
import { Field } from './plant.ts';
import { runTool } from './tool.ts';

const PRELUDE = `export async function write(): Promise<void> {}
export function each(run: (n: number) => void): void {
  run(1);
}
`;

test.each([
  ['write();', 'typescript(no-floating-promises)'],
  ['write().then(() => 1);', 'typescript(no-floating-promises)'],
  ['each(async () => write());', 'typescript(no-misused-promises)'],
  ['if (write()) each(() => undefined);', 'typescript(no-misused-promises)'],
])('refuses %s', async (line, rule) => {
  const { code, output } = await oxlint(line);
  expect(output).toContain(rule);
  expect(code).toBe(1);
});

test.each(['await write();', 'void write();', 'write().catch(() => each(() => undefined));'])(
  'takes %s',
  async (line) => {
    expect(await oxlint(line)).toMatchObject({ code: 0 });
  },
);

async function oxlint(line: string): Promise<{ code: number; output: string }> {
  using field = new Field();
  field.plant('packages/server/src/record/write.ts', `${PRELUDE}${line}\n`);
  return await runTool('oxlint', ['--type-aware', '--deny-warnings'], { cwd: field.root });
}
