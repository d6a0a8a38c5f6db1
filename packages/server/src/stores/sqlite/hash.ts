/** A 64-bit hash in two 32-bit halves, because a JavaScript number can't hold a 64-bit integer. */
export interface Hash {
  high: number;
  low: number;
}

/**
 * Hashes a source's number and a messageId into `into`, without an allocation: this runs once per event. A look-up that finds
 * an equal hash also compares the messageIds, so a collision loses nothing. The seed is random and stored with each store.
 * Without it, a caller could make many ids with the same hash, and each look-up would compare all of them.
 */
export function hashId(seed: Readonly<Hash>, sourceKey: number, messageId: string, into: Hash): void {
  let a = 0x811c9dc5 ^ seed.high ^ sourceKey;
  let b = 0x9e3779b9 ^ seed.low ^ Math.imul(sourceKey, 0x85ebca6b);
  for (let i = 0; i < messageId.length; i++) {
    const unit = messageId.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995);
    b ^= b >>> 15;
  }
  into.high = mix(a ^ Math.imul(b, 0x27d4eb2f));
  into.low = mix(b ^ Math.imul(a, 0x165667b1));
}

function mix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x7feb352d);
  h ^= h >>> 15;
  h = Math.imul(h, 0x846ca68b);
  return h ^ (h >>> 16);
}
