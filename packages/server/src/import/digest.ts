import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * First 128 bits of the SHA-256 of a text, as hex. What a messageId is made of is the same on the command line and in a page,
 * and a browser hashes nothing for a page that came over plain HTTP.
 */
export function digest(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)).subarray(0, 16));
}
