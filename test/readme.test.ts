import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../bench/redis.ts';
import { Command } from './cli/command.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

test('the first event of the README arrives, signed, as it is written there', async () => {
  const [service, receiver] = [await freePort(), await freePort()];
  const data = mkdtempSync(join(tmpdir(), 'millrace-readme-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));

  const started = shell('start', service, receiver, { MILLRACE_PORT: `${service}`, MILLRACE_DATA_DIR: data });
  await started.said(/listening on (\S+)/);
  const listening = shell('listen', service, receiver);
  await listening.said(/127\.0\.0\.1:\d+/);
  const { code, stdout, stderr } = await shell('first-event', service, receiver).ended;

  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toContain('{"success":true}');
  expect(stdout).toContain('"messageId":"first-event"');
  const [line] = await listening.said(/^(.*Order Completed.*)$/m);
  expect(line).toContain('✔');
});

/** Runs an example in the shell, with the ports that are free here in place of those it names. */
function shell(example: string, service: number, receiver: number, env: Record<string, string> = {}): Command {
  const block = new RegExp(`<!-- example: ${example} -->\n\`\`\`sh\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  if (block === undefined) throw new Error(`README.md has no example called ${example}`);
  const script = block.replaceAll('8080', `${service}`).replaceAll('9000', `${receiver}`);
  const command = new Command('sh', ['-e', '-c', script], { cwd: root, env, group: true });
  onTestFinished(async () => {
    await command.signal('SIGTERM');
  });
  return command;
}
