import { MOST_ALIKE } from '../../log/contract.ts';
import type { Hash } from './hash.ts';

/** Hashes of message ids and the seqs of their events, in memory. Open addressing, at most half full. */
export class IdTable {
  #highs = new Int32Array(1 << 12);
  #lows = new Int32Array(1 << 12);
  /** 0 marks an empty slot: the first seq is 1. */
  #seqs = new Float64Array(1 << 12);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an entry. Of equal hashes only the first `MOST_ALIKE` are kept, because every look-up passes all of them. */
  add(high: number, low: number, seq: number): void {
    if ((this.#size + 1) * 2 > this.#seqs.length) this.#grow();
    if (this.#place(high, low, seq)) this.#size++;
  }

  /** The newest seq with this hash that `accept` returns true for; 0 if there is none. */
  find({ high, low }: Hash, accept: (seq: number) => boolean): number {
    const mask = this.#seqs.length - 1;
    let newest = 0;
    for (let slot = low & mask; this.#seqs[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#lows[slot] !== low || this.#highs[slot] !== high) continue;
      const seq = this.#seqs[slot] ?? 0;
      if (seq > newest && accept(seq)) newest = seq;
    }
    return newest;
  }

  each(visit: (high: number, low: number, seq: number) => void): void {
    for (let slot = 0; slot < this.#seqs.length; slot++) {
      const seq = this.#seqs[slot] ?? 0;
      if (seq !== 0) visit(this.#highs[slot] ?? 0, this.#lows[slot] ?? 0, seq);
    }
  }

  clear(): void {
    this.#seqs.fill(0);
    this.#size = 0;
  }

  #place(high: number, low: number, seq: number): boolean {
    const mask = this.#seqs.length - 1;
    let slot = low & mask;
    for (let alike = 0; this.#seqs[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#lows[slot] === low && this.#highs[slot] === high && ++alike === MOST_ALIKE) return false;
    }
    this.#highs[slot] = high;
    this.#lows[slot] = low;
    this.#seqs[slot] = seq;
    return true;
  }

  #grow(): void {
    const [highs, lows, seqs] = [this.#highs, this.#lows, this.#seqs];
    this.#highs = new Int32Array(seqs.length * 2);
    this.#lows = new Int32Array(seqs.length * 2);
    this.#seqs = new Float64Array(seqs.length * 2);
    for (let slot = 0; slot < seqs.length; slot++) {
      const seq = seqs[slot] ?? 0;
      if (seq !== 0) this.#place(highs[slot] ?? 0, lows[slot] ?? 0, seq);
    }
  }
}
