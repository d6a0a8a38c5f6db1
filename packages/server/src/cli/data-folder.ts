import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The files of the service: databases and their side files, databases put aside (`.foreign`), locks, the ballast, the admin token, and marks.
 * Other files are not touched.
 */
const KEPT = /\.db(-wal|-shm|-journal)?(\.foreign)?$|\.(lock|ballast)$|^(admin-token|loopback-allowed)$/;

const OTHERS = 0o007;
const OTHERS_WRITE = 0o002;
const GROUP = 0o070;

/**
 * Closes an existing data folder to other users of the machine: removes their permissions from the folder and its files, if the
 * user `uid`, who runs this process, owns them. `warn` is called for a folder of another owner that others may list or a group
 * may use (volumes of Kubernetes): only its owner can change that, and alone it does no harm.
 *
 * Links are followed.
 *
 * @throws Error that names the path and the fix, if every user may write to the folder or read a file and this process can't
 * change that.
 */
export function secureFolder(dataDir: string, uid: number, warn: (text: string) => void): void {
  if (!existsSync(dataDir)) return;
  const mended = (path: string): number => {
    const stat = statSync(path, { throwIfNoEntry: false });
    // A link to a missing file: the code that opens it reports the error.
    if (stat === undefined) return 0;
    const isOwn = stat.uid === uid;
    if (isOwn && (stat.mode & OTHERS) !== 0) close(path, stat.mode & 0o700);
    return isOwn ? 0 : stat.mode;
  };

  const mode = mended(dataDir);
  if ((mode & OTHERS_WRITE) !== 0) throw new Error(refusal('Every user of this machine may write to', dataDir));
  for (const name of namesIn(dataDir).filter((name) => KEPT.test(name))) {
    const path = join(dataDir, name);
    if ((mended(path) & OTHERS) !== 0) throw new Error(refusal('Every user of this machine may read', path));
  }
  if ((mode & (OTHERS | GROUP)) !== 0) {
    const who = (mode & OTHERS) === 0 ? 'its group' : 'every user of this machine';
    warn(
      `The data folder ${dataDir} belongs to another user, and ${who} may list it. The files in it are closed to them`,
    );
  }
}

function namesIn(dataDir: string): string[] {
  try {
    return readdirSync(dataDir);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new Error(`The data folder ${dataDir} can't be read (${why}). Start the service as the user who owns it`, {
      cause,
    });
  }
}

function close(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new Error(
      `Every user of this machine may read ${path}, and that can't be changed (${why}). Run: chmod o= '${path}'`,
      { cause },
    );
  }
}

function refusal(trouble: string, path: string): string {
  return `${trouble} ${path}, and another user owns it. Let its owner run: chmod o= '${path}'`;
}
