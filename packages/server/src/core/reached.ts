/** The persons that a list of user ids leads to. */
export interface Reached {
  readonly persons: number;
  /** Ids of these persons, the asked ones among them: the first of them, and how many there are. */
  readonly ids: readonly string[];
  readonly count: number;
  /** Those of `ids` that no call had as its userId, without the asked ones. */
  readonly anonymousIds: readonly string[];
  /** The sources whose calls named them. */
  readonly sources: readonly string[];
  /** For the first persons that have other user ids than the asked ones: an asked one, and the others. */
  readonly others: readonly { readonly userId: string; readonly others: readonly string[] }[];
}
