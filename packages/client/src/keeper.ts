import { byteLength, CALL_BYTES } from './message.ts';
import type { Settings } from './options.ts';
import { uuid } from './uuid.ts';

/** Milliseconds after which what another tab has written is seen here. */
const SETTLED = 100;

/** A claim older than this many milliseconds was made by a page that is gone. */
const STALE = 5_000;

/** Milliseconds after which a copy is not sent again: the service knows for 24 hours what it has seen. */
const FORGOTTEN = 23 * 3_600_000;

/**
 * Messages in localStorage, from one page to the next of the same origin. Each lot has a key of its own, and one message
 * a line:
 *
 *     millrace:<write key>:<id>                    to be sent by the next page
 *     millrace-sent:<write key>:<sent at>:<id>     a copy of what was on its way when its page was hidden
 *
 * A copy belongs to its page for as long as the request may take, and then to the page that takes it first. Only one page at a
 * time takes lots, and a lot that is taken is gone, so no message is taken twice.
 */
export class Keeper {
  readonly #prefix: string;
  readonly #copies: string;
  readonly #claim: string;
  readonly #timeout: number;
  readonly #warn: (line: string) => void;

  /** `timeout`: the milliseconds a request may take. */
  constructor({ writeKey, timeout, warn }: Pick<Settings, 'writeKey' | 'timeout' | 'warn'>) {
    this.#prefix = `millrace:${writeKey}:`;
    this.#copies = `millrace-sent:${writeKey}:`;
    this.#claim = `millrace-claim:${writeKey}`;
    this.#timeout = timeout;
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

  /** Keeps a copy of what is on its way; answers its key, or null where storage takes none. */
  copy(texts: readonly string[]): string | null {
    const key = `${this.#copies}${Date.now()}:${uuid()}`;
    try {
      localStorage.setItem(key, texts.join('\n'));
      return key;
    } catch {
      return null;
    }
  }

  /** Takes a copy away; false when another page has taken it. */
  drop(key: string): boolean {
    try {
      const isThere = localStorage.getItem(key) !== null;
      localStorage.removeItem(key);
      return isThere;
    } catch {
      // Forbidden since it was made: no other page can have it.
      return true;
    }
  }

  /**
   * Hands over all that is kept, lot by lot; nothing where `isOver` answers true once this page may take it. `isForgotten` when the service
   * could take it for new although it has it. Answers the milliseconds until the first of the other pages' copies may be taken, or null.
   */
  async take(
    use: (texts: readonly string[], isForgotten: boolean) => void,
    isOver: () => boolean,
  ): Promise<number | null> {
    try {
      const takeAll = (): void => {
        if (isOver()) return;
        for (const key of this.#lots()) {
          const texts = localStorage.getItem(key)?.split('\n') ?? [];
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
      return waits.length > 0 ? Math.max(SETTLED, Math.min(...waits)) : null;
    } catch (error) {
      this.#warn(`what was kept can not be read: ${String(error)}`);
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

  /** Milliseconds since a copy was made, whichever way the clock was set meanwhile; 0 for what is no copy. */
  #age(key: string): number {
    if (!key.startsWith(this.#copies)) return 0;
    // Anything on the origin may write there.
    return Math.abs(Date.now() - (Number.parseInt(key.slice(this.#copies.length), 10) || 0));
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

/** A line that other code wrote is none. */
function isMessage(text: string): boolean {
  try {
    return byteLength(text) <= CALL_BYTES && typeof JSON.parse(text).messageId === 'string';
  } catch {
    return false;
  }
}
