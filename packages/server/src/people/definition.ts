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

/** A trait of the person, its latest value by time. */
export interface TraitCondition {
  readonly trait: string;
  readonly is: Test;
}

/** A trait of any group the person belongs to. */
export interface GroupTraitCondition {
  readonly groupTrait: string;
  readonly is: Test;
}

/** Member of another audience; definitions may not go round in circles. */
export interface MemberCondition {
  /** Id of the audience. */
  readonly audience: string;
}

/**
 * What a value must be. `equals` and `in` compare JSON scalars by type and value (`1` is not `"1"`); `greater` and its like
 * compare numbers with numbers alone; `contains` is a part of a text, without regard to case, or an element of a list;
 * `before`, `after`, `withinDays` read ISO 8601 times (or milliseconds since the epoch). A value of another type fails the
 * test. `not` is the opposite of `equals`, and true where there is no value.
 */
export type Test =
  | { readonly equals: Scalar }
  | { readonly not: Scalar }
  | { readonly contains: string }
  | { readonly in: readonly Scalar[] }
  | { readonly greater: number }
  | { readonly atLeast: number }
  | { readonly less: number }
  | { readonly atMost: number }
  | { readonly exists: boolean }
  | { readonly before: string }
  | { readonly after: string }
  /** The time lies in the last N days (of 24 h), not in the future. */
  | { readonly withinDays: number };

export type Scalar = string | number | boolean | null;

/** How often a person did something; `atLeast: 1` when no count is given. */
export interface EventCondition {
  readonly event: EventSelection;
  readonly count?: { readonly atLeast: number } | { readonly exactly: number } | { readonly atMost: number };
  readonly during?: Period;
}

export interface EventSelection {
  /** Name of a track call's event; absent for page and screen calls with any name. */
  readonly name?: string;
  /** Default `track`. For page and screen, `name` is the page's name. */
  readonly type?: 'track' | 'page' | 'screen';
  /** Every one must hold. `path` is the property's name, or names joined by dots for what lies deeper. */
  readonly where?: readonly { readonly property: string; readonly is: Test }[];
}

/** The last so many hours or days, sliding with the clock (its older end excluded); or a fixed range, from ≤ time < to. */
export type Period =
  | { readonly lastHours: number }
  | { readonly lastDays: number }
  | { readonly from?: string; readonly to?: string };

/** A value computed from one person's events. No value: the trait is not sent, and `null` is sent where it had one. */
export interface TraitDefinition {
  readonly compute:
    | { readonly count: true }
    | { readonly sum: string }
    | { readonly average: string }
    | { readonly min: string }
    | { readonly max: string }
    /** The value that occurs most often, at least twice; of equals the first by alphabet. */
    | { readonly mostFrequent: string }
    | { readonly first: string }
    | { readonly last: string }
    /** Up to 100 different values in the order of first occurrence. */
    | { readonly uniqueList: string }
    | { readonly uniqueCount: string };
  readonly event: EventSelection;
  readonly during?: Period;
}
