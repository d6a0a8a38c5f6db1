import type { Page } from './page.ts';

/** One backup of everything that a single node keeps. */
export interface Backup {
  /** Name of its folder. */
  id: string;
  state: 'running' | 'complete' | 'failed';
  /** The moment it is of. */
  at: string;
  /** Size of all files; 0 until that is known. */
  bytes: number;
  /** How much of that is in its folder. */
  bytesDone: number;
  /** Position of the last event in it; null unless it is complete. */
  lastPosition: number | null;
  /** How long commits waited for it, milliseconds; null unless it is complete. */
  pausedMs: number | null;
  /** Why it failed; null when it did not. */
  reason: string | null;
}

export interface BackupList extends Page<Backup> {
  /** Where the service makes them; null when it makes none. */
  directory: string | null;
}

export interface NewBackup {
  /** How many complete backups are left afterwards, the newest; left out: all. */
  keep?: number;
}
