import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { SETTINGS } from '../../packages/server/src/config.ts';
import { BIN, Command, type Ended, folder, millrace, startService } from './command.ts';

const COMMANDS = [
  ...['start', 'demo', 'listen', 'send', 'import', 'replay', 'export', 'apply'],
  ...['backup', 'restore', 'migrate', 'doctor'],
];

test('--help lists the commands and the way to a first event', async () => {
  const { code, stdout, stderr } = await millrace(['--help']);
  for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  expect(stdout).toContain('millrace listen --connect');
  expect(stderr).toBe('');
  expect(code).toBe(0);
});

test('no command: the help, and the exit code of what was not tried', async () => {
  const { code, stdout, stderr } = await millrace([]);
  expect(stderr).toContain('Usage: millrace');
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test('an unknown command suggests the one that was meant', async () => {
  const { code, stderr } = await millrace(['lisen']);
  expect(stderr).toContain("unknown command 'lisen'");
  expect(stderr).toContain('Did you mean listen?');
  expect(stderr).not.toContain('    at ');
  expect(code).toBe(2);
});

test('--version is the one of the package', async () => {
  const manifest = readFileSync(new URL('../../packages/server/package.json', import.meta.url), 'utf8');
  expect((await millrace(['--version'])).stdout.trim()).toBe((JSON.parse(manifest) as { version: string }).version);
});

test.skipIf(!existsSync('/dev/full'))(
  'standard output that can’t be written: said in a line, exit code 1',
  async () => {
    const service = await startService();
    onTestFinished(() => service.stop());
    const full = (...args: string[]): Promise<Ended> => {
      const shell = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, BIN, ...args];
      const command = new Command('sh', shell, { env: service.env, cwd: folder() });
      onTestFinished(() => void command.signal('SIGKILL'));
      return command.ended;
    };
    for (const args of [['--help'], ['export'], ['send', '--help'], ['listen', '--port', '0']]) {
      const { code, stderr } = await full(...args);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^millrace: standard output can't be written: ENOSPC.*\n$/),
      ]);
    }
  },
);

test.each(COMMANDS)('%s --help has examples', async (name) => {
  const { code, stdout } = await millrace([name, '--help']);
  expect(stdout).toContain('Examples:');
  expect(stdout).toContain(`$ `);
  expect(code).toBe(0);
});

test('start --help has every setting: flag, variable, default and limits', async () => {
  const { stdout } = await millrace(['start', '--help']);
  const words = stdout.replace(/\s+/g, ' ');
  for (const { flag, env, fallback, limits } of SETTINGS) {
    expect(words).toContain(`--${flag} `);
    expect(words).toContain(`(${env})`);
    expect(words).toContain(`Must be ${limits}.`);
    if (fallback !== '') expect(words).toContain(`Default: ${fallback}.`);
  }
});

test.each([
  ['import', ['(default: 5m)']],
  ['doctor', ['(default: 1d)']],
  ['listen', ['(default: 0s)', '(default: 0%)']],
])('%s --help writes a default as it is typed', async (name, defaults) => {
  const { stdout } = await millrace([name, '--help']);
  for (const each of defaults) expect(stdout).toContain(each);
  expect(stdout).not.toContain('default: []');
});

test('docs/cli.md has every command with every flag of it', async () => {
  const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
  const sections = page.split(/^## /m);
  const reaching = sections.find((section) => section.startsWith('Reaching the service')) ?? '';
  const missing: string[] = [];
  for (const name of COMMANDS.filter((each) => each !== 'start')) {
    const section = sections.find((each) => each.startsWith(`\`millrace ${name}`)) ?? '';
    const { stdout } = await millrace([name, '--help']);
    for (const [, flag = ''] of stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)) {
      if (flag !== '--help' && !`${section}${reaching}`.includes(`\`${flag}`)) missing.push(`${name} ${flag}`);
    }
  }
  expect(missing).toEqual([]);
});
