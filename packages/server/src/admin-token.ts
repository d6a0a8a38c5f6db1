import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashOf } from './accounts/secrets.ts';
import { ADMIN_TOKEN } from './config-schema.ts';

export interface AdminToken {
  /** What a caller's token is compared with. */
  readonly hash: string;
  /** The token, on the start that made it: the only time it may be printed. Null otherwise. */
  readonly made: string | null;
}

/** The token that was set, else the one kept in the data folder (mode 0600), else a new one (contract 13), which `keepToken` keeps. */
export async function tokenOfFolder(configured: string | null, dataDir: string): Promise<AdminToken> {
  if (configured !== null) return { hash: hashOf(configured), made: null };
  const kept = await keptToken(dataDir);
  if (kept !== null) return { hash: kept, made: null };
  const made = newToken();
  return { hash: hashOf(made), made };
}

/** Keeps the token that a start has made, once it serves and prints it. */
export async function keepToken(dataDir: string, made: string): Promise<void> {
  await writeFile(tokenPath(dataDir), `${made}\n`, { mode: 0o600 });
}

/**
 * The hash of the token that is kept in a data folder; null where none is.
 *
 * @throws Error that names the file: what stands there could not be set as a token.
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
 * The token that was set, else the one whose hash all nodes share, else a new one. `keep` keeps a hash unless there is one,
 * and answers the one that is kept.
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
