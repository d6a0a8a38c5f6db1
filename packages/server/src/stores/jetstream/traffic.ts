/** More bytes than this a second are much traffic: about a thousand events. */
const MUCH = 1024 * 1024;
const SECOND = 1_000;

/** Measures what this node appends and receives. */
export class Traffic {
  readonly #now: () => number;
  #second = 0;
  #bytes = 0;
  #before = 0;

  /** `now` returns milliseconds since any fixed moment. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(bytes: number): void {
    this.#turn();
    this.#bytes += bytes;
  }

  /** Whether there was much traffic in this second or in the last one. */
  isMuch(): boolean {
    this.#turn();
    return Math.max(this.#bytes, this.#before) > MUCH;
  }

  #turn(): void {
    const second = Math.floor(this.#now() / SECOND);
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#bytes : 0;
    this.#bytes = 0;
    this.#second = second;
  }
}
