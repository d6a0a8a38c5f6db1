import type { Destination } from '../core/destination.ts';
import type { Source } from '../core/source.ts';

/** What people have set up. Small, read whole at start; every change is durable when its promise resolves. */
export interface SettingsStore {
  load(): Promise<StoredSettings>;
  /** Creates or replaces. */
  putSource(source: Source): Promise<void>;
  deleteSource(id: string): Promise<void>;
  /** Creates or replaces. */
  putDestination(destination: Destination): Promise<void>;
  deleteDestination(id: string): Promise<void>;
  /**
   * Calls `changed` when another process may have changed something, within a second, and again while that rejects; the
   * answer ends it. Absent where there is only one process.
   */
  watch?(changed: () => Promise<void>): () => void;
}

export interface StoredSettings {
  readonly sources: readonly Source[];
  readonly destinations: readonly Destination[];
}
