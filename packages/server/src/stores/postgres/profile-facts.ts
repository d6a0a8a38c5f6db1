import type { Facts, GroupChange } from '../../people/contract.ts';
import { LATER_COUNTS } from '../relational/profile-sql.ts';
import type { Queries } from './database.ts';
import { type ProfileWords, plain, wordOfKind } from './profile-words.ts';
import { columnsOf, toText } from './text.ts';

/** Adds what calls said, each table in one statement; see ProfileWriter.record. Answers the groups whose traits changed. */
export async function recordFacts(
  queries: Queries,
  words: ProfileWords,
  { traits, groups, groupTraits, events }: Facts,
): Promise<readonly GroupChange[]> {
  const numberOf = await words.made([
    ...[...traits, ...groupTraits].map(({ name }) => plain(name)),
    ...[...groups, ...groupTraits].map(({ groupId }) => plain(groupId)),
    ...events.map(wordOfKind),
  ]);
  const wordNumber = (text: string): number => numberOf(plain(text));
  const latest = latestOf(traits, ({ person, name }) => `${person} ${wordNumber(name)}`);
  if (latest.length > 0) {
    await queries.query(PUT_TRAITS, [
      latest.map(({ person }) => person),
      latest.map(({ name }) => wordNumber(name)),
      ...valueColumns(latest),
    ]);
  }
  if (groups.length > 0) {
    await queries.query(
      `INSERT INTO profile_memberships (person, grp) SELECT * FROM unnest($1::bigint[], $2::int[]) ON CONFLICT DO NOTHING`,
      [groups.map(({ person }) => person), groups.map(({ groupId }) => wordNumber(groupId))],
    );
  }
  if (events.length > 0) {
    await queries.query(
      `INSERT INTO profile_events (person, at, message_id, kind, properties)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::text[]) ON CONFLICT DO NOTHING`,
      [
        ...columnsOf(events, 'person', 'at'),
        events.map(({ messageId }) => toText(messageId)),
        events.map((event) => numberOf(wordOfKind(event))),
        events.map(({ properties }) => JSON.stringify(properties)),
      ],
    );
  }
  const said = latestOf(groupTraits, ({ groupId, name }) => `${wordNumber(groupId)} ${wordNumber(name)}`);
  if (said.length === 0) return [];
  const changed = await queries.query<{ n: number }>(PUT_GROUP_TRAITS, [
    said.map(({ groupId }) => wordNumber(groupId)),
    said.map(({ name }) => wordNumber(name)),
    ...valueColumns(said),
  ]);
  return changed.flatMap(({ n }) => said[n - 1] ?? []);
}

interface Said {
  readonly value: unknown;
  readonly at: number;
  readonly position: number;
}

/** The latest of each key: of one statement no row may be written twice. */
function latestOf<T extends Said>(facts: readonly T[], keyOf: (fact: T) => string): readonly T[] {
  const latest = new Map<string, T>();
  for (const fact of facts) {
    const key = keyOf(fact);
    const other = latest.get(key);
    if (!other || fact.at > other.at || (fact.at === other.at && fact.position > other.position)) latest.set(key, fact);
  }
  return [...latest.values()];
}

function valueColumns(facts: readonly Said[]): readonly (readonly unknown[])[] {
  return [facts.map(({ value }) => JSON.stringify(value)), ...columnsOf(facts, 'at', 'position')];
}

const PUT_TRAITS = `INSERT INTO profile_traits AS t (person, name, value, at, position)
  SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::bigint[])
  ON CONFLICT (person, name) DO ${LATER_COUNTS}`;

/** Answers which of the given, by number from 1, changed a value. */
const PUT_GROUP_TRAITS = `WITH given AS MATERIALIZED (
    SELECT * FROM unnest($1::int[], $2::int[], $3::text[], $4::bigint[], $5::bigint[])
    WITH ORDINALITY AS g(grp, name, value, at, position, n)),
  before AS MATERIALIZED (
    SELECT g.n, t.value FROM given g JOIN profile_group_traits t ON t.grp = g.grp AND t.name = g.name),
  written AS (
    INSERT INTO profile_group_traits AS t (grp, name, value, at, position)
    SELECT grp, name, value, at, position FROM given
    ON CONFLICT (grp, name) DO ${LATER_COUNTS}
    RETURNING grp, name)
  SELECT g.n::int AS n FROM written w JOIN given g ON g.grp = w.grp AND g.name = w.name
  LEFT JOIN before b ON b.n = g.n WHERE b.value IS DISTINCT FROM g.value`;
