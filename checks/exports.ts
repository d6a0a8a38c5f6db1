import { ROOT, runTool, type ToolResult } from './tool.ts';

/** Their types are read off the values: a second copy beside each would be what could differ. */
const SCHEMAS = 'packages/server/src/admin/schemas/';

/** Every export says its type, so that a reader and a declaration need only its own file. All but the schemas of the admin API. */
export async function undeclaredExports(cwd: string = ROOT): Promise<ToolResult> {
  const { output } = await runTool('tsc', ['-p', 'tsconfig.json', '--isolatedDeclarations', '--pretty', 'false'], {
    cwd,
  });
  const undeclared = output.split('\n').filter((line) => /: error TS90\d\d: /.test(line) && !line.startsWith(SCHEMAS));
  return { code: undeclared.length > 0 ? 1 : 0, output: undeclared.map((line) => `${line}\n`).join('') };
}
