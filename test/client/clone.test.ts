import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PACKAGE, ROOT, run } from '../../packages/client/test/built-package.ts';
import { runNode } from '../../packages/client/test/run-node.ts';

test('in a clone, the first instruction of the README makes the package one that programs can import', async () => {
  const clone = newClone();
  const main = join(clone, 'main.mjs');
  writeFileSync(
    main,
    `import { Millrace } from '@millrace/client'; await new Millrace('key').close(); console.log('closed');`,
  );
  expect((await runNode([main])).stderr).toContain('ERR_MODULE_NOT_FOUND');
  const [instruction = ''] = /(?<=^ {4})npm .+$/m.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8')) ?? [];
  // Anything else could change the packages that the links lead to.
  expect(instruction).toMatch(/^npm run /);
  await run('npm', instruction.split(' ').slice(1), { cwd: clone });
  expect(await runNode([main])).toMatchObject({ code: 0, stdout: 'closed\n', stderr: '' });
});

/** What `npm ci` leaves: the sources of the package, and the workspace's packages, this one as a link to its folder. */
function newClone(): string {
  const clone = mkdtempSync(join(tmpdir(), 'millrace-clone-'));
  onTestFinished(() => rmSync(clone, { recursive: true }));
  for (const file of ['package.json', 'tsconfig.json', '.npmrc']) cpSync(join(ROOT, file), join(clone, file));
  const isSource = (path: string): boolean => !path.startsWith(join(PACKAGE, 'dist'));
  cpSync(PACKAGE, join(clone, 'packages/client'), { recursive: true, filter: isSource });
  mkdirSync(join(clone, 'node_modules/@millrace'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@millrace') symlinkSync(join(ROOT, 'node_modules', name), join(clone, 'node_modules', name));
  }
  symlinkSync('../../packages/client', join(clone, 'node_modules/@millrace/client'));
  return clone;
}
