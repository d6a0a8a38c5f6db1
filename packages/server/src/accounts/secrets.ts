import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Where randomness comes from; `randomBytes` of node:crypto outside of tests. */
export type RandomBytes = (size: number) => Buffer;

/** 256 random bits as 43 characters that need no escaping anywhere. */
export function newSecret(random: RandomBytes): string {
  return random(32).toString('base64url');
}

/** Whether a text can be a secret that `newSecret` made. What can't be is not worth a look into the store. */
export function isSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** What is kept of a secret: SHA-256, base64url. Its 256 bits can't be guessed from it. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('base64url');
}

/** Whether this is the secret of which the hash was kept. */
export function hasHash(secret: string, hash: string): boolean {
  return sameSecret(hashOf(secret), hash);
}

/** Another secret that follows from this one and tells nothing about it. */
export function derived(secret: string, purpose: string): string {
  return createHmac('sha256', secret).update(purpose, 'utf8').digest('base64url');
}

/** Takes the same time wherever the two differ and however long they are. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
