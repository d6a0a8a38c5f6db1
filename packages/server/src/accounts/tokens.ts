import type { Role } from '../core/account.ts';
import { Fault } from '../core/fault.ts';
import type { Caller } from './caller.ts';
import type { StoredToken } from './contract.ts';
import type { AccountsOptions } from './options.ts';
import { hasHash, hashOf, isSecret, newSecret } from './secrets.ts';

/** Tells a token of ours from other secrets, also for those who look for leaked ones. */
const PREFIX = 'mrt_';

/** When a token was last used is known to this, milliseconds. */
const USE_PRECISION = 60_000;

/** A token is no person's. */
const NOBODY = { account: null, session: null };

/** What programs send as `Authorization: Bearer …`: the admin token, and API tokens with a role of their own. */
export class Tokens {
  readonly #options: AccountsOptions;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  list(): Promise<readonly StoredToken[]> {
    return this.#options.store.tokens();
  }

  /** The token itself is answered this once. */
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

  /** @throws Fault `not_found` */
  async delete(id: string): Promise<void> {
    if (!(await this.#options.store.deleteToken(id))) throw new Fault('not_found', `There is no token ${id}`);
  }

  /** Whose token this is; null when there is none. It is good where its use can't be written down, too. */
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

  /** Whether the token with this hash still is good. Notes no use of it. */
  async isThere(hash: string): Promise<boolean> {
    const { store, clock } = this.#options;
    const stored = await store.token(hash);
    return stored !== null && !isOver(stored, clock.now());
  }
}

function isOver({ expiresAt }: StoredToken, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}
