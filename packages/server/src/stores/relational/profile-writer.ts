import type { Position } from '../../core/event.ts';
import {
  type Definition,
  type Due,
  type ExpiredEvents,
  type Facts,
  type GroupDue,
  type Identity,
  type PersonName,
  type PersonRange,
  type PersonUnion,
  type ProfileErasure,
  type Recorded,
  type Seen,
  UNJOINED_OF_A_PERSON,
  type Unjoined,
} from '../../people/contract.ts';
import { EventTally } from '../../people/event-tally.ts';
import { EVENTS_OF_A_PERSON, MOST_OF_A_PERSON } from '../../people/fact-bounds.ts';
import type { DefinitionTable } from './profile-definitions.ts';
import { RelationalProfileReader } from './profile-reader.ts';
import { recordFacts } from './profile-recording.ts';
import type { ProfileSql } from './profile-sql.ts';
import { unitePersons, unjoinedOf } from './profile-union.ts';
import { inserting, json, type Statement, sql } from './sql.ts';

/** Persons who are changed in one go. */
const PERSONS = 5_000;

/** What writers hand on to each other in a process. */
export class WriterMemory {
  readonly tally: EventTally = new EventTally();
  /** How far what was told under a definition is forgotten: up to this key. Begun again where it was lost, with a transaction that fails. */
  forgotten: { readonly definition: number; readonly upTo: string } | null = null;
}

/**
 * Writes of the profiles within a transaction that both databases do alike; see people/contract.ts for what they do. How
 * rows are added, and what was decided of persons, each database has in its own way.
 */
export abstract class RelationalProfileWriter extends RelationalProfileReader {
  protected readonly memory: WriterMemory;
  #definitions: Promise<DefinitionTable> | null = null;

  constructor(profiles: ProfileSql, memory: WriterMemory) {
    super(profiles);
    this.memory = memory;
  }

  setPositions(positions: ReadonlyMap<string, Position>): Promise<void> {
    return this.profiles.put('sources', [...positions]);
  }

  async unite(unions: readonly PersonUnion[]): Promise<void> {
    if (unions.length === 0) return;
    for (const { person, events, characters } of await unitePersons(this.profiles, unions)) {
      this.memory.tally.add(person, events, characters);
    }
    await this.putUnjoined(await unjoinedOf(this.profiles, unions));
    await this.moveValues(unions);
    await this.forgetPersons(unions.map(({ from }) => from));
    await this.trim(unions.map(({ into }) => into));
  }

  putIdentities(identities: readonly Identity[]): Promise<void> {
    const byId = new Map(identities.map((identity) => [identity.id, identity]));
    return this.profiles.put(
      'identities',
      Array.from(byId.values(), ({ id, person, since, aliased }) => [id, person, since, aliased]),
    );
  }

  putSeen(seen: readonly Seen[]): Promise<void> {
    return this.profiles.put(
      'seen',
      seen.map(({ person, sourceId }) => [person, sourceId]),
    );
  }

  async putUnjoined(unjoined: readonly Unjoined[]): Promise<void> {
    const byId = new Map(unjoined.map((one) => [`${one.person} ${one.id}`, one]));
    await this.profiles.put(
      'unjoined',
      Array.from(byId.values(), ({ person, id, sourceId, why, at }) => [person, id, sourceId, why, at]),
    );
    await this.trimUnjoined(unjoined.map(({ person }) => person));
  }

  putPersons(persons: readonly PersonName[]): Promise<void> {
    return this.profiles.put('persons', [...new Map(persons.map(({ person, userId }) => [person, userId]))]);
  }

  async record(facts: Facts): Promise<Recorded> {
    const changes = await recordFacts(this.profiles, facts);
    for (const { person, properties } of facts.events) {
      this.memory.tally.add(person, 1, JSON.stringify(properties).length);
    }
    return { changes, trimmed: await this.trimEvents() };
  }

  async told(ids: readonly number[], now: number): Promise<void> {
    const { among, read, tables } = this.profiles;
    const gone = await read<{ definition: number }>(
      sql`DELETE FROM ${tables.outbox} WHERE ${among(sql`id`, ids)} RETURNING definition`,
    );
    this.messagesRemoved(gone.length);
    const definitions = [...new Set(gone.map(({ definition }) => definition))];
    await read(sql`UPDATE ${tables.definitions} SET sent_at = ${now} WHERE ${among(sql`number`, definitions)}`);
  }

  async makeDue(dues: readonly Due[]): Promise<void> {
    const numberOf = await this.definitionNumbers();
    const byPerson = Map.groupBy(dues, ({ person }) => person);
    await this.changeDues(byPerson.keys(), (due, person) => {
      for (const { definitionId, at } of byPerson.get(person) ?? []) advance(due, numberOf(definitionId), at);
    });
  }

  async makeGroupsDue(dues: readonly GroupDue[], at: number): Promise<void> {
    const numberOf = await this.definitionNumbers();
    const groupOf = await this.profiles.wordNumbers(dues.map(({ groupId }) => groupId));
    const byGroup = Map.groupBy(dues, ({ groupId }) => groupOf(groupId) ?? 0);
    for (const [group, some] of byGroup) {
      const numbers = some.flatMap(({ definitionIds }) => definitionIds.map(numberOf));
      await this.#eachMember(group, (members) =>
        this.changeDues(members, (due) => {
          for (const number of numbers) advance(due, number, at);
        }),
      );
    }
  }

  async notDue(dues: readonly Due[]): Promise<void> {
    const last = dues.at(-1);
    if (!last) return;
    const { byNumber } = await this.definitionTable();
    const numberOf = await this.definitionNumbers();
    const byPerson = Map.groupBy(dues, ({ person }) => person);
    await this.changeDues(byPerson.keys(), (left, person) => {
      for (const { definitionId } of byPerson.get(person) ?? []) left.delete(numberOf(definitionId));
      // Those of definitions that are gone have no other name.
      for (const [number, at] of left) if (!byNumber.has(number) && at <= last.at) left.delete(number);
    });
  }

  async putDefinition({ size: _size, sentAt: _sentAt, ...definition }: Definition): Promise<void> {
    const { document, makeWords, read, tables } = this.profiles;
    const { id, what, sourceId } = definition;
    const numberOf = await makeWords([id]);
    await read(
      sql`INSERT INTO ${tables.definitions} (number, id, audience, ${document}, size)
        VALUES (${numberOf(id)}, ${id}, ${'audience' in what ? 1 : 0}, ${json(definition)}, 0)
        ON CONFLICT (number) DO UPDATE SET audience = excluded.audience, ${document} = excluded.${document}`,
    );
    await read(sql`INSERT INTO ${tables.ownSources} (id) VALUES (${sourceId}) ON CONFLICT DO NOTHING`);
    this.definitionsChanged();
  }

  async forget(definitionId: string, limit: number): Promise<boolean> {
    const number = (await this.definitionNumbers())(definitionId);
    const { outbox, sizes, definitions } = this.profiles.tables;
    let left = limit;
    const some = async (table: Statement, key: Statement): Promise<number> => {
      const first = sql`SELECT ${key} FROM ${table} WHERE definition = ${number} LIMIT ${left}`;
      const gone = await this.#changed(sql`DELETE FROM ${table} WHERE definition = ${number} AND ${key} IN (${first})`);
      left -= gone;
      return gone;
    };
    this.messagesRemoved(await some(outbox, sql`id`));
    await some(sizes, sql`hour`);
    left -= await this.forgetValues(number, left);
    if (left <= 0 || !(await this.#forgetTold(number))) return false;
    // What is due under it is passed over when its time comes.
    await this.profiles.read(sql`DELETE FROM ${definitions} WHERE number = ${number}`);
    this.definitionsChanged();
    return true;
  }

  async keepSizes(hour: number): Promise<boolean> {
    const numberOf = await this.definitionNumbers();
    const rows = (await this.definitions())
      .filter(({ createdAt }) => createdAt <= hour)
      .map(({ id, size }) => [numberOf(id), hour, size]);
    const { sizes } = this.profiles.tables;
    const insert = (values: Statement): Statement =>
      sql`INSERT INTO ${sizes} (definition, hour, size) VALUES ${values} ON CONFLICT DO NOTHING`;
    for (const statement of inserting(rows, insert)) await this.profiles.read(statement);
    const ahead = await this.profiles.read(sql`DELETE FROM ${sizes} WHERE hour > ${hour + 3_600_000} RETURNING hour`);
    return ahead.length > 0;
  }

  async erase(erasure: ProfileErasure, persons: readonly number[]): Promise<void> {
    const { amongIds, amongUsers, document, read, tables } = this.profiles;
    await read(
      sql`INSERT INTO ${tables.erasures} (id, ${document}) VALUES (${erasure.id}, ${json(erasure)})
        ON CONFLICT (id) DO UPDATE SET ${document} = excluded.${document}`,
    );
    await this.forgetPersons(persons);
    const insert = (values: Statement): Statement =>
      sql`INSERT INTO ${tables.erased} (person) VALUES ${values} ON CONFLICT DO NOTHING`;
    const rows = persons.map((person) => [person]);
    for (const statement of inserting(rows, insert)) await read(statement);
    const ids = erasure.ids.flat();
    await read(sql`DELETE FROM ${tables.unjoined} WHERE ${amongIds(ids)}`);
    await read(sql`DELETE FROM ${tables.told} WHERE ${amongUsers(ids)}`);
    this.messagesRemoved(await this.#changed(sql`DELETE FROM ${tables.outbox} WHERE ${amongUsers(ids)}`));
  }

  async endErasure(id: string): Promise<void> {
    await this.profiles.read(sql`DELETE FROM ${this.profiles.tables.erasures} WHERE id = ${id}`);
  }

  async sweep(limit: number): Promise<boolean> {
    const { among, read, tables } = this.profiles;
    const rows = await read<{ person: number }>(sql`SELECT person FROM ${tables.erased} AS e LIMIT ${PERSONS}`);
    const isErased = among(
      sql`person`,
      rows.map(({ person }) => person),
    );
    const some = sql`SELECT person, at, message_id FROM ${tables.events} AS e WHERE ${isErased} LIMIT ${limit}`;
    const gone = await this.#changed(sql`DELETE FROM ${tables.events} WHERE (person, at, message_id) IN (${some})`);
    if (gone >= limit) return false;
    await read(sql`DELETE FROM ${tables.erased} WHERE ${isErased}`);
    return rows.length < PERSONS;
  }

  async expireEvents(before: number, from: number, limit: number): Promise<ExpiredEvents> {
    const { kinds, events } = this.profiles.tables;
    const old = await this.profiles.read<OldEvent>(
      sql`SELECT k.number AS kind, e.person, e.at, e.message_id FROM ${kinds} AS k CROSS JOIN ${events} AS e
        WHERE k.number >= ${from} AND e.kind = k.number AND e.at < ${before} ORDER BY k.number LIMIT ${limit}`,
    );
    await this.removeEvents(old);
    const persons = [...new Set(old.map(({ person }) => person))];
    return { persons, next: old.length < limit ? null : (old.at(-1)?.kind ?? null) };
  }

  async expirePersons(before: number, { after, upTo }: PersonRange): Promise<void> {
    const { persons, events, traits, memberships } = this.profiles.tables;
    const quiet = await this.profiles.read<{ person: number }>(
      sql`SELECT p.person FROM ${persons} AS p WHERE p.person > ${after} AND p.person <= ${upTo} AND p.user_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM ${events} AS e WHERE e.person = p.person)
        AND NOT EXISTS (SELECT 1 FROM ${traits} AS t WHERE t.person = p.person AND t.at >= ${before})
        AND NOT EXISTS (SELECT 1 FROM ${memberships} AS m WHERE m.person = p.person)`,
    );
    if (quiet.length > 0) await this.forgetPersons(quiet.map(({ person }) => person));
  }

  /** Changes what is due of persons, by the numbers of definitions; nothing is written where `change` leaves it as it was. */
  protected abstract changeDues(
    persons: Iterable<number>,
    change: (dues: Map<number, number>, person: number) => void,
  ): Promise<void>;
  /** Gives those what was decided of persons who become part of them, where nothing was decided of both. */
  protected abstract moveValues(unions: readonly PersonUnion[]): Promise<void>;
  /** Forgets that there are these persons, and what was decided of them. */
  protected abstract forgetDecided(persons: readonly number[]): Promise<void>;
  protected abstract removeEvents(events: readonly OldEvent[]): Promise<void>;
  /** Forgets so many values under a definition; answers how many there were. */
  protected abstract forgetValues(definition: number, limit: number): Promise<number>;
  /**
   * Forgets a page of what was told under a definition, after a key (null: from the first). Answers the page's last key; null where
   * nothing comes after. By user: an index that led there would cost each message more than this will ever save.
   */
  protected abstract forgetToldAfter(definition: number, key: string | null): Promise<string | null>;
  /** Messages left the outbox. */
  protected messagesRemoved(_count: number): void {}

  /** Forgets persons with what was decided of them, but not what they did. */
  protected async forgetPersons(persons: readonly number[]): Promise<void> {
    const { among, read, tables } = this.profiles;
    await this.forgetDecided(persons);
    for (const table of [tables.identities, tables.traits, tables.memberships, tables.unjoined, tables.seen]) {
      await read(sql`DELETE FROM ${table} WHERE ${among(sql`person`, persons)}`);
    }
  }

  /** Of these persons' traits, groups and ids that were not joined, no more are left than one may have: the newest. */
  protected async trim(persons: readonly number[]): Promise<void> {
    const { traits, memberships } = this.profiles.tables;
    await this.trimUnjoined(persons);
    await this.#trim(persons, traits, sql`name`, sql`at DESC, position DESC`, MOST_OF_A_PERSON);
    await this.#trim(persons, memberships, sql`grp`, sql`grp`, MOST_OF_A_PERSON);
  }

  protected trimUnjoined(persons: readonly number[]): Promise<void> {
    return this.#trim(persons, this.profiles.tables.unjoined, sql`id`, sql`at DESC, id`, UNJOINED_OF_A_PERSON);
  }

  /** Sees to it that deciding of a person never takes long: only the newest events are kept. Answers the persons who had too many. */
  protected async trimEvents(): Promise<readonly number[]> {
    const trimmed: number[] = [];
    for (const person of this.memory.tally.take()) {
      if ((await this.#changed(removingOldest(person, this.profiles.tables))) > 0) trimmed.push(person);
    }
    return trimmed;
  }

  /** No other writer changes them meanwhile. */
  protected override definitionTable(): Promise<DefinitionTable> {
    this.#definitions ??= super.definitionTable();
    return this.#definitions;
  }

  /** The numbers of definitions by their ids; 0, which no row has, for one that is unknown. */
  protected async definitionNumbers(): Promise<(id: string) => number> {
    const { byId } = await this.definitionTable();
    return (id) => byId.get(id)?.number ?? 0;
  }

  protected definitionsChanged(): void {
    this.#definitions = null;
  }

  async #trim(
    persons: readonly number[],
    table: Statement,
    key: Statement,
    newestFirst: Statement,
    most: number,
  ): Promise<void> {
    if (persons.length === 0) return;
    const { among, read } = this.profiles;
    await read(
      sql`DELETE FROM ${table} WHERE (person, ${key}) IN (SELECT person, ${key} FROM (
        SELECT person, ${key}, row_number() OVER (PARTITION BY person ORDER BY ${newestFirst}) AS place
        FROM ${table} WHERE ${among(sql`person`, persons)}) AS placed WHERE place > ${most})`,
    );
  }

  /** Answers whether that was all. */
  async #forgetTold(definition: number): Promise<boolean> {
    const { forgotten } = this.memory;
    const upTo = await this.forgetToldAfter(definition, forgotten?.definition === definition ? forgotten.upTo : null);
    if (upTo !== null) this.memory.forgotten = { definition, upTo };
    return upTo === null;
  }

  async #eachMember(group: number, run: (members: readonly number[]) => Promise<void>): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const rows: { person: number }[] = await this.profiles.read<{ person: number }>(
        sql`SELECT person FROM ${this.profiles.tables.memberships} AS m WHERE grp = ${group} AND person > ${after}
          ORDER BY person LIMIT ${PERSONS}`,
      );
      const members = rows.map(({ person }) => person);
      await run(members);
      after = members.length < PERSONS ? undefined : members.at(-1);
    }
  }

  /** How many rows a statement changed. */
  async #changed(statement: Statement): Promise<number> {
    return (await this.profiles.read(sql`${statement} RETURNING 1 AS one`)).length;
  }
}

/** A rule may ask about one name of track calls, and about all page or screen calls. */
function removingOldest(person: number, { events, kinds }: ProfileSql['tables']): Statement {
  const most = EVENTS_OF_A_PERSON;
  return sql`DELETE FROM ${events} WHERE (person, at, message_id) IN (
    SELECT person, at, message_id FROM (
      SELECT e.person, e.at, e.message_id, row_number() OVER newest AS place, sum(length(e.properties)) OVER newest AS characters,
        row_number() OVER (PARTITION BY k.type, CASE k.type WHEN 'track' THEN k.number END
          ORDER BY e.at DESC, e.message_id DESC) AS among_alike
      FROM ${events} AS e JOIN ${kinds} AS k ON k.number = e.kind WHERE e.person = ${person}
      WINDOW newest AS (ORDER BY e.at DESC, e.message_id DESC)) AS placed
    WHERE among_alike > ${most.alike} OR place > ${most.events} OR characters > ${most.characters})`;
}

/** Makes a definition due, where it is not due earlier. */
function advance(dues: Map<number, number>, definition: number, at: number): void {
  dues.set(definition, Math.min(dues.get(definition) ?? at, at));
}

export interface OldEvent {
  readonly kind: number;
  readonly person: number;
  readonly at: number;
  /** As it is stored. */
  readonly message_id: string;
}
