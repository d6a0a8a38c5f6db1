import type { Clock } from '../../core/clock.ts';
import type { StreamIndex } from '../../log/stream-index.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';

/** What every part of the log is given. */
export interface StreamWorld {
  readonly link: Link;
  readonly names: Names;
  readonly index: StreamIndex;
  readonly clock: Clock;
  /** After how many silent milliseconds of a node another one takes over what it has under way. */
  readonly ackWait: number;
  /** How long events wait for the stream to confirm them, milliseconds. */
  readonly appendDeadline: number;
  /** Is told how long each batch took until it was confirmed, milliseconds, and how many events it held. */
  readonly onCommit: (ms: number, events: number) => void;
  /** Is told of what fails and is tried again. */
  readonly report: (error: unknown) => void;
}
