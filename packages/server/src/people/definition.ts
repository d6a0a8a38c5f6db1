import type { Test } from '../core/value-test.ts';

/**
 * What an audience or a computed trait is: small trees of JSON, as people write them and as they are stored. Times of
 * events are their `timestamp` (when it happened), never when they were received.
 */

/** True or false of one person at one moment. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | TraitCondition
  | GroupTraitCondition
  | EventCondition
  | MemberCondition;

/** A trait of the person, its latest value by time; it counts from when it is known, even if its time lies ahead. */
export interface TraitCondition {
  readonly trait: string;
  readonly is: Test;
}

/** A trait of any group the person belongs to. `not` and `exists: false` hold where no group has what they deny. */
export interface GroupTraitCondition {
  readonly groupTrait: string;
  readonly is: Test;
}

/** Member of another audience; definitions may not go round in circles. */
export interface MemberCondition {
  /** Id of the audience. */
  readonly audience: string;
}

/** How often a person did something; `atLeast: 1` when no count is given. */
export interface EventCondition {
  readonly event: EventSelection;
  readonly count?: { readonly atLeast: number } | { readonly exactly: number } | { readonly atMost: number };
  readonly during?: Period;
}

export interface EventSelection {
  /** Name of a track call's event, which is never absent; absent for page and screen calls with any name or none. */
  readonly name?: string;
  /** Default `track`. For page and screen, `name` is the page's name. */
  readonly type?: 'track' | 'page' | 'screen';
  /**
   * Every one must hold. `property` is the property's name, or names joined by dots for what lies deeper in objects; a
   * property whose own name has the dots goes first.
   */
  readonly where?: readonly { readonly property: string; readonly is: Test }[];
}

/**
 * The last so many hours or days, sliding with the clock (its older end excluded); or a fixed range, from ≤ time < to. An
 * event whose time lies in the future counts from then on.
 */
export type Period =
  | { readonly lastHours: number }
  | { readonly lastDays: number }
  | { readonly from?: string; readonly to?: string };

/**
 * A value computed from one person's events. No value: the trait is not sent, and `null` is sent where it had one. There is
 * none while no event counts, nor where it would be longer than 16 KiB of JSON. Each computation but `count` names a
 * property as `where` does; events without a value it can use don't count.
 */
export interface TraitDefinition {
  readonly compute: /** How many events; never 0, which is no value. */
    | { readonly count: true }
    /** Of numbers; fractions are rounded to 15 digits, and a sum beyond the range of numbers is no value. */
    | { readonly sum: string }
    | { readonly average: string }
    | { readonly min: string }
    | { readonly max: string }
    /**
     * The text, number or boolean that occurs most often, at least twice; of equals the first by alphabet (by the codes of
     * its characters, numbers as they are written).
     */
    | { readonly mostFrequent: string }
    /** Of anything but null: the value of the first event that has one. */
    | { readonly first: string }
    | { readonly last: string }
    /** Up to 100 different texts, numbers and booleans in the order of first occurrence, and as many as fit in 16 KiB. */
    | { readonly uniqueList: string }
    | { readonly uniqueCount: string };
  readonly event: EventSelection;
  readonly during?: Period;
}

/** `compute` decides of every person, `sync` tells every member again, `forget` removes the definition. */
export interface Job {
  readonly kind: 'compute' | 'sync' | 'forget';
  /** It has come to the person of this number, of the numbers up to `total`. */
  readonly done: number;
  readonly total: number;
  /** Of `compute`: every member is told again when it is over. */
  readonly thenSync?: true;
}
