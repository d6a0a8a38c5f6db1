/** Resolves when what it gives up calls has come to this: the life of a process that ends at its nth call of a store. */
export class Life {
  readonly over: Promise<void>;
  calls = 0;
  ended = false;
  #end: () => void = () => undefined;
  readonly #last: number;
  readonly #takesEffect: boolean;

  /** `last`: the call that is never answered; `takesEffect`: whether it has its effect all the same. */
  constructor(last: number, takesEffect: boolean) {
    this.#last = last;
    this.#takesEffect = takesEffect;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  mortal<T extends object>(part: T): T {
    return new Proxy(part, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => this.#call(() => method.apply(target, args));
      },
    });
  }

  async #call(call: () => Promise<unknown>): Promise<unknown> {
    this.calls++;
    if (this.calls < this.#last) return call();
    if (this.calls === this.#last && this.#takesEffect) await call();
    this.ended = true;
    this.#end();
    return new Promise(() => undefined);
  }
}
