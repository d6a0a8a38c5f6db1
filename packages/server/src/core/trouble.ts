/** Work that is tried again until it succeeds: what it failed for at its last try. */
export class Trouble {
  readonly #what: string;
  readonly #report: (error: unknown, what: string, about: object) => void;
  #words: string | null = null;

  /** `what` did not happen where it fails; `report` is told each time, with what the failure is about. */
  constructor(what: string, report: (error: unknown, what: string, about: object) => void) {
    this.#what = what;
    this.#report = report;
  }

  failed(error: unknown, about: object = {}): void {
    this.#words = `${this.#what}: ${error instanceof Error ? error.message : String(error)}`;
    this.#report(error, `${this.#what}; trying again`, about);
  }

  /** The work succeeded, or this process does it no more. */
  over(): void {
    this.#words = null;
  }

  /** What failed at its last try, and why; null for nothing. */
  words(): string | null {
    return this.#words;
  }
}
