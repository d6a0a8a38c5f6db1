import {
  type Definition,
  type Identity,
  type Member,
  NAMING_TRAITS,
  type PersonName,
  type ProfileErasure,
  type ProfileReader,
  type Unjoined,
} from '../../people/contract.ts';
import { readNumberMap } from '../../people/number-map.ts';
import type { PersonEvent } from '../../people/person.ts';
import { readDocuments } from './documents.ts';
import { countPersons } from './profile-count.ts';
import { readStates, readTold } from './profile-decisions.ts';
import { type DefinitionTable, idOf, readDefinitionTable, wantedOf } from './profile-definitions.ts';
import { readFacts } from './profile-facts.ts';
import { profileSeen } from './profile-seen.ts';
import { eachEvent, numbersOfKind, type ProfileSql } from './profile-sql.ts';
import { list, type Statement, sql } from './sql.ts';

/** The latest events of any name are searched under at most this many names. */
const KINDS = 1_000;

/** Kinds per statement: SQLite unites at most 500 queries. */
const AT_ONCE = 500;

/** Reads profiles. people/contract.ts says what each method answers. */
export function profileReader(
  profiles: ProfileSql,
  definitionTable: () => Promise<DefinitionTable> = () => readDefinitionTable(profiles),
): ProfileReader {
  const { among, document, fromText, read, tables, words } = profiles;

  /** The number of a definition. An unknown one gets 0, which no row has. */
  async function definitionNumber(id: string): Promise<number> {
    return (await definitionTable()).byId.get(id)?.number ?? 0;
  }

  async function identities(where: Statement): Promise<Identity[]> {
    const rows = await read<Identity>(
      sql`SELECT id, person, since, aliased FROM ${tables.identities} AS i WHERE ${where}`,
    );
    return rows.map(({ id, person, since, aliased }) => ({ id: fromText(id), person, since, aliased }));
  }

  async function names(where: Statement): Promise<PersonName[]> {
    const rows = await read<PersonRow>(sql`SELECT person, user_id FROM ${tables.persons} AS p WHERE ${where}`);
    return rows.map(nameOf);
  }

  function nameOf({ person, user_id: userId }: PersonRow): PersonName {
    return { person, userId: userId === null ? null : fromText(userId) };
  }

  async function members(definitionId: string, where: Statement): Promise<Member[]> {
    const number = await definitionNumber(definitionId);
    const rows = await read<PersonRow & { value: string; since: number }>(
      sql`SELECT v.person, p.user_id, v.value, v.since FROM ${tables.values} AS v
        JOIN ${tables.persons} AS p ON p.person = v.person WHERE v.definition = ${number} AND ${where}`,
    );
    return rows.map((row) => {
      return { ...nameOf(row), value: profiles.heldValue(row.value, number), since: row.since || null };
    });
  }

  async function count(table: Statement, where: Statement = sql``): Promise<number> {
    const [row] = await read<{ count: number }>(sql`SELECT count(*) AS count FROM ${table} AS t ${where}`);
    return row?.count ?? 0;
  }

  /** The words of each owner in a table; only of owners that have at least `least`. */
  async function wordsOf(
    { table, owner, word }: { readonly table: Statement; readonly owner: Statement; readonly word: Statement },
    owners: readonly number[],
    least: number,
  ): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
    const large = await read<{ owner: number }>(
      sql`SELECT ${owner} AS owner FROM ${table} AS t WHERE ${among(owner, owners)}
        GROUP BY ${owner} HAVING count(*) >= ${least}`,
    );
    if (large.length === 0) return new Map();
    const isLarge = among(
      owner,
      large.map((row) => row.owner),
    );
    const rows = await read<{ owner: number; word: number }>(
      sql`SELECT ${owner} AS owner, ${word} AS word FROM ${table} AS t WHERE ${isLarge}`,
    );
    const textOf = await words.of(rows.map((row) => row.word));
    const found = Map.groupBy(rows, (row) => row.owner);
    return new Map([...found].map(([of, some]) => [of, new Set(some.map((row) => textOf(row.word)))]));
  }

  const reader: ProfileReader = {
    ...profileSeen(profiles),
    states: async (persons, of) => readStates(profiles, persons, wantedOf(await definitionTable(), of)),
    facts: (persons, needs, now) => readFacts(profiles, persons, needs, now),
    lastTold: async (userIds, of) => readTold(profiles, userIds, wantedOf(await definitionTable(), of)),
    lastPerson: profiles.lastPerson,
    outboxSize: profiles.outboxSize,
    rebuilding: profiles.rebuilding,

    async recentEvents(person, limit, before) {
      const { at, messageId } = before ?? { at: Number.MAX_SAFE_INTEGER, messageId: '' };
      const newest = sql`person = ${person} AND (at, message_id) < (${at}, ${messageId})
        ORDER BY at DESC, message_id DESC LIMIT ${limit}`;
      const found: PersonEvent[] = [];
      await eachEvent(profiles, newest, (event) => found.push(event));
      return found;
    },

    async positions() {
      const rows = await read<{ id: string; position: number }>(sql`SELECT id, position FROM ${tables.sources} AS s`);
      return new Map(rows.map(({ id, position }) => [fromText(id), position]));
    },

    identities: (ids) => identities(profiles.amongIds(ids)),
    identitiesOf: (persons) => identities(among(sql`person`, persons)),
    async find(prefix, limit) {
      const found = await identities(sql`${profiles.idsFrom(prefix)} LIMIT ${limit}`);
      return found.filter(({ id }) => id.startsWith(prefix));
    },

    async sourcesOf(persons) {
      const rows = await read<{ person: number; source: string }>(
        sql`SELECT person, source FROM ${tables.seen} AS s WHERE ${among(sql`person`, persons)} ORDER BY source`,
      );
      const found = Map.groupBy(rows, ({ person }) => person);
      return new Map([...found].map(([person, some]) => [person, some.map(({ source }) => fromText(source))]));
    },

    async unjoined(person) {
      const rows = await read<{ id: string; source: string; why: Unjoined['why']; at: number }>(
        sql`SELECT id, source, why, at FROM ${tables.unjoined} AS u WHERE person = ${person} ORDER BY at DESC, id`,
      );
      return rows.map(({ id, source, why, at }) => ({ person, id: fromText(id), sourceId: fromText(source), why, at }));
    },

    countUnjoined: (sourceId, limit) =>
      count(sql`(SELECT 1 FROM ${tables.unjoined} AS u WHERE source = ${sourceId} LIMIT ${limit})`),

    async several({ after, upTo }) {
      const rows = await read<{ person: number }>(
        sql`SELECT person FROM ${tables.identities} AS i
          WHERE person > ${after} AND person <= ${upTo} AND (since IS NOT NULL OR aliased IS NOT NULL)
          GROUP BY person HAVING count(*) > 1 ORDER BY person`,
      );
      return rows.map(({ person }) => person);
    },

    persons: () => count(tables.persons),
    names: (persons) => names(among(sql`person`, persons)),
    namesAfter: (after, limit) => names(sql`person > ${after} ORDER BY person LIMIT ${limit}`),

    held(kind, persons, least) {
      const [table, word] = kind === 'traits' ? [tables.traits, sql`name`] : [tables.memberships, sql`grp`];
      return wordsOf({ table, owner: sql`person`, word }, persons, least);
    },

    async groupTraits(groupIds, least) {
      const numberOf = await words.known(groupIds);
      const ids = new Map(groupIds.map((id) => [numberOf(id) ?? 0, id]));
      const columns = { table: tables.groupTraits, owner: sql`grp`, word: sql`name` };
      const found = await wordsOf(columns, [...ids.keys()], least);
      return new Map([...found].map(([group, names]) => [ids.get(group) ?? '', names]));
    },

    async findNames(prefix, limit) {
      const numberOf = await words.known(NAMING_TRAITS);
      const traits = new Map(NAMING_TRAITS.map((trait) => [numberOf(trait) ?? 0, trait]));
      const naming = profiles.naming([...traits.keys()], { json: JSON.stringify(prefix).slice(1, -1) }, limit);
      const rows = await read<{ person: number; name: number; value: string }>(naming);
      return rows.map(({ person, name, value }) => {
        return { person, trait: traits.get(name) ?? '', value: JSON.parse(value) as unknown };
      });
    },

    async latest(events, now, limit) {
      const newest: { readonly person: number; readonly at: number }[] = [];
      for (const needed of events) {
        const since = Math.max(Math.floor(now - needed.lookBack), Number.MIN_SAFE_INTEGER);
        // One kind at a time, because the index has the times of each kind.
        const kinds = await numbersOfKind(needed, KINDS, profiles);
        for (let i = 0; i < kinds.length; i += AT_ONCE) {
          const each = kinds.slice(i, i + AT_ONCE).map(
            (kind) => sql`SELECT * FROM (SELECT person, at FROM ${tables.events} AS e
              WHERE kind = ${kind} AND at > ${since} AND at <= ${now} ORDER BY at DESC LIMIT ${limit}) AS newest`,
          );
          for (const row of await read<(typeof newest)[number]>(list(each, ' UNION ALL '))) newest.push(row);
        }
      }
      const byTime = newest.toSorted((a, b) => b.at - a.at);
      return [...new Set(byTime.slice(0, limit).map(({ person }) => person))];
    },

    async definitions() {
      const rows = await read<{ document: string; size: number; sent_at: number | null }>(
        sql`SELECT ${document} AS document, size, sent_at FROM ${tables.definitions} AS d ORDER BY number`,
      );
      return rows.map(({ document, size, sent_at: sentAt }) => ({
        ...(JSON.parse(document) as Definition),
        size,
        sentAt,
      }));
    },

    async ownSources() {
      const rows = await read<{ id: string }>(sql`SELECT id FROM ${tables.ownSources} AS s`);
      return new Set(rows.map(({ id }) => fromText(id)));
    },

    async due(now, limit) {
      const definitions = await definitionTable();
      const rows = await read<{ person: number; dues: string }>(
        sql`SELECT person, dues FROM ${tables.dues} AS d WHERE at <= ${now} ORDER BY at LIMIT ${limit}`,
      );
      const due = rows.flatMap(({ person, dues }) =>
        Array.from(readNumberMap<number>(dues), ([number, at]) => {
          return { definitionId: idOf(definitions, number), person, at };
        }),
      );
      // These rows contain the `limit` earliest dues: each person's row is read at that person's earliest due.
      return due
        .filter(({ at }) => at <= now)
        .sort((a, b) => a.at - b.at)
        .slice(0, limit);
    },

    async nextDue() {
      const [row] = await read<{ at: number | null }>(sql`SELECT min(at) AS at FROM ${tables.dues} AS d`);
      return row?.at ?? null;
    },

    async outbox(limit) {
      const definitions = await definitionTable();
      type Row = { id: number; definition: number; user_id: string; value: string; at: number };
      const rows = await read<Row>(
        sql`SELECT id, definition, user_id, value, at FROM ${tables.outbox} AS o ORDER BY id LIMIT ${limit}`,
      );
      return rows.map(({ id, definition, user_id, value, at }) => {
        return { id, definitionId: idOf(definitions, definition), userId: fromText(user_id), value, at };
      });
    },

    members: (definitionId, below, limit) =>
      members(definitionId, sql`v.person < ${below} ORDER BY v.person DESC LIMIT ${limit}`),
    latestMembers(definitionId, before, limit) {
      const { since, person } = before ?? { since: Number.MAX_SAFE_INTEGER, person: 0 };
      const isBefore = sql`(v.since, v.person) < (${since ?? 0}, ${person})`;
      return members(definitionId, sql`${isBefore} ORDER BY v.since DESC, v.person DESC LIMIT ${limit}`);
    },
    membersAmong: (definitionId, persons) => members(definitionId, among(sql`v.person`, persons)),

    async count(condition, now, range, sample) {
      const sources = { profiles, reader, definitions: await definitionTable() };
      const found = await countPersons(sources, condition, now, range, sample);
      const inRange = sql`WHERE person > ${range.after} AND person <= ${range.upTo}`;
      const persons = await count(tables.persons, inRange);
      return { count: found.count, persons, sample: await reader.names(found.some) };
    },

    async sizes(definitionId, since) {
      const number = await definitionNumber(definitionId);
      const rows = await read<{ at: number; size: number }>(
        sql`SELECT hour AS at, size FROM ${tables.sizes} AS s
          WHERE definition = ${number} AND hour >= ${Math.ceil(since)} ORDER BY hour`,
      );
      return rows.map(({ at, size }) => ({ at, size }));
    },

    async erasure(id) {
      const ofId = sql`SELECT ${document} AS document FROM ${tables.erasures} AS e WHERE id = ${id}`;
      return (await readDocuments<ProfileErasure>(profiles, ofId))[0] ?? null;
    },

    async erasing() {
      return (await read(sql`SELECT 1 AS one FROM ${tables.erasures} AS e LIMIT 1`)).length > 0;
    },
  };
  return reader;
}

interface PersonRow {
  readonly person: number;
  readonly user_id: string | null;
}
