import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { type Redacts, type Signing, signingOf } from '../core/destination.ts';
import { revisionOf } from '../core/revision.ts';
import type { SettingsStore, StoredDestination } from './contract.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** What is secret of a destination. */
interface Secrets extends Redacts {
  readonly sharedSecret: string | null;
  readonly standardSecret?: string | null;
  /** Those that were replaced, with the time until which they sign. */
  readonly former?: Signing['former'];
  /** Values of the static headers of each URL, in the order of the names. */
  readonly headers: readonly (readonly string[])[];
}

/**
 * A settings store whose secrets (shared secrets, keys of hashes, values of static headers) are encrypted where they are kept: AES-256-GCM, for
 * one destination each. The first of `keys` (32 bytes each) encrypts; the others only decrypt. What is kept otherwise, plain
 * or by another key, is written anew before this resolves. Without a key the secrets are kept as they are.
 *
 * @throws Error when a secret was encrypted with a key that is not among `keys`, or was changed since.
 */
export async function sealedSettings(store: SettingsStore, keys: readonly Buffer[]): Promise<SettingsStore> {
  const byId = new Map(keys.map((key) => [idOf(key), key]));
  const [own] = keys;
  const seal = (destination: StoredDestination): StoredDestination =>
    own === undefined ? destination : sealed(destination, own);
  const { destinations } = await store.load();
  for (const kept of destinations) {
    const destination = unsealed(kept, byId);
    const isCurrent = own === undefined || kept.sealed?.startsWith(`${idOf(own)}.`) || !hasSecrets(destination);
    if (isCurrent) continue;
    const isKept = await store.putDestination(seal({ ...destination, revision: revisionOf(destination) + 1 }));
    // Another process has written it since: what it wrote is looked at as well.
    if (!isKept) return sealedSettings(store, keys);
  }
  const watch = store.watch?.bind(store);
  return {
    async load() {
      const { sources, destinations } = await store.load();
      return { sources, destinations: destinations.map((kept) => unsealed(kept, byId)) };
    },
    putSource: (source) => store.putSource(source),
    deleteSource: (id, revision) => store.deleteSource(id, revision),
    putDestination: (destination) => store.putDestination(seal(destination)),
    deleteDestination: (id, revision) => store.deleteDestination(id, revision),
    ...(watch && { watch }),
  };
}

function hasSecrets({ sharedSecret, standardSecret, former, redactKey, webhooks }: StoredDestination): boolean {
  if (sharedSecret !== null || standardSecret || former || redactKey) return true;
  return webhooks.some(({ headers }) => Object.keys(headers).length > 0);
}

function sealed(destination: StoredDestination, key: Buffer): StoredDestination {
  if (!hasSecrets(destination)) return destination;
  const { id, webhooks, redactKey } = destination;
  const { signatures: _, ...keys } = signingOf(destination);
  const headers = webhooks.map((webhook) => Object.values(webhook.headers));
  const secrets: Secrets = { ...keys, ...(redactKey && { redactKey }), headers };
  const iv = randomBytes(IV_BYTES);
  // The id is bound in: what was sealed for one destination can't be moved to another.
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(id));
  const text = Buffer.concat([cipher.update(JSON.stringify(secrets)), cipher.final()]);
  return {
    ...withSecrets(destination, { sharedSecret: null, headers: [] }),
    sealed: `${idOf(key)}.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`,
  };
}

function unsealed({ sealed, ...kept }: StoredDestination, keys: ReadonlyMap<string, Buffer>): StoredDestination {
  if (sealed === undefined) return kept;
  const [keyId = '', text = ''] = sealed.split('.');
  const key = keys.get(keyId);
  const of = `the secrets of the destination "${kept.name}" (${kept.id})`;
  if (key === undefined) {
    const given = keys.size === 0 ? 'it is not set' : `it has ${[...keys.keys()].join(', ')}`;
    throw new Error(
      `MILLRACE_SECRETS_KEY lacks the key ${keyId}, by which ${of} were encrypted: ${given}. ` +
        'Give that key, or the new one and that one, separated by a comma.',
    );
  }
  try {
    return withSecrets(kept, JSON.parse(decrypt(Buffer.from(text, 'base64url'), key, kept.id)) as Secrets);
  } catch (cause) {
    throw new Error(`What is stored as ${of} can't be decrypted: it was changed. Restore it from a backup.`, { cause });
  }
}

function decrypt(bytes: Buffer, key: Buffer, id: string): string {
  const start = IV_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(id))
    .setAuthTag(bytes.subarray(IV_BYTES, start));
  return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString();
}

function withSecrets<T extends StoredDestination>(destination: T, { headers, ...keys }: Secrets): T {
  const webhooks = destination.webhooks.map((webhook, i) => ({
    ...webhook,
    headers: Object.fromEntries(Object.keys(webhook.headers).map((name, j) => [name, headers[i]?.[j] ?? ''])),
  }));
  const { standardSecret: _, former: __, redactKey: ___, ...rest } = destination;
  return { ...(rest as T), ...keys, webhooks };
}

/** Tells one key from another, and nothing of either. */
function idOf(key: Buffer): string {
  return hash('sha256', key, 'hex').slice(0, 8);
}
