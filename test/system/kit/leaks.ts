import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { eventually } from './eventually.ts';

// It would watch only the first of the files that share a process.
if (process.env['MILLRACE_TEST_SHARES_PROCESS'] === 'true') {
  throw new Error('A test that leaks.ts watches needs a process for its file: see WATCHED in vitest.config.ts.');
}

/**
 * A test file that imports this one is watched: a test that leaves a process, a socket or a temporary folder behind fails. The
 * check runs after everything the test itself asked to have cleaned up.
 */
beforeEach(({ onTestFinished }) => {
  const before = census();
  // Registered before the test begins, so it is the last to run.
  onTestFinished(async () => {
    await eventually(
      () => left(before, census()),
      (leaked) => leaked.length === 0,
      3_000,
    ).catch((error: unknown) => {
      throw new Error('the test left something behind', { cause: error });
    });
  });
});

const processes = new Set<number>();
const folders = new Set<string>();

export function processStarted(pid: number): void {
  processes.add(pid);
}

// What leaked has failed its test; it is not to outlive the tests as well.
process.on('exit', () => {
  for (const pid of processes) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  for (const folder of folders) removeFolder(folder);
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-system-'));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

type Census = ReadonlyMap<string, number>;

function census(): Census {
  const things = new Map<string, number>();
  const count = (kind: string): void => void things.set(kind, (things.get(kind) ?? 0) + 1);
  for (const kind of process.getActiveResourcesInfo()) if (/^(TCP|TLS|Pipe|Process|FSEvent)/.test(kind)) count(kind);
  // Counted, not named: a test may have started the service of its file again.
  for (const pid of processes) if (isAlive(pid)) count('a process');
  for (const folder of folders) if (existsSync(folder)) things.set(folder, 1);
  return things;
}

function left(before: Census, after: Census): string[] {
  return [...after].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
