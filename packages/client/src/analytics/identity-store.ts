/** Seconds that a cookie lives: a year. */
const MAX_AGE = 31_536_000;

/**
 * Keeps a visitor's identity from page to page: texts in a cookie and in localStorage, objects only in localStorage. If
 * the browser forbids one of the two, the other is used. If both fail, memory keeps the value until the page ends.
 *
 * The cookie is set on the topmost domain that accepts it, so all hosts of a site share it. If cookie and localStorage
 * differ, the cookie therefore wins.
 */
export class IdentityStore {
  /** The cookies' domain attribute, empty for the host alone; null if nothing may be stored. */
  readonly #domain: string | null;
  readonly #memory = new Map<string, unknown>();

  /** With `persist` false, the browser's storage is neither read nor written. */
  constructor(persist: boolean) {
    this.#domain = persist ? cookieDomain() : null;
  }

  get(key: string): unknown {
    if (this.#memory.has(key) || this.#domain === null) return this.#memory.get(key) ?? null;
    return readCookie(key) ?? readLocal(key);
  }

  /** Null removes the value. */
  set(key: string, value: string | object | null): void {
    this.#memory.delete(key);
    if (this.#domain !== null) {
      if (Object(value) !== value) {
        // A server may have set a cookie for this host alone. The browser would read it in place of ours.
        writeCookie(key, null, '');
        writeCookie(key, value as string | null, this.#domain);
      }
      writeLocal(key, value);
    }
    if (!isSame(this.get(key), value)) this.#memory.set(key, value);
  }
}

/** Whether storage holds the value. False for a value that JSON can't hold. */
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
    // biome-ignore lint/suspicious/noDocumentCookie: a page served over plain http has no CookieStore.
    document.cookie = `${key}=${encodeURIComponent(value ?? '')};path=/;max-age=${age};samesite=lax${domain}`;
  } catch {
    // A sandboxed frame has no cookies.
  }
}

/** Text that is not JSON is returned unchanged. Null if storage can't be read. */
function readLocal(key: string): unknown {
  let text: string | null = null;
  try {
    text = localStorage.getItem(key);
    return JSON.parse(text ?? 'null');
  } catch {
    return text;
  }
}

/** If storage is full, the older value is removed too: it would be outdated. */
function writeLocal(key: string, value: string | object | null): void {
  try {
    localStorage.removeItem(key);
    if (value !== null) localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is forbidden or full: the cookie or memory holds the value.
  }
}

/** The `;domain=` attribute of the topmost domain that accepts a cookie; empty if only the host itself does. */
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
