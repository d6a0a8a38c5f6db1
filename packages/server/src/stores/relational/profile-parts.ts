import type { EventPlace, Needs, PersonFacts, PersonState, Persons } from '../../people/contract.ts';
import type { PersonEvent } from '../../people/person.ts';
import type { NumberedDefinitions } from './profile-definitions.ts';
import type { ProfileSql } from './profile-sql.ts';

/** What a database has for a reader and a writer of profiles. */
export interface ProfileParts {
  readonly profiles: ProfileSql;
  readonly records: PersonRecords;
  readonly counters: ProfileCounters;
}

type Answer<T> = T | Promise<T>;

/** Reads persons, no more of each than is needed; see ProfileReader. `definitions` are those that are asked for. */
export interface PersonRecords {
  states(persons: Persons, definitions: NumberedDefinitions): Answer<ReadonlyMap<number, PersonState>>;
  facts(persons: Persons, needs: Needs, now: number): Answer<ReadonlyMap<number, PersonFacts>>;
  lastTold(
    userIds: readonly string[],
    definitions: NumberedDefinitions,
  ): Answer<ReadonlyMap<string, ReadonlyMap<string, string>>>;
  events(person: number, limit: number, before: EventPlace | null): Answer<readonly PersonEvent[]>;
}

/** What is counted beside the persons; see ProfileReader. */
export interface ProfileCounters {
  lastPerson(): Answer<number>;
  outboxSize(): Answer<number>;
  rebuilding(): Answer<boolean>;
}
