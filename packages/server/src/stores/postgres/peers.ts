import type { Database } from './database.ts';
import type { Listener } from './listener.ts';
import type { Node } from './node.ts';

/** What nodes tell each other; JSON of less than 8,000 bytes each. A node that is cut off at that moment hears nothing of it. */
export interface Peers {
  /** How many nodes live, this one among them. */
  count(): number;
  tell(message: unknown): void;
  /** Calls `heard` with what another node tells, and that node's number. To be called once. */
  hear(heard: (message: unknown, node: number) => void): void;
  /** Whether this node knows by now what others had changed before the call; it waits a second for that. */
  caughtUp(): Promise<boolean>;
}

export interface NodePeersOptions {
  readonly database: Database;
  readonly listener: Listener;
  readonly node: Node;
  readonly failed: (error: unknown) => void;
}

const CHANNEL = 'millrace_peers';

/** What the nodes tell each other, over the database's notifications. A message is JSON of less than 8,000 bytes. */
export class NodePeers implements Peers {
  readonly #options: NodePeersOptions;

  constructor(options: NodePeersOptions) {
    this.#options = options;
  }

  count(): number {
    return this.#options.node.living;
  }

  tell(message: unknown): void {
    const { database, node, failed } = this.#options;
    const payload = JSON.stringify({ from: node.id, message });
    database.query('SELECT pg_notify($1, $2)', [CHANNEL, payload]).catch(failed);
  }

  caughtUp(): Promise<boolean> {
    return this.#options.listener.caughtUp();
  }

  hear(heard: (message: unknown, node: number) => void): void {
    this.#options.listener.onMessage(CHANNEL, (payload) => {
      try {
        const { from, message } = JSON.parse(payload) as { from: number; message: unknown };
        if (from !== this.#options.node.id) heard(message, from);
      } catch (error) {
        this.#options.failed(error);
      }
    });
  }
}
