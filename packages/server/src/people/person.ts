import type { JsonObject } from '../core/json.ts';

/** What deciding needs to know of one person. Values are as JSON.parse makes them. Times are milliseconds since the epoch. */
export interface Person {
  /** By name. A trait counts as soon as it is known, whatever its time: the time only says which value is the latest. */
  readonly traits: ReadonlyMap<string, TraitValue>;
  /** The groups the person belongs to, by id: the traits of each, by name. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  /** By time; events of one time by messageId, so that the order of their receipt changes nothing. */
  readonly events: readonly PersonEvent[];
  /** Ids of the audiences the person is a member of. */
  readonly audiences: ReadonlySet<string>;
}

export interface TraitValue {
  readonly value: unknown;
  readonly at: number;
}

export interface PersonEvent {
  /** When it happened. An event of the future counts from that time on. */
  readonly at: number;
  readonly type: 'track' | 'page' | 'screen';
  /** The event of a track call, the name of a page or a screen; null for a page or screen without one. */
  readonly name: string | null;
  readonly properties: JsonObject;
  readonly messageId: string;
}

/** Type and name of an event. */
export type Kind = Pick<PersonEvent, 'type' | 'name'>;

/** A text that is different for each kind. */
export function kindKey({ type, name }: Kind): string {
  return name === null ? type : `${type} ${name}`;
}
