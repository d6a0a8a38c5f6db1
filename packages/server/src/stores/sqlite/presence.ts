import { statSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * Remembers which files exist, to notice when one is replaced or removed: what is written to such a file would be lost with this
 * process. The answer says what happened to one of the files and what to do, in words; null if all are still the same.
 */
export function presence(paths: readonly string[]): () => string | null {
  const inodes = new Map(paths.map((path) => [path, inodeOf(path)]));
  return () => {
    for (const [path, inode] of inodes) {
      if (inode !== 0 && inodeOf(path) === inode) continue;
      const what = `${basename(path)} was removed or replaced while the service runs`;
      return `${what}. Stop the service, put the file back and start it again`;
    }
    return null;
  };
}

/** 0 if the file does not exist. */
function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}
