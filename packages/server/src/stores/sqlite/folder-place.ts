import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** The absolute path of a folder that may not exist yet. Links are followed, because the folder may be on another disk. */
export function folderAt(path: string): string {
  const place = resolve(path);
  return existsSync(place) ? realpathSync(place) : join(folderAt(dirname(place)), basename(place));
}

/** Whether a path of `folderAt` is the given folder or inside it. */
export function isWithin(path: string, folder: string): boolean {
  return `${path}${sep}`.startsWith(`${folder}${sep}`);
}

/** Whether the disk of a folder, which may not exist yet, is read-only. Node reports a folder that it can't make there as missing. */
export function isReadOnly(path: string): boolean {
  if (!existsSync(path)) return isReadOnly(dirname(path));
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** @throws Error if backups would be made inside the data folder: a restore moves that folder aside, and the backups with it. */
export function checkBackupPlace(directory: string, dataDir: string): void {
  const [place, folder] = [folderAt(directory), folderAt(dataDir)];
  if (isWithin(place, folder))
    throw new Error(
      `${place} is inside the data folder ${folder}: backups there would be lost with it. Name a directory elsewhere`,
    );
}
