import type { Clock } from '../../core/clock.ts';
import type { Dictionary } from '../relational/dictionary.ts';
import type { Sql } from '../relational/sql.ts';
import type { Database } from './database.ts';
import type { Listener } from './listener.ts';
import type { Node } from './node.ts';
import type { Partitions } from './partitions.ts';

/** What every part of the store is given. */
export interface PostgresWorld {
  readonly url: string;
  /** Set right by the database's. */
  readonly clock: Clock;
  /** For what deliveries wait for. */
  readonly database: Database;
  /** For what people ask and what is done in the background, so that none of it delays a delivery. */
  readonly queries: Database;
  /** For the index, so that it goes on while outcomes are written. */
  readonly indexing: Database;
  /** Over `queries`. */
  readonly sql: Sql;
  readonly dictionary: Dictionary;
  readonly partitions: Partitions;
  readonly node: Node;
  readonly listener: Listener;
  /** Whether the log can be read. */
  readonly isFit: () => boolean;
  /** Values of a userId that identify no person, beside the usual ones, in lower case. */
  readonly placeholderIds: ReadonlySet<string> | undefined;
  /** Is told what failed and is tried again. */
  readonly failed: (error: unknown, what: string) => void;
}
