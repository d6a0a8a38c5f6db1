import type { Clock } from '../../core/clock.ts';
import type { Thread } from '../../threads/thread.ts';
import type { Committer } from './committer.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/** What the log and the records of the store are given. */
export interface SqliteWorld {
  readonly clock: Clock;
  readonly writer: Thread<Writer>;
  /** For lanes that lag and for the retry queue. */
  readonly laneReader: Thread<Reader>;
  /** For people's queries, so that a long search delays no delivery. */
  readonly queryReader: Thread<Reader>;
  readonly committer: Committer;
}
