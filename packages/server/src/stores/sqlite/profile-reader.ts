import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Position } from '../../core/event.ts';
import {
  type Counted,
  type Definition,
  type DefinitionIds,
  type Due,
  type EventPlace,
  type Held,
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
import type { EventName, EventNamesQuery, Most, SeenTrait } from '../../people/seen.ts';
import { PeopleNumbers } from './people-numbers.ts';
import { selectNaming } from './people-schema.ts';
import { membersQuery, registerPeopleFunctions } from './people-sql.ts';
import { type DefinitionTable, ProfileRecords } from './profile-records.ts';
import { ProfileSeen } from './profile-seen.ts';

const NOTHING_HELD: Held = { traits: 0, groups: 0 };

/** Reads of `people.db`; see people/contract.ts for what they answer. */
export class SqliteProfileReader implements ProfileReader {
  protected readonly db: DatabaseSync;
  protected readonly numbers: PeopleNumbers;
  readonly #records: ProfileRecords;
  readonly #seen: ProfileSeen;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.db = db;
    this.numbers = new PeopleNumbers(db);
    registerPeopleFunctions(db);
    this.#records = new ProfileRecords(db, this.numbers);
    this.#seen = new ProfileSeen(db, this.numbers);
  }

  async positions(): Promise<ReadonlyMap<string, Position>> {
    return new Map(
      this.all('SELECT id, position FROM source').map((row) => [text(row['id']), Number(row['position'])]),
    );
  }

  async identities(ids: readonly string[]): Promise<readonly Identity[]> {
    return this.all(`${IDENTITIES} WHERE id IN (SELECT value FROM json_each(?))`, JSON.stringify(ids)).map(identityOf);
  }

  async identitiesOf(persons: readonly number[]): Promise<readonly Identity[]> {
    const rows = this.all(`${IDENTITIES} WHERE person IN (SELECT value FROM json_each(?))`, JSON.stringify(persons));
    return rows.map(identityOf);
  }

  async sourcesOf(persons: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>> {
    const sql = 'SELECT person, source FROM seen WHERE person IN (SELECT value FROM json_each(?)) ORDER BY source';
    const found = Map.groupBy(this.all(sql, JSON.stringify(persons)), ({ person }) => Number(person));
    return new Map([...found].map(([person, rows]) => [person, rows.map(({ source }) => text(source))]));
  }

  async unjoined(person: number): Promise<readonly Unjoined[]> {
    const rows = this.all('SELECT * FROM unjoined WHERE person = ? ORDER BY at DESC, id', person);
    return rows.map((row) => ({
      ...{ person, id: text(row['id']), sourceId: text(row['source']) },
      ...{ why: text(row['why']) as Unjoined['why'], at: Number(row['at']) },
    }));
  }

  async several({ after, upTo }: PersonRange): Promise<readonly number[]> {
    const rows = this.all(
      `SELECT person FROM identity WHERE person > ? AND person <= ? AND (since IS NOT NULL OR aliased IS NOT NULL)
       GROUP BY person HAVING count(*) > 1 ORDER BY person`,
      after,
      upTo,
    );
    return rows.map(({ person }) => Number(person));
  }

  async countUnjoined(sourceId: string, limit: number): Promise<number> {
    const sql = 'SELECT count(*) AS rows FROM (SELECT 1 FROM unjoined WHERE source = ? LIMIT ?)';
    return Number(this.all(sql, sourceId, limit)[0]?.['rows']);
  }

  async names(persons: readonly number[]): Promise<readonly PersonName[]> {
    const listed = 'SELECT id, user_id FROM person WHERE id IN (SELECT value FROM json_each(?))';
    return this.all(listed, JSON.stringify(persons)).map(personNameOf);
  }

  async namesAfter(after: number, limit: number): Promise<readonly PersonName[]> {
    return this.all('SELECT id, user_id FROM person WHERE id > ? ORDER BY id LIMIT ?', after, limit).map(personNameOf);
  }

  async states(persons: Persons, of: DefinitionIds): Promise<ReadonlyMap<number, PersonState>> {
    return this.#records.states(persons, this.#numbered(of));
  }

  async facts(persons: Persons, needs: Needs, now: number): Promise<ReadonlyMap<number, PersonFacts>> {
    return this.#records.facts(persons, needs, now);
  }

  async held(persons: readonly number[]): Promise<ReadonlyMap<number, Held>> {
    const held = new Map<number, Held>();
    for (const [table, kind] of [['trait', 'traits'] as const, ['membership', 'groups'] as const]) {
      const sql = `SELECT person, count(*) AS count FROM ${table} WHERE person IN (SELECT value FROM json_each(?)) GROUP BY person`;
      for (const { person, count } of this.all(sql, JSON.stringify(persons))) {
        held.set(Number(person), { ...(held.get(Number(person)) ?? NOTHING_HELD), [kind]: Number(count) });
      }
    }
    return held;
  }

  async groupTraits(groupIds: readonly string[], least: number): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const found = new Map<string, ReadonlySet<string>>();
    for (const groupId of groupIds) {
      const group = this.numbers.knownWord(groupId);
      if (group === null) continue;
      const [row] = this.all('SELECT count(*) AS count FROM group_trait WHERE grp = ?', group);
      if (Number(row?.['count']) < least) continue;
      const names = this.all('SELECT w.text FROM group_trait t JOIN word w ON w.id = t.name WHERE t.grp = ?', group);
      found.set(groupId, new Set(names.map(({ text: name }) => text(name))));
    }
    return found;
  }

  async lastTold(
    userIds: readonly string[],
    of: DefinitionIds,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    return this.#records.lastTold(userIds, this.#numbered(of));
  }

  async recentEvents(person: number, limit: number, before: EventPlace | null = null): Promise<readonly PersonEvent[]> {
    return this.#records.events(person, limit, before);
  }

  async lastPerson(): Promise<number> {
    return this.counter('person') ?? 0;
  }

  async persons(): Promise<number> {
    return Number(this.all('SELECT count(*) AS rows FROM person')[0]?.['rows']);
  }

  async find(prefix: string, limit: number): Promise<readonly Identity[]> {
    const rows = this.all(`${IDENTITIES} WHERE id >= ? ORDER BY id LIMIT ?`, prefix, limit);
    return rows.map(identityOf).filter(({ id }) => id.startsWith(prefix));
  }

  async findNames(prefix: string, limit: number): Promise<readonly NamingTrait[]> {
    const sql = selectNaming(NAMING_TRAITS.map((name) => this.numbers.knownWord(name) ?? 0));
    return this.all(sql, JSON.stringify(prefix).slice(1, -1), limit).map((row) => ({
      person: Number(row['person']),
      trait: this.numbers.text(Number(row['name'])),
      value: JSON.parse(text(row['value'])) as unknown,
    }));
  }

  async eventNames(query: EventNamesQuery): Promise<readonly EventName[]> {
    return this.#seen.eventNames(query);
  }

  async newestProperties(
    kind: Pick<PersonEvent, 'type' | 'name'>,
    now: number,
    most: Most,
  ): Promise<readonly string[]> {
    return this.#seen.properties(kind, now, most);
  }

  async newestTraits(of: 'person' | 'group', most: Most): Promise<readonly SeenTrait[]> {
    return this.#seen.traits(of, most);
  }

  async latest(events: readonly NeededEvents[], now: number, limit: number): Promise<readonly number[]> {
    const newest = events.flatMap(({ type, name, lookBack }) => {
      const since = Math.max(now - lookBack, Number.MIN_SAFE_INTEGER);
      const kinds =
        name === null
          ? this.all('SELECT id FROM kind WHERE type = ?', type)
          : this.all('SELECT id FROM kind WHERE type = ? AND name = ?', type, name);
      // Kind by kind, because the index has the times of each.
      return kinds.flatMap(({ id }) => this.all(LATEST, id ?? null, since, now, limit));
    });
    const byTime = newest.toSorted((a, b) => Number(b['at']) - Number(a['at']));
    return [...new Set(byTime.slice(0, limit).map((row) => Number(row['person'])))];
  }

  async definitions(): Promise<readonly Definition[]> {
    return this.all('SELECT json, size, sent_at FROM definition ORDER BY number').map((row) => ({
      ...(JSON.parse(text(row['json'])) as Definition),
      size: Number(row['size']),
      sentAt: numberOrNull(row['sent_at']),
    }));
  }

  async ownSources(): Promise<ReadonlySet<string>> {
    return new Set(this.all('SELECT id FROM own_source').map((row) => text(row['id'])));
  }

  async due(now: number, limit: number): Promise<readonly Due[]> {
    const definitions = this.definitionTable();
    const rows = this.all('SELECT person, dues FROM state WHERE at <= ? ORDER BY at LIMIT ?', now, limit);
    const due = rows.flatMap((row) =>
      Array.from(readNumberMap<number>(text(row['dues'])), ([number, at]) => {
        return { definitionId: definitions.get(number)?.id ?? GONE, person: Number(row['person']), at };
      }),
    );
    // A person who has one of the first has their own first among them.
    return due
      .filter(({ at }) => at <= now)
      .sort((a, b) => a.at - b.at)
      .slice(0, limit);
  }

  async nextDue(): Promise<number | null> {
    return numberOrNull(this.all('SELECT min(at) AS at FROM state WHERE at IS NOT NULL')[0]?.['at']);
  }

  async outbox(limit: number): Promise<readonly Message[]> {
    const definitions = this.definitionTable();
    return this.all('SELECT * FROM outbox ORDER BY id LIMIT ?', limit).map((row) => ({
      id: Number(row['id']),
      definitionId: definitions.get(Number(row['definition']))?.id ?? GONE,
      userId: text(row['user_id']),
      value: text(row['value']),
      at: Number(row['at']),
    }));
  }

  async outboxSize(): Promise<number> {
    return Number(this.all('SELECT count(*) AS rows FROM outbox')[0]?.['rows']);
  }

  async members(definitionId: string, after: number, limit: number): Promise<readonly Member[]> {
    return this.#members(definitionId, 'm.person > ? ORDER BY m.person LIMIT ?', after, limit);
  }

  async latestMembers(definitionId: string, before: MemberPlace | null, limit: number): Promise<readonly Member[]> {
    const { since, person } = before ?? { since: Number.MAX_SAFE_INTEGER, person: 0 };
    const where = '(m.since, m.person) < (?, ?) ORDER BY m.since DESC, m.person DESC LIMIT ?';
    return this.#members(definitionId, where, since ?? 0, person, limit);
  }

  async membersAmong(definitionId: string, persons: readonly number[]): Promise<readonly Member[]> {
    return this.#members(definitionId, 'm.person IN (SELECT value FROM json_each(?))', JSON.stringify(persons));
  }

  async sizes(definitionId: string, since: number): Promise<readonly Size[]> {
    const rows = this.all(
      'SELECT hour, size FROM size WHERE definition = ? AND hour >= ? ORDER BY hour',
      this.definitionNumber(definitionId),
      since,
    );
    return rows.map((row) => ({ at: Number(row['hour']), size: Number(row['size']) }));
  }

  async count(condition: Condition, now: number, range: PersonRange, sample: number): Promise<Counted> {
    const { sql, params } = membersQuery(condition, now, range);
    // The first by number are named: who asks goes on after the last of them.
    const some: PersonName[] = [];
    let count = 0;
    for (const { id } of this.db.prepare(`${sql} ORDER BY id`).iterate(...params)) {
      if (count++ < sample)
        some.push(...this.all('SELECT id, user_id FROM person WHERE id = ?', id ?? null).map(personNameOf));
    }
    const [row] = this.all('SELECT count(*) AS rows FROM person WHERE id > ? AND id <= ?', range.after, range.upTo);
    return { count, persons: Number(row?.['rows']), sample: some };
  }

  async rebuilding(): Promise<boolean> {
    return this.counter('rebuilt') !== null;
  }

  async erasure(id: string): Promise<ProfileErasure | null> {
    const [row] = this.all('SELECT json FROM erasure WHERE id = ?', id);
    return row ? (JSON.parse(text(row['json'])) as ProfileErasure) : null;
  }

  async erasing(): Promise<boolean> {
    return this.all('SELECT 1 FROM erasure LIMIT 1').length > 0;
  }

  /** A transaction was undone: what was numbered in it is not. */
  forgetNumbers(): void {
    this.numbers.clear();
  }

  protected all(sql: string, ...args: readonly SQLInputValue[]): Record<string, SQLOutputValue>[] {
    return this.prepare(sql).all(...args);
  }

  protected prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  protected counter(name: 'person' | 'rebuilt'): number | null {
    return numberOrNull(this.all('SELECT value FROM counter WHERE name = ?', name)[0]?.['value']);
  }

  /** 0, which no row has, for a definition that is unknown. */
  protected definitionNumber(id: string): number {
    return Number(this.all('SELECT number FROM definition WHERE id = ?', id)[0]?.['number'] ?? 0);
  }

  protected definitionTable(): DefinitionTable {
    const rows = this.all('SELECT number, id, audience FROM definition');
    return new Map(
      rows.map((row) => [Number(row['number']), { id: text(row['id']), audience: row['audience'] === 1 }]),
    );
  }

  #members(definitionId: string, where: string, ...args: readonly SQLInputValue[]): readonly Member[] {
    const number = this.definitionNumber(definitionId);
    const rows = this.all(
      `SELECT p.id, p.user_id, m.since, s.held FROM member m JOIN person p ON p.id = m.person
       JOIN state s ON s.person = m.person WHERE m.definition = ? AND ${where}`,
      ...[number, ...args],
    );
    return rows.map((row) => {
      const value = readNumberMap<string>(text(row['held'])).get(number) ?? '';
      return { ...personNameOf(row), value, since: Number(row['since']) || null };
    });
  }

  #numbered(of: DefinitionIds): DefinitionTable {
    const definitions = this.definitionTable();
    return of === 'all' ? definitions : new Map([...definitions].filter(([, { id }]) => of.has(id)));
  }
}

/** Stands for a definition that is gone where rows of it are left. */
const GONE = '';

const LATEST = `SELECT person, at FROM event WHERE kind = ? AND at > ? AND at <= ?
  ORDER BY at DESC LIMIT ?`;

const IDENTITIES = 'SELECT id, person, since, aliased FROM identity';

function identityOf(row: Record<string, SQLOutputValue>): Identity {
  return {
    id: text(row['id']),
    person: Number(row['person']),
    since: numberOrNull(row['since']),
    aliased: numberOrNull(row['aliased']),
  };
}

function personNameOf(row: Record<string, SQLOutputValue>): PersonName {
  return { person: Number(row['id']), userId: row['user_id'] === null ? null : text(row['user_id']) };
}

function text(value: SQLOutputValue | undefined): string {
  return String(value);
}

function numberOrNull(value: SQLOutputValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}
