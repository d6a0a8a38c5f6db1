import type { Offsets } from '../core/position.ts';

/** What the engine has to do next, answered after each step. */
export interface EngineStatus {
  /** Messages in the outbox. */
  readonly outbox: number;
  /** The position up to which each shard was taken in; a shard of which nothing was taken in has none. */
  readonly reached: Offsets;
  /** Whether there are definitions, so that calls decide something. */
  readonly live: boolean;
  /** When something must be decided again; null for never. */
  readonly nextDue: number | null;
  /** Whether a job has pages left. */
  readonly working: boolean;
  /** Whether a rebuild is under way: all persons were removed, and the log is read again from its beginning. */
  readonly rebuilding: boolean;
  /** Whether persons are being erased whose events may still be in the log. */
  readonly erasing: boolean;
}

/** The status before an engine was asked. */
export const NOTHING_TO_DO: EngineStatus = {
  ...{ outbox: 0, reached: [], live: false, nextDue: null, working: false, rebuilding: false, erasing: false },
};
