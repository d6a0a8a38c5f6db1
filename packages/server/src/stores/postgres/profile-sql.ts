import { memo } from '../../core/bounded-map.ts';
import { StoredEvent } from '../../people/person-draft.ts';
import { LATER_COUNTS, type ProfileSql, type PutRows } from '../relational/profile-sql.ts';
import { type Statement, sql } from '../relational/sql.ts';
import type { Queries } from './database.ts';
import { keyOf } from './profile-keys.ts';
import { readStates, readTold } from './profile-records.ts';
import { selectNaming } from './profile-schema.ts';
import { readTurn, type Turn } from './profile-turn.ts';
import { kindOfWord, type ProfileWords, plain, wordOfKind } from './profile-words.ts';
import { run, toParameter } from './sql.ts';
import { fromText } from './text.ts';

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

/** The statements that add rows, which are passed as columns. The column before an id is its key. */
const PUT: Readonly<Record<keyof PutRows, string>> = {
  sources: `INSERT INTO profile_sources (id, position) SELECT * FROM unnest($1::text[], $2::bigint[])
    ON CONFLICT (id) DO UPDATE SET position = excluded.position`,
  identities: `INSERT INTO profile_identities (key, id, person, since, aliased)
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
    ON CONFLICT (key) DO UPDATE SET person = excluded.person, since = excluded.since, aliased = excluded.aliased`,
  persons: `INSERT INTO profile_persons AS p (person, user_id) SELECT * FROM unnest($1::bigint[], $2::text[])
    ON CONFLICT (person) DO UPDATE SET user_id = excluded.user_id WHERE p.user_id IS DISTINCT FROM excluded.user_id`,
  unjoined: `INSERT INTO profile_unjoined AS u (person, key, id, source, why, at)
    SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[])
    ON CONFLICT (person, key) DO UPDATE SET source = excluded.source, why = excluded.why, at = excluded.at
    WHERE excluded.at >= u.at`,
  traits: `INSERT INTO profile_traits AS t (person, name, value, at, position)
    SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::bigint[])
    ON CONFLICT (person, name) DO ${LATER_COUNTS}`,
  groupTraits: `INSERT INTO profile_group_traits AS t (grp, name, value, at, position)
    SELECT * FROM unnest($1::int[], $2::int[], $3::text[], $4::bigint[], $5::bigint[])
    ON CONFLICT (grp, name) DO ${LATER_COUNTS}`,
  seen: `INSERT INTO profile_seen (person, source) SELECT * FROM unnest($1::bigint[], $2::text[]) ON CONFLICT DO NOTHING`,
  memberships: `INSERT INTO profile_memberships (person, grp) SELECT * FROM unnest($1::bigint[], $2::int[])
    ON CONFLICT DO NOTHING`,
  events: `INSERT INTO profile_events (person, at, message_id, kind, properties)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::text[]) ON CONFLICT DO NOTHING`,
};

interface EventRow {
  readonly person: number;
  readonly at: number;
  readonly message_id: string;
  readonly kind: number;
  readonly properties: string;
}

/** Kinds of events to keep, of those in the rows of one statement. */
const KINDS = 1_000;

/** The index of the id in a row, for tables that have its key before it. */
const KEYED: { readonly [T in keyof PutRows]?: number } = { identities: 0, unjoined: 1 };

/** The profiles in PostgreSQL, for a reader and a writer. A writer passes its turn, which it changes in memory. */
export function profileSql(queries: Queries, words: ProfileWords, held?: Turn): ProfileSql {
  const read: ProfileSql['read'] = (statement) => run(queries, statement);
  const turn = async (): Promise<Turn> => held ?? (await readTurn(queries));
  const profiles: ProfileSql = {
    tables: TABLES,
    document: sql`document`,
    read,
    readUpTo: (newest, by, characters) =>
      read(
        sql`SELECT * FROM (
          SELECT *, sum(length(value)) OVER (ORDER BY ${by} DESC ROWS UNBOUNDED PRECEDING) AS total
          FROM (${newest}) AS newest) AS summed WHERE total - length(value) < ${characters}`,
      ),
    async put(table, rows) {
      const [first] = rows;
      if (!first) return;
      const columns = Array.from(first, (_, i) => rows.map((row) => toParameter(row[i] ?? null)));
      const keyed = KEYED[table];
      if (keyed !== undefined)
        columns.splice(
          keyed,
          0,
          rows.map((row) => keyOf(String(row[keyed]))),
        );
      await queries.query(PUT[table], columns);
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
    async wordNumbers(texts) {
      const numberOf = await words.known(texts.map(plain));
      return (text) => numberOf(plain(text));
    },
    async makeWords(texts) {
      const numberOf = await words.made(texts.map(plain));
      return (text) => numberOf(plain(text));
    },
    async makeKinds(kinds) {
      const numberOf = await words.made(kinds.map(wordOfKind));
      return (kind) => numberOf(wordOfKind(kind));
    },
    async wordTexts(numbers) {
      const wordOf = await words.words(new Set(numbers));
      return (number) => wordOf(number)?.text ?? '';
    },
    async kindNumbers(kinds) {
      const named = kinds.map(wordOfKind);
      const numberOf = await words.known(named);
      return named.map(numberOf).filter((number) => number !== undefined);
    },
    async eachEvent(selected, take) {
      const rows = await read<EventRow>(
        sql`SELECT person, at, message_id, kind, properties FROM profile_events AS e WHERE ${selected}`,
      );
      const wordOf = await words.words(new Set(rows.map(({ kind }) => kind)));
      const kindOf = memo(KINDS, (number: number) => kindOfWord(wordOf(number)));
      for (const { person, at, message_id, kind, properties } of rows)
        take(new StoredEvent(at, kindOf(kind), fromText(message_id), properties), person);
    },
    newestOf: (kinds, since, upTo, limit) =>
      read(newestOf(kinds, sql`at > ${since} AND at <= ${upTo} ORDER BY at DESC LIMIT ${limit}`)),
    states: (...asked) => readStates(profiles, ...asked),
    lastTold: (...asked) => readTold(profiles, ...asked),
    lastPerson: async () => (await turn()).last_person,
    outboxSize: async () => (await turn()).outbox,
    rebuilding: async () => (await turn()).rebuilt !== null,
  };
  return profiles;
}

/** Numbers or keys as the text of a PostgreSQL array. */
function arrayOf(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}

/** Selects the newest events of each kind in one statement. */
function newestOf(kinds: readonly number[], newest: Statement): Statement {
  return sql`SELECT e.* FROM unnest(${arrayOf(kinds)}::int[]) AS k(kind)
    CROSS JOIN LATERAL (SELECT person, at FROM profile_events WHERE kind = k.kind AND ${newest}) AS e`;
}
