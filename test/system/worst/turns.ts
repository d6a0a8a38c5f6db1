/** Deals out what is tried at many places: each place gets a part, and the next places get the others. */
export class Turns {
  readonly #turns = new Map<string, number>();

  /** Every `of`th of all, beginning one further each time that the same pile is dealt from. */
  deal<T>(pile: string, all: readonly T[], of: number): T[] {
    const turn = this.#turns.get(pile) ?? 0;
    this.#turns.set(pile, turn + 1);
    return all.filter((_, n) => n % of === turn % of);
  }
}
