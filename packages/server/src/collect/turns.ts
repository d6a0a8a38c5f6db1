/**
 * So many bytes of requests are read in one turn of the event loop: about what is delivered in one. With more, calls come in faster than they
 * can go out, and lanes read from the disk what was in memory a moment before.
 */
const BYTES_A_TURN = 16_384;

/**
 * Shares the event loop between collecting and all else. When a turn has read its part, further requests wait for the next turns, in the
 * order in which they came; while nothing else is to be done, these follow at once.
 */
export class Turns {
  #left = BYTES_A_TURN;
  #isCounting = false;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when a request may be read, whose bytes `spend` is told before the next one may; undefined when it may be at once. */
  wait(): Promise<void> | undefined {
    if (this.#left > 0 && this.#waiting.length === 0) return undefined;
    return new Promise((go) => this.#waiting.push(go));
  }

  /** So many bytes were read. What is beyond the part of a turn is taken off the next ones. */
  spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#isCounting) return;
    this.#isCounting = true;
    setImmediate(() => {
      this.#isCounting = false;
      this.#left = Math.min(BYTES_A_TURN, this.#left + BYTES_A_TURN);
      if (this.#left < BYTES_A_TURN) this.spend(0);
      this.#next();
    });
  }

  /** One after the other, because each may spend what is left. */
  #next(): void {
    if (this.#left <= 0) return;
    const go = this.#waiting.shift();
    if (!go) return;
    go();
    queueMicrotask(() => this.#next());
  }
}
