import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { memo } from '../../core/bounded-map.ts';
import { readNumberMap } from '../../people/number-map.ts';
import { isOf } from '../relational/profile-facts.ts';
import { type ProfileSql, PUT } from '../relational/profile-sql.ts';
import { json, type Statement, sql } from '../relational/sql.ts';
import { named } from './database.ts';
import { registerPeopleFunctions } from './people-functions.ts';
import { selectNaming } from './people-schema.ts';
import { kindsIn, wordsIn } from './people-words.ts';
import { bound, toInput } from './statements.ts';

/** How many statements stay prepared. */
const PREPARED = 200;

export interface SqliteProfileSql extends ProfileSql {
  /** Prepares a statement, or returns the one prepared before. Texts come from the code, and from recently counted conditions. */
  readonly prepare: (text: string) => StatementSync;
}

/** The profiles on a connection to `people.db`, for a reader and a writer. */
export function profileSql(db: DatabaseSync): SqliteProfileSql {
  registerPeopleFunctions(db);
  const file = db.location() ?? '';
  const prepare = memo(PREPARED, (text) => db.prepare(text));
  const prepareArrays = memo(PREPARED, (text) => {
    const statement = db.prepare(text);
    statement.setReturnArrays(true);
    return statement;
  });
  const rowsOf = (statement: Statement): object[] => {
    const { text, values } = bound(statement);
    return named(file, () => prepare(text).all(...values));
  };
  /** Null if the counter does not exist. */
  const counter = (name: 'person' | 'rebuilt'): number | null => {
    const value = prepare('SELECT value FROM counter WHERE name = ?').get(name)?.['value'];
    return value === undefined ? null : Number(value);
  };
  const profiles: SqliteProfileSql = {
    prepare,
    words: wordsIn(db),
    kinds: kindsIn(db),
    tables: {
      sources: sql`source`,
      ownSources: sql`own_source`,
      identities: sql`identity`,
      seen: sql`seen`,
      unjoined: sql`unjoined`,
      persons: sql`(SELECT id AS person, user_id FROM person)`,
      traits: sql`trait`,
      memberships: sql`membership`,
      groupTraits: sql`group_trait`,
      kinds: sql`(SELECT id AS number, type, name FROM kind)`,
      events: sql`event`,
      definitions: sql`definition`,
      values: sql`(SELECT m.definition, m.person, m.since, s.held AS value
        FROM member AS m JOIN state AS s ON s.person = m.person)`,
      dues: sql`(SELECT person, at, dues FROM state WHERE at IS NOT NULL)`,
      outbox: sql`outbox`,
      sizes: sql`size`,
      told: sql`told`,
      erasures: sql`erasure`,
      erased: sql`erased`,
    },
    document: sql`json`,
    read: async <Row extends object>(statement: Statement) => rowsOf(statement) as Row[],
    async readArrays<Row extends readonly unknown[]>(statement: Statement) {
      const { text, values } = bound(statement);
      return named(file, () => prepareArrays(text).all(...values)) as unknown[] as Row[];
    },
    async put(table, rows) {
      // The number of a person has another name in the table of persons.
      const its = table === 'persons' ? { ...PUT.persons, columns: 'id, user_id', key: 'id' } : PUT[table];
      const { columns, key, action } = its;
      const into = table === 'persons' ? 'person' : profiles.tables[table].text;
      const values = columns.replaceAll(/\w+/g, '?');
      const statement = prepare(
        `INSERT INTO ${into} AS t (${columns}) VALUES (${values}) ON CONFLICT (${key}) DO ${action}`,
      );
      for (const row of rows) statement.run(...row.map(toInput));
    },
    fromText: (text) => text,
    heldValue: (held, definition) => readNumberMap<string>(held).get(definition) ?? '',
    pairs: (pairs) =>
      sql`(SELECT value ->> 0 AS ending, value ->> 1 AS staying FROM json_each(${JSON.stringify(pairs)}))`,
    beside: (column) => sql`+${column}`,
    among: (column, some) => sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(some)}))`,
    amongIds: (ids) => sql`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    amongUsers: (userIds) => sql`user_id IN (SELECT value FROM json_each(${JSON.stringify(userIds)}))`,
    idsFrom: (text) => sql`id >= ${text} ORDER BY id`,
    contains: (column, text) => sql`instr(lower(${column}), lower(${text})) > 0`,
    naming: selectNaming,
    passes: (value, is, now) => sql`passes(${value}, ${json(is)}, ${now})`,
    fits: (properties, where, now) => sql`fits(${properties}, ${json(where)}, ${now})`,
    async decided(persons) {
      const rows = await profiles.read<{ person: number; dues: string; held: string }>(
        sql`SELECT person, dues, held FROM state WHERE ${isOf(persons, profiles)}`,
      );
      return rows.map(({ person, dues, held }) => {
        return { person, held: readNumberMap<string>(held), dues: readNumberMap<number>(dues) };
      });
    },
    async told(userIds) {
      const rows = await profiles.read<{ user_id: string; told: string }>(
        sql`SELECT user_id, told FROM told WHERE ${profiles.amongUsers(userIds)}`,
      );
      return rows.map(({ user_id, told }) => [user_id, readNumberMap<string>(told)]);
    },
    lastPerson: async () => counter('person') ?? 0,
    outboxSize: async () => Number(prepare('SELECT count(*) AS rows FROM outbox').get()?.['rows']),
    rebuilding: async () => counter('rebuilt') !== null,
  };
  return profiles;
}
