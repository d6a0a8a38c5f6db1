/** A message that waits, as JSON text: what it takes in memory is what it will take on the wire. */
export interface Entry {
  readonly text: string;
  /** Of the text in UTF-8. */
  readonly bytes: number;
  /** Where it stands among all messages of the client; grows from 0. */
  readonly position: number;
}

/** Messages in their order. Taking from the front costs the same however many there are. */
export class Queue {
  /** Of all texts in it. */
  bytes = 0;
  #entries: Entry[] = [];
  #head = 0;

  get length(): number {
    return this.#entries.length - this.#head;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
    this.bytes += entry.bytes;
  }

  /** The first entries, all or at most `count` of them, whose texts with a comma each fit into `bytes`. */
  take(count: number = Number.POSITIVE_INFINITY, bytes: number = Number.POSITIVE_INFINITY): Entry[] {
    let end = this.#head;
    let size = 0;
    for (; end < this.#entries.length && end - this.#head < count; end += 1) {
      const more = this.#entries[end]?.bytes ?? 0;
      // The last one is followed by no comma.
      if (size + more > bytes) break;
      size += more + 1;
    }
    const taken = this.#entries.slice(this.#head, end);
    this.#head = end;
    this.bytes -= size - taken.length;
    // What was taken is freed once it is more than what is left.
    if (this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return taken;
  }
}
