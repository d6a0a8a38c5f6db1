import type { Offsets } from '../core/position.ts';

/** What the engine has to do next, as its owner is told after each step. */
export interface EngineStatus {
  /** Messages in the outbox. */
  readonly outbox: number;
  /** Up to where each shard of the log was taken in; one of which nothing was has none. */
  readonly reached: Offsets;
  /** There are definitions, so calls decide something. */
  readonly live: boolean;
  /** When something must be decided anew; null for never. */
  readonly nextDue: number | null;
  /** There are pages left of a job. */
  readonly working: boolean;
  /** Persons were forgotten, and the log is read again from its beginning. */
  readonly rebuilding: boolean;
  /** Persons are being erased, and the log may still hold what they did. */
  readonly erasing: boolean;
}

/** Before an engine was asked. */
export const NOTHING_TO_DO: EngineStatus = {
  ...{ outbox: 0, reached: [], live: false, nextDue: null, working: false, rebuilding: false, erasing: false },
};
