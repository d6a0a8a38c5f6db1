import type { DatabaseSync } from 'node:sqlite';
import type { Regulation, Subject, Suppression } from '../../regulations/contract.ts';

/** The part of a reader that knows regulations; see RegulationStore for what each method promises. */
export class RegulationReads {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  regulations(): Regulation[] {
    return this.#db
      .prepare('SELECT json FROM regulations ORDER BY created_at, id')
      .all()
      .map((row) => JSON.parse(String(row['json'])) as Regulation);
  }

  subjects(regulationId: string, from: number, limit: number): Subject[] {
    return this.#db
      .prepare('SELECT json FROM regulation_subjects WHERE regulation = ? AND place >= ? ORDER BY place LIMIT ?')
      .all(regulationId, from, limit)
      .map((row) => JSON.parse(String(row['json'])) as Subject);
  }

  suppressions(): Suppression[] {
    return this.#db
      .prepare('SELECT user_id, since FROM suppressions ORDER BY user_id')
      .all()
      .map((row) => ({ userId: String(row['user_id']), since: Number(row['since']) }));
  }
}
