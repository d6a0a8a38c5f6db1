/** A map of at most so many entries: the one that was set longest ago makes room for a new one. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#most) for (const oldest of this.keys().take(1)) this.delete(oldest);
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
