import type { PersonEvent } from './person.ts';

/** Questions about what calls contained lately, and their answers; see contract.ts. */
export interface EventNamesQuery {
  readonly type: PersonEvent['type'];
  /** A part of the name, without regard to the case of ASCII letters. */
  readonly text: string;
  /** Events from this time on, up to now, are counted. */
  readonly since: number;
  readonly now: number;
  readonly limit: number;
  /** Events of one name are counted up to this number. */
  readonly most: number;
}

export interface EventName {
  readonly name: string;
  readonly events: number;
}

/** A read ends with the row that reaches one of these bounds. */
export interface Most {
  readonly rows: number;
  /** Characters of JSON. */
  readonly characters: number;
}

export interface SeenTrait {
  /** The number of the person, or of the group. */
  readonly owner: number;
  readonly name: string;
  /** JSON. */
  readonly value: string;
}
