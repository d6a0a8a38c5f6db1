export const ANONYMOUS_ID = 'ajs_anonymous_id';

/** Seconds that a cookie lives: a year. */
const MAX_AGE = 31_536_000;

/**
 * Keeps a visitor's identity from page to page: texts in a cookie and in localStorage, objects only in localStorage. If
 * the browser forbids one of the two, the other is used. If both fail, memory keeps the value until the page ends.
 *
 * The cookie is set on the topmost domain that accepts it, so all hosts of a site share it. If cookie and localStorage
 * differ, the cookie therefore wins. Where the anonymous id has a cookie, another host has removed each text that has none,
 * and the objects that were stored beside another anonymous id.
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
    if (this.#memory.has(key) || this.#domain === null) return this.#memory.get(key);
    const shared = readCookie(ANONYMOUS_ID);
    const local = readLocal(key);
    const isRemoved = shared && (typeof local !== 'object' || readLocal(ANONYMOUS_ID) !== shared);
    return readCookie(key) || (isRemoved ? null : local);
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
    try {
      if (JSON.stringify(this.get(key)) === JSON.stringify(value)) return;
    } catch {
      // JSON can't hold the value.
    }
    // Storage did not take it.
    this.#memory.set(key, value);
  }
}

function readCookie(key: string): string | null | undefined {
  try {
    const pair = document.cookie.split('; ').find((text) => text.startsWith(`${key}=`));
    // The first generation of analytics.js wrote JSON: a text in quotes, or null.
    return pair && decodeURIComponent(pair.slice(key.length + 1)).replace(/^null$|^"(.*)"$/, '$1');
  } catch {
    return null;
  }
}

function writeCookie(key: string, value: string | null, domain: string): void {
  try {
    const age = value ? MAX_AGE : 0;
    // biome-ignore lint/suspicious/noDocumentCookie: a page served over plain http has no CookieStore.
    document.cookie = `${key}=${encodeURIComponent(value as string)};path=/;max-age=${age};samesite=lax${domain}`;
  } catch {
    // A sandboxed frame has no cookies.
  }
}

/** Text that is not JSON is returned unchanged. Null if storage can't be read. */
function readLocal(key: string): unknown {
  let text: string | null = null;
  try {
    text = localStorage.getItem(key);
    return JSON.parse(text as string);
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
    const isTaken = readCookie('millrace');
    writeCookie('millrace', null, domain);
    if (isTaken) return domain;
  }
  return '';
}
