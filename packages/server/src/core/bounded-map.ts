/** An iterator keeps each former table of its map in memory until it moves. */
const ANEW_AFTER = 1_000;

/** A map whose entries together weigh at most `most`: a new one takes the place of those that were set longest ago. Without `weigh` each weighs 1. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;
  readonly #weigh: (key: K) => number;
  #weight = 0;
  /** Iterates over the keys, oldest first; all keys that it passed are removed. A new iterator for each removal would pass all removed keys again; it begins anew after `ANEW_AFTER` entries. */
  #oldest = this.keys();
  #sets = 0;

  constructor(most: number, weigh: (key: K) => number = () => 1) {
    super();
    this.#most = most;
    this.#weigh = weigh;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    this.#weight += this.#weigh(key);
    if (++this.#sets % ANEW_AFTER === 0) this.#oldest = this.keys();
    while (this.#weight > this.#most) this.delete(this.#oldest.next().value as K);
    return this;
  }

  override delete(key: K): boolean {
    const had = super.delete(key);
    if (had) this.#weight -= this.#weigh(key);
    return had;
  }

  override clear(): void {
    super.clear();
    this.#weight = 0;
  }
}

/** Remembers what `make` answered for a key, until other keys that weigh `most` were asked for since. Without `weigh` each weighs 1. */
export function memo<V, K = string>(most: number, make: (key: K) => V, weigh?: (key: K) => number): (key: K) => V {
  return remembering(new BoundedMap<K, V>(most, weigh), make);
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
