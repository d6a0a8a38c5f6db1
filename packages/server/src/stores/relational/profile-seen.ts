import type { ProfileReader } from '../../people/contract.ts';
import type { EventName, Most, SeenTrait } from '../../people/seen.ts';
import { numbersOfKind, type ProfileSql } from './profile-sql.ts';
import { type Statement, sql } from './sql.ts';

/** For a kind of any name, the events of at most this many names are read. */
const KINDS = 20;
/** Of each type, at most this many of the newest names and this many of the oldest are searched. */
const NAMES = 50_000;
/** So many rows are read at once: their values may be long, and are read only as far as they are needed. */
const PIECE = 500;

/** The part of a reader that says what recent calls contained. */
type Seen = Pick<ProfileReader, 'eventNames' | 'newestProperties' | 'newestTraits' | 'traitsOfGroups'>;

/**
 * Reads what recent calls contained, for suggestions. All reads are bounded, and use the indexes that deciding needs anyway. If
 * there are more names than are read, half of those read are the newest and half the oldest: names that a stranger invents must
 * not hide older ones.
 */
export function profileSeen(profiles: ProfileSql): Seen {
  const { among, contains, fromText, read, tables, words } = profiles;
  /** Excludes erased persons: their events stay in the table for some moments. */
  const isLeft = sql`NOT EXISTS (SELECT 1 FROM ${tables.erased} AS x WHERE x.person = e.person)`;

  /** The first rows of an ordered statement, up to the row with which the lengths of `value` reach the characters. */
  async function readUpTo<Row extends { readonly value: string }>(newest: Statement, most: Most): Promise<Row[]> {
    const found: Row[] = [];
    let length = 0;
    for (let from = 0; from < most.rows; from += PIECE) {
      const size = Math.min(PIECE, most.rows - from);
      const rows = await read<Row>(sql`${newest} LIMIT ${size} OFFSET ${from}`);
      for (const row of rows) {
        found.push(row);
        length += row.value.length;
        if (length >= most.characters) return found;
      }
      if (rows.length < size) break;
    }
    return found;
  }

  /** Traits, those of the highest owner numbers first. */
  async function traits(owned: Statement, most: Most): Promise<SeenTrait[]> {
    type Row = { owner: number; name: number; value: string };
    const found = await readUpTo<Row>(sql`${owned} ORDER BY owner DESC`, most);
    const textOf = await words.of(found.map(({ name }) => name));
    return found.map(({ owner, name, value }) => ({ owner, name: textOf(name), value }));
  }

  return {
    async eventNames({ type, text, since, now, limit, most }) {
      const isNamed = sql`k.name <> '' AND ${contains(sql`k.name`, text)} AND EXISTS (
        SELECT 1 FROM ${tables.events} AS e WHERE e.kind = k.number AND e.at <= ${now} AND ${isLeft})`;
      const found = (order: Statement, most: number): Statement => {
        const names = sql`SELECT number, name FROM ${tables.kinds} AS n WHERE type = ${type} ORDER BY number ${order} LIMIT ${NAMES}`;
        return sql`SELECT * FROM (SELECT k.number, k.name FROM (${names}) AS k WHERE ${isNamed} LIMIT ${most}) AS found`;
      };
      const counted = sql`SELECT 1 FROM ${tables.events} AS c
        WHERE c.kind = k.number AND c.at >= ${since} AND c.at <= ${now} LIMIT ${most}`;
      const rows = await read<EventName>(
        sql`SELECT k.name, (SELECT count(*) FROM (${counted}) AS counted) AS events
          FROM (${found(sql`DESC`, Math.ceil(limit / 2))} UNION ${found(sql`ASC`, Math.floor(limit / 2))}) AS k`,
      );
      return rows.map(({ name, events }) => ({ name: fromText(name), events }));
    },

    async newestProperties(kind, now, { rows, characters }) {
      const kinds = await numbersOfKind(kind, KINDS, profiles);
      const share = { rows: Math.ceil(rows / kinds.length), characters: Math.ceil(characters / kinds.length) };
      const found: string[] = [];
      for (const number of kinds) {
        const newest = sql`SELECT e.at, e.properties AS value FROM ${tables.events} AS e
          WHERE e.kind = ${number} AND e.at <= ${now} AND ${isLeft} ORDER BY e.at DESC`;
        for (const { value } of await readUpTo<{ value: string }>(newest, share)) found.push(value);
      }
      return found;
    },

    newestTraits: (of, most) =>
      of === 'person'
        ? traits(sql`SELECT person AS owner, name, value FROM ${tables.traits} AS t`, most)
        : traits(sql`SELECT grp AS owner, name, value FROM ${tables.groupTraits} AS t`, most),

    async traitsOfGroups(groupIds, most) {
      const numberOf = await words.known(groupIds);
      const isAsked = among(
        sql`grp`,
        groupIds.map((id) => numberOf(id) ?? 0),
      );
      const of = sql`SELECT grp AS owner, name, value FROM ${tables.groupTraits} AS t WHERE ${isAsked}`;
      const found = await traits(of, most);
      const characters = found.reduce((sum, { value }) => sum + value.length, 0);
      const isCut = found.length === most.rows || characters >= most.characters;
      // Owners come with the highest number first, so only the last one can be incomplete.
      const last = isCut ? (found.at(-1)?.owner ?? 0) : 0;
      const byGroup = Map.groupBy(found, ({ owner }) => owner);
      const whole = groupIds.filter((id) => (numberOf(id) ?? Number.POSITIVE_INFINITY) > last);
      return new Map(
        whole.map((id) => {
          const said = byGroup.get(numberOf(id) ?? 0) ?? [];
          return [id, new Map(said.map(({ name, value }) => [name, JSON.parse(value) as unknown]))];
        }),
      );
    },
  };
}
