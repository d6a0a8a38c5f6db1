import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashOf } from './accounts/secrets.ts';
import { ADMIN_TOKEN } from './config-schema.ts';

export interface AdminToken {
  /** Hash that a caller's token is compared with. */
  readonly hash: string;
  /** The new token, if this start made one: only then may it be printed. Else null. */
  readonly made: string | null;
}

/** The configured token, else the one in the data folder, else a new one (contract 13), which `keepToken` stores. */
export async function tokenOfFolder(configured: string | null, dataDir: string): Promise<AdminToken> {
  if (configured !== null) return { hash: hashOf(configured), made: null };
  const kept = await keptToken(dataDir);
  if (kept !== null) return { hash: kept, made: null };
  const made = newToken();
  return { hash: hashOf(made), made };
}

/** Stores a new token in the data folder, mode 0600. Called when the service is up and prints it. */
export async function keepToken(dataDir: string, made: string): Promise<void> {
  await writeFile(tokenPath(dataDir), `${made}\n`, { mode: 0o600 });
}

/**
 * Hash of the token in a data folder; null if there is none.
 *
 * @throws Error that names the file, if its content is not a valid token.
 */
export async function keptToken(dataDir: string): Promise<string | null> {
  const kept = await readFile(tokenPath(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const token = kept?.trim() ?? '';
  if (token === '') return null;
  if (ADMIN_TOKEN.parse(token) !== undefined) return hashOf(token);
  throw new Error(
    `the admin token in ${tokenPath(dataDir)} is not ${ADMIN_TOKEN.limits}. Write such a one there, or remove the file: the next start makes a new token and prints it`,
  );
}

/**
 * The configured token, else the one whose hash all nodes share, else a new one.
 *
 * @param keep stores a hash unless there is one; answers the stored hash.
 */
export async function tokenOfCluster(
  configured: string | null,
  keep: (hash: string) => Promise<string>,
): Promise<AdminToken> {
  if (configured !== null) return { hash: hashOf(configured), made: null };
  const made = newToken();
  const hash = await keep(hashOf(made));
  return { hash, made: hash === hashOf(made) ? made : null };
}

function tokenPath(dataDir: string): string {
  return join(dataDir, 'admin-token');
}

function newToken(): string {
  return randomBytes(24).toString('base64url');
}
