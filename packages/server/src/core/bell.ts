/** Something that happens again and again. A caller that takes `next` before it looks around misses nothing that happens meanwhile. */
export class Bell {
  #next = Promise.withResolvers<void>();

  get next(): Promise<void> {
    return this.#next.promise;
  }

  ring(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}
