/**
 * So many bytes of batches are read in one turn of the event loop, about as much as goes out in one. With more, calls come in faster than they
 * are delivered, and lanes read from the disk what was in memory a moment before.
 */
const BYTES_A_TURN = 8_192;

/**
 * Shares the event loop between collecting and all else. When a turn has read its part, further batches wait for the next turns, in the
 * order in which they came; while nothing else is to be done, these follow at once. A request that is smaller than a part is read at once: its
 * connection brings the next one when it is answered.
 */
export class Turns {
  #left = BYTES_A_TURN;
  #isCounting = false;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when a request of so many bytes may be read; undefined when it may be at once. `spend` follows before anything is waited for. */
  wait(bytes: number): Promise<void> | undefined {
    if (bytes <= BYTES_A_TURN || (this.#left > 0 && this.#waiting.length === 0)) return undefined;
    return new Promise((go) => this.#waiting.push(go));
  }

  /** A text of so many characters was read. What is beyond the part of a turn is taken off the next ones. */
  spend(characters: number): void {
    if (characters > BYTES_A_TURN) this.#take(characters);
  }

  #take(characters: number): void {
    this.#left -= characters;
    if (this.#isCounting) return;
    this.#isCounting = true;
    setImmediate(() => {
      this.#isCounting = false;
      this.#left = Math.min(BYTES_A_TURN, this.#left + BYTES_A_TURN);
      if (this.#left < BYTES_A_TURN) this.#take(0);
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
