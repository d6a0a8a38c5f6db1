/** A waiting message as JSON text. It takes as many bytes in memory as in a request. */
export interface Entry {
  readonly text: string;
  /** Bytes of the text in UTF-8. */
  readonly bytes: number;
  /** The message's number among all messages of the client, from 0. */
  readonly position: number;
}

/** Messages in order. Taking from the front costs the same for any length. */
export class Queue {
  /** Bytes of all texts in the queue. */
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

  /** Takes the first entries: at most `count`, and only as many as fit into `bytes` with a comma between them. */
  take(count: number = Number.POSITIVE_INFINITY, bytes: number = Number.POSITIVE_INFINITY): Entry[] {
    let end = this.#head;
    let size = 0;
    for (; end < this.#entries.length && end - this.#head < count; end += 1) {
      const more = this.#entries[end]?.bytes ?? 0;
      // No comma follows the last text.
      if (size + more > bytes) break;
      size += more + 1;
    }
    const taken = this.#entries.slice(this.#head, end);
    this.#head = end;
    this.bytes -= size - taken.length;
    // Frees the taken entries once they are more than half of the array.
    if (this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return taken;
  }
}
