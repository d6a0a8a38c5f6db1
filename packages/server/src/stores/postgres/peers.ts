import type { PostgresWorld } from './world.ts';

/** Messages between nodes, each JSON of less than 8,000 bytes. A node without a connection misses them. */
export interface Peers {
  /** How many nodes live, this one included. */
  count(): number;
  /** The same as of now, asked of the database. */
  living(): Promise<number>;
  /** Resolves when the others can be asked whether they have heard it. Reports a failure, and rejects. */
  tell(message: unknown): Promise<unknown>;
  /** Calls `heard` with the message of another node and that node's number, and `missed` when messages may have been lost. Call it once. */
  hear(heard: (message: unknown, node: number) => void, missed: () => void): void;
  /** Whether all messages that were sent until a second ago have arrived, but those before the last `missed`. */
  hears(): boolean;
  /** Whether this node knows everything that others changed until a second ago: see `Listener`. */
  isCurrent(): boolean;
  /** Whether this node knows everything that others changed before this call. Waits up to a second for that. */
  caughtUp(): Promise<boolean>;
  /** Why this node is not notified of what others change, in words; null if it is. */
  trouble(): string | null;
}

const CHANNEL = 'millrace_peers';

/** Messages between nodes, as notifications of the database. */
export function nodePeers({ database, listener, node, ...world }: PostgresWorld): Peers {
  const failed = (error: unknown): void => world.failed(error, 'telling the other nodes');
  return {
    count: () => node.living,
    living: () => node.count(),
    tell(message) {
      const payload = JSON.stringify({ from: node.id, message });
      const told = database.query('SELECT pg_notify($1, $2)', [CHANNEL, payload]);
      told.catch(failed);
      return told;
    },
    hear(heard, missed) {
      const read = (payload: string): void => {
        try {
          const { from, message } = JSON.parse(payload) as { from: number; message: unknown };
          if (from !== node.id) heard(message, from);
        } catch (error) {
          failed(error);
        }
      };
      listener.onMessage(CHANNEL, { heard: read, missed });
    },
    hears: () => listener.hears(),
    isCurrent: () => listener.isCurrent(),
    caughtUp: () => listener.caughtUp(),
    trouble: () => listener.trouble(),
  };
}
