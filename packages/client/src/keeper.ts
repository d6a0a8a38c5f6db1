import { uuid } from './uuid.ts';

/** Milliseconds after which what another tab has written is seen here. */
const SETTLED = 100;

/** A claim older than this many milliseconds was made by a page that is gone. */
const STALE = 5_000;

/**
 * Messages in localStorage, from one page to the next of the same origin. Each lot has a key of its own,
 * `millrace:<write key>:<id>`, and one message a line. Only one page at a time takes lots, and a lot that is taken is
 * gone, so no message is taken twice.
 */
export class Keeper {
  readonly #prefix: string;
  readonly #claim: string;
  readonly #warn: (line: string) => void;

  constructor(writeKey: string, warn: (line: string) => void) {
    this.#prefix = `millrace:${writeKey}:`;
    this.#claim = `millrace-claim:${writeKey}`;
    this.#warn = warn;
  }

  /** Null, or why nothing was kept: storage is full, or forbidden. */
  keep(texts: readonly string[]): unknown {
    try {
      // JSON has no line breaks but escaped ones.
      localStorage.setItem(this.#prefix + uuid(), texts.join('\n'));
      return null;
    } catch (error) {
      return error;
    }
  }

  /** Hands over all that is kept, lot by lot. */
  async take(use: (texts: readonly string[]) => void): Promise<void> {
    try {
      if (this.#lots().length === 0) return;
      const takeAll = (): void => {
        for (const key of this.#lots()) {
          const texts = localStorage.getItem(key)?.split('\n') ?? [];
          localStorage.removeItem(key);
          use(texts.filter(isMessage));
        }
      };
      // Locks are missing where a page came over plain http.
      if (navigator.locks) await navigator.locks.request(this.#claim, takeAll);
      else await this.#claimed(takeAll);
    } catch (error) {
      this.#warn(`what was kept can not be read: ${String(error)}`);
    }
  }

  #lots(): string[] {
    return Object.keys(localStorage).filter((key) => key.startsWith(this.#prefix));
  }

  /** The last tab to write its name while the claim was free has it; all the others see that, and leave it at that. */
  async #claimed(run: () => void): Promise<void> {
    const [at] = (localStorage.getItem(this.#claim) ?? '').split(' ');
    if (Math.abs(Date.now() - Number(at)) < STALE) return;
    const mine = `${Date.now()} ${uuid()}`;
    localStorage.setItem(this.#claim, mine);
    await new Promise((resolve) => setTimeout(resolve, SETTLED));
    if (localStorage.getItem(this.#claim) !== mine) return;
    run();
    localStorage.removeItem(this.#claim);
  }
}

/** Anything on the origin may write there. */
function isMessage(text: string): boolean {
  try {
    return typeof JSON.parse(text).messageId === 'string';
  } catch {
    return false;
  }
}
