import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { memo } from '../../core/bounded-map.ts';
import type { ProfileParts } from '../relational/profile-parts.ts';
import { registerPeopleFunctions } from './people-functions.ts';
import { PeopleNumbers } from './people-numbers.ts';
import { SqlitePersonRecords } from './profile-records.ts';
import { profileSql } from './profile-sql.ts';

/** Statements that are kept prepared. */
const PREPARED = 200;

export interface SqliteProfileParts extends ProfileParts {
  readonly numbers: PeopleNumbers;
  /** Keeps what it prepared: the texts are those of the code, and of conditions that were counted last. */
  readonly prepare: (text: string) => StatementSync;
}

/** What a connection to `people.db` has for a reader and a writer. */
export function profileParts(db: DatabaseSync): SqliteProfileParts {
  registerPeopleFunctions(db);
  const numbers = new PeopleNumbers(db);
  const prepare = memo(PREPARED, (text) => db.prepare(text));
  return {
    ...{ numbers, prepare, profiles: profileSql(prepare, numbers), records: new SqlitePersonRecords(db, numbers) },
    counters: {
      lastPerson: () => readCounter(prepare, 'person') ?? 0,
      outboxSize: () => Number(prepare('SELECT count(*) AS rows FROM outbox').get()?.['rows']),
      rebuilding: () => readCounter(prepare, 'rebuilt') !== null,
    },
  };
}

/** Null where it is not there. */
function readCounter(prepare: (text: string) => StatementSync, name: 'person' | 'rebuilt'): number | null {
  const value = prepare('SELECT value FROM counter WHERE name = ?').get(name)?.['value'];
  return value === undefined ? null : Number(value);
}
