import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { begin, folder, millrace } from './command.ts';

test('shows every call arriving, verified, and accounts for them', async () => {
  const temporary = folder();
  const { code, stdout } = await millrace(['demo', '--count', '30', '--rate', '200'], { env: { TMPDIR: temporary } });
  expect(stdout.match(/^✔ verified {2}\d\d:\d\d:\d\d\.\d{3} {2}\w+ .* \d+ ms$/gm)).toHaveLength(30);
  expect(stdout).toContain('30 requests arrived: 30 verified');
  expect(stdout).toContain('30 accepted = 30 processed + 0 failed + 0 filtered + 0 waiting');
  expect(code).toBe(0);
  expect(readdirSync(temporary).filter((name) => name.startsWith('millrace-'))).toEqual([]);
});

test('runs until Ctrl-C, which ends it with the summary', async () => {
  const demo = begin(['demo', '--rate', '50'], { env: { TMPDIR: folder() } });
  await demo.said(/(✔ verified[\s\S]*){5}/);
  const { code, stdout } = await demo.signal('SIGINT');
  const [, accepted, processed] =
    /(\d+) accepted = (\d+) processed \+ 0 failed \+ 0 filtered \+ 0 waiting\n$/.exec(stdout) ?? [];
  expect(Number(accepted)).toBeGreaterThanOrEqual(5);
  expect(processed).toBe(accepted);
  expect(code).toBe(0);
});

test('the printed command sends a call of one’s own', async () => {
  const demo = begin(['demo', '--rate', '1'], { env: { TMPDIR: folder() } });
  const [args = ''] = await demo.said(/npx millrace (send .*)/);
  expect((await millrace([...args.split(' '), 'track', 'My Own'])).code).toBe(0);
  await demo.said(/verified .* My Own/);
});

test('a folder that is given is kept, and used again', async () => {
  const data = folder();
  await millrace(['demo', '--count', '2', '--rate', '100', '--data-dir', data]);
  expect(readdirSync(data)).not.toEqual([]);
  const { code, stdout } = await millrace(['demo', '--count', '3', '--rate', '100', '--data-dir', data]);
  expect(stdout).toContain('5 accepted = 5 processed');
  expect(code).toBe(0);
});

test('a folder that can’t be used: exit code 1 and why', async () => {
  const { code, stderr } = await millrace(['demo', '--data-dir', '/dev/null/x']);
  expect(stderr).toContain('millrace: cannot start the service');
  expect(stderr).not.toContain('    at ');
  expect(code).toBe(1);
});
