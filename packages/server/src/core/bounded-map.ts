/** An iterator keeps each former table of its map in memory until it moves. */
const ANEW_AFTER = 1_000;

/** A map of a bounded number of entries: a new one takes the place of the entry that was set longest ago. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;
  /** Iterates over the keys, oldest first; all keys that it passed are removed. A new iterator for each removal would pass all removed keys again; it begins anew after `ANEW_AFTER` entries. */
  #oldest = this.keys();
  #sets = 0;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (++this.#sets % ANEW_AFTER === 0) this.#oldest = this.keys();
    if (this.size > this.#most) this.delete(this.#oldest.next().value as K);
    return this;
  }
}

/** Remembers what `make` answered for a key, until `most` other keys were asked for since. */
export function memo<V, K = string>(most: number, make: (key: K) => V): (key: K) => V {
  return remembering(new BoundedMap<K, V>(most), make);
}

/** Remembers what `make` answered for an object, as long as the object exists. */
export function weakMemo<V, K extends object>(make: (key: K) => V): (key: K) => V {
  return remembering(new WeakMap<K, V>(), make);
}

interface Made<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

function remembering<V, K>(made: Made<K, V>, make: (key: K) => V): (key: K) => V {
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}
