import type { DatabaseSync } from 'node:sqlite';
import type { Regulation, Subject } from '../../regulations/contract.ts';
import { transaction } from './database.ts';

/** The part of the writer that changes regulations; see RegulationStore for what each method promises. */
export class RegulationWrites {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  create(regulation: Regulation, userIds: readonly string[]): void {
    transaction(this.#db, () => {
      this.#put(regulation);
      this.#putSubjects(
        regulation.id,
        userIds.map((userId, place) => ({ place, userId, sources: [] })),
      );
      if (regulation.regulationType !== 'SUPPRESS_WITH_DELETE') return;
      const suppress = this.#db.prepare(
        'INSERT INTO suppressions (user_id, since) VALUES (?, ?) ON CONFLICT DO NOTHING',
      );
      for (const userId of userIds) suppress.run(userId, regulation.createdAt);
    });
  }

  save(regulation: Regulation, subjects: readonly Subject[]): void {
    transaction(this.#db, () => {
      this.#put(regulation);
      this.#putSubjects(regulation.id, subjects);
    });
  }

  delete(regulationId: string): void {
    transaction(this.#db, () => {
      this.#db.prepare('DELETE FROM regulation_subjects WHERE regulation = ?').run(regulationId);
      this.#db.prepare('DELETE FROM regulations WHERE id = ?').run(regulationId);
    });
  }

  lift(userId: string): boolean {
    return this.#db.prepare('DELETE FROM suppressions WHERE user_id = ?').run(userId).changes > 0;
  }

  #put(regulation: Regulation): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO regulations (id, created_at, json) VALUES (?, ?, ?)')
      .run(regulation.id, regulation.createdAt, JSON.stringify(regulation));
  }

  #putSubjects(regulationId: string, subjects: readonly Subject[]): void {
    const put = this.#db.prepare(
      'INSERT OR REPLACE INTO regulation_subjects (regulation, place, json) VALUES (?, ?, ?)',
    );
    for (const subject of subjects) put.run(regulationId, subject.place, JSON.stringify(subject));
  }
}
