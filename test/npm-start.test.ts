import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../checks/tool.ts';

test('a SIGTERM to npm start reaches the service: npm ends after it, with 0', async () => {
  const data = mkdtempSync(join(tmpdir(), 'millrace-npm-'));
  // A group of its own, so that nothing of it outlives a test that fails.
  const npm = spawn('npm', ['start', '--', '--port', '0', '--data-dir', data], { cwd: ROOT, detached: true });
  onTestFinished(() => {
    try {
      process.kill(-(npm.pid ?? 0), 'SIGKILL');
    } catch {
      // All of it has ended.
    }
    rmSync(data, { recursive: true, force: true });
  });
  let [out, log] = ['', ''];
  npm.stderr.on('data', (chunk) => {
    log += chunk;
  });
  for await (const chunk of npm.stdout) {
    out += chunk;
    if (out.includes('listening on')) break;
  }
  npm.kill('SIGTERM');
  expect(await once(npm, 'exit')).toEqual([0, null]);
  expect(log).toContain('stopping: finishing what is under way');
});
