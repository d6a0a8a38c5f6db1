import type { Queries } from './database.ts';

/** The row that a writer of profiles locks; see profile-schema.ts. */
export interface Turn {
  readonly version: number;
  readonly epoch: number;
  last_person: number;
  last_message: number;
  /** Messages in the outbox. */
  outbox: number;
  /** Null if no rebuild is under way. */
  rebuilt: number | null;
}

/** @param lock the locking clause of the SELECT */
export async function readTurn(queries: Queries, lock = ''): Promise<Turn> {
  const [turn] = await queries.query<Turn & { [name: string]: unknown }>(
    `SELECT version, epoch, last_person, last_message, outbox, rebuilt FROM profile_turn ${lock}`,
  );
  if (!turn) throw new Error('The profiles have no turn: their migration is missing.');
  return turn;
}
