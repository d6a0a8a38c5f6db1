import { type Redacts, type Signing, signingOf } from '../core/destination.ts';
import { revisionOf } from '../core/revision.ts';
import type { SettingsStore, StoredDestination } from './contract.ts';
import { isSealedBy, seal as sealText, unseal } from './sealing.ts';

/** The secrets of a destination. */
interface Secrets extends Redacts {
  readonly sharedSecret: string | null;
  readonly standardSecret?: string | null;
  /** The replaced secrets, with the time until which they still sign. */
  readonly former?: Signing['former'];
  /** Values of the static headers, by URL, in the order of the header names. */
  readonly headers: readonly (readonly string[])[];
}

/**
 * A settings store that keeps secrets encrypted: shared secrets, keys of hashes, values of static headers. AES-256-GCM, one
 * ciphertext per destination. The first of `keys` (32 bytes each) encrypts; the others only decrypt. Secrets that are stored in
 * plain text or under another key are written again before this resolves, and `rewritten` is called. Without a key the secrets are
 * stored as they are.
 *
 * @throws Error if a secret was encrypted with a key that is not among `keys`, or was changed since.
 */
export async function sealedSettings(
  store: SettingsStore,
  keys: readonly Buffer[],
  rewritten: () => void = () => undefined,
): Promise<SettingsStore> {
  const [own] = keys;
  const seal = (destination: StoredDestination): StoredDestination =>
    own === undefined ? destination : sealed(destination, own);
  const { destinations } = await store.load();
  for (const kept of destinations) {
    const destination = unsealed(kept, keys);
    const isCurrent = own === undefined || isSealedBy(own, kept.sealed) || !hasSecrets(destination);
    if (isCurrent) continue;
    const isKept = await store.putDestination(seal({ ...destination, revision: revisionOf(destination) + 1 }));
    // Another process has written this destination meanwhile: check all again, its change included.
    if (!isKept) return sealedSettings(store, keys, rewritten);
    rewritten();
  }
  return {
    ...store,
    async load() {
      const { sources, destinations } = await store.load();
      return { sources, destinations: destinations.map((kept) => unsealed(kept, keys)) };
    },
    putDestination: (destination) => store.putDestination(seal(destination)),
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
  // The destination's id is authenticated too: a ciphertext that is copied to another destination can't be decrypted.
  return {
    ...withSecrets(destination, { sharedSecret: null, headers: [] }),
    sealed: sealText(JSON.stringify(secrets), id, key),
  };
}

function unsealed({ sealed, ...kept }: StoredDestination, keys: readonly Buffer[]): StoredDestination {
  if (sealed === undefined) return kept;
  const text = unseal(sealed, kept.id, keys, `the secrets of the destination "${kept.name}" (${kept.id})`);
  return withSecrets(kept, JSON.parse(text) as Secrets);
}

function withSecrets<T extends StoredDestination>(destination: T, { headers, ...keys }: Secrets): T {
  const webhooks = destination.webhooks.map((webhook, i) => ({
    ...webhook,
    headers: Object.fromEntries(Object.keys(webhook.headers).map((name, j) => [name, headers[i]?.[j] ?? ''])),
  }));
  const { standardSecret: _, former: __, redactKey: ___, ...rest } = destination;
  return { ...(rest as T), ...keys, webhooks };
}
