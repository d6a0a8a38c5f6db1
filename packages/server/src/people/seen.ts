import type { PersonEvent } from './person.ts';

/** What is asked and answered of what calls said lately; see contract.ts. */
export interface EventNamesQuery {
  readonly type: PersonEvent['type'];
  /** A part of the name, in any case of ASCII letters. */
  readonly text: string;
  /** Events from then on, up to now, are counted. */
  readonly since: number;
  readonly now: number;
  readonly limit: number;
  /** No name's events are counted further. */
  readonly most: number;
}

export interface EventName {
  readonly name: string;
  readonly events: number;
}

/** A read ends with the row that reaches one of these. */
export interface Most {
  readonly rows: number;
  /** Of JSON. */
  readonly characters: number;
}

export interface SeenTrait {
  /** The number of the person, or of the group. */
  readonly owner: number;
  readonly name: string;
  /** JSON. */
  readonly value: string;
}
