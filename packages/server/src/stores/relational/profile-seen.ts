import type { Kind } from '../../people/person.ts';
import type { EventName, EventNamesQuery, Most, SeenTrait } from '../../people/seen.ts';
import { numbersOfKind, type ProfileSql } from './profile-sql.ts';
import { type Statement, sql } from './sql.ts';

/** Of events of any name, those of so many names are read. */
const KINDS = 20;
/** Of a type, so many of the newest names are looked through, and so many of the oldest. */
const NAMES = 50_000;

/**
 * The part of a reader that tells what calls said lately, for suggestions: bounded reads by indexes that deciding has. Where there
 * are more names than are read, half of what is read are the newest and half the oldest: names that a stranger invents must not hide
 * those that were there before.
 */
export class ProfileSeen {
  protected readonly profiles: ProfileSql;
  /** What an erased person did is still there for moments. */
  readonly #isLeft: Statement;

  constructor(profiles: ProfileSql) {
    this.profiles = profiles;
    this.#isLeft = sql`NOT EXISTS (SELECT 1 FROM ${profiles.tables.erased} AS x WHERE x.person = e.person)`;
  }

  async eventNames({ type, text, since, now, limit, most }: EventNamesQuery): Promise<EventName[]> {
    const { tables, contains, fromText } = this.profiles;
    const isNamed = sql`k.name <> '' AND ${contains(sql`k.name`, text)} AND EXISTS (
      SELECT 1 FROM ${tables.events} AS e WHERE e.kind = k.number AND e.at <= ${now} AND ${this.#isLeft})`;
    const found = (order: Statement, most: number): Statement => {
      const names = sql`SELECT number, name FROM ${tables.kinds} AS n WHERE type = ${type} ORDER BY number ${order} LIMIT ${NAMES}`;
      return sql`SELECT * FROM (SELECT k.number, k.name FROM (${names}) AS k WHERE ${isNamed} LIMIT ${most}) AS found`;
    };
    const counted = sql`SELECT 1 FROM ${tables.events} AS c
      WHERE c.kind = k.number AND c.at >= ${since} AND c.at <= ${now} LIMIT ${most}`;
    const rows = await this.profiles.read<EventName>(
      sql`SELECT k.name, (SELECT count(*) FROM (${counted}) AS counted) AS events
        FROM (${found(sql`DESC`, Math.ceil(limit / 2))} UNION ${found(sql`ASC`, Math.floor(limit / 2))}) AS k`,
    );
    return rows.map(({ name, events }) => ({ name: fromText(name), events }));
  }

  async newestProperties(kind: Kind, now: number, { rows, characters }: Most): Promise<string[]> {
    const kinds = await numbersOfKind(kind, KINDS, this.profiles);
    const share = { rows: Math.ceil(rows / kinds.length), characters: Math.ceil(characters / kinds.length) };
    const found: string[] = [];
    for (const number of kinds) {
      const newest = sql`SELECT e.at, e.properties AS value FROM ${this.profiles.tables.events} AS e
        WHERE e.kind = ${number} AND e.at <= ${now} AND ${this.#isLeft} ORDER BY e.at DESC LIMIT ${share.rows}`;
      for (const { value } of await this.profiles.readUpTo(newest, sql`at`, share.characters)) found.push(value);
    }
    return found;
  }

  async newestTraits(of: 'person' | 'group', most: Most): Promise<SeenTrait[]> {
    const { traits, groupTraits } = this.profiles.tables;
    return of === 'person'
      ? this.#traits(sql`SELECT person AS owner, name, value FROM ${traits} AS t`, most)
      : this.#traits(sql`SELECT grp AS owner, name, value FROM ${groupTraits} AS t`, most);
  }

  async traitsOfGroups(
    groupIds: readonly string[],
    most: Most,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, unknown>>> {
    const { tables, among, wordNumbers } = this.profiles;
    const numberOf = await wordNumbers(groupIds);
    const isAsked = among(
      sql`grp`,
      groupIds.map((id) => numberOf(id) ?? 0),
    );
    const of = sql`SELECT grp AS owner, name, value FROM ${tables.groupTraits} AS t WHERE ${isAsked}`;
    const read = await this.#traits(of, most);
    const characters = read.reduce((sum, { value }) => sum + value.length, 0);
    const isCut = read.length === most.rows || characters >= most.characters;
    // Those with higher numbers were read before the last one.
    const last = isCut ? (read.at(-1)?.owner ?? 0) : 0;
    const traits = Map.groupBy(read, ({ owner }) => owner);
    const whole = groupIds.filter((id) => (numberOf(id) ?? Number.POSITIVE_INFINITY) > last);
    return new Map(
      whole.map((id) => {
        const said = traits.get(numberOf(id) ?? 0) ?? [];
        return [id, new Map(said.map(({ name, value }) => [name, JSON.parse(value) as unknown]))];
      }),
    );
  }

  /** The owners with the highest numbers come first. */
  async #traits(owned: Statement, { rows, characters }: Most): Promise<SeenTrait[]> {
    const newest = sql`${owned} ORDER BY owner DESC LIMIT ${rows}`;
    type Row = { owner: number; name: number; value: string };
    const found = await this.profiles.readUpTo<Row>(newest, sql`owner`, characters);
    const textOf = await this.profiles.wordTexts(found.map(({ name }) => name));
    return found.map(({ owner, name, value }) => ({ owner, name: textOf(name), value }));
  }
}
