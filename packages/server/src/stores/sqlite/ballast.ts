import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES = 4 * 1024 * 1024;
/** Left free by a start on a scarce disk: the other threads still have files to open. */
const FOR_A_START = 512 * 1024;

/**
 * `millrace.ballast`: a file that is only there for the room it takes. Old data can't be deleted without writing first, nor a
 * folder be opened, so on a full disk neither would ever be possible again. Then the file is removed, the work is done, and the
 * room that is left is taken again: in one call on the writer's thread, so that no append gets it meanwhile.
 *
 * The file may be missing, or too small, at any moment: a crash in between leaves it so.
 */
export class Ballast {
  readonly #dataDir: string;
  readonly #path: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#path = join(dataDir, 'millrace.ballast');
  }

  /** Does `work`. If it fails, does it again with the room of the ballast: `isLent`. `work` must be repeatable. */
  lend<T>(work: (isLent: boolean) => T): T {
    try {
      return work(false);
    } catch {
      // What a full disk fails with depends on the file system, and a second try does no harm.
      this.#giveUp();
      return work(true);
    } finally {
      this.#fill(0);
    }
  }

  /** Opens the folder. On a scarce disk, `open` has the room of the ballast: it can't be repeated. */
  lendAtStart<T>(open: () => T): T {
    // Scarce also after a crash between giving up and taking again.
    if (this.#room() >= 2 * BYTES) return open();
    this.#giveUp();
    try {
      return open();
    } finally {
      this.#fill(FOR_A_START);
    }
  }

  /** Makes the file as large as it should be, as far as there is room. `spared` bytes stay free. */
  #fill(spared: number): void {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    const missing = Math.min(BYTES - size, this.#room() - spared);
    if (missing <= 0) return;
    try {
      // Random, because zeros take no room where the file system compresses.
      writeFileSync(this.#path, randomBytes(missing), { flag: 'a', mode: 0o600 });
    } catch {
      // It takes what there is, and is tried again with the next look for old data.
    }
  }

  #giveUp(): void {
    rmSync(this.#path, { force: true });
  }

  #room(): number {
    const { bavail, bsize } = statfsSync(this.#dataDir);
    return bavail * bsize;
  }
}
