import type { ProfileWriter } from '../../people/contract.ts';
import { KnownDefinitions } from '../relational/profile-definitions.ts';
import {
  type NumberedDecision,
  type OwnWrites,
  profileWriter,
  type WriterMemory,
} from '../relational/profile-writer.ts';
import type { Queries } from './database.ts';
import { changeDues } from './person-dues.ts';
import { keyOf } from './profile-keys.ts';
import { REBUILT } from './profile-schema.ts';
import { profileSql } from './profile-sql.ts';
import type { Turn } from './profile-turn.ts';
import type { PostgresWords } from './profile-words.ts';
import { columnsOf, insertRows, toText } from './text.ts';

/** Rows that one step searches. */
const SCANNED = 50_000;

/** Below every key. */
const LOWEST_KEY = '00000000-0000-0000-0000-000000000000';

/**
 * Writes of the profiles, inside a transaction that has locked the turn. See people/contract.ts for what each does. Each runs a
 * few statements, for any number of persons. It changes `turn`, and the owner of the transaction stores it.
 */
export function postgresProfileWriter(
  transaction: Queries,
  words: PostgresWords,
  turn: Turn,
  memory: WriterMemory,
): ProfileWriter {
  const profiles = profileSql(transaction, words, turn);
  const definitions = new KnownDefinitions(profiles);

  const own: OwnWrites = {
    async decide(decisions, at) {
      const changed = decisions.filter(({ value, before }) => value !== before);
      await putValues(transaction, changed, at);
      const dues = Map.groupBy(decisions, ({ person }) => person);
      await changeDues(transaction, dues.keys(), (due, person) => {
        for (const { definition, dueAt } of dues.get(person) ?? []) {
          if (dueAt === null) due.delete(definition);
          else due.set(definition, dueAt);
        }
      });
    },

    changeDues: (persons, change) => changeDues(transaction, persons, change),

    /** Memberships and their times move too. They stay known until both persons are decided as one. */
    async moveValues(unions) {
      await transaction.query(MOVE_VALUES, columnsOf(unions, 'from', 'into'));
    },

    async forgetDecided(persons) {
      await transaction.query(
        `UPDATE profile_definitions d SET size = d.size - g.persons FROM (
           SELECT definition, count(*) AS persons FROM profile_values WHERE person = ANY($1::bigint[]) GROUP BY definition) g
         WHERE d.number = g.definition`,
        [persons],
      );
      for (const table of ['values', 'dues', 'persons']) {
        await transaction.query(`DELETE FROM profile_${table} WHERE person = ANY($1::bigint[])`, [persons]);
      }
    },

    async forgetValues(definition, limit) {
      const gone = await transaction.query(
        `DELETE FROM profile_values WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM profile_values WHERE definition = $1 LIMIT $2)) RETURNING 1`,
        [definition, limit],
      );
      return gone.length;
    },

    async forgetToldAfter(definition, key) {
      const after = key ?? LOWEST_KEY;
      const [last] = await transaction.query<{ upTo: string }>(
        `SELECT user_key AS "upTo" FROM (SELECT user_key FROM profile_told WHERE user_key > $1 ORDER BY user_key LIMIT $2) page
         ORDER BY user_key DESC LIMIT 1`,
        [after, SCANNED],
      );
      if (!last) return null;
      await transaction.query(
        'DELETE FROM profile_told WHERE user_key > $1 AND user_key <= $2 AND definition + 0 = $3',
        [after, last.upTo, definition],
      );
      return last.upTo;
    },

    messagesRemoved(count) {
      turn.outbox -= count;
    },
  };

  return {
    ...profileWriter(profiles, own, definitions, memory),

    async newPersons(count) {
      const last = turn.last_person;
      turn.last_person += count;
      return Array.from({ length: count }, (_, i) => last + 1 + i);
    },

    async tell(messages) {
      if (messages.length === 0) return;
      const numberOf = await definitions.numbers();
      const rows = messages.map(({ definitionId, userId, value, at }) => ({
        ...{ id: ++turn.last_message, definition: numberOf(definitionId) },
        ...{ user_key: keyOf(userId), user_id: toText(userId), value, at },
      }));
      turn.outbox += rows.length;
      await insertRows(transaction, 'profile_outbox', rows);
      const told = rows.map(({ user_key, definition, value }) => ({ user_key, definition, value }));
      const last = new Map(told.map((row) => [`${row.user_key} ${row.definition}`, row]));
      const replace = 'ON CONFLICT (user_key, definition) DO UPDATE SET value = excluded.value';
      await insertRows(transaction, 'profile_told', [...last.values()], replace);
    },

    async wipe() {
      // For millions of rows, nothing else is fast enough. TRUNCATE waits for readers of the tables.
      await transaction.query(`TRUNCATE ${REBUILT.join(', ')}`);
      await transaction.query('UPDATE profile_definitions SET size = 0');
    },

    async setRebuilding(is) {
      turn.rebuilt = is ? 0 : null;
    },
  };
}

const MOVE_VALUES = `WITH moved AS (
    INSERT INTO profile_values (definition, person, since, value)
    SELECT DISTINCT ON (v.definition, u.new) v.definition, u.new, v.since, v.value
    FROM unnest($1::bigint[], $2::bigint[]) AS u(old, new) JOIN profile_values v ON v.person = u.old
    ORDER BY v.definition, u.new, v.since ON CONFLICT DO NOTHING RETURNING definition),
  grown AS (SELECT definition, count(*) AS persons FROM moved GROUP BY definition)
  UPDATE profile_definitions d SET size = d.size + g.persons FROM grown g WHERE d.number = g.definition`;

/** Stores decided values. `at` becomes `since` of persons who had no value before. */
async function putValues(queries: Queries, decided: readonly NumberedDecision[], at: number): Promise<void> {
  const last = new Map(decided.map((one) => [`${one.person} ${one.definition}`, one]));
  const values = [...last.values()].map(({ person, definition, value }) => ({ person, definition, value, since: at }));
  const [gone, put] = [values.filter(({ value }) => value === null), values.filter(({ value }) => value !== null)];
  if (gone.length > 0) {
    await queries.query(
      `DELETE FROM profile_values v USING unnest($1::bigint[], $2::int[]) AS g(person, definition)
       WHERE v.person = g.person AND v.definition = g.definition`,
      columnsOf(gone, 'person', 'definition'),
    );
  }
  const replace = 'ON CONFLICT (person, definition) DO UPDATE SET value = excluded.value';
  await insertRows(queries, 'profile_values', put, replace);
}
