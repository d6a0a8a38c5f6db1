import type { RegulationStore, Suppression } from './contract.ts';

/** Who is suppressed, in memory: what every call is held against. */
export class Suppressions {
  readonly #store: Pick<RegulationStore, 'suppressions' | 'lift'>;
  #since = new Map<string, number>();
  /** Goes up with each change in this process. */
  #changes = 0;

  constructor(store: Pick<RegulationStore, 'suppressions' | 'lift'>) {
    this.#store = store;
  }

  /** Replaces what is in memory by what the store has; asked again when something changed here meanwhile. */
  async load(): Promise<void> {
    let before: number;
    let stored: readonly Suppression[];
    do {
      before = this.#changes;
      stored = await this.#store.suppressions();
    } while (this.#changes !== before);
    this.#since = new Map(stored.map(({ userId, since }) => [userId, since]));
  }

  /** How many there are: where it is 0, there is no need to ask. */
  get size(): number {
    return this.#since.size;
  }

  has(userId: string): boolean {
    return this.#since.has(userId.toWellFormed());
  }

  list(): readonly Suppression[] {
    return [...this.#since].map(([userId, since]) => ({ userId, since }));
  }

  /** Takes in what the store has. */
  add(suppressions: readonly Suppression[]): void {
    this.#changes++;
    for (const { userId, since } of suppressions) if (!this.#since.has(userId)) this.#since.set(userId, since);
  }

  /** Takes calls of this user again once it resolves; answers whether they were refused. */
  async lift(userId: string): Promise<boolean> {
    const lifted = await this.#store.lift(userId);
    this.#changes++;
    this.#since.delete(userId);
    return lifted;
  }
}
