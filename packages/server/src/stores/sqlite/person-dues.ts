import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Dues, readDues, writeDues } from '../../people/dues.ts';

/**
 * What is due, one row a person: an index entry for each definition, which nearly every event moves, would cost more than
 * all else that an event changes. `at` is the earliest of them.
 */
export class PersonDues {
  readonly #select: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT dues FROM due WHERE person = ?');
    this.#put = db.prepare(
      `INSERT INTO due (person, at, dues) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET at = excluded.at, dues = excluded.dues`,
    );
    this.#delete = db.prepare('DELETE FROM due WHERE person = ?');
  }

  /** Changes what is due of a person; nothing is written where `change` leaves it as it was. */
  change(person: number, change: (dues: Dues) => void): void {
    const before = this.#select.get(person)?.['dues'];
    const dues = readDues(String(before ?? '[]'));
    change(dues);
    if (dues.size === 0) {
      if (before !== undefined) this.#delete.run(person);
      return;
    }
    const json = writeDues(dues);
    if (json !== before) this.#put.run(person, Math.min(...dues.values()), json);
  }
}
