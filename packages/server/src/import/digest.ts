/**
 * First 128 bits of the SHA-256 of a text, as hex.
 *
 * Written here, because a browser gives none to a page that came over plain http, and what a messageId is made of must be the
 * same on the command line and in a page.
 */
export function digest(text: string): string {
  const state = Uint32Array.from(INITIAL);
  const bytes = new TextEncoder().encode(text);
  const blocks = new DataView(new ArrayBuffer(((bytes.length + 72) >> 6) << 6));
  new Uint8Array(blocks.buffer).set(bytes);
  blocks.setUint8(bytes.length, 0x80);
  blocks.setUint32(blocks.byteLength - 8, bytes.length / 0x20000000);
  blocks.setUint32(blocks.byteLength - 4, bytes.length << 3);
  for (let at = 0; at < blocks.byteLength; at += 64) compress(state, blocks, at);
  return [...state.subarray(0, 4)].map((word) => word.toString(16).padStart(8, '0')).join('');
}

/** The first 32 bits of the fraction of a prime's root. */
function fraction(prime: number, root: number): number {
  return ((prime ** (1 / root) % 1) * 0x100000000) | 0;
}

const PRIMES = Array.from({ length: 310 }, (_, i) => i + 2).filter((n) => {
  for (let by = 2; by * by <= n; by += 1) if (n % by === 0) return false;
  return true;
});
const INITIAL = PRIMES.slice(0, 8).map((prime) => fraction(prime, 2));
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(prime, 3));
const schedule = new Int32Array(64);

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** FIPS 180-4, 6.2.2. */
function compress(state: Uint32Array, blocks: DataView, at: number): void {
  const word = (i: number): number => schedule[i] ?? 0;
  for (let i = 0; i < 16; i += 1) schedule[i] = blocks.getInt32(at + i * 4);
  for (let i = 16; i < 64; i += 1) {
    const [early, late] = [word(i - 15), word(i - 2)];
    const low = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const high = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    schedule[i] = (word(i - 16) + low + word(i - 7) + high) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const mixed = (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g));
    const first = (h + mixed + (ROUNDS[i] ?? 0) + word(i)) | 0;
    const second = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] ?? 0) + value;
}
