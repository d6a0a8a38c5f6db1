import { isObject } from '../checks.ts';
import { uuid } from '../uuid.ts';
import { isId } from './arguments.ts';
import type { IdentityStore } from './identity-store.ts';

const ANONYMOUS_ID = 'ajs_anonymous_id';

/** An id and its traits, kept under the names that analytics.js gave them. */
export class Identity {
  protected readonly store: IdentityStore;
  readonly #idKey: string;
  readonly #traitsKey: string;

  constructor(store: IdentityStore, idKey: string, traitsKey: string) {
    this.store = store;
    this.#idKey = idKey;
    this.#traitsKey = traitsKey;
    // The cookie's year begins anew with each page.
    this.store.set(idKey, this.id());
  }

  /** The id, or null. Given one, takes it first; null forgets it. */
  id(id?: string | null): string | null {
    if (id !== undefined) this.store.set(this.#idKey, textOf(id));
    return textOf(this.store.get(this.#idKey));
  }

  /** The traits. Given some, they replace those that were known. */
  traits(traits?: object | null): object {
    if (traits !== undefined) this.store.set(this.#traitsKey, traits);
    return Object(this.store.get(this.#traitsKey));
  }

  /** Adds to the traits of the same id; another id begins with none. */
  identify(id: string | null, traits: object): void {
    if (id) {
      if (id !== (this.id() ?? id)) this.traits(null);
      this.id(id);
    }
    const all = { ...this.traits(), ...traits };
    // Neither what no call can carry is kept (the client says what is wrong with it), nor what leaves no room for more.
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

  /** One user after another on the same device is not the same visitor. */
  override id(id?: string | null): string | null {
    const known = super.id();
    if (id && known && textOf(id) !== known) this.anonymousId(null);
    return super.id(id);
  }

  /** The anonymous id. Given one, takes it first; null makes a new one. */
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
