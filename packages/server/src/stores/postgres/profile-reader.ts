import type { DefinitionIds, EventPlace, Needs, PersonFacts, PersonState, Persons } from '../../people/contract.ts';
import type { PersonEvent } from '../../people/person.ts';
import { RelationalProfileReader } from '../relational/profile-reader.ts';
import type { Queries } from './database.ts';
import { ProfileRecords } from './profile-records.ts';
import { profileSql } from './profile-sql.ts';
import { FIRST_TURN, TURN, type Turn } from './profile-turn.ts';
import type { ProfileWords } from './profile-words.ts';

/** Reads of the profiles; see people/contract.ts for what they answer. */
export class PostgresProfileReader extends RelationalProfileReader {
  protected readonly queries: Queries;
  protected readonly words: ProfileWords;
  readonly #records: ProfileRecords;

  constructor(queries: Queries, words: ProfileWords) {
    super(profileSql(queries, words));
    this.queries = queries;
    this.words = words;
    this.#records = new ProfileRecords(queries, words);
  }

  async states(persons: Persons, of: DefinitionIds): Promise<ReadonlyMap<number, PersonState>> {
    return this.#records.states(persons, of, await this.definitionTable());
  }

  facts(persons: Persons, needs: Needs, now: number): Promise<ReadonlyMap<number, PersonFacts>> {
    return this.#records.facts(persons, needs, now);
  }

  async lastTold(
    userIds: readonly string[],
    of: DefinitionIds,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    return this.#records.lastTold(userIds, of, await this.definitionTable());
  }

  recentEvents(person: number, limit: number, before: EventPlace | null = null): Promise<readonly PersonEvent[]> {
    return this.#records.events(person, limit, before);
  }

  async lastPerson(): Promise<number> {
    return (await this.turn()).last_person;
  }

  async outboxSize(): Promise<number> {
    return (await this.turn()).outbox;
  }

  async rebuilding(): Promise<boolean> {
    return (await this.turn()).rebuilt !== null;
  }

  protected async turn(): Promise<Turn> {
    return (await this.queries.query<Turn & { [name: string]: unknown }>(TURN))[0] ?? FIRST_TURN;
  }
}
