/** What one node tells the others about a destination: nothing succeeds there (`down`), or it takes messages again (`up`). */
export type News = 'down' | 'up';

/** The other nodes that deliver to the same destinations. */
export interface Peers {
  /** How many nodes there are, this one included. */
  count(): number;
  tell(destinationId: string, news: News): void;
  /** Whether this process knows what other nodes changed until a second ago. If not, nothing is begun. */
  isCurrent(): boolean;
  /** Resolves when it knows what they have changed, or can't: within a second or so. */
  caughtUp(): Promise<unknown>;
}

/** For a process without other nodes. */
export const ALONE: Peers = {
  ...{ count: () => 1, tell: () => undefined },
  ...{ isCurrent: () => true, caughtUp: async () => undefined },
};

/**
 * Tells the other nodes of an outage and of its end. The end is told when this node has had as many successes as there are nodes:
 * so the endpoint gets at most twice what it has just taken, as after each round trip of one node.
 */
export class OutageNews {
  readonly #destinationId: string;
  readonly #peers: Peers;
  /** Successes after an outage until the other nodes are told of its end; 0 where nothing is to be told. */
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
