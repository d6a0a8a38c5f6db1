import type { Database } from './database.ts';
import { fromText, toText } from './text.ts';

/** Numbers that stand for ids of sources and destinations. They never change, so all that were seen are kept in memory. */
export class Names {
  readonly #database: Database;
  readonly #numbers = new Map<string, number>();
  readonly #names = new Map<number, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The numbers of these names, by name; one that is new gets one. */
  async numbers(names: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    const missing = await this.#readMissing(names);
    if (missing.length > 0) {
      await this.#database.query('INSERT INTO names (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [
        missing.map(toText),
      ]);
      await this.#readMissing(missing);
    }
    return this.#numbers;
  }

  /** The numbers of those of these names that have one, in their order. */
  async known(names: readonly string[]): Promise<number[]> {
    await this.#readMissing(names);
    return names.map((name) => this.#numbers.get(name)).filter((number) => number !== undefined);
  }

  /** The names of these numbers, by number. */
  async names(numbers: Iterable<number>): Promise<ReadonlyMap<number, string>> {
    const missing = [...new Set(numbers)].filter((number) => !this.#names.has(number));
    if (missing.length > 0) await this.#read('number = ANY($1::int[])', missing);
    return this.#names;
  }

  async #readMissing(names: Iterable<string>): Promise<string[]> {
    const wanted = new Set(names);
    const missing = (): string[] => [...wanted].filter((name) => !this.#numbers.has(name));
    const unread = missing();
    if (unread.length > 0) await this.#read('name = ANY($1::text[])', unread.map(toText));
    return missing();
  }

  async #read(where: string, values: readonly unknown[]): Promise<void> {
    const rows = await this.#database.query<{ number: number; name: string }>(
      `SELECT number, name FROM names WHERE ${where}`,
      [values],
    );
    for (const { number, name } of rows) {
      this.#numbers.set(fromText(name), number);
      this.#names.set(number, fromText(name));
    }
  }
}
