import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../checks/tool.ts';

const BIN = join(ROOT, 'packages/server/bin/millrace.js');

const folder = mkdtempSync(join(tmpdir(), 'millrace-bin-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A package around the real bin, with a main of its own that says which it is. */
function packaged(name: string, mains: readonly string[]): string {
  const root = join(folder, name);
  mkdirSync(join(root, 'bin'), { recursive: true });
  cpSync(BIN, join(root, 'bin/millrace.js'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  for (const main of mains) {
    mkdirSync(join(root, main, '..'), { recursive: true });
    writeFileSync(join(root, main), `console.log('${main}', process.argv.slice(2).join(' '));\n`);
  }
  return join(root, 'bin/millrace.js');
}

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

/** Where compiled code is looked for when the bin is run by who has this home. */
function cacheOf(home: string): string {
  const bin = packaged('cached', ['dist/js/main.js']);
  writeFileSync(join(bin, '../../dist/js/main.js'), 'console.log(process.env.NODE_COMPILE_CACHE);\n');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: join(home, 'tmp') };
  mkdirSync(env.TMPDIR, { recursive: true });
  const { stdout, stderr } = spawnSync(process.execPath, [bin], { encoding: 'utf8', env });
  expect(stderr).toBe('');
  // Nothing of it is where others can write.
  expect(readdirSync(env.TMPDIR)).toEqual([]);
  return stdout.trim();
}

test('compiled code is kept in a folder of its own, and in none that others can write', () => {
  const home = join(folder, 'home');
  const cache = join(home, '.cache/millrace');
  expect(cacheOf(home)).toBe(cache);
  expect(statSync(cache).mode & 0o777).toBe(0o700);
  expect(cacheOf(home)).toBe(cache);

  chmodSync(cache, 0o777);
  expect(cacheOf(home)).toBe('undefined');
  rmSync(cache, { recursive: true });
  mkdirSync(join(home, 'elsewhere'), { mode: 0o700 });
  symlinkSync(join(home, 'elsewhere'), cache);
  expect(cacheOf(home)).toBe('undefined');
});

test.each(['18.0.0', '20.20.2', '23.11.1'])('Node %s is told what to do', (version) => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
  const { status, stdout, stderr } = run(
    '--import',
    `data:text/javascript,${encodeURIComponent(pretend)}`,
    BIN,
    'start',
  );
  expect(stderr).toContain(`Millrace needs Node.js 24 or newer; this is ${version}`);
  expect(stderr).toContain('npm start');
  expect(stdout).toBe('');
  expect(status).toBe(1);
});

test('what was built runs, and nothing but the service speaks', () => {
  const bin = packaged('node_modules/@millrace/server', ['dist/js/main.js', 'src/main.ts']);
  expect(run(bin, 'start', '--port=0')).toMatchObject({
    status: 0,
    stdout: 'dist/js/main.js start --port=0\n',
    stderr: '',
  });
});

test('what is not built says so, and what builds it', () => {
  const { status, stdout, stderr } = run(packaged('working-copy', ['src/main.ts']));
  expect(stderr).toMatch(/^Millrace is not built yet: \S+main\.js is missing\. npm start, .* make it\.\n$/);
  expect(stdout).toBe('');
  expect(status).toBe(1);
});
