import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { Turns } from './turns.ts';

test.skipIf(process.platform !== 'linux')('processes run in turns, and as they like again afterwards', async () => {
  const echoes = [startEcho(), startEcho()];
  const turns = new Turns(3);
  onTestFinished(() => turns.end());
  for (const echo of echoes) expect(await answer(echo, 'before')).toBe('before');
  for (const { pid = 0 } of echoes) turns.add(pid);
  for (const { pid = 0 } of echoes) await expect.poll(() => isStopped(pid), { interval: 1 }).toBe(true);
  for (const echo of echoes) expect(await answer(echo, 'in turns')).toBe('in turns');
  turns.end();
  for (const echo of echoes) expect(await answer(echo, 'after')).toBe('after');
  expect(echoes.map(({ pid = 0 }) => isStopped(pid))).toEqual([false, false]);
});

test('one that has ended is no reason to stop for the others', async () => {
  const [gone, there] = [startEcho(), startEcho()];
  const turns = new Turns(2);
  onTestFinished(() => turns.end());
  gone.kill('SIGKILL');
  await once(gone, 'exit');
  for (const { pid = 0 } of [gone, there]) turns.add(pid);
  expect(await answer(there, 'still here')).toBe('still here');
});

function startEcho(): ChildProcess {
  const child = spawn(process.execPath, ['-e', 'process.stdin.pipe(process.stdout)'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function answer({ stdin, stdout }: ChildProcess, text: string): Promise<string> {
  stdin?.write(text);
  const [chunk] = stdout ? ((await once(stdout, 'data')) as Buffer[]) : [];
  return String(chunk);
}

function isStopped(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
}
