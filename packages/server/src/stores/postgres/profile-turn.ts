/** The row that a writer of profiles holds meanwhile; see profile-schema.ts. */
export interface Turn {
  readonly version: number;
  readonly epoch: number;
  last_person: number;
  last_message: number;
  /** Messages in the outbox. */
  outbox: number;
  /** Not null while there is a rebuild. */
  rebuilt: number | null;
}

export const TURN = 'SELECT version, epoch, last_person, last_message, outbox, rebuilt FROM profile_turn';

export const FIRST_TURN: Turn = { version: 0, epoch: 0, last_person: 0, last_message: 0, outbox: 0, rebuilt: null };
