/**
 * `npm test`: every test of the workspace; arguments are vitest's (`npm test -- collect`, `npm test -- -t 'a name'`).
 * The last line counts: `N passed, N failed`, and `, N skipped` where there were any. Exit code 1 when a test failed, a
 * test file could not be read, something was thrown outside of a test, or no test ran at all.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from '../checks/tool.ts';
import { countsLine, countTests } from './counts.ts';

// What is served in the tests' browsers.
const built = await runTool('node', ['packages/server/build.ts'], { inherit: true });
if (built.code !== 0) process.exit(built.code);

const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'));
try {
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code } = await runTool('vitest', ['run', ...reporters, ...process.argv.slice(2)], { inherit: true });
  const counts = countTests(readReport(report), code);
  if (counts.passed + counts.failed === 0) console.log('No test ran.');
  console.log(countsLine(counts));
  process.exitCode = code !== 0 || counts.failed > 0 || counts.passed === 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function readReport(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // vitest ended before it could report; its exit code says so, and it has printed why.
    return undefined;
  }
}
