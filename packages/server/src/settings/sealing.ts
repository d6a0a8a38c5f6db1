import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a text (AES-256-GCM). The ciphertext is bound to `place`: under another place it can't be decrypted. */
export function seal(text: string, place: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(place));
  const bytes = Buffer.concat([cipher.update(text), cipher.final()]);
  return `${idOf(key)}.${Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString('base64url')}`;
}

/**
 * Decrypts the result of `seal`.
 *
 * @param what names the text in the error message.
 * @throws Error if it was encrypted with a key that is not among `keys`, or was changed since.
 */
export function unseal(sealed: string, place: string, keys: readonly Buffer[], what: string): string {
  const [keyId = '', text = ''] = sealed.split('.');
  const key = keys.find((one) => idOf(one) === keyId);
  if (key === undefined) {
    const given = keys.length === 0 ? 'it is not set' : `it has ${keys.map(idOf).join(', ')}`;
    throw new Error(
      `MILLRACE_SECRETS_KEY lacks the key ${keyId}, by which ${what} were encrypted: ${given}. ` +
        'Give that key, or the new one and that one, separated by a comma.',
    );
  }
  try {
    return decrypt(Buffer.from(text, 'base64url'), key, place);
  } catch (cause) {
    throw new Error(`What is stored as ${what} can't be decrypted: it was changed. Restore it from a backup.`, {
      cause,
    });
  }
}

export function isSealedBy(key: Buffer, sealed: string | undefined): boolean {
  return sealed?.startsWith(`${idOf(key)}.`) === true;
}

function decrypt(bytes: Buffer, key: Buffer, place: string): string {
  const start = IV_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(IV_BYTES, start));
  return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString();
}

/** An id that tells keys apart and reveals nothing about the key. */
function idOf(key: Buffer): string {
  return hash('sha256', key, 'hex').slice(0, 8);
}
