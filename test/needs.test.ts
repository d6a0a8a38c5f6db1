import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ASK = `import { need } from ${JSON.stringify(join(import.meta.dirname, 'needs.ts'))};
console.log(await need('php'));`;

/** Asks for a program where there is none, and nothing to install it with. */
function askInVain(env: Record<string, string>): { status: number | null; stdout: string; stderr: string } {
  const args = ['--input-type=module', '--eval', ASK];
  return spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH: '/nonexistent', ...env } });
}

test('a program that is missing is told loudly, and its tests are skipped', () => {
  const { status, stdout, stderr } = askInVain({});
  expect(stdout).toBe('false\n');
  expect(stderr).toContain('!!! SKIPPED: php is not installed and could not be installed (Debian: php-cli)');
  expect(status).toBe(0);
});

test('with CI=true it is a failure', () => {
  const { status, stderr } = askInVain({ CI: 'true' });
  expect(stderr).toContain('php is not installed and could not be installed');
  expect(status).toBe(1);
});
