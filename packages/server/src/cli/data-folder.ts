import { chmodSync, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the store, the profiles and the admin token are kept in. Other files are none of the service's business. */
const KEPT = /\.db(-wal|-shm|-journal)?$|\.lock$|^admin-token$/;

const OTHERS = 0o007;
const OTHERS_WRITE = 0o002;
const GROUP = 0o070;

/**
 * Takes away what lets every user of the machine read a data folder that is there: from the folder and from each file that the
 * user `uid` owns, who runs this. `warn` is told of what only another user can mend and what alone does no harm: a folder of
 * another owner that others may list, or a group may use (volumes of Kubernetes).
 *
 * @throws Error that names the path and the fix: every user may write to the folder or read a file, and another user owns it.
 */
export function secureFolder(dataDir: string, uid: number, warn: (text: string) => void): void {
  if (!existsSync(dataDir)) return;
  const mended = (path: string, stat = lstatSync(path)): number => {
    const isOwn = stat.uid === uid;
    if (isOwn && (stat.mode & OTHERS) !== 0) chmodSync(path, stat.mode & 0o700);
    return isOwn ? 0 : stat.mode;
  };

  // Where it is a link, what counts is the folder.
  const mode = mended(dataDir, statSync(dataDir));
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

function refusal(trouble: string, path: string): string {
  return `${trouble} ${path}, and another user owns it. Let its owner run: chmod o= '${path}'`;
}
