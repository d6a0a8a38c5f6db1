import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the store, the profiles and the admin token are kept in, what was put aside of it, and marks of the service. Other files are none of the service's business. */
const KEPT = /\.db(-wal|-shm|-journal)?(\.foreign)?$|\.lock$|^(admin-token|loopback-allowed)$/;

const OTHERS = 0o007;
const OTHERS_WRITE = 0o002;
const GROUP = 0o070;

/**
 * Takes away what lets every user of the machine read a data folder that is there: from the folder and from each file that the
 * user `uid` owns, who runs this. `warn` is told of what only another user can mend and what alone does no harm: a folder of
 * another owner that others may list, or a group may use (volumes of Kubernetes).
 *
 * Where a path is a link, what it leads to counts.
 *
 * @throws Error that names the path and the fix: every user may write to the folder or read a file, and that can't be mended here.
 */
export function secureFolder(dataDir: string, uid: number, warn: (text: string) => void): void {
  if (!existsSync(dataDir)) return;
  const mended = (path: string): number => {
    const stat = statSync(path, { throwIfNoEntry: false });
    // A link to nothing: what opens it says so.
    if (stat === undefined) return 0;
    const isOwn = stat.uid === uid;
    if (isOwn && (stat.mode & OTHERS) !== 0) close(path, stat.mode & 0o700);
    return isOwn ? 0 : stat.mode;
  };

  const mode = mended(dataDir);
  if ((mode & OTHERS_WRITE) !== 0) throw new Error(refusal('Every user of this machine may write to', dataDir));
  for (const name of readdirSync(dataDir).filter((name) => KEPT.test(name))) {
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
