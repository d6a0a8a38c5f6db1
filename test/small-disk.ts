import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';

export interface SmallDisk {
  readonly folder: string;
  remove(): void;
}

/**
 * A file system of its own, so small that it can be filled; null where this process may not mount one (it takes root),
 * and then a line on stderr says what goes untested.
 *
 * @throws Error with CI=true, where nothing may go untested.
 */
export function smallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-disk-'));
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder];
  if (spawnSync('mount', options, { stdio: 'ignore' }).status === 0) {
    return {
      folder,
      remove() {
        spawnSync('umount', ['-l', folder], { stdio: 'ignore' });
        rmSync(folder, { recursive: true });
      },
    };
  }
  rmSync(folder, { recursive: true });
  const message = 'a small file system could not be mounted (it takes root)';
  if (process.env['CI'] === 'true') throw new Error(message);
  process.stderr.write(`\n!!! SKIPPED: ${message}. What happens on a full disk goes untested.\n\n`);
  return null;
}

/** The same until the test is over; where there can be none the test is skipped. */
export function smallDiskFor(context: TestContext, megabytes: number): SmallDisk {
  const disk = smallDisk(megabytes) ?? context.skip();
  onTestFinished(() => disk.remove());
  return disk;
}

/** Writes a file that takes all the room there is, to the last page. */
export function fillUp(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const size of [65_536, 4096]) fillBy(file, Buffer.alloc(size));
  } finally {
    closeSync(file);
  }
}

function fillBy(file: number, block: Buffer): void {
  try {
    while (writeSync(file, block) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
