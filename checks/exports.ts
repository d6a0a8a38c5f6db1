import { ROOT, runTool, type ToolResult } from './tool.ts';

/** Types are read off these values: a second copy beside each would be what could differ. */
const SCHEMAS: readonly string[] = ['packages/server/src/admin/schemas/', 'packages/server/src/config-schema.ts'];

/** Every export says its type, so that a reader and a declaration need only its own file. All but the schemas. */
export async function undeclaredExports(cwd: string = ROOT): Promise<ToolResult> {
  const { output } = await runTool('tsc', ['-p', 'tsconfig.json', '--isolatedDeclarations', '--pretty', 'false'], {
    cwd,
  });
  const undeclared = output
    .split('\n')
    .filter((line) => /: error TS90\d\d: /.test(line) && !SCHEMAS.some((path) => line.startsWith(path)));
  return { code: undeclared.length > 0 ? 1 : 0, output: undeclared.map((line) => `${line}\n`).join('') };
}
