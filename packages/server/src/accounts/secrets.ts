import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The source of randomness: `randomBytes` of node:crypto, except in tests. */
export type RandomBytes = (size: number) => Buffer;

/** 256 random bits as 43 characters that never need escaping. */
export function newSecret(random: RandomBytes): string {
  return random(32).toString('base64url');
}

/** Whether the text has the form of a `newSecret`. If not, the store need not be asked. */
export function isSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The stored form of a secret: SHA-256, base64url. A secret has 256 random bits, so it can't be guessed from the hash. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('base64url');
}

/** Whether the stored hash belongs to this secret. */
export function hasHash(secret: string, hash: string): boolean {
  return sameSecret(hashOf(secret), hash);
}

/** A second secret, derived from this one. It reveals nothing about this one. */
export function derived(secret: string, purpose: string): string {
  return createHmac('sha256', secret).update(purpose, 'utf8').digest('base64url');
}

/** Compares in constant time: independent of where the two differ, and of their lengths. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
