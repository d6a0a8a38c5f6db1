import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Decision, Message, PersonUnion, ProfileWriter } from '../../people/contract.ts';
import { mayHave, readNumberMap, writeNumberMap } from '../../people/number-map.ts';
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

  async newPersons(count: number): Promise<readonly number[]> {
    const last = await this.lastPerson();
    if (count > 0) this.#setCounter('person', last + count);
    return Array.from({ length: count }, (_, i) => last + 1 + i);
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

  /** Who is a member of what since when stays known, until it is decided of both together. */
  protected async moveValues(unions: readonly PersonUnion[]): Promise<void> {
    for (const { from, into } of unions) this.#moveValues(from, into);
  }

  protected async forgetDecided(persons: readonly number[]): Promise<void> {
    for (const person of persons) {
      for (const number of this.#states.get(person).held.keys()) {
        this.#run('DELETE FROM member WHERE definition = ? AND person = ?', number, person);
        this.#run('UPDATE definition SET size = size - 1 WHERE number = ?', number);
      }
      this.#run('DELETE FROM state WHERE person = ?', person);
      this.#run('DELETE FROM person WHERE id = ?', person);
    }
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

  #setCounter(name: 'person' | 'rebuilt', value: number): void {
    this.#run('INSERT OR REPLACE INTO counter (name, value) VALUES (?, ?)', name, value);
  }
}

/** Rows looked at in one step: a twentieth of a second. */
const SCANNED = 20_000;
