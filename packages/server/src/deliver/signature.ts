import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash,
  type KeyObject,
  sign,
} from 'node:crypto';
import type { Event } from '../core/event.ts';

/**
 * Signs bodies with a shared secret: the answer is the value of `X-Signature`, the lowercase hexadecimal HMAC-SHA1 of the
 * body's bytes as sent, keyed with the secret's UTF-8 bytes (contract 2). The key is prepared once, because preparing it
 * costs as much as a signature.
 */
export function signer(secret: string): (body: Uint8Array) => string {
  const key = createSecretKey(secret, 'utf8');
  return (body) => createHmac('sha1', key).update(body).digest('hex');
}

/** Signs a body; `before` is the text that stands before it: `<webhook-id>.<webhook-timestamp>.` */
export type StandardSigner = (before: string, body: Uint8Array) => string;

/** One value of `webhook-signature` by a `whsec_` secret: `v1,` and the HMAC-SHA256 in base64 (contract 2). */
export function standardSigner(secret: string): StandardSigner {
  const key = createSecretKey(standardKey(secret));
  return (before, body) => `v1,${createHmac('sha256', key).update(before).update(body).digest('base64')}`;
}

/** One value of `webhook-signature` by the ed25519 key of a `whsec_` secret: `v1a,` and the signature in base64 (contract 2). */
export function ed25519Signer(secret: string): StandardSigner {
  const key = privateKey(secret);
  return (before, body) => `v1a,${sign(null, Buffer.concat([Buffer.from(before), body]), key).toString('base64')}`;
}

/** The key that verifies `ed25519Signer`, as Standard Webhooks writes one: `whpk_` and base64 of its 32 bytes. */
export function ed25519PublicKey(secret: string): string {
  const der = createPublicKey(privateKey(secret)).export({ format: 'der', type: 'spki' });
  return `whpk_${der.subarray(-KEY_BYTES).toString('base64')}`;
}

/**
 * The value of `webhook-id`: the same for all attempts and URLs of a message, and free of its caller's text. A digest of source,
 * user (else anonymous id) and messageId, the three by which the log tells duplicates.
 */
export function webhookId({
  sourceId,
  userId,
  messageId,
  body,
}: Pick<Event, 'sourceId' | 'userId' | 'messageId' | 'body'>): string {
  const owner = userId ?? (JSON.parse(Buffer.from(body).toString()) as { readonly anonymousId?: string }).anonymousId;
  return `msg_${hash('sha256', JSON.stringify([sourceId, owner ?? '', messageId]), 'base64url')}`;
}

/** What is wrong with a `whsec_` secret, in words; null for a good one. */
export function standardSecretFlaw(secret: string): string | null {
  const [, text = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const bytes = Buffer.from(text, 'base64');
  // Verifiers of other languages refuse base64 without its padding.
  const isWhole = bytes.toString('base64') === text;
  return isWhole && bytes.byteLength >= 24 && bytes.byteLength <= 64
    ? null
    : 'must be whsec_ and base64 of 24 to 64 bytes, with its padding';
}

export function standardSecretOf(bytes: Uint8Array): string {
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
}

/** The bytes of a `whsec_` secret. */
export function standardKey(secret: string): Buffer {
  return Buffer.from(secret.slice('whsec_'.length), 'base64');
}

const KEY_BYTES = 32;
/** The bytes before an ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Derived from the secret, so that a destination has one secret to keep and to rotate. */
function privateKey(secret: string): KeyObject {
  const seed = createHmac('sha256', standardKey(secret)).update('ed25519').digest();
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}
