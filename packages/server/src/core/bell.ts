import type { Timer } from './timer.ts';

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

  /** Resolves when `next`, taken before, resolves, and after the given milliseconds at the latest. */
  async heard(next: Promise<void>, ms: number, timer: Timer): Promise<void> {
    const cancel = timer.after(ms, () => this.ring());
    await next;
    cancel();
  }
}
