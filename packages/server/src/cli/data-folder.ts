import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files of the service: databases with their side files and those put aside, the lock, the ballast, the admin token, and marks. */
const KEPT =
  /^(millrace|people|events-.+)\.db(\.foreign)?(-wal|-shm|-journal)?$|^millrace\.(lock|lock-journal|ballast)$|^(admin-token|loopback-allowed)$/;

/** Names that belong to the file system (`lost+found`, `.snapshot`) or to a restore, not to another program. */
const OF_THE_DISK = /^(lost\+found$|\.)/;

const OTHERS = 0o007;
const OTHERS_WRITE = 0o002;
const GROUP = 0o070;

const ANOTHER = 'Name another by MILLRACE_DATA_DIR or --data-dir';

/**
 * Closes an existing data folder to other users of the machine: removes their permissions from the folder and its files, if the
 * user `uid`, who runs this process, owns them. `warn` is called for a folder that others may list or a group may use and that is
 * not changed: it has another owner (volumes of Kubernetes), or other files too, as one that was named by mistake. Alone, that
 * does no harm: the files of the service in it are closed.
 *
 * Links are followed.
 *
 * @throws Error that names the path and the fix, if it is no folder, or every user may write to the folder or read a file and
 * this process can't change that.
 */
export function secureFolder(dataDir: string, uid: number, warn: (text: string) => void): void {
  const stat = statSync(dataDir, { throwIfNoEntry: false });
  // It will be made; a link to a missing folder is reported then.
  if (stat === undefined) return;
  if (!stat.isDirectory()) throw new Error(`The data folder ${dataDir} is no folder. ${ANOTHER}`);
  const names = namesIn(dataDir);
  const kept = names.filter((name) => KEPT.test(name));
  const isShared = names.some((name) => !KEPT.test(name) && !OF_THE_DISK.test(name));
  const isWritable = (stat.mode & OTHERS_WRITE) !== 0;
  if (isWritable && isShared && kept.length === 0) {
    throw new Error(
      `The data folder ${dataDir} has other files and none of Millrace, and every user of this machine may write to it. ${ANOTHER}`,
    );
  }
  const mode = isShared && !isWritable ? stat.mode : mended(dataDir, uid);
  if ((mode & OTHERS_WRITE) !== 0) throw new Error(refusal('Every user of this machine may write to', dataDir));
  for (const name of kept) {
    const path = join(dataDir, name);
    if ((mended(path, uid) & OTHERS) !== 0) throw new Error(refusal('Every user of this machine may read', path));
  }
  if ((mode & (OTHERS | GROUP)) === 0) return;
  const isOpen = (mode & OTHERS) !== 0;
  // A group that was let in is the owner's decision.
  if (stat.uid === uid && !isOpen) return;
  const why = stat.uid === uid ? 'has other files too' : 'belongs to another user';
  const who = isOpen ? 'every user of this machine' : 'its group';
  warn(`The data folder ${dataDir} ${why}, and ${who} may list it. The files of Millrace in it are closed to them`);
}

/** Removes the permissions of others from what `uid` owns. Answers the mode of what another user owns, else 0. */
function mended(path: string, uid: number): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  // A link to a missing file: the code that opens it reports the error.
  if (stat === undefined) return 0;
  const isOwn = stat.uid === uid;
  if (isOwn && (stat.mode & OTHERS) !== 0) close(path, stat.mode & 0o700);
  return isOwn ? 0 : stat.mode;
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
