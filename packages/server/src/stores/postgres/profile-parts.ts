import type { ProfileParts } from '../relational/profile-parts.ts';
import type { Queries } from './database.ts';
import { PostgresPersonRecords } from './profile-records.ts';
import { profileSql } from './profile-sql.ts';
import { FIRST_TURN, TURN, type Turn } from './profile-turn.ts';
import type { ProfileWords } from './profile-words.ts';

/** What PostgreSQL has for a reader and a writer of profiles. A writer has a turn, which it changes in memory first. */
export function profileParts(queries: Queries, words: ProfileWords, held?: Turn): ProfileParts {
  const turn = async (): Promise<Turn> => held ?? (await readTurn(queries));
  const profiles = profileSql(queries, words);
  return {
    profiles,
    records: new PostgresPersonRecords(profiles, words),
    counters: {
      lastPerson: async () => (await turn()).last_person,
      outboxSize: async () => (await turn()).outbox,
      rebuilding: async () => (await turn()).rebuilt !== null,
    },
  };
}

async function readTurn(queries: Queries): Promise<Turn> {
  return (await queries.query<Turn & { [name: string]: unknown }>(TURN))[0] ?? FIRST_TURN;
}
