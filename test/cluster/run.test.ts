import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../system/kit/eventually.ts';
import { ask } from '../system/kit/http.ts';
import { needNats } from './nats.ts';

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url));
const nats = await needNats();

describe.skipIf(!nats)('npm run cluster', () => {
  test('starts two nodes that know each other, and ends all of it with Ctrl-C', { timeout: 90_000 }, async () => {
    const child = spawn(process.execPath, [RUN, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exit = once(child, 'exit');
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await eventually(
      () => said,
      (text) => text.includes('npx millrace start') || child.exitCode !== null,
      60_000,
    );
    const urls = [...said.matchAll(/node \d {2}(http:\S+)/g)].map(([, url]) => String(url));
    const token = /MILLRACE_ADMIN_TOKEN=(\S+)/.exec(said)?.[1];
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const [one, two] = urls;
    const source = JSON.stringify({ name: 'Shop', type: 'server' });
    expect(await ask(`${one}/api/sources`, { body: source, headers })).toMatchObject({ status: 201 });
    await eventually(
      () => ask(`${two}/api/sources`, { headers }),
      ({ text }) => text.includes('Shop'),
    );
    const pids = [...said.matchAll(/\(process (\d+)\)/g)].map(([, pid]) => Number(pid));
    expect(pids).toHaveLength(2);
    child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
