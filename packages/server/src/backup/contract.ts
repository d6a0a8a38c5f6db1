/** One backup: of a directory, or under way. */
export interface Backup {
  /** When it was begun, as the name of its folder: `2026-11-22T18-00-00.000Z`. */
  readonly id: string;
  readonly state: 'running' | 'complete' | 'failed';
  /** The moment it is of, milliseconds since the epoch; before there is one, when it was begun. */
  readonly at: number;
  /** Size of all files; 0 until that is known. */
  readonly bytes: number;
  /** How much of that is in the backup's folder. */
  readonly bytesDone: number;
  /** Position of the last event in it; null unless it is complete. */
  readonly lastPosition: number | null;
  /** How long commits waited for it, milliseconds; null unless it is complete. */
  readonly pausedMs: number | null;
  /** Why it failed; null when it did not. */
  readonly reason: string | null;
}

/** The backups that this process makes. */
export interface Backups {
  /** Where they go, an absolute path; null where none is set. */
  readonly directory: string | null;
  /** Why the directory could not be read when `list` was called last; null when it could. */
  readonly trouble: string | null;
  /** What went wrong with the last one that this process began, in words; null when nothing did. */
  readonly failure: string | null;
  /**
   * Newest first, of this service's data alone: those that are complete, the one that runs, and the last one while it is a failure.
   * Of a directory that can't be read there are no complete ones.
   */
  list(): Promise<readonly Backup[]>;
  /**
   * Begins one. `keep`: how many complete ones are left once it is complete; null for all.
   *
   * @throws Fault `conflict` when one runs, or there is no directory for them.
   */
  begin(keep: number | null): Promise<Backup>;
  /** Ends the one that is under way, leaves nothing of it, and begins no other. */
  stop(): Promise<void>;
}
