/** A map of at most so many entries: the one that was set longest ago makes room for a new one. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;
  /** Stands before the oldest: what it passed is gone. To begin at the front each time would be to pass all that went before. */
  readonly #oldest = this.keys();

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#most) this.delete(this.#oldest.next().value as K);
    return this;
  }
}

/** What is made of a key, once for as long as no `most` others were asked for since it was made. */
export function memo<V, K = string>(most: number, make: (key: K) => V): (key: K) => V {
  return remembering(new BoundedMap<K, V>(most), make);
}

/** What is made of an object, once for as long as the object is there. */
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
