/** The persons whom user ids reach. */
export interface Reached {
  readonly persons: number;
  /** Ids of these persons, those asked for among them, as many as are answered; and how many there are. */
  readonly ids: readonly string[];
  readonly count: number;
  /** The sources that spoke of them. */
  readonly sources: readonly string[];
  /** Of the first persons that have other user ids than those asked for: one asked for, and the others. */
  readonly others: readonly { readonly userId: string; readonly others: readonly string[] }[];
}
