import { hash } from 'node:crypto';
import {
  type CompactionAsk,
  REGULATION_STEPS,
  type RegulationStep,
  type RegulationStore,
  type Subject,
} from '../../regulations/contract.ts';
import { changeDocument, documents, readDocuments } from './documents.ts';
import { inserting, json, list, type Sql, type Statement, sql, takesEffect } from './sql.ts';

/** Regulations and suppressions as documents. Each user of a regulation has a document in a table of its own. */
export function regulationStore(database: Sql): RegulationStore {
  const { watch, dialect } = database;
  return {
    async create(regulation, userIds) {
      const { id, createdAt, regulationType } = regulation;
      const subjects = userIds.map((userId, place) => [
        id,
        place,
        json({ place, userId, sources: [] } satisfies Subject),
      ]);
      const suppressed = regulationType === 'SUPPRESS_WITH_DELETE' ? userIds : [];
      // All processes add rows in the same order, so they can't deadlock.
      const suppressions = suppressed
        .map((userId) => [userKey(dialect.toText(userId)), userId, createdAt] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1));
      await database.write(
        [
          sql`INSERT INTO regulations (id, created_at, document) VALUES (${id}, ${createdAt}, ${json(regulation)})`,
          ...inserting(
            subjects,
            (values) => sql`INSERT INTO regulation_subjects (regulation, place, document) VALUES ${values}`,
          ),
          ...inserting(
            suppressions,
            (values) =>
              sql`INSERT INTO suppressions (user_key, user_id, since) VALUES ${values} ON CONFLICT DO NOTHING`,
          ),
        ],
        { tells: 'regulations' },
      );
    },
    async save(regulation, subjects = []) {
      const { id, createdAt, step } = regulation;
      const later = REGULATION_STEPS.slice(REGULATION_STEPS.indexOf(step) + 1);
      const isNotPast = list([sql`id = ${id}`, ...later.map(isNot)], ' AND ');
      const rows = subjects.map((subject) => [sql`CAST(${subject.place} AS integer)`, json(subject)]);
      await database.write([
        sql`UPDATE regulations SET created_at = ${createdAt}, document = ${json(regulation)} WHERE ${isNotPast}`,
        ...inserting(
          rows,
          (values) => sql`INSERT INTO regulation_subjects (regulation, place, document)
            SELECT r.id, v.column1, v.column2 FROM (SELECT id FROM regulations WHERE ${isNotPast}) r
            CROSS JOIN (VALUES ${values}) v WHERE r.id = ${id}
            ON CONFLICT (regulation, place) DO UPDATE SET document = excluded.document`,
        ),
      ]);
    },
    regulations(which) {
      const isMeant =
        which === undefined ? sql`1 = 1` : which === 'running' ? isNot('finished') : sql`id = ${which.id}`;
      return readDocuments(database, sql`SELECT document FROM regulations WHERE ${isMeant} ORDER BY created_at, id`);
    },
    subjects: (regulationId, from, limit) =>
      readDocuments(
        database,
        sql`SELECT document FROM regulation_subjects WHERE regulation = ${regulationId} AND place >= ${from}
          ORDER BY place LIMIT ${limit}`,
      ),
    async delete(regulationId) {
      await database.write(
        [
          sql`DELETE FROM regulation_subjects WHERE regulation = ${regulationId}`,
          sql`DELETE FROM regulations WHERE id = ${regulationId}`,
        ],
        { tells: 'regulations', erases: ['regulation_subjects', 'regulations'] },
      );
    },
    async askCompaction({ at, now }) {
      const asked = (before: CompactionAsk | undefined): CompactionAsk => ({ at, now: now || before?.now === true });
      await changeDocument(database, 'service', COMPACTION, asked, { tells: 'regulations' });
    },
    async compactionAsked() {
      return (await documents<CompactionAsk>(database, 'service', sql`id = ${COMPACTION}`))[0] ?? null;
    },
    async compactionDone(at) {
      await changeDocument<CompactionAsk>(database, 'service', COMPACTION, (ask) =>
        ask?.at === at ? undefined : null,
      );
    },
    lift(userId) {
      const key = userKey(dialect.toText(userId));
      const lifting = sql`DELETE FROM suppressions WHERE user_key = ${key} RETURNING since`;
      return takesEffect(database, lifting, { tells: 'regulations', erases: ['suppressions'] });
    },
    async suppressions() {
      const rows = await database.read<{ readonly user_id: string; readonly since: number }>(
        sql`SELECT user_id, since FROM suppressions ORDER BY user_id`,
      );
      return rows.map(({ user_id, since }) => ({ userId: dialect.fromText(user_id), since }));
    },
    ...(watch && { watch: (changed) => watch('regulations', changed) }),
  };
}

/** Whether a regulation is at another step: its document has no text of others. */
function isNot(step: RegulationStep): Statement {
  return sql`document NOT LIKE ${`%"step":"${step}"%`}`;
}

/** Id of the document that stores a request for a compaction. */
const COMPACTION = 'compaction asked';

/** The key of a user: a hash, because a stored user id can be longer than an index key. */
export function userKey(text: string): string {
  return hash('sha256', text, 'base64url');
}
