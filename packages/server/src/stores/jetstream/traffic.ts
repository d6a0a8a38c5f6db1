/** So many bytes a second are much: about a thousand events. */
const MUCH = 1024 * 1024;
const SECOND = 1_000;

/** What comes to this node and goes by it. */
export class Traffic {
  readonly #now: () => number;
  #second = 0;
  #bytes = 0;
  #before = 0;

  /** `now`: milliseconds since any moment. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(bytes: number): void {
    this.#turn();
    this.#bytes += bytes;
  }

  /** Whether much came in this second, or in the one before. */
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
