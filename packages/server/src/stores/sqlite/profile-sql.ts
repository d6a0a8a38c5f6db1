import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { memo } from '../../core/bounded-map.ts';
import { readNumberMap } from '../../people/number-map.ts';
import { StoredEvent } from '../../people/person-draft.ts';
import { LATER_COUNTS, type ProfileSql, type PutRows } from '../relational/profile-sql.ts';
import { json, type Statement, sql } from '../relational/sql.ts';
import { named } from './database.ts';
import { registerPeopleFunctions } from './people-functions.ts';
import { PeopleNumbers } from './people-numbers.ts';
import { selectNaming } from './people-schema.ts';
import { readStates, readTold } from './profile-records.ts';
import { bound, toInput } from './statements.ts';

/** The statement that adds a row, by table. */
const PUT: Readonly<Record<keyof PutRows, string>> = {
  sources: 'INSERT OR REPLACE INTO source (id, position) VALUES (?, ?)',
  identities: `INSERT INTO identity (id, person, since, aliased) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET person = excluded.person, since = excluded.since, aliased = excluded.aliased`,
  persons: `INSERT INTO person (id, user_id) VALUES (?, ?) ON CONFLICT DO UPDATE SET user_id = excluded.user_id
    WHERE user_id IS NOT excluded.user_id`,
  unjoined: `INSERT INTO unjoined AS u (person, id, source, why, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET source = excluded.source, why = excluded.why, at = excluded.at WHERE excluded.at >= u.at`,
  traits: `INSERT INTO trait AS t (person, name, value, at, position) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO ${LATER_COUNTS}`,
  groupTraits: `INSERT INTO group_trait AS t (grp, name, value, at, position) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO ${LATER_COUNTS}`,
  seen: 'INSERT OR IGNORE INTO seen (person, source) VALUES (?, ?)',
  memberships: 'INSERT OR IGNORE INTO membership (person, grp) VALUES (?, ?)',
  events: 'INSERT OR IGNORE INTO event (person, at, message_id, kind, properties) VALUES (?, ?, ?, ?, ?)',
};

/** How many statements stay prepared. */
const PREPARED = 200;

type EventRow = readonly [person: number, at: number, messageId: string, kind: number, properties: string];

export interface SqliteProfileSql extends ProfileSql {
  readonly numbers: PeopleNumbers;
  /** Prepares a statement, or returns the one prepared before. Texts come from the code, and from recently counted conditions. */
  readonly prepare: (text: string) => StatementSync;
}

/** The profiles on a connection to `people.db`, for a reader and a writer. */
export function profileSql(db: DatabaseSync): SqliteProfileSql {
  registerPeopleFunctions(db);
  const numbers = new PeopleNumbers(db);
  const file = db.location() ?? '';
  const prepare = memo(PREPARED, (text) => db.prepare(text));
  // Returns rows as arrays: for thousands of rows, objects would take twice the time.
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
    ...{ numbers, prepare },
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
    async readUpTo<Row extends { readonly value: string }>(newest: Statement, _by: Statement, characters: number) {
      const { text, values } = bound(newest);
      const found: Row[] = [];
      let length = 0;
      for (const row of prepare(text).iterate(...values) as Iterable<unknown> as Iterable<Row>) {
        found.push(row);
        length += row.value.length;
        if (length >= characters) break;
      }
      return found;
    },
    async put(table, rows) {
      const statement = prepare(PUT[table]);
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
    wordNumbers: async (texts) => {
      const known = new Map(texts.map((text) => [text, numbers.knownWord(text) ?? undefined]));
      return (text) => known.get(text);
    },
    makeWords: async () => (text) => numbers.word(text),
    makeKinds: async () => (kind) => numbers.kindNumber(kind),
    wordTexts: async () => (number) => numbers.text(number),
    kindNumbers: async (kinds) => kinds.flatMap((kind) => numbers.knownKind(kind) ?? []),
    async eachEvent(selected, take) {
      const { text, values } = bound(
        sql`SELECT person, at, message_id, kind, properties FROM event AS e WHERE ${selected}`,
      );
      for (const row of prepareArrays(text).iterate(...values) as Iterable<unknown> as Iterable<EventRow>) {
        const [person, at, messageId, kind, properties] = row;
        take(new StoredEvent(at, numbers.kind(kind), messageId, properties), person);
      }
    },
    newestOf: async (kinds, since, upTo, limit) =>
      kinds.flatMap((kind) => {
        const newest = sql`SELECT person, at FROM event WHERE kind = ${kind} AND at > ${since} AND at <= ${upTo}
          ORDER BY at DESC LIMIT ${limit}`;
        return rowsOf(newest) as { person: number; at: number }[];
      }),
    states: (...asked) => readStates(profiles, ...asked),
    lastTold: (...asked) => readTold(profiles, ...asked),
    lastPerson: async () => counter('person') ?? 0,
    outboxSize: async () => Number(prepare('SELECT count(*) AS rows FROM outbox').get()?.['rows']),
    rebuilding: async () => counter('rebuilt') !== null,
  };
  return profiles;
}
