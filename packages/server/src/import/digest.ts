import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * The first 128 bits of a text's SHA-256, as hex. Written in JavaScript, because browsers offer no hash to a page loaded over
 * plain HTTP; and a messageId must be the same from a page and from the command line.
 */
export function digest(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)).subarray(0, 16));
}
