/** The service tells something on each stream every two seconds: after so many milliseconds without, it can't be reached. */
const SILENCE_MS = 10_000;

/** Notices when an open stream tells nothing. */
export class Silence {
  readonly #noticed: () => void;
  #timer = 0;

  constructor(noticed: () => void) {
    this.#noticed = noticed;
  }

  /** Something was told, or the stream has just begun. */
  broken(): void {
    this.over();
    this.#timer = window.setTimeout(this.#noticed, SILENCE_MS);
  }

  /** The stream is closed. */
  over(): void {
    clearTimeout(this.#timer);
  }
}
