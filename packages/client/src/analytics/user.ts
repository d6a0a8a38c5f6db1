import { isObject } from '../checks.ts';
import { uuid } from '../uuid.ts';
import { isId } from './arguments.ts';
import { ANONYMOUS_ID, type IdentityStore } from './identity-store.ts';

/** An id and its traits, stored under the key names of analytics.js. */
export class Identity {
  protected readonly store: IdentityStore;
  readonly #idKey: string;
  readonly #traitsKey: string;

  constructor(store: IdentityStore, idKey: string, traitsKey: string) {
    this.store = store;
    this.#idKey = idKey;
    this.#traitsKey = traitsKey;
    // Renews the cookie's year on each page, and removes from localStorage what another host of the site has removed.
    this.store.set(idKey, this.id());
    this.traits(this.traits());
  }

  /** Returns the id, or null. An argument is stored first; null removes the id. */
  id(id?: string | null): string | null {
    if (id !== undefined) this.store.set(this.#idKey, textOf(id));
    return textOf(this.store.get(this.#idKey));
  }

  /** Returns the traits. An argument replaces the stored traits. */
  traits(traits?: object | null): object {
    if (traits !== undefined) this.store.set(this.#traitsKey, traits);
    return Object(this.store.get(this.#traitsKey));
  }

  /** Adds to the traits of the same id. A different id starts without traits. */
  identify(id: string | null, traits: object): void {
    if (id) {
      if (id !== (this.id() ?? id)) this.traits(null);
      this.id(id);
    }
    const all = { ...this.traits(), ...traits };
    // Not stored: traits that no call can carry (the client reports why), and more than 16,000 characters: each call carries
    // the stored traits, and too many would make it too large.
    if (!isObject(all) && !JSON.stringify(all)[16_000]) this.traits(all);
  }

  reset(): void {
    this.id(null);
    this.traits(null);
  }
}

export class User extends Identity {
  constructor(store: IdentityStore) {
    super(store, 'ajs_user_id', 'ajs_user_traits');
    this.anonymousId(this.anonymousId());
  }

  /** Returns the id. An argument is stored first; a different user on the same device also gets a new anonymous id. */
  override id(id?: string | null): string | null {
    const known = super.id();
    if (id && known && textOf(id) !== known) this.anonymousId(null);
    return super.id(id);
  }

  /** Returns the anonymous id. An argument is stored first; null makes a new id. */
  anonymousId(id?: string | null): string {
    const known = id === undefined ? textOf(this.store.get(ANONYMOUS_ID)) : textOf(id);
    const now = known ?? uuid();
    if (id !== undefined || !known) this.store.set(ANONYMOUS_ID, now);
    return now;
  }

  override reset(): void {
    super.reset();
    this.anonymousId(null);
  }
}

function textOf(id: unknown): string | null {
  return isId(id) ? String(id) : null;
}
