import type { ProfileSql } from '../relational/profile-sql.ts';
import { type Statement, sql } from '../relational/sql.ts';
import type { Queries } from './database.ts';
import { keyOf } from './profile-keys.ts';
import { readStates, readTold } from './profile-records.ts';
import { selectNaming } from './profile-schema.ts';
import { FIRST_TURN, TURN, type Turn } from './profile-turn.ts';
import { kindOfWord, type ProfileWords, plain, wordOfKind } from './profile-words.ts';
import { run } from './sql.ts';
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

/** The profiles in PostgreSQL for a reader and a writer. A writer has a turn, which it changes in memory first. */
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
    fromText,
    heldValue: (value) => value,
    beside: (column) => column,
    among: (column, numbers) => sql`${column} = ANY(${`{${numbers.join(',')}}`}::bigint[])`,
    amongIds: (ids) => sql`key = ANY(${`{${ids.map(keyOf).join(',')}}`}::uuid[])`,
    amongUsers: (userIds) => sql`user_key = ANY(${`{${userIds.map(keyOf).join(',')}}`}::uuid[])`,
    // The index has the ids' beginnings, which come in the same order.
    idsFrom: (text) => sql`left(id, 256) >= left(${text}, 256) AND id >= ${text} ORDER BY left(id, 256), id`,
    contains: (column, text) => sql`strpos(lower(${column} COLLATE "C"), lower(${text} COLLATE "C")) > 0`,
    naming: selectNaming,
    passes: () => null,
    fits: () => null,
    async wordNumbers(texts) {
      const numberOf = await words.known(texts.map(plain));
      return (text) => numberOf(plain(text));
    },
    makeWord: async (text) => (await words.made([plain(text)]))(plain(text)),
    async wordTexts(numbers) {
      const wordOf = await words.words(new Set(numbers));
      return (number) => wordOf(number)?.text ?? '';
    },
    async kindNumbers(kinds) {
      const named = kinds.map(wordOfKind);
      const numberOf = await words.known(named);
      return named.map(numberOf).filter((number) => number !== undefined);
    },
    async kindTexts(numbers) {
      const wordOf = await words.words(new Set(numbers));
      return (number) => kindOfWord(wordOf(number));
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

async function readTurn(queries: Queries): Promise<Turn> {
  return (await queries.query<Turn & { [name: string]: unknown }>(TURN))[0] ?? FIRST_TURN;
}

/** Kind by kind in one statement. */
function newestOf(kinds: readonly number[], newest: Statement): Statement {
  return sql`SELECT e.* FROM unnest(${`{${kinds.join(',')}}`}::int[]) AS k(kind)
    CROSS JOIN LATERAL (SELECT person, at FROM profile_events WHERE kind = k.kind AND ${newest}) AS e`;
}
