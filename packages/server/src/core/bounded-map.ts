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

/** What is made of a text, once for as long as no `most` others were asked for since it was made. */
export function memo<T>(most: number, make: (text: string) => T): (text: string) => T {
  const made = new BoundedMap<string, T>(most);
  return (text) => {
    let value = made.get(text);
    if (value === undefined) {
      value = make(text);
      made.set(text, value);
    }
    return value;
  };
}
