import { inserting, list, piecesOf, type Sql, type Statement, sql } from './sql.ts';

/** The numbers that stand for ids of sources, destinations and replays (table `names`). A number never changes, so all known ones stay in memory. */
export class Dictionary {
  readonly #sql: Sql;
  readonly #numbers = new Map<string, number>();
  readonly #ids = new Map<number, string>();

  constructor(database: Sql) {
    this.#sql = database;
  }

  /** The numbers of these ids. A new id gets a number. */
  async numbers(ids: Iterable<string>): Promise<(id: string) => number> {
    const missing = await this.#readMissing(ids);
    if (missing.length > 0) {
      const rows = missing.map((id) => [id]);
      await this.#sql.write(
        inserting(rows, (values) => sql`INSERT INTO names (name) VALUES ${values} ON CONFLICT DO NOTHING`),
      );
      await this.#readMissing(missing);
    }
    return (id) => this.#numbers.get(id) ?? 0;
  }

  /** The numbers of the ids that have one, in the order of `ids`. */
  async known(ids: readonly string[]): Promise<number[]> {
    await this.#readMissing(ids);
    return ids.map((id) => this.#numbers.get(id)).filter((number) => number !== undefined);
  }

  /** The ids of these numbers. */
  async ids(numbers: Iterable<number>): Promise<(number: number) => string> {
    const missing = [...new Set(numbers)].filter((number) => !this.#ids.has(number));
    for (const piece of piecesOf(missing)) await this.#read(sql`number IN (${list(piece)})`);
    return (number) => this.#ids.get(number) ?? '';
  }

  async #readMissing(ids: Iterable<string>): Promise<string[]> {
    const wanted = [...new Set(ids)];
    const missing = (): string[] => wanted.filter((id) => !this.#numbers.has(id));
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
      this.#ids.set(number, text);
    }
  }
}
