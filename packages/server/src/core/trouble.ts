/** What failed at the last try of work that is repeated until it succeeds. */
export class Trouble {
  readonly #what: string;
  readonly #report: (error: unknown, what: string, about: object) => void;
  #words: string | null = null;

  /** `what`: what did not happen when the work fails, in words. `report` is called for each failure, with what it is about. */
  constructor(what: string, report: (error: unknown, what: string, about: object) => void) {
    this.#what = what;
    this.#report = report;
  }

  failed(error: unknown, about: object = {}): void {
    this.#words = `${this.#what}: ${error instanceof Error ? error.message : String(error)}`;
    this.#report(error, `${this.#what}; trying again`, about);
  }

  /** The work succeeded, or this process no longer does it. */
  over(): void {
    this.#words = null;
  }

  /** What failed at the last try, and why; null where nothing failed. */
  words(): string | null {
    return this.#words;
  }
}

/** Reports the first of several failures in a row. Call the answered function after each try, with the error if it failed. */
export function firstInARow(report: (error: unknown) => void): (error?: unknown) => void {
  let hasFailed = false;
  return (error) => {
    if (error !== undefined && !hasFailed) report(error);
    hasFailed = error !== undefined;
  };
}
