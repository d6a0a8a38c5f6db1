import type { Destination, Target, Webhook } from '../core/destination.ts';
import type { Source } from '../core/source.ts';

/** What people have set up. Small, read whole at start; every change is durable when its promise resolves. */
export interface SettingsStore {
  load(): Promise<StoredSettings>;
  /**
   * Creates it where its revision is 1, else replaces the revision before its own. Answers false, and changes nothing, when
   * that is not what is there: of several processes that change the same revision, one is answered true.
   */
  putSource(source: Source): Promise<boolean>;
  /** Answers false, and changes nothing, when it is there under another revision than one that is given. */
  deleteSource(id: string, revision?: number): Promise<boolean>;
  /** As `putSource`. */
  putDestination(destination: StoredDestination): Promise<boolean>;
  /** As `deleteSource`. */
  deleteDestination(id: string, revision?: number): Promise<boolean>;
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

export type StoredDestination = Later<Omit<Destination, 'webhooks'>, 'updatedAt' | 'maxEventAgeHours'> & {
  readonly webhooks: readonly (Target & Pick<Webhook, 'hold'>)[];
  /** The secrets, encrypted; then the other fields have none (sealed-store.ts). */
  readonly sealed?: string;
};

type Later<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;
