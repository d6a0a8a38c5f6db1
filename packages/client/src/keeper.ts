import { byteLength, CALL_BYTES } from './message.ts';
import type { Settings } from './options.ts';
import { uuid } from './uuid.ts';

/** Milliseconds after which this page sees what another tab wrote. */
const SETTLED = 100;

/** Fewest milliseconds until storage is looked at again. */
const LOOK_AGAIN = 1_000;

/** Milliseconds after which a claim is ignored: the page that made it is gone. */
const STALE = 5_000;

/** Milliseconds after which a copy is not sent again. The service recognizes repeated messages for 24 hours. */
const FORGOTTEN = 23 * 3_600_000;

/**
 * Stores messages in localStorage for the next page of the same origin. A lot is a key whose value has one message in
 * each line:
 *
 *     millrace:<write key>:<id>                    to be sent by the next page
 *     millrace-sent:<write key>:<sent at>:<id>     a copy of messages that were being sent when the page was hidden
 *
 * While its request may still be running, a copy belongs to the page that made it; after that, any page may take it.
 * Only one page at a time takes lots, and taking removes them, so no message is taken twice.
 */
export class Keeper {
  readonly #prefix: string;
  readonly #copies: string;
  readonly #claim: string;
  readonly #timeout: number;
  readonly #warn: (line: string) => void;

  /** `timeout`: the longest a request may take, in milliseconds. */
  constructor({ writeKey, timeout, warn }: Pick<Settings, 'writeKey' | 'timeout' | 'warn'>) {
    this.#prefix = `millrace:${writeKey}:`;
    this.#copies = `millrace-sent:${writeKey}:`;
    this.#claim = `millrace-claim:${writeKey}`;
    this.#timeout = timeout;
    this.#warn = warn;
  }

  /** Stores messages for the next page. Returns null, or the error if storage is full or forbidden. */
  keep(texts: readonly string[]): unknown {
    // Inside JSON a line break is always escaped.
    return store(this.#prefix + uuid(), texts.join('\n'));
  }

  /** Stores a copy of messages that are being sent. Returns its key, or null if storage takes none. */
  copy(texts: readonly string[]): string | null {
    const key = `${this.#copies}${Date.now()}:${uuid()}`;
    return store(key, texts.join('\n')) ? null : key;
  }

  /** Removes a copy. Returns false if another page has taken it. */
  drop(key: string): boolean {
    try {
      const isThere = localStorage.getItem(key) !== null;
      localStorage.removeItem(key);
      return isThere;
    } catch {
      // The browser forbade storage after the copy was made: no other page can read it.
      return true;
    }
  }

  /**
   * Removes stored messages from storage and passes them to `use`, lot by lot. Leaves a lot there if `fits` is false for
   * its number of messages. `isForgotten` is true for a copy too old to be recognized as a repeat.
   *
   * @returns the milliseconds until the first copy of another page may be taken; null if there is none.
   */
  async take(
    use: (texts: readonly string[], isForgotten: boolean) => void,
    fits: (count: number) => boolean,
  ): Promise<number | null> {
    try {
      const takeAll = (): void => {
        for (const key of this.#lots()) {
          const texts = localStorage.getItem(key)?.split('\n') ?? [];
          if (!fits(texts.length)) continue;
          localStorage.removeItem(key);
          use(texts.filter(isMessage), this.#age(key) > FORGOTTEN);
        }
      };
      if (this.#lots().length > 0) {
        // Locks are missing where a page came over plain http.
        if (navigator.locks) await navigator.locks.request(this.#claim, takeAll);
        else await this.#claimed(takeAll);
      }
      const waits = this.#keys(this.#copies).map((key) => this.#timeout - this.#age(key));
      return waits.length > 0 ? Math.max(LOOK_AGAIN, Math.min(...waits)) : null;
    } catch (error) {
      this.#warn(`what was kept can not be read: ${error}`);
      return null;
    }
  }

  #lots(): string[] {
    const copies = this.#keys(this.#copies).filter((key) => this.#age(key) >= this.#timeout);
    return [...this.#keys(this.#prefix), ...copies];
  }

  #keys(prefix: string): string[] {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  }

  /** Milliseconds since a copy was made; 0 for a lot that is not a copy. */
  #age(key: string): number {
    return key.startsWith(this.#copies) ? since(key.slice(this.#copies.length)) : 0;
  }

  /** A lock by localStorage. Each tab that finds the claim free writes its own; the last one written wins, and the other tabs give up. */
  async #claimed(run: () => void): Promise<void> {
    if (since(localStorage.getItem(this.#claim)) < STALE) return;
    const mine = `${Date.now()} ${uuid()}`;
    // In full storage no tab can write a claim. If two of them take the same lot, the service drops the repeats.
    if (!store(this.#claim, mine)) {
      await new Promise((resolve) => setTimeout(resolve, SETTLED));
      if (localStorage.getItem(this.#claim) !== mine) return;
    }
    run();
    localStorage.removeItem(this.#claim);
  }
}

/** Milliseconds since the time with which a text begins, also if the clock was set back meanwhile. */
function since(text: string | null): number {
  // Any code on the origin may write such a text, without a number.
  return Math.abs(Date.now() - (Number.parseInt(text as string, 10) || 0));
}

/** Writes to storage. Returns null, or the error. */
function store(key: string, text: string): unknown {
  try {
    localStorage.setItem(key, text);
    return null;
  } catch (error) {
    return error;
  }
}

/** Whether a line is a message. Other code may have written the line. */
function isMessage(text: string): boolean {
  try {
    return byteLength(text) <= CALL_BYTES && typeof JSON.parse(text).messageId === 'string';
  } catch {
    return false;
  }
}
