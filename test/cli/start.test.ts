import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { need } from '../needs.ts';
import { eventually } from '../system/kit/eventually.ts';
import { BIN, begin, Command, folder, millrace, startService } from './command.ts';
import { Inbox } from './inbox.ts';

const curl = await need('curl');

/** A command that was printed for a user, run by a shell as it stands; only `npx millrace` is the working copy's. */
function pasted(line: string, cwd: string, env: Readonly<Record<string, string>> = {}): Command {
  const command = new Command('sh', ['-c', `exec ${line}`.replace('npx millrace', `"${process.execPath}" "${BIN}"`)], {
    cwd,
    env,
  });
  onTestFinished(() => void command.signal('SIGKILL'));
  return command;
}

function printed(output: string, beginning: string): string {
  const line = output.split('\n').find((each) => each.startsWith(`  ${beginning}`));
  if (line === undefined) throw new Error(`no command ${beginning} in:\n${output}`);
  return line.trim();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

test('a first start prints the token and commands that lead to a first event as they stand', async () => {
  const cwd = folder();
  const args = ['start', '--port', String(await freePort())];
  const first = begin(args, { cwd });
  await first.said(/api\/sources\n/);
  const { stdout } = first;
  const [, token = ''] = /Admin token[^\n]*\n\n {2}(\S+)\n/.exec(stdout) ?? [];
  expect(token).toMatch(/^[\w-]{32}$/);
  expect(statSync(join(cwd, 'data/admin-token')).mode & 0o777).toBe(0o600);
  expect(stdout).not.toContain('MILLRACE_ALLOW_PRIVATE_URLS');

  const listen = pasted(`${printed(stdout, 'npx millrace listen --connect')} --port 0 --count 2`, cwd);
  await listen.said(/Receiving on/);
  expect((await pasted(printed(stdout, 'npx millrace send'), cwd).ended).code).toBe(0);
  if (curl) {
    const list = await pasted(printed(stdout, 'curl -H'), cwd).ended;
    expect(JSON.parse(list.stdout)).toMatchObject({ items: [{ name: 'First source' }] });
    const [call = ''] = /curl -u [\s\S]*?'\n/.exec(listen.stdout) ?? [];
    expect(JSON.parse((await pasted(call, cwd).ended).stdout)).toEqual({ success: true });
  } else {
    expect((await pasted(printed(listen.stdout, 'npx millrace send'), cwd).ended).code).toBe(0);
  }
  const arrived = await listen.ended;
  expect(arrived.stdout.match(/✔ verified .* track .* Order Completed/g)).toHaveLength(2);
  expect(arrived.code).toBe(0);

  expect((await first.signal('SIGTERM')).code).toBe(0);
  const second = begin(args, { cwd });
  await second.said(/The admin token is in \S+\n/);
  expect(second.stdout.split('\n')).toHaveLength(4);
  expect(second.stdout).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/sign-in#link=[\w-]{43} \(/m);
  expect(second.stdout).toContain('listening on http://127.0.0.1:');
  expect(second.stdout).not.toContain(token);
});

test('with another data folder, the commands that are printed carry the token', async () => {
  const cwd = folder();
  const start = begin(['start', '--port', '0', '--data-dir', join(cwd, 'elsewhere'), '--allow-private-urls'], { cwd });
  await start.said(/api\/sources\n/);
  expect(start.stdout).not.toContain('MILLRACE_ALLOW_PRIVATE_URLS');
  const token = printed(start.stdout, 'export MILLRACE_ADMIN_TOKEN=').split('=')[1] ?? '';
  const listen = pasted(`${printed(start.stdout, 'npx millrace listen')} --port 0`, cwd, {
    MILLRACE_ADMIN_TOKEN: token,
  });
  await listen.said(/Receiving on/);
});

test('what is wrong with the settings: exit code 2, every problem, no stack', async () => {
  const { code, stdout, stderr } = await millrace(['start', '--port', '99999'], {
    env: { MILLRACE_RETRY_WINDOW: 'soon' },
  });
  expect(stderr).toContain('--port');
  expect(stderr).toContain('MILLRACE_RETRY_WINDOW');
  expect(stderr).not.toContain('    at ');
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test('metrics and health on a port of their own are nowhere else', async () => {
  const service = begin(['start', '--port', '0', '--data-dir', folder(), '--management-port', '0']);
  const [url = ''] = await service.said(/listening on (http:\S+)/);
  const [management = ''] = await service.said(/Metrics and health are on (http:\S+)/);
  const statusOf = async (at: string): Promise<number> => (await fetch(at)).status;
  for (const path of ['/metrics', '/health/live', '/health/ready']) {
    expect([path, await statusOf(management + path), await statusOf(url + path)]).toEqual([path, 200, 404]);
  }
  expect(await statusOf(`${management}/api/sources`)).toBe(404);
  expect(await statusOf(`${management}/v1/track`)).toBe(404);

  const again = ['start', '--port', '0', '--data-dir', folder(), '--management-port', new URL(management).port];
  const { code, stderr } = await millrace(again);
  expect(code).toBe(1);
  expect(stderr).toContain('is taken. Set MILLRACE_MANAGEMENT_PORT (or --management-port)');
});

test('a port that is taken: exit code 1, and what to do; the first start that serves prints the admin token', async () => {
  const inbox = await new Inbox().open();
  const { port } = new URL(inbox.url);
  const dataDir = folder();
  const { code, stderr } = await millrace(['start', '--port', port, '--data-dir', dataDir]);
  expect(stderr).toContain(`port ${port} on 127.0.0.1 is taken. Set MILLRACE_PORT`);
  expect(code).toBe(1);
  const service = begin(['start', '--port', '0', '--data-dir', dataDir]);
  const [token = ''] = await service.said(/Admin token \(printed this once.*\):\n\n {2}(\S+)/);
  expect(readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()).toBe(token);
  await service.signal('SIGTERM');
});

test('a service is ready once its new admin token is kept', async () => {
  const dataDir = join(folder(), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const file = join(dataDir, 'admin-token');
  const port = await freePort();
  // The token is kept when somebody reads the pipe, not before.
  execFileSync('mkfifo', ['-m', '600', file]);
  const service = begin(['start', '--port', String(port), '--data-dir', dataDir]);
  // The start looks for a token first, and finds none.
  await writeFile(file, '');
  const ready = async (): Promise<Response | null> => fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
  const early = await eventually(ready, (answer) => answer !== null);
  expect(early?.status).toBe(503);
  expect(await early?.text()).toContain('the service is starting');
  const kept = await readFile(file, 'utf8');
  const [token] = await service.said(/Admin token \(printed this once.*\):\n\n {2}(\S+)/);
  expect(kept.trim()).toBe(token);
  expect((await ready())?.status).toBe(200);
});

test('a second signal at once is the same key press; one that comes later ends the process at once', async () => {
  const service = await startService({ MILLRACE_DELIVERY_TIMEOUT: '20s' });
  onTestFinished(() => service.stop());
  const listen = begin(['listen', '--connect', '--port', '0', '--delay', '60s'], { env: service.env });
  await listen.said(/Receiving on/);
  expect((await millrace(['send'], { env: service.env })).code).toBe(0);
  await listen.said(/Order Completed/);
  void service.command.signal('SIGINT');
  // Not the same one: the system makes one of two that are pending.
  void service.command.signal('SIGTERM');
  // The promise is about time itself: a second or more.
  const drained = await Promise.race([service.command.ended, wait(1_300)]);
  expect(drained).toBeUndefined();
  expect((await service.command.signal('SIGTERM')).code).toBe(1);
});

test('an address that can not be listened on is refused with its setting', async () => {
  const { code, stderr } = await millrace(['start', '--port', '0', '--host', 'fe80::1%nope9', '--data-dir', folder()]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/cannot listen on fe80.*Check MILLRACE_HOST and MILLRACE_PORT/),
  ]);
});

test('a data folder that can not be made is refused at once', async () => {
  for (const path of ['/proc/nope', '/proc/nope/deeper']) {
    const { code, stderr } = await millrace(['start', '--port', '0', '--data-dir', path]);
    const words = /The data folder can't be made \(ENOENT.*'\/proc\/nope'\)\. Make it for the service's user/;
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
  }
});

test('a kept admin token that could not be set is refused; a new one is made once its file is removed', async () => {
  const dataDir = join(folder(), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const file = join(dataDir, 'admin-token');
  for (const token of ['short', 'with a space, and long enough']) {
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    const { code, stderr } = await millrace(['start', '--port', '0', '--data-dir', dataDir]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`the admin token in ${file} is not 20 to 512 visible ASCII characters without spaces`),
    ]);
    expect(stderr).not.toContain(token);
    expect(stderr).toContain('remove the file');
  }
  const given = begin(['start', '--port', '0', '--data-dir', dataDir], {
    env: { MILLRACE_ADMIN_TOKEN: 'a token is given that counts'.replaceAll(' ', '-') },
  });
  await given.said(/listening on/);
  await given.signal('SIGTERM');
  rmSync(file);
  await begin(['start', '--port', '0', '--data-dir', dataDir]).said(/Admin token/);
});

test('a data folder that every user may read is closed at the start, and stays closed', async () => {
  const path = join(folder(), 'data');
  const first = begin(['start', '--port', '0', '--data-dir', path]);
  await first.said(/listening on/);
  await first.signal('SIGTERM');
  const files = (): string[] => readdirSync(path).map((name) => join(path, name));
  for (const file of files()) chmodSync(file, 0o644);
  chmodSync(path, 0o755);

  const second = begin(['start', '--port', '0', '--data-dir', path]);
  await second.said(/listening on/);
  expect(files().length).toBeGreaterThan(3);
  expect([path, ...files()].filter((file) => (statSync(file).mode & 0o077) !== 0)).toEqual([]);
});
