import type { Clock } from '../core/clock.ts';

/** A wait that whoever has news cuts short; news that come while nobody waits end the next wait at once. */
export class Pause {
  readonly #clock: Clock;
  #news = false;
  #wake: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async wait(ms: number): Promise<void> {
    if (!this.#news) {
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(ms, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#news = false;
    this.#wake = null;
  }

  end(): void {
    this.#news = true;
    this.#wake?.();
  }
}
