/** A backup, complete or not. */
export interface Backup {
  /** Name of the backup's folder, made of the time when it was begun: `2026-11-22T18-00-00.000Z`. */
  readonly id: string;
  readonly state: 'running' | 'complete' | 'failed';
  /** The moment whose data the backup contains, milliseconds since the epoch; until that is fixed, the time when it was begun. */
  readonly at: number;
  /** Size of all files; 0 until known. */
  readonly bytes: number;
  /** Bytes already written to the backup's folder. */
  readonly bytesDone: number;
  /** Position of the last event in the backup; null unless it is complete. */
  readonly lastPosition: number | null;
  /** How long the backup blocked commits, milliseconds; null unless it is complete. */
  readonly pausedMs: number | null;
  /** Why the backup failed; null if it did not. */
  readonly reason: string | null;
}

/** The backups made by this process. */
export interface Backups {
  /** The directory of all backups, an absolute path; null if none is set. */
  readonly directory: string | null;
  /** Why the last `list` could not read the directory; null if it could. */
  readonly trouble: string | null;
  /** Why the last backup that this process began failed, in words; null if it did not fail. */
  readonly failure: string | null;
  /**
   * Backups of this service's data, newest first: the complete ones, the running one, and the last one if it failed. If the
   * directory can't be read, complete ones are missing.
   */
  list(): Promise<readonly Backup[]>;
  /**
   * Begins a backup.
   *
   * @param keep how many complete backups stay when this one is complete; null for all.
   * @throws Fault `conflict` if a backup runs, or no directory is set.
   */
  begin(keep: number | null): Promise<Backup>;
  /** Aborts the running backup and removes its files. Later backups are refused. */
  stop(): Promise<void>;
}
