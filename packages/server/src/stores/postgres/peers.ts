import type { PostgresWorld } from './world.ts';

/** What nodes tell each other; JSON of less than 8,000 bytes each. A node that is cut off at that moment hears nothing of it. */
export interface Peers {
  /** How many nodes live, this one among them. */
  count(): number;
  tell(message: unknown): void;
  /** Calls `heard` with what another node tells, and that node's number. To be called once. */
  hear(heard: (message: unknown, node: number) => void): void;
  /** False after this process stood still, until it has caught up. */
  isCurrent(): boolean;
  /** Whether this node knows by now what others had changed before the call; it waits a second for that. */
  caughtUp(): Promise<boolean>;
}

const CHANNEL = 'millrace_peers';

/** What the nodes tell each other, over the database's notifications. */
export function nodePeers({ database, listener, node, ...world }: PostgresWorld): Peers {
  const failed = (error: unknown): void => world.failed(error, 'telling the other nodes');
  return {
    count: () => node.living,
    tell(message) {
      const payload = JSON.stringify({ from: node.id, message });
      database.query('SELECT pg_notify($1, $2)', [CHANNEL, payload]).catch(failed);
    },
    hear(heard) {
      listener.onMessage(CHANNEL, (payload) => {
        try {
          const { from, message } = JSON.parse(payload) as { from: number; message: unknown };
          if (from !== node.id) heard(message, from);
        } catch (error) {
          failed(error);
        }
      });
    },
    isCurrent: () => listener.isCurrent(),
    caughtUp: () => listener.caughtUp(),
  };
}
