import { readNumberMap } from '../../people/number-map.ts';
import { isOf } from '../relational/profile-facts.ts';
import { type ProfileSql, PUT, type PutRows } from '../relational/profile-sql.ts';
import { type Statement, sql } from '../relational/sql.ts';
import type { Queries } from './database.ts';
import { keyOf } from './profile-keys.ts';
import { selectNaming } from './profile-schema.ts';
import { readTurn, type Turn } from './profile-turn.ts';
import type { PostgresWords } from './profile-words.ts';
import { arrayOf, run, toCell } from './sql.ts';
import { fromText, insertRows, type Row } from './text.ts';

const TABLES: ProfileSql['tables'] = {
  sources: sql`profile_sources`,
  ownSources: sql`profile_own_sources`,
  identities: sql`profile_identities`,
  seen: sql`profile_seen`,
  unjoined: sql`profile_unjoined`,
  persons: sql`profile_persons`,
  traits: sql`profile_traits`,
  memberships: sql`profile_memberships`,
  groupTraits: sql`profile_group_traits`,
  kinds: sql`(SELECT number, space AS type, text AS name FROM profile_words WHERE space <> 'word')`,
  events: sql`profile_events`,
  definitions: sql`profile_definitions`,
  values: sql`profile_values`,
  dues: sql`profile_dues`,
  outbox: sql`profile_outbox`,
  sizes: sql`profile_sizes`,
  told: sql`profile_told`,
  erasures: sql`profile_erasures`,
  erased: sql`profile_erased`,
};

/** Tables whose ids have a digest beside them, which is in the key in place of the id. */
const KEYED: ReadonlySet<keyof PutRows> = new Set(['identities', 'unjoined']);

/** The profiles in PostgreSQL, for a reader and a writer. A writer passes its turn, which it changes in memory. */
export function profileSql(queries: Queries, words: PostgresWords, held?: Turn): ProfileSql {
  const read: ProfileSql['read'] = (statement) => run(queries, statement);
  const turn = async (): Promise<Turn> => held ?? (await readTurn(queries));
  const profiles: ProfileSql = {
    ...{ ...words, tables: TABLES, document: sql`document`, read },
    // The columns of a row have the order of the statement.
    readArrays: async <Row extends readonly unknown[]>(statement: Statement) =>
      (await read(statement)).map((row) => Object.values(row)) as unknown[] as Row[],
    async put(table, rows) {
      const { columns, key, action } = PUT[table];
      const names = columns.split(', ');
      const added = rows.map((row): Row => {
        const cells = Object.fromEntries(names.map((name, i) => [name, toCell(row[i] ?? null)]));
        return KEYED.has(table) ? { ...cells, key: keyOf(String(row[names.indexOf('id')])) } : cells;
      });
      const target = KEYED.has(table) ? key.replace('id', 'key') : key;
      await insertRows(queries, TABLES[table].text, added, `ON CONFLICT (${target}) DO ${action}`);
    },
    fromText,
    heldValue: (value) => value,
    pairs: (pairs) =>
      sql`(SELECT * FROM unnest(${arrayOf(pairs.map(([ending]) => ending))}::bigint[],
        ${arrayOf(pairs.map(([, staying]) => staying))}::bigint[]) AS p(ending, staying))`,
    beside: (column) => column,
    among: (column, numbers) => sql`${column} = ANY(${arrayOf(numbers)}::bigint[])`,
    amongIds: (ids) => sql`key = ANY(${arrayOf(ids.map(keyOf))}::uuid[])`,
    amongUsers: (userIds) => sql`user_key = ANY(${arrayOf(userIds.map(keyOf))}::uuid[])`,
    // The index contains the beginnings of ids, which have the same order as the ids.
    idsFrom: (text) => sql`left(id, 256) >= left(${text}, 256) AND id >= ${text} ORDER BY left(id, 256), id`,
    contains: (column, text) => sql`strpos(lower(${column} COLLATE "C"), lower(${text} COLLATE "C")) > 0`,
    naming: selectNaming,
    passes: () => null,
    fits: () => null,
    async decided(persons, definitions) {
      const isTheirs = isOf(persons, profiles);
      const values = await read<{ person: number; definition: number; value: string }>(
        sql`SELECT person, definition, value FROM profile_values
          WHERE ${isTheirs} AND ${profiles.among(sql`definition`, definitions)}`,
      );
      const rows = await read<{ person: number; dues: string }>(
        sql`SELECT person, dues FROM profile_dues WHERE ${isTheirs}`,
      );
      const held = Map.groupBy(values, ({ person }) => person);
      const dues = new Map(rows.map((row) => [row.person, readNumberMap<number>(row.dues)]));
      return Array.from(new Set([...held.keys(), ...dues.keys()]), (person) => ({
        person,
        held: (held.get(person) ?? []).map(({ definition, value }) => [definition, value] as const),
        dues: dues.get(person) ?? [],
      }));
    },
    async told(userIds, definitions) {
      const byKey = new Map(userIds.map((userId) => [keyOf(userId), userId]));
      const rows = await read<{ user_key: string; definition: number; value: string }>(
        sql`SELECT user_key, definition, value FROM profile_told
          WHERE ${profiles.amongUsers(userIds)} AND ${profiles.among(sql`definition + 0`, definitions)}`,
      );
      return Array.from(
        Map.groupBy(rows, ({ user_key }) => user_key),
        ([key, values]) => {
          return [byKey.get(key) ?? '', values.map(({ definition, value }) => [definition, value] as const)];
        },
      );
    },
    lastPerson: async () => (await turn()).last_person,
    outboxSize: async () => (await turn()).outbox,
    rebuilding: async () => (await turn()).rebuilt !== null,
  };
  return profiles;
}
