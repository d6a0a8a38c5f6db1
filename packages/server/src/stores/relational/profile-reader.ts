import type { Position } from '../../core/event.ts';
import {
  type Counted,
  type Definition,
  type DefinitionIds,
  type Due,
  type EventPlace,
  type HeldKind,
  type Identity,
  type Member,
  type MemberPlace,
  type Message,
  NAMING_TRAITS,
  type NamingTrait,
  type NeededEvents,
  type Needs,
  type PersonFacts,
  type PersonName,
  type PersonRange,
  type PersonState,
  type Persons,
  type ProfileErasure,
  type ProfileReader,
  type Size,
  type Unjoined,
} from '../../people/contract.ts';
import type { Condition } from '../../people/definition.ts';
import { readNumberMap } from '../../people/number-map.ts';
import type { PersonEvent } from '../../people/person.ts';
import { readDocuments } from './documents.ts';
import { countPersons } from './profile-count.ts';
import { type DefinitionTable, idOf, readDefinitionTable, wantedOf } from './profile-definitions.ts';
import { type EventRow, readFacts, storedEvents } from './profile-facts.ts';
import { ProfileSeen } from './profile-seen.ts';
import { numbersOfKind } from './profile-sql.ts';
import { type Statement, sql } from './sql.ts';

/** The latest events of any name are looked for among those of so many names. */
const KINDS = 1_000;

/** Reads of the profiles; see people/contract.ts for what they answer. */
export class RelationalProfileReader extends ProfileSeen implements ProfileReader {
  async states(persons: Persons, of: DefinitionIds): Promise<ReadonlyMap<number, PersonState>> {
    return this.profiles.states(persons, wantedOf(await this.definitionTable(), of));
  }

  facts(persons: Persons, needs: Needs, now: number): Promise<ReadonlyMap<number, PersonFacts>> {
    return readFacts(this.profiles, persons, needs, now);
  }

  async lastTold(
    userIds: readonly string[],
    of: DefinitionIds,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    return this.profiles.lastTold(userIds, wantedOf(await this.definitionTable(), of));
  }

  async recentEvents(person: number, limit: number, before: EventPlace | null = null): Promise<readonly PersonEvent[]> {
    const { at, messageId } = before ?? { at: Number.MAX_SAFE_INTEGER, messageId: '' };
    const rows = await this.profiles.read<EventRow>(
      sql`SELECT at, message_id, kind, properties FROM ${this.profiles.tables.events} AS e
        WHERE person = ${person} AND (at, message_id) < (${at}, ${messageId})
        ORDER BY at DESC, message_id DESC LIMIT ${limit}`,
    );
    return storedEvents(this.profiles, rows);
  }

  lastPerson(): Promise<number> {
    return this.profiles.lastPerson();
  }

  outboxSize(): Promise<number> {
    return this.profiles.outboxSize();
  }

  rebuilding(): Promise<boolean> {
    return this.profiles.rebuilding();
  }

  async positions(): Promise<ReadonlyMap<string, Position>> {
    const { tables, fromText } = this.profiles;
    const rows = await this.profiles.read<{ id: string; position: number }>(
      sql`SELECT id, position FROM ${tables.sources} AS s`,
    );
    return new Map(rows.map(({ id, position }) => [fromText(id), position]));
  }

  identities(ids: readonly string[]): Promise<readonly Identity[]> {
    return this.#identities(this.profiles.amongIds(ids));
  }

  identitiesOf(persons: readonly number[]): Promise<readonly Identity[]> {
    return this.#identities(this.profiles.among(sql`person`, persons));
  }

  async sourcesOf(persons: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>> {
    const { tables, among, fromText } = this.profiles;
    const rows = await this.profiles.read<{ person: number; source: string }>(
      sql`SELECT person, source FROM ${tables.seen} AS s WHERE ${among(sql`person`, persons)} ORDER BY source`,
    );
    const found = Map.groupBy(rows, ({ person }) => person);
    return new Map([...found].map(([person, some]) => [person, some.map(({ source }) => fromText(source))]));
  }

  async unjoined(person: number): Promise<readonly Unjoined[]> {
    const { tables, fromText } = this.profiles;
    const rows = await this.profiles.read<{ id: string; source: string; why: Unjoined['why']; at: number }>(
      sql`SELECT id, source, why, at FROM ${tables.unjoined} AS u WHERE person = ${person} ORDER BY at DESC, id`,
    );
    return rows.map(({ id, source, why, at }) => ({ person, id: fromText(id), sourceId: fromText(source), why, at }));
  }

  async several({ after, upTo }: PersonRange): Promise<readonly number[]> {
    const rows = await this.profiles.read<{ person: number }>(
      sql`SELECT person FROM ${this.profiles.tables.identities} AS i
        WHERE person > ${after} AND person <= ${upTo} AND (since IS NOT NULL OR aliased IS NOT NULL)
        GROUP BY person HAVING count(*) > 1 ORDER BY person`,
    );
    return rows.map(({ person }) => person);
  }

  countUnjoined(sourceId: string, limit: number): Promise<number> {
    const some = sql`SELECT 1 FROM ${this.profiles.tables.unjoined} AS u WHERE source = ${sourceId} LIMIT ${limit}`;
    return this.#rows(sql`(${some})`);
  }

  names(persons: readonly number[]): Promise<readonly PersonName[]> {
    return this.#names(this.profiles.among(sql`person`, persons));
  }

  namesAfter(after: number, limit: number): Promise<readonly PersonName[]> {
    return this.#names(sql`person > ${after} ORDER BY person LIMIT ${limit}`);
  }

  held(kind: HeldKind, persons: readonly number[], least: number): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
    const { traits, memberships } = this.profiles.tables;
    const [table, word] = kind === 'traits' ? [traits, sql`name`] : [memberships, sql`grp`];
    return this.#wordsOf({ table, owner: sql`person`, word }, persons, least);
  }

  async groupTraits(groupIds: readonly string[], least: number): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const numberOf = await this.profiles.wordNumbers(groupIds);
    const ids = new Map(groupIds.map((id) => [numberOf(id) ?? 0, id]));
    const columns = { table: this.profiles.tables.groupTraits, owner: sql`grp`, word: sql`name` };
    const found = await this.#wordsOf(columns, [...ids.keys()], least);
    return new Map([...found].map(([group, words]) => [ids.get(group) ?? '', words]));
  }

  /** The words that a table has for owners, of those owners that have `least` or more. */
  async #wordsOf(
    { table, owner, word }: { readonly table: Statement; readonly owner: Statement; readonly word: Statement },
    owners: readonly number[],
    least: number,
  ): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
    const { among, wordTexts } = this.profiles;
    const large = await this.profiles.read<{ owner: number }>(
      sql`SELECT ${owner} AS owner FROM ${table} AS t WHERE ${among(owner, owners)}
        GROUP BY ${owner} HAVING count(*) >= ${least}`,
    );
    if (large.length === 0) return new Map();
    const isLarge = among(
      owner,
      large.map((row) => row.owner),
    );
    const rows = await this.profiles.read<{ owner: number; word: number }>(
      sql`SELECT ${owner} AS owner, ${word} AS word FROM ${table} AS t WHERE ${isLarge}`,
    );
    const textOf = await wordTexts(rows.map((row) => row.word));
    const found = Map.groupBy(rows, (row) => row.owner);
    return new Map([...found].map(([of, some]) => [of, new Set(some.map((row) => textOf(row.word)))]));
  }

  persons(): Promise<number> {
    return this.#rows(this.profiles.tables.persons);
  }

  async find(prefix: string, limit: number): Promise<readonly Identity[]> {
    const found = await this.#identities(sql`${this.profiles.idsFrom(prefix)} LIMIT ${limit}`);
    return found.filter(({ id }) => id.startsWith(prefix));
  }

  async findNames(prefix: string, limit: number): Promise<readonly NamingTrait[]> {
    const numberOf = await this.profiles.wordNumbers(NAMING_TRAITS);
    const traits = new Map(NAMING_TRAITS.map((trait) => [numberOf(trait) ?? 0, trait]));
    const naming = this.profiles.naming([...traits.keys()], { json: JSON.stringify(prefix).slice(1, -1) }, limit);
    const rows = await this.profiles.read<{ person: number; name: number; value: string }>(naming);
    return rows.map(({ person, name, value }) => ({ person, trait: traits.get(name) ?? '', value: JSON.parse(value) }));
  }

  async latest(events: readonly NeededEvents[], now: number, limit: number): Promise<readonly number[]> {
    const newest: { readonly person: number; readonly at: number }[] = [];
    for (const needed of events) {
      const since = Math.max(Math.floor(now - needed.lookBack), Number.MIN_SAFE_INTEGER);
      // Kind by kind, because the index has the times of each.
      const kinds = await numbersOfKind(needed, KINDS, this.profiles);
      newest.push(...(await this.profiles.newestOf(kinds, since, now, limit)));
    }
    const byTime = newest.toSorted((a, b) => b.at - a.at);
    return [...new Set(byTime.slice(0, limit).map(({ person }) => person))];
  }

  async definitions(): Promise<readonly Definition[]> {
    const rows = await this.profiles.read<{ document: string; size: number; sent_at: number | null }>(
      sql`SELECT ${this.profiles.document} AS document, size, sent_at FROM ${this.profiles.tables.definitions} AS d ORDER BY number`,
    );
    return rows.map(({ document, size, sent_at: sentAt }) => ({
      ...(JSON.parse(document) as Definition),
      size,
      sentAt,
    }));
  }

  async ownSources(): Promise<ReadonlySet<string>> {
    const { tables, fromText } = this.profiles;
    const rows = await this.profiles.read<{ id: string }>(sql`SELECT id FROM ${tables.ownSources} AS s`);
    return new Set(rows.map(({ id }) => fromText(id)));
  }

  async due(now: number, limit: number): Promise<readonly Due[]> {
    const definitions = await this.definitionTable();
    const rows = await this.profiles.read<{ person: number; dues: string }>(
      sql`SELECT person, dues FROM ${this.profiles.tables.dues} AS d WHERE at <= ${now} ORDER BY at LIMIT ${limit}`,
    );
    const due = rows.flatMap(({ person, dues }) =>
      Array.from(readNumberMap<number>(dues), ([number, at]) => ({
        definitionId: idOf(definitions, number),
        person,
        at,
      })),
    );
    // A person who has one of the first has their own first among them.
    return due
      .filter(({ at }) => at <= now)
      .sort((a, b) => a.at - b.at)
      .slice(0, limit);
  }

  async nextDue(): Promise<number | null> {
    const [row] = await this.profiles.read<{ at: number | null }>(
      sql`SELECT min(at) AS at FROM ${this.profiles.tables.dues} AS d`,
    );
    return row?.at ?? null;
  }

  async outbox(limit: number): Promise<readonly Message[]> {
    const { tables, fromText } = this.profiles;
    const definitions = await this.definitionTable();
    type Row = { id: number; definition: number; user_id: string; value: string; at: number };
    const rows = await this.profiles.read<Row>(
      sql`SELECT id, definition, user_id, value, at FROM ${tables.outbox} AS o ORDER BY id LIMIT ${limit}`,
    );
    return rows.map(({ id, definition, user_id: userId, value, at }) => ({
      ...{ id, definitionId: idOf(definitions, definition), userId: fromText(userId), value, at },
    }));
  }

  members(definitionId: string, below: number, limit: number): Promise<readonly Member[]> {
    return this.#members(definitionId, sql`v.person < ${below} ORDER BY v.person DESC LIMIT ${limit}`);
  }

  latestMembers(definitionId: string, before: MemberPlace | null, limit: number): Promise<readonly Member[]> {
    const { since, person } = before ?? { since: Number.MAX_SAFE_INTEGER, person: 0 };
    const isBefore = sql`(v.since, v.person) < (${since ?? 0}, ${person})`;
    return this.#members(definitionId, sql`${isBefore} ORDER BY v.since DESC, v.person DESC LIMIT ${limit}`);
  }

  membersAmong(definitionId: string, persons: readonly number[]): Promise<readonly Member[]> {
    return this.#members(definitionId, this.profiles.among(sql`v.person`, persons));
  }

  async count(condition: Condition, now: number, range: PersonRange, sample: number): Promise<Counted> {
    const sources = { profiles: this.profiles, reader: this, definitions: await this.definitionTable() };
    const { count, some } = await countPersons({ condition, now, range, sample }, sources);
    const inRange = sql`WHERE person > ${range.after} AND person <= ${range.upTo}`;
    const persons = await this.#rows(this.profiles.tables.persons, inRange);
    return { count, persons, sample: await this.names(some) };
  }

  async sizes(definitionId: string, since: number): Promise<readonly Size[]> {
    const number = await this.#definitionNumber(definitionId);
    const rows = await this.profiles.read<Size>(
      sql`SELECT hour AS at, size FROM ${this.profiles.tables.sizes} AS s
        WHERE definition = ${number} AND hour >= ${Math.ceil(since)} ORDER BY hour`,
    );
    return rows.map(({ at, size }) => ({ at, size }));
  }

  async erasure(id: string): Promise<ProfileErasure | null> {
    const ofId = sql`SELECT ${this.profiles.document} AS document FROM ${this.profiles.tables.erasures} AS e WHERE id = ${id}`;
    return (await readDocuments<ProfileErasure>(this.profiles, ofId))[0] ?? null;
  }

  async erasing(): Promise<boolean> {
    return (
      (await this.profiles.read(sql`SELECT 1 AS one FROM ${this.profiles.tables.erasures} AS e LIMIT 1`)).length > 0
    );
  }

  protected definitionTable(): Promise<DefinitionTable> {
    return readDefinitionTable(this.profiles);
  }

  async #members(definitionId: string, where: Statement): Promise<readonly Member[]> {
    const { tables, heldValue } = this.profiles;
    const number = await this.#definitionNumber(definitionId);
    const rows = await this.profiles.read<PersonRow & { value: string; since: number }>(
      sql`SELECT v.person, p.user_id, v.value, v.since FROM ${tables.values} AS v
        JOIN ${tables.persons} AS p ON p.person = v.person WHERE v.definition = ${number} AND ${where}`,
    );
    return rows.map((row) => ({
      ...{ ...this.#nameOf(row), value: heldValue(row.value, number), since: row.since || null },
    }));
  }

  /** 0, which no row has, for a definition that is unknown. */
  async #definitionNumber(id: string): Promise<number> {
    return (await this.definitionTable()).byId.get(id)?.number ?? 0;
  }

  async #identities(where: Statement): Promise<Identity[]> {
    const { tables, fromText } = this.profiles;
    const rows = await this.profiles.read<Identity>(
      sql`SELECT id, person, since, aliased FROM ${tables.identities} AS i WHERE ${where}`,
    );
    return rows.map(({ id, person, since, aliased }) => ({ id: fromText(id), person, since, aliased }));
  }

  async #names(where: Statement): Promise<PersonName[]> {
    const rows = await this.profiles.read<PersonRow>(
      sql`SELECT person, user_id FROM ${this.profiles.tables.persons} AS p WHERE ${where}`,
    );
    return rows.map((row) => this.#nameOf(row));
  }

  #nameOf({ person, user_id: userId }: PersonRow): PersonName {
    return { person, userId: userId === null ? null : this.profiles.fromText(userId) };
  }

  async #rows(table: Statement, where: Statement = sql``): Promise<number> {
    const [row] = await this.profiles.read<{ count: number }>(
      sql`SELECT count(*) AS count FROM ${table} AS t ${where}`,
    );
    return row?.count ?? 0;
  }
}

interface PersonRow {
  readonly person: number;
  readonly user_id: string | null;
}
