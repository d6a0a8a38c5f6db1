import { ROOT, runTool, type ToolResult } from './tool.ts';

/** Types are read off these values: a second copy beside each would be what could differ. */
const SCHEMAS: readonly string[] = ['packages/server/src/admin/schemas/', 'packages/server/src/config-schema.ts'];

/**
 * Types fit, and every export says its own, so that a reader and a declaration need only its own file. All but the schemas. One run
 * of the compiler says both.
 */
export async function workspaceTypes(cwd: string = ROOT): Promise<ToolResult> {
  const args = ['-p', 'tsconfig.json', '--isolatedDeclarations', '--pretty', 'false'];
  const { code, output } = await runTool('tsc', args, { cwd });
  // What goes on in the next line is indented.
  const all = output.split(/\n(?=\S)/).filter((line) => line.trim() !== '');
  const wrong = all.filter(
    (line) => !/^\S+: error TS90\d\d: /.test(line) || !SCHEMAS.some((path) => line.startsWith(path)),
  );
  // Without a word it did not run.
  const ran = code === 0 || all.length > 0;
  return { code: ran && wrong.length === 0 ? 0 : 1, output: wrong.map((line) => `${line}\n`).join('') };
}
