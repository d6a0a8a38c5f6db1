import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { PersonUnion, ProfileWriter } from '../../people/contract.ts';
import { readNumberMap, writeNumberMap } from '../../people/number-map.ts';
import { KnownDefinitions } from '../relational/profile-definitions.ts';
import { type OwnWrites, profileWriter, WriterMemory } from '../relational/profile-writer.ts';
import { textOrNull } from './event-rows.ts';
import { REBUILT } from './people-ledger.ts';
import { PersonStates } from './person-states.ts';
import type { SqliteProfileSql } from './profile-sql.ts';

/** Writes to `people.db`, within a transaction of profile-store.ts. See people/contract.ts for what each method does. */
export interface SqliteProfileWriter extends ProfileWriter {
  /** The transaction was rolled back: forgets the numbers that it gave. */
  undone(): void;
}

export function sqliteProfileWriter(db: DatabaseSync, profiles: SqliteProfileSql): SqliteProfileWriter {
  const { prepare } = profiles;
  const states = new PersonStates(db);
  const definitions = new KnownDefinitions(profiles);
  const memory = new WriterMemory();

  function all(sql: string, ...args: readonly (string | number)[]): Record<string, SQLOutputValue>[] {
    return prepare(sql).all(...args);
  }

  function run(sql: string, ...args: readonly (string | number | null)[]): void {
    prepare(sql).run(...args);
  }

  function setCounter(name: 'person' | 'rebuilt', value: number): void {
    run('INSERT OR REPLACE INTO counter (name, value) VALUES (?, ?)', name, value);
  }

  /** Memberships and their times move too. They stay known until both persons are decided as one. */
  function moveValues({ from, into }: PersonUnion): void {
    const { held } = states.get(from);
    states.change(into, (state) => {
      for (const [number, value] of held) {
        if (state.held.has(number)) continue;
        state.held.set(number, value);
        const move = 'INSERT INTO member SELECT definition, ?, since FROM member WHERE definition = ? AND person = ?';
        run(move, into, number, from);
        run('UPDATE definition SET size = size + 1 WHERE number = ?', number);
      }
    });
  }

  const own: OwnWrites = {
    async decide(decisions, at) {
      const join = prepare('INSERT OR IGNORE INTO member (definition, person, since) VALUES (?, ?, ?)');
      const leave = prepare('DELETE FROM member WHERE definition = ? AND person = ?');
      for (const [person, decided] of Map.groupBy(decisions, (decision) => decision.person)) {
        states.change(person, ({ dues, held }) => {
          for (const { definition, value, before, dueAt } of decided) {
            if (dueAt === null) dues.delete(definition);
            else dues.set(definition, dueAt);
            if (value === null) held.delete(definition);
            else held.set(definition, value);
            if (value === null && before !== null) leave.run(definition, person);
            if (value !== null && before === null) join.run(definition, person, at);
          }
        });
      }
    },

    async changeDues(persons, change) {
      for (const person of persons) states.change(person, ({ dues }) => change(dues, person));
    },

    async moveValues(unions) {
      for (const union of unions) moveValues(union);
    },

    async forgetDecided(persons) {
      for (const person of persons) {
        for (const number of states.get(person).held.keys()) {
          run('DELETE FROM member WHERE definition = ? AND person = ?', number, person);
          run('UPDATE definition SET size = size - 1 WHERE number = ?', number);
        }
        run('DELETE FROM state WHERE person = ?', person);
        run('DELETE FROM person WHERE id = ?', person);
      }
    },

    async forgetValues(definition, limit) {
      const members = all('SELECT person FROM member WHERE definition = ? LIMIT ?', definition, limit);
      for (const { person } of members) {
        states.change(Number(person), ({ held }) => void held.delete(definition));
        run('DELETE FROM member WHERE definition = ? AND person = ?', definition, Number(person));
      }
      return members.length;
    },

    async forgetToldAfter(definition, key) {
      const after = 'SELECT user_id, told FROM told WHERE user_id > ? ORDER BY user_id LIMIT ?';
      const page = all(after, key ?? '', SCANNED);
      for (const { user_id: userId, told } of page) {
        const values = readNumberMap<string>(String(told));
        if (!values.delete(definition)) continue;
        run('UPDATE told SET told = ? WHERE user_id = ?', writeNumberMap(values), String(userId));
      }
      return textOrNull(page.at(-1)?.['user_id']);
    },

    messagesRemoved: () => undefined,
  };

  return {
    ...profileWriter(profiles, own, definitions, memory),

    async newPersons(count) {
      const last = await profiles.lastPerson();
      if (count > 0) setCounter('person', last + count);
      return Array.from({ length: count }, (_, i) => last + 1 + i);
    },

    async tell(messages) {
      const numberOf = await definitions.numbers();
      const send = prepare('INSERT INTO outbox (definition, user_id, value, at) VALUES (?, ?, ?, ?)');
      const lastTold = prepare('SELECT told FROM told WHERE user_id = ?');
      const note = prepare('INSERT OR REPLACE INTO told (user_id, told) VALUES (?, ?)');
      for (const { definitionId, userId, value, at } of messages) {
        send.run(numberOf(definitionId), userId, value, at);
      }
      for (const [userId, told] of Map.groupBy(messages, (message) => message.userId)) {
        const values = readNumberMap<string>(String(lastTold.get(userId)?.['told'] ?? '[]'));
        for (const { definitionId, value } of told) values.set(numberOf(definitionId), value);
        note.run(userId, writeNumberMap(values));
      }
    },

    async wipe() {
      for (const table of REBUILT) run(`DELETE FROM ${table}`);
      run('UPDATE definition SET size = 0');
    },

    async setRebuilding(is) {
      if (is) setCounter('rebuilt', 0);
      else run("DELETE FROM counter WHERE name = 'rebuilt'");
    },

    undone() {
      profiles.words.clear();
      profiles.kinds.clear();
      memory.forgotten = null;
      definitions.changed();
    },
  };
}

/** Rows that one step searches: it takes a twentieth of a second. */
const SCANNED = 20_000;
