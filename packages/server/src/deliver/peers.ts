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

/**
 * Tells the other nodes of an outage, and of its end. They begin again when this one sends as many at once as they will be: so the
 * endpoint has at most twice what it has just shown that it can take, as after each round trip of one node.
 */
export class OutageNews {
  readonly #destinationId: string;
  readonly #peers: Peers;
  /** Successes after an outage until the others are told that it is over; 0 when there is nothing to tell. */
  #successesToTell = 0;

  constructor(destinationId: string, peers: Peers) {
    this.#destinationId = destinationId;
    this.#peers = peers;
  }

  /** `isOver`: this success ends an outage. */
  succeeded(isOver: boolean): void {
    if (isOver) this.#successesToTell = this.#peers.count();
    if (this.#successesToTell > 0 && --this.#successesToTell === 0) this.#peers.tell(this.#destinationId, 'up');
  }

  /** An outage begins. */
  failed(): void {
    this.#successesToTell = 0;
    this.#peers.tell(this.#destinationId, 'down');
  }
}
