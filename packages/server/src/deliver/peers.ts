/** What a node finds out about a destination: that nothing succeeds there, or that it does again. */
export type News = 'down' | 'up';

/** The other nodes that deliver to the same destinations. */
export interface Peers {
  /** How many nodes there are, this one among them. */
  count(): number;
  tell(destinationId: string, news: News): void;
}

/** Of a process that has no other nodes beside it. */
export const ALONE: Peers = { count: () => 1, tell: () => undefined };
