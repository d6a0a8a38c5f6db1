import { inserting, list, piecesOf, type Sql, type Statement, sql } from './sql.ts';

/** Numbers that stand for ids of sources and destinations. They never change, so all that were seen are kept in memory. */
export class Names {
  readonly #sql: Sql;
  readonly #numbers = new Map<string, number>();
  readonly #names = new Map<number, string>();

  constructor(database: Sql) {
    this.#sql = database;
  }

  /** The numbers of these names; one that is new gets one. */
  async numbers(names: Iterable<string>): Promise<(name: string) => number> {
    const missing = await this.#readMissing(names);
    if (missing.length > 0) {
      const rows = missing.map((name) => [name]);
      await this.#sql.write(
        inserting(rows, (values) => sql`INSERT INTO names (name) VALUES ${values} ON CONFLICT DO NOTHING`),
      );
      await this.#readMissing(missing);
    }
    return (name) => this.#numbers.get(name) ?? 0;
  }

  /** The numbers of those of these names that have one, in their order. */
  async known(names: readonly string[]): Promise<number[]> {
    await this.#readMissing(names);
    return names.map((name) => this.#numbers.get(name)).filter((number) => number !== undefined);
  }

  /** The names of these numbers. */
  async names(numbers: Iterable<number>): Promise<(number: number) => string> {
    const missing = [...new Set(numbers)].filter((number) => !this.#names.has(number));
    for (const piece of piecesOf(missing)) await this.#read(sql`number IN (${list(piece)})`);
    return (number) => this.#names.get(number) ?? '';
  }

  async #readMissing(names: Iterable<string>): Promise<string[]> {
    const wanted = [...new Set(names)];
    const missing = (): string[] => wanted.filter((name) => !this.#numbers.has(name));
    for (const piece of piecesOf(missing())) await this.#read(sql`name IN (${list(piece)})`);
    return missing();
  }

  async #read(where: Statement): Promise<void> {
    const rows = await this.#sql.read<{ readonly number: number; readonly name: string }>(
      sql`SELECT number, name FROM names WHERE ${where}`,
    );
    for (const { number, name } of rows) {
      const text = this.#sql.dialect.fromText(name);
      this.#numbers.set(text, number);
      this.#names.set(number, text);
    }
  }
}
