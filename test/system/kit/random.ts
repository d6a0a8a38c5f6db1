/** The seed of this run: SEED in the environment repeats one. */
export function newSeed(): number {
  const given = process.env['SEED'];
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
