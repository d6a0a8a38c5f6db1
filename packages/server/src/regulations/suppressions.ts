import type { RegulationStore, Suppression } from './contract.ts';

/** Who is suppressed, in memory: what every call is held against. */
export class Suppressions {
  readonly #store: Pick<RegulationStore, 'suppressions' | 'lift'>;
  readonly #since = new Map<string, number>();

  constructor(store: Pick<RegulationStore, 'suppressions' | 'lift'>) {
    this.#store = store;
  }

  async load(): Promise<void> {
    this.add(await this.#store.suppressions());
  }

  /** How many there are: where it is 0, nobody need be asked about. */
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
    for (const { userId, since } of suppressions) if (!this.#since.has(userId)) this.#since.set(userId, since);
  }

  /** Takes calls of this user again once it resolves; answers whether they were refused. */
  async lift(userId: string): Promise<boolean> {
    const lifted = await this.#store.lift(userId);
    this.#since.delete(userId);
    return lifted;
  }
}
