import type { RegulationStore, Suppression } from './contract.ts';

/** The suppressed users, in memory. Every call is checked against them. */
export class Suppressions {
  readonly #store: Pick<RegulationStore, 'suppressions' | 'lift'>;
  #since = new Map<string, number>();
  /** Number of changes made in this process. */
  #changes = 0;

  constructor(store: Pick<RegulationStore, 'suppressions' | 'lift'>) {
    this.#store = store;
  }

  /** Reads all suppressions from the store into memory. Reads again if this process changed some meanwhile. */
  async load(): Promise<void> {
    let before: number;
    let stored: readonly Suppression[];
    do {
      before = this.#changes;
      stored = await this.#store.suppressions();
    } while (this.#changes !== before);
    this.#since = new Map(stored.map(({ userId, since }) => [userId, since]));
  }

  /** Number of suppressed users. If it is 0, callers need not check. */
  get size(): number {
    return this.#since.size;
  }

  has(userId: string): boolean {
    return this.#since.has(userId.toWellFormed());
  }

  /** All of them. There may be millions: they are made one by one. */
  list(): Iterable<Suppression> {
    return this.#since.entries().map(([userId, since]) => ({ userId, since }));
  }

  /** Adds suppressions that are already in the store. */
  add(suppressions: readonly Suppression[]): void {
    this.#changes++;
    for (const { userId, since } of suppressions) if (!this.#since.has(userId)) this.#since.set(userId, since);
  }

  /** Accepts calls of this user again when it resolves. Answers whether they were refused before. */
  async lift(userId: string): Promise<boolean> {
    const lifted = await this.#store.lift(userId);
    this.#changes++;
    this.#since.delete(userId);
    return lifted;
  }
}
