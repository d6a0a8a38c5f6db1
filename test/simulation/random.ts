/**
 * Randomness from a seed: the same seed gives the same numbers on every machine. A fork depends on the seed and its label
 * alone, not on how much was drawn before, so that one part of a simulation can draw more without changing another.
 */
export class Random {
  readonly #seed: number;
  #state: number;

  constructor(seed: number) {
    this.#seed = seed >>> 0;
    this.#state = scramble(this.#seed);
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    return scramble(this.#state) / 0x1_0000_0000;
  }

  /** A whole number, both bounds included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the items, each as likely as the next. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  /** Some of the items, at least `min` of them, in their order. */
  some<T>(items: readonly T[], min: number): T[] {
    const left = [...items.keys()];
    const chosen = new Set<number>();
    for (let count = this.int(min, items.length); count > 0; count--) {
      chosen.add(left.splice(this.int(0, left.length - 1), 1)[0] ?? 0);
    }
    return items.filter((_, index) => chosen.has(index));
  }

  fork(label: string): Random {
    return new Random(hash(label, this.#seed));
  }
}

/** 32 bits of a text, from where an earlier one ended (FNV-1a). */
export function hash(text: string, start = 0x811c9dc5): number {
  let value = start;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** Mixes 32 bits so that neighbours have nothing in common. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
