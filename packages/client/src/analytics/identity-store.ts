/** Seconds that a cookie lives: a year. */
const MAX_AGE = 31_536_000;

/**
 * Keeps a visitor's identity from page to page: texts in a cookie and in localStorage, objects in localStorage alone.
 * Where one of the two is forbidden the other does its work. What neither takes is kept in memory, until the page ends.
 *
 * A cookie is on the topmost domain that takes it, so that it holds for all hosts of a site. Where the two differ, it
 * therefore wins.
 */
export class IdentityStore {
  /** Of the cookies, as an attribute; null where nothing may be kept. */
  readonly #domain: string | null;
  readonly #memory = new Map<string, unknown>();

  /** `persist` false: nothing is read from the browser's storage or written to it. */
  constructor(persist: boolean) {
    this.#domain = persist ? cookieDomain() : null;
  }

  get(key: string): unknown {
    if (this.#memory.has(key) || this.#domain === null) return this.#memory.get(key) ?? null;
    return readCookie(key) ?? readLocal(key);
  }

  /** Null removes what is kept. */
  set(key: string, value: string | object | null): void {
    this.#memory.delete(key);
    if (this.#domain !== null) {
      if (Object(value) !== value) {
        // One of the host alone, which a server may have set, would be read in place of ours.
        writeCookie(key, null, '');
        writeCookie(key, value as string | null, this.#domain);
      }
      writeLocal(key, value);
    }
    if (!isSame(this.get(key), value)) this.#memory.set(key, value);
  }
}

/** What is no JSON is not kept. */
function isSame(kept: unknown, value: unknown): boolean {
  try {
    return JSON.stringify(kept) === JSON.stringify(value);
  } catch {
    return false;
  }
}

function readCookie(key: string): string | null {
  try {
    const pair = document.cookie.split('; ').find((text) => text.startsWith(`${key}=`));
    // The first generation of analytics.js wrote JSON: a text in quotes, or null.
    return (pair && decodeURIComponent(pair.slice(key.length + 1)).replace(/^null$|^"(.*)"$/, '$1')) || null;
  } catch {
    return null;
  }
}

function writeCookie(key: string, value: string | null, domain: string): void {
  try {
    const age = value === null ? 0 : MAX_AGE;
    // biome-ignore lint/suspicious/noDocumentCookie: CookieStore is missing where a page came over plain http.
    document.cookie = `${key}=${encodeURIComponent(value ?? '')};path=/;max-age=${age};samesite=lax${domain}`;
  } catch {
    // A sandboxed frame has no cookies.
  }
}

/** A text that is no JSON is itself; null where nothing may be read. */
function readLocal(key: string): unknown {
  let text: string | null = null;
  try {
    text = localStorage.getItem(key);
    return JSON.parse(text ?? 'null');
  } catch {
    return text;
  }
}

/** What is full keeps no older value either. */
function writeLocal(key: string, value: string | object | null): void {
  try {
    localStorage.removeItem(key);
    if (value !== null) localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Forbidden or full: the cookie or the memory has it.
  }
}

/** The attribute of the topmost domain that takes a cookie; empty where only the host itself does. */
function cookieDomain(): string {
  const labels = location.hostname.split('.');
  for (let i = labels.length - 2; i >= 0; i -= 1) {
    const domain = `;domain=${labels.slice(i).join('.')}`;
    writeCookie('millrace', '1', domain);
    const isTaken = readCookie('millrace') !== null;
    writeCookie('millrace', null, domain);
    if (isTaken) return domain;
  }
  return '';
}
