import type { Clock } from '../../core/clock.ts';
import type { Thread } from '../../threads/thread.ts';
import type { Committer } from './committer.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/** What the log, the deliveries and the erasure of the store share. */
export interface SqliteWorld {
  readonly clock: Clock;
  readonly writer: Thread<Writer>;
  /** Reads for lanes that lag and for the retry queue. */
  readonly laneReader: Thread<Reader>;
  /** Reads for queries of people, so that a long search delays no delivery. */
  readonly queryReader: Thread<Reader>;
  readonly committer: Committer;
  /** Lower-case values of userId that identify no person, in addition to the usual ones. */
  readonly placeholderIds: ReadonlySet<string> | undefined;
}
