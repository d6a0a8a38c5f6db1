import type { Role } from '../core/account.ts';
import { Fault } from '../core/fault.ts';
import type { Caller } from './caller.ts';
import type { StoredToken } from './contract.ts';
import type { AccountsOptions } from './options.ts';
import { hasHash, hashOf, isSecret, newSecret } from './secrets.ts';

/** Marks a token of Millrace, also for scanners that look for leaked secrets. */
const PREFIX = 'mrt_';

/** Precision of a token's time of last use, milliseconds. */
const USE_PRECISION = 60_000;

/** A token belongs to no account. */
const NOBODY = { account: null, session: null };

/** Tokens that programs send as `Authorization: Bearer …`: the admin token, and API tokens with their own roles. */
export class Tokens {
  readonly #options: AccountsOptions;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  list(): Promise<readonly StoredToken[]> {
    return this.#options.store.tokens();
  }

  /** Creates a token. Only this answer contains the token itself. */
  async create(
    name: string,
    role: Role,
    { expiresAt = null, readOnly = false }: Partial<Pick<StoredToken, 'expiresAt' | 'readOnly'>> = {},
  ): Promise<{ readonly stored: StoredToken; readonly token: string }> {
    const { store, clock, random, newId } = this.#options;
    const token = PREFIX + newSecret(random);
    const made = { id: newId('tok'), hash: hashOf(token), name, role, expiresAt, readOnly };
    const stored = { ...made, createdAt: clock.now(), lastUsedAt: null };
    await store.addToken(stored);
    return { stored, token };
  }

  /** Deletes a token. @throws Fault `not_found` */
  async delete(id: string): Promise<void> {
    if (!(await this.#options.store.deleteToken(id))) throw new Fault('not_found', `There is no token ${id}`);
  }

  /** The caller with this token; null if there is none. The token is valid even if its use can't be stored. */
  async find(token: string): Promise<Caller | null> {
    const { store, clock, adminTokenHash, log } = this.#options;
    if (hasHash(token, adminTokenHash)) {
      return { role: 'admin', actor: 'admin token', ...NOBODY, tokenHash: null, readOnly: false };
    }
    if (!token.startsWith(PREFIX) || !isSecret(token.slice(PREFIX.length))) return null;
    const stored = await store.token(hashOf(token));
    const now = clock.now();
    if (stored === null || isOver(stored, now)) return null;
    if (now - (stored.lastUsedAt ?? 0) >= USE_PRECISION) {
      await store.noteTokenUse(stored.id, now).catch((error: unknown) => {
        log.warn({ err: error }, 'the use of an API token could not be noted');
      });
    }
    const { role, name, hash, readOnly } = stored;
    return { role, actor: `token ${name}`, ...NOBODY, tokenHash: hash, readOnly };
  }

  /** Whether the token with this hash is still valid. Does not count as a use. */
  async isThere(hash: string): Promise<boolean> {
    const { store, clock } = this.#options;
    const stored = await store.token(hash);
    return stored !== null && !isOver(stored, clock.now());
  }
}

function isOver({ expiresAt }: StoredToken, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}
