/** `npm run check`: every tool that can say something is wrong before a test runs. Exit code 1 when one of them does. */

import { badNames, ownFiles } from './names.ts';
import { ROOT, runTool, type ToolResult } from './tool.ts';
import { workspaceTypes } from './workspace-types.ts';

const CHECKS: Readonly<Record<string, () => ToolResult | Promise<ToolResult>>> = {
  'biome: format, lint, imports, layers': () => runTool('biome', ['ci', '--colors=off', '--max-diagnostics=100', '.']),
  'tsc: types, and exports say theirs': () => workspaceTypes(),
  'tsc: types of the interface': () => runTool('tsc', ['-p', 'packages/ui']),
  'tsc: types of the client, browser included': () => runTool('tsc', ['-p', 'packages/client']),
  'oxlint: promises that are not awaited': () => runTool('oxlint', ['--type-aware', '--deny-warnings']),
  'knip: unused files, exports and dependencies': () => runTool('knip', ['--no-progress']),
  'names: folders and files': names,
};

let failed = 0;
for (const [name, check] of Object.entries(CHECKS)) {
  const { code, output } = await check();
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  if (code === 0) continue;
  failed += 1;
  console.log(output);
}
if (failed > 0) console.log(`${failed} of ${Object.keys(CHECKS).length} checks failed`);
process.exitCode = failed > 0 ? 1 : 0;

function names(): ToolResult {
  const bad = badNames(ownFiles(ROOT));
  return { code: bad.length > 0 ? 1 : 0, output: bad.map((line) => `${line}\n`).join('') };
}
