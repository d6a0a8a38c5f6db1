import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface AdminToken {
  readonly value: string;
  /** True on the start that made it: the only time it may be printed. */
  readonly isNew: boolean;
}

/** The token that was set, else the one kept in the data folder (mode 0600), else a new one (decisions 13). */
export async function adminToken(configured: string | null, dataDir: string): Promise<AdminToken> {
  if (configured !== null) return { value: configured, isNew: false };
  const path = join(dataDir, 'admin-token');
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (kept !== null && kept.trim() !== '') return { value: kept.trim(), isNew: false };
  const value = randomBytes(24).toString('base64url');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(path, `${value}\n`, { mode: 0o600 });
  return { value, isNew: true };
}
