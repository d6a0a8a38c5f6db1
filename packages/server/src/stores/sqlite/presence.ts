import { statSync } from 'node:fs';
import { basename } from 'node:path';

/** Files as they are now: whether each is still the same one. What is written to one that is not would be gone with this process. */
export class Presence {
  readonly #inodes: ReadonlyMap<string, number>;

  constructor(paths: readonly string[]) {
    this.#inodes = new Map(paths.map((path) => [path, inodeOf(path)]));
  }

  /** What happened to one of them and what to do, in words; null when all are there. */
  trouble(): string | null {
    for (const [path, inode] of this.#inodes) {
      if (inode !== 0 && inodeOf(path) === inode) continue;
      const what = `${basename(path)} was removed or replaced while the service runs`;
      return `${what}. Stop the service, put the file back and start it again`;
    }
    return null;
  }
}

/** 0 where there is no file. */
function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}
