import type { Clock } from '../../core/clock.ts';
import type { StreamIndex } from '../../log/stream-index.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';

/** What the parts of the log share. */
export interface StreamWorld {
  readonly link: Link;
  readonly names: Names;
  readonly index: StreamIndex;
  readonly clock: Clock;
  /** After this time without a sign of life of a node, other nodes take over its batches, milliseconds. */
  readonly ackWait: number;
  /** How long an append waits for the stream before it is refused, milliseconds. */
  readonly appendDeadline: number;
  /** Called after each batch: how long its confirmation took, milliseconds, and how many events it had. */
  readonly onCommit: (ms: number, events: number) => void;
  /** Called with errors of work that is tried again. */
  readonly report: (error: unknown) => void;
}
