import type { Destination } from '../core/destination.ts';
import type { Source } from '../core/source.ts';

/** What people have set up. Small, read whole at start; every change is durable when its promise resolves. */
export interface SettingsStore {
  load(): Promise<StoredSettings>;
  /** Creates or replaces. */
  putSource(source: Source): Promise<void>;
  deleteSource(id: string): Promise<void>;
  /** Creates or replaces. */
  putDestination(destination: StoredDestination): Promise<void>;
  deleteDestination(id: string): Promise<void>;
  /**
   * Calls `changed` when another process may have changed something, within a second, and again while that rejects; the
   * answer ends it. Absent where there is only one process.
   */
  watch?(changed: () => Promise<void>): () => void;
}

export interface StoredSettings {
  readonly sources: readonly StoredSource[];
  readonly destinations: readonly StoredDestination[];
}

/** What an earlier version wrote lacks the fields that came later. */
export type StoredSource = Later<Source, 'oldKey'>;

export type StoredDestination = Later<Destination, 'updatedAt' | 'maxEventAgeHours'> & {
  /** The secrets, encrypted; then the other fields have none (sealed-store.ts). */
  readonly sealed?: string;
};

type Later<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;
