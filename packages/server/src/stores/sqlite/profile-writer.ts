import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Position } from '../../core/event.ts';
import type {
  Decision,
  Facts,
  GroupTraitFact,
  Identity,
  Message,
  PersonName,
  PersonUnion,
  ProfileWriter,
  Recorded,
  Seen,
  Unjoined,
} from '../../people/contract.ts';
import { mayHave, readNumberMap, writeNumberMap } from '../../people/number-map.ts';
import { LATER_COUNTS } from '../relational/profile-sql.ts';
import { type OldEvent, RelationalProfileWriter, WriterMemory } from '../relational/profile-writer.ts';
import { textOrNull } from './event-rows.ts';
import { REBUILT } from './people-ledger.ts';
import type { PeopleNumbers } from './people-numbers.ts';
import { PersonStates } from './person-states.ts';
import type { SqliteProfileSql } from './profile-sql.ts';

/** Writes of `people.db`, within a transaction of profile-store.ts; see people/contract.ts for what they do. */
export class SqliteProfileWriter extends RelationalProfileWriter implements ProfileWriter {
  readonly #numbers: PeopleNumbers;
  readonly #prepare: (text: string) => StatementSync;
  readonly #states: PersonStates;

  constructor(db: DatabaseSync, profiles: SqliteProfileSql) {
    super(profiles, new WriterMemory());
    this.#numbers = profiles.numbers;
    this.#prepare = profiles.prepare;
    this.#states = new PersonStates(db);
  }

  async setPositions(positions: ReadonlyMap<string, Position>): Promise<void> {
    for (const [sourceId, position] of positions) {
      this.#run('INSERT OR REPLACE INTO source (id, position) VALUES (?, ?)', sourceId, position);
    }
  }

  async newPersons(count: number): Promise<readonly number[]> {
    const last = await this.lastPerson();
    if (count > 0) this.#setCounter('person', last + count);
    return Array.from({ length: count }, (_, i) => last + 1 + i);
  }

  async unite(unions: readonly PersonUnion[]): Promise<void> {
    for (const { from, into } of unions) this.#unite(from, into);
    await this.trim(unions.map(({ into }) => into));
  }

  async putIdentities(identities: readonly Identity[]): Promise<void> {
    for (const { id, person, since, aliased } of identities) {
      this.#run(
        `INSERT INTO identity (id, person, since, aliased) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
         SET person = excluded.person, since = excluded.since, aliased = excluded.aliased`,
        ...[id, person, since, aliased],
      );
    }
  }

  async putSeen(seen: readonly Seen[]): Promise<void> {
    const put = this.#prepare('INSERT OR IGNORE INTO seen (person, source) VALUES (?, ?)');
    for (const { person, sourceId } of seen) put.run(person, sourceId);
  }

  async putUnjoined(unjoined: readonly Unjoined[]): Promise<void> {
    for (const { person, id, sourceId, why, at } of unjoined) {
      this.#run(PUT_UNJOINED, person, id, sourceId, why, at);
    }
    await this.trimUnjoined(unjoined.map(({ person }) => person));
  }

  async putPersons(persons: readonly PersonName[]): Promise<void> {
    for (const { person, userId } of persons) {
      this.#run(
        `INSERT INTO person (id, user_id) VALUES (?, ?) ON CONFLICT DO UPDATE SET user_id = excluded.user_id
         WHERE user_id IS NOT excluded.user_id`,
        person,
        userId,
      );
    }
  }

  async record({ traits, groups, groupTraits, events }: Facts): Promise<Recorded> {
    const trait = this.#prepare(PUT_TRAIT);
    for (const { person, name, value, at, position } of traits) {
      trait.run(person, this.#numbers.word(name), JSON.stringify(value), at, position);
    }
    const membership = this.#prepare('INSERT OR IGNORE INTO membership (person, grp) VALUES (?, ?)');
    for (const { person, groupId } of groups) membership.run(person, this.#numbers.word(groupId));
    const event = this.#prepare(
      'INSERT OR IGNORE INTO event (person, at, message_id, kind, properties) VALUES (?, ?, ?, ?, ?)',
    );
    // Side by side in the file: a page that several of them change is changed once.
    for (const { person, at, messageId, type, name, properties } of events.toSorted((a, b) => a.person - b.person)) {
      const json = JSON.stringify(properties);
      event.run(person, at, messageId, this.#numbers.kindNumber({ type, name }), json);
      this.memory.tally.add(person, 1, json.length);
    }
    const trimmed = await this.trimEvents();
    return { changes: groupTraits.filter((fact) => this.#putGroupTrait(fact)), trimmed };
  }

  async decide(decisions: readonly Decision[], at: number): Promise<void> {
    const numberOf = await this.definitionNumbers();
    const grown = new Map<number, number>();
    const join = this.#prepare('INSERT OR IGNORE INTO member (definition, person, since) VALUES (?, ?, ?)');
    const leave = this.#prepare('DELETE FROM member WHERE definition = ? AND person = ?');
    for (const [person, decided] of Map.groupBy(decisions, (decision) => decision.person)) {
      this.#states.change(person, ({ dues, held }) => {
        for (const { definitionId, value, before, dueAt } of decided) {
          const number = numberOf(definitionId);
          if (number === 0) continue;
          if (dueAt === null) dues.delete(number);
          else dues.set(number, dueAt);
          if (value === null) held.delete(number);
          else held.set(number, value);
          if ((value === null) === (before === null)) continue;
          if (value === null) leave.run(number, person);
          else join.run(number, person, at);
          grown.set(number, (grown.get(number) ?? 0) + (value === null ? -1 : 1));
        }
      });
    }
    for (const [number, change] of grown) {
      if (change !== 0) this.#run('UPDATE definition SET size = size + ? WHERE number = ?', change, number);
    }
  }

  async tell(messages: readonly Omit<Message, 'id'>[]): Promise<void> {
    const numberOf = await this.definitionNumbers();
    const send = this.#prepare('INSERT INTO outbox (definition, user_id, value, at) VALUES (?, ?, ?, ?)');
    const lastTold = this.#prepare('SELECT told FROM told WHERE user_id = ?');
    const note = this.#prepare('INSERT OR REPLACE INTO told (user_id, told) VALUES (?, ?)');
    for (const { definitionId, userId, value, at } of messages) {
      send.run(numberOf(definitionId), userId, value, at);
    }
    for (const [userId, told] of Map.groupBy(messages, (message) => message.userId)) {
      const values = readNumberMap<string>(String(lastTold.get(userId)?.['told'] ?? '[]'));
      for (const { definitionId, value } of told) values.set(numberOf(definitionId), value);
      note.run(userId, writeNumberMap(values));
    }
  }

  async wipe(): Promise<void> {
    for (const table of REBUILT) this.#run(`DELETE FROM ${table}`);
    this.#run('UPDATE definition SET size = 0');
  }

  async setRebuilding(is: boolean): Promise<void> {
    if (is) this.#setCounter('rebuilt', 0);
    else this.#run("DELETE FROM counter WHERE name = 'rebuilt'");
  }

  /** The transaction was undone: what was numbered in it is not. */
  undone(): void {
    this.#numbers.clear();
    this.memory.forgotten = null;
    this.definitionsChanged();
  }

  protected async changeDues(
    persons: Iterable<number>,
    change: (dues: Map<number, number>, person: number) => void,
  ): Promise<void> {
    for (const person of persons) this.#states.change(person, ({ dues }) => change(dues, person));
  }

  protected async forgetPersons(persons: readonly number[]): Promise<void> {
    for (const person of persons) this.#forgetPerson(person);
  }

  protected async removeEvents(events: readonly OldEvent[]): Promise<void> {
    const remove = this.#prepare('DELETE FROM event WHERE person = ? AND at = ? AND message_id = ?');
    for (const { person, at, message_id: messageId } of events) remove.run(person, at, messageId);
  }

  protected async forgetValues(definition: number, limit: number): Promise<number> {
    const members = this.#all('SELECT person FROM member WHERE definition = ? LIMIT ?', definition, limit);
    for (const { person } of members) {
      this.#states.change(Number(person), ({ held }) => void held.delete(definition));
      this.#run('DELETE FROM member WHERE definition = ? AND person = ?', definition, Number(person));
    }
    return members.length;
  }

  protected async forgetToldAfter(definition: number, key: string | null): Promise<string | null> {
    const after = 'SELECT user_id, told FROM told WHERE user_id > ? ORDER BY user_id LIMIT ?';
    const page = this.#all(after, key ?? '', SCANNED);
    const note = this.#prepare('UPDATE told SET told = ? WHERE user_id = ?');
    for (const { user_id: userId, told } of page) {
      const json = String(told);
      const values = mayHave(json, [definition]) ? readNumberMap<string>(json) : null;
      if (values?.delete(definition)) note.run(writeNumberMap(values), String(userId));
    }
    return textOrNull(page.at(-1)?.['user_id']);
  }

  #all(sql: string, ...args: readonly (string | number)[]): Record<string, SQLOutputValue>[] {
    return this.#prepare(sql).all(...args);
  }

  #run(sql: string, ...args: readonly (string | number | null)[]): number {
    return Number(this.#prepare(sql).run(...args).changes);
  }

  #unite(from: number, into: number): void {
    this.#run('UPDATE identity SET person = ? WHERE person = ?', into, from);
    this.#run('UPDATE OR IGNORE seen SET person = ? WHERE person = ?', into, from);
    this.#run('UPDATE OR REPLACE unjoined SET person = ? WHERE person = ?', into, from);
    this.#run(UNITE_TRAITS, into, from);
    this.#run('INSERT OR IGNORE INTO membership SELECT ?, grp FROM membership WHERE person = ?', into, from);
    const [moved] = this.#all(
      'SELECT count(*) AS events, total(length(properties)) AS characters FROM event WHERE person = ?',
      from,
    );
    this.#run(
      'INSERT OR IGNORE INTO event SELECT ?, at, message_id, kind, properties FROM event WHERE person = ?',
      into,
      from,
    );
    this.memory.tally.add(into, Number(moved?.['events']), Number(moved?.['characters']));
    this.#run('DELETE FROM event WHERE person = ?', from);
    this.#moveValues(from, into);
    this.#forgetPerson(from);
  }

  /** Who is a member of what since when stays known, until it is decided of both together. */
  #moveValues(from: number, into: number): void {
    const { held } = this.#states.get(from);
    this.#states.change(into, (state) => {
      for (const [number, value] of held) {
        if (state.held.has(number)) continue;
        state.held.set(number, value);
        this.#run(
          'INSERT INTO member SELECT definition, ?, since FROM member WHERE definition = ? AND person = ?',
          into,
          number,
          from,
        );
        this.#run('UPDATE definition SET size = size + 1 WHERE number = ?', number);
      }
    });
  }

  /** With what was decided of them, but not what they did. */
  #forgetPerson(person: number): void {
    for (const number of this.#states.get(person).held.keys()) {
      this.#run('DELETE FROM member WHERE definition = ? AND person = ?', number, person);
      this.#run('UPDATE definition SET size = size - 1 WHERE number = ?', number);
    }
    for (const table of ['identity', 'trait', 'membership', 'state', 'unjoined', 'seen'])
      this.#run(`DELETE FROM ${table} WHERE person = ?`, person);
    this.#run('DELETE FROM person WHERE id = ?', person);
  }

  /** Answers whether the value changed. */
  #putGroupTrait({ groupId, name, value, at, position }: GroupTraitFact): boolean {
    const group = this.#numbers.word(groupId);
    const trait = this.#numbers.word(name);
    const json = JSON.stringify(value);
    const [before] = this.#all('SELECT value FROM group_trait WHERE grp = ? AND name = ?', group, trait);
    const written = this.#run(PUT_GROUP_TRAIT, group, trait, json, at, position);
    return written > 0 && before?.['value'] !== json;
  }

  #setCounter(name: 'person' | 'rebuilt', value: number): void {
    this.#run('INSERT OR REPLACE INTO counter (name, value) VALUES (?, ?)', name, value);
  }
}

const PUT_TRAIT = `INSERT INTO trait AS t (person, name, value, at, position) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO ${LATER_COUNTS}`;

const PUT_GROUP_TRAIT = `INSERT INTO group_trait AS t (grp, name, value, at, position) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO ${LATER_COUNTS}`;

const UNITE_TRAITS = `INSERT INTO trait AS t (person, name, value, at, position)
  SELECT ?, name, value, at, position FROM trait WHERE person = ? ON CONFLICT DO ${LATER_COUNTS}`;

const PUT_UNJOINED = 'INSERT OR REPLACE INTO unjoined (person, id, source, why, at) VALUES (?, ?, ?, ?, ?)';

/** Rows looked at in one step: a twentieth of a second. */
const SCANNED = 20_000;
