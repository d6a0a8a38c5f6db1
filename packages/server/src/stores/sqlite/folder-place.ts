import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** Where a folder is, or will be. Where it is a link, the folder itself: it may lie on another disk. */
export function folderAt(path: string): string {
  const place = resolve(path);
  return existsSync(place) ? realpathSync(place) : join(folderAt(dirname(place)), basename(place));
}

/** Whether a path of `folderAt` is another one, or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return `${path}${sep}`.startsWith(`${folder}${sep}`);
}

/** @throws Error where backups would be made inside the data folder: a restore puts that folder aside, and they would go with it. */
export function checkBackupPlace(directory: string, dataDir: string): void {
  const [place, folder] = [folderAt(directory), folderAt(dataDir)];
  if (isWithin(place, folder))
    throw new Error(
      `${place} is inside the data folder ${folder}: backups there would be lost with it. Name a directory elsewhere`,
    );
}
