import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { DefinitionIds, EventPlace, Needs, PersonFacts, PersonState, Persons } from '../../people/contract.ts';
import type { PersonEvent } from '../../people/person.ts';
import { wantedOf } from '../relational/profile-definitions.ts';
import { RelationalProfileReader } from '../relational/profile-reader.ts';
import { registerPeopleFunctions } from './people-functions.ts';
import { PeopleNumbers } from './people-numbers.ts';
import { ProfileRecords } from './profile-records.ts';
import { profileSql } from './profile-sql.ts';

/** Statements that are kept prepared. */
const PREPARED = 200;

/** Reads of `people.db`; see people/contract.ts for what they answer. */
export class SqliteProfileReader extends RelationalProfileReader {
  protected readonly db: DatabaseSync;
  protected readonly numbers: PeopleNumbers;
  protected readonly prepare: (text: string) => StatementSync;
  readonly #records: ProfileRecords;

  constructor(db: DatabaseSync) {
    const numbers = new PeopleNumbers(db);
    const prepare = preparing(db);
    super(profileSql(prepare, numbers));
    registerPeopleFunctions(db);
    this.db = db;
    this.numbers = numbers;
    this.prepare = prepare;
    this.#records = new ProfileRecords(db, numbers);
  }

  async states(persons: Persons, of: DefinitionIds): Promise<ReadonlyMap<number, PersonState>> {
    return this.#records.states(persons, wantedOf(await this.definitionTable(), of));
  }

  async facts(persons: Persons, needs: Needs, now: number): Promise<ReadonlyMap<number, PersonFacts>> {
    return this.#records.facts(persons, needs, now);
  }

  async lastTold(
    userIds: readonly string[],
    of: DefinitionIds,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    return this.#records.lastTold(userIds, wantedOf(await this.definitionTable(), of));
  }

  async recentEvents(person: number, limit: number, before: EventPlace | null = null): Promise<readonly PersonEvent[]> {
    return this.#records.events(person, limit, before);
  }

  async lastPerson(): Promise<number> {
    return this.counter('person') ?? 0;
  }

  async outboxSize(): Promise<number> {
    return Number(this.all('SELECT count(*) AS rows FROM outbox')[0]?.['rows']);
  }

  async rebuilding(): Promise<boolean> {
    return this.counter('rebuilt') !== null;
  }

  /** A transaction was undone: what was numbered in it is not. */
  forgetNumbers(): void {
    this.numbers.clear();
  }

  protected all(sql: string, ...args: readonly SQLInputValue[]): Record<string, SQLOutputValue>[] {
    return this.prepare(sql).all(...args);
  }

  protected counter(name: 'person' | 'rebuilt'): number | null {
    const value = this.all('SELECT value FROM counter WHERE name = ?', name)[0]?.['value'];
    return value === undefined ? null : Number(value);
  }
}

/** Keeps what it prepared: the texts are those of the code, and of conditions that were counted last. */
function preparing(db: DatabaseSync): (text: string) => StatementSync {
  const statements = new BoundedMap<string, StatementSync>(PREPARED);
  return (text) => {
    let statement = statements.get(text);
    if (!statement) {
      statement = db.prepare(text);
      statements.set(text, statement);
    }
    return statement;
  };
}
