import type { ProfileWriter } from '../../people/contract.ts';
import { KnownDefinitions } from '../relational/profile-definitions.ts';
import { type OwnWrites, profileWriter, type WriterMemory } from '../relational/profile-writer.ts';
import type { Queries } from './database.ts';
import { changeDues } from './person-dues.ts';
import { keyOf } from './profile-keys.ts';
import { REBUILT } from './profile-schema.ts';
import { profileSql } from './profile-sql.ts';
import type { Turn } from './profile-turn.ts';
import type { ProfileWords } from './profile-words.ts';
import { columnsOf, toText } from './text.ts';

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
  words: ProfileWords,
  turn: Turn,
  memory: WriterMemory,
): ProfileWriter {
  const profiles = profileSql(transaction, words, turn);
  const definitions = new KnownDefinitions(profiles);

  const own: OwnWrites = {
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

    async decide(decisions, at) {
      const { byId } = await definitions.table();
      const grown = new Map<number, number>();
      const values = new Map<string, DecidedValue>();
      const dues = new Map<number, Map<number, number | null>>();
      for (const { definitionId, person, value, before, dueAt } of decisions) {
        const definition = byId.get(definitionId)?.number;
        if (definition === undefined) continue;
        if (value !== before) {
          values.set(`${person} ${definition}`, { person, definition, value });
          const change = Number(value !== null) - Number(before !== null);
          grown.set(definition, (grown.get(definition) ?? 0) + change);
        }
        dues.set(person, (dues.get(person) ?? new Map()).set(definition, dueAt));
      }
      await putValues(transaction, [...values.values()], at);
      await changeDues(transaction, dues.keys(), (due, person) => {
        for (const [definition, at] of dues.get(person) ?? []) {
          if (at === null) due.delete(definition);
          else due.set(definition, at);
        }
      });
      const sizes = [...grown].filter(([, change]) => change !== 0);
      if (sizes.length === 0) return;
      await transaction.query(
        `UPDATE profile_definitions d SET size = d.size + g.change FROM unnest($1::int[], $2::bigint[]) AS g(number, change)
         WHERE d.number = g.number`,
        [sizes.map(([number]) => number), sizes.map(([, change]) => change)],
      );
    },

    async tell(messages) {
      if (messages.length === 0) return;
      const { byId } = await definitions.table();
      const rows = messages.map(({ definitionId, userId, value, at }) => ({
        ...{ id: ++turn.last_message, definition: byId.get(definitionId)?.number ?? 0 },
        ...{ key: keyOf(userId), userId: toText(userId), value, at },
      }));
      turn.outbox += rows.length;
      await transaction.query(
        `INSERT INTO profile_outbox (id, definition, user_key, user_id, value, at)
         SELECT * FROM unnest($1::bigint[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::bigint[])`,
        columnsOf(rows, 'id', 'definition', 'key', 'userId', 'value', 'at'),
      );
      const last = [...new Map(rows.map((row) => [`${row.key} ${row.definition}`, row])).values()];
      await transaction.query(
        `INSERT INTO profile_told (user_key, definition, value) SELECT * FROM unnest($1::uuid[], $2::int[], $3::text[])
         ON CONFLICT (user_key, definition) DO UPDATE SET value = excluded.value`,
        columnsOf(last, 'key', 'definition', 'value'),
      );
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

/** The decided value of a person under a definition; null if the person has none. */
interface DecidedValue {
  readonly person: number;
  readonly definition: number;
  readonly value: string | null;
}

/** Stores decided values. `at` becomes `since` of persons who had no value before. */
async function putValues(queries: Queries, values: readonly DecidedValue[], at: number): Promise<void> {
  const gone = values.filter(({ value }) => value === null);
  if (gone.length > 0) {
    await queries.query(
      `DELETE FROM profile_values v USING unnest($1::bigint[], $2::int[]) AS g(person, definition)
       WHERE v.person = g.person AND v.definition = g.definition`,
      columnsOf(gone, 'person', 'definition'),
    );
  }
  const put = values.filter(({ value }) => value !== null);
  if (put.length === 0) return;
  await queries.query(
    `INSERT INTO profile_values (person, definition, value, since)
     SELECT v.*, $4::bigint FROM unnest($1::bigint[], $2::int[], $3::text[]) v
     ON CONFLICT (person, definition) DO UPDATE SET value = excluded.value`,
    [...columnsOf(put, 'person', 'definition', 'value'), at],
  );
}
