import type { Clock } from '../../core/clock.ts';
import type { Dictionary } from '../relational/dictionary.ts';
import type { Sql } from '../relational/sql.ts';
import type { Database } from './database.ts';
import type { Listener } from './listener.ts';
import type { Node } from './node.ts';
import type { Partitions } from './partitions.ts';

/** What the parts of the store share. */
export interface PostgresWorld {
  readonly url: string;
  /** Corrected by the database's clock. */
  readonly clock: Clock;
  /** For statements that deliveries wait for. */
  readonly database: Database;
  /** For queries of people and for background work, so that they delay no delivery. */
  readonly queries: Database;
  /** For the index, so that it does not wait for delivery results. */
  readonly indexing: Database;
  /** Runs its statements on `queries`. */
  readonly sql: Sql;
  readonly dictionary: Dictionary;
  readonly partitions: Partitions;
  readonly node: Node;
  readonly listener: Listener;
  /** Whether this node can read the log. */
  readonly isFit: () => boolean;
  /** Lower-case values of userId that identify no person, in addition to the usual ones. */
  readonly placeholderIds: ReadonlySet<string> | undefined;
  /** Called when something failed that is tried again. */
  readonly failed: (error: unknown, what: string) => void;
}
