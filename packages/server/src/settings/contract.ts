import type { Destination, Target, Webhook } from '../core/destination.ts';
import type { Source } from '../core/source.ts';

/** Sources and destinations as people have set them up. Read whole at start; every change is durable when its promise resolves. */
export interface SettingsStore {
  /** A source that a destination names and that is not in the answer was deleted. */
  load(): Promise<StoredSettings>;
  /**
   * Creates the source if its revision is 1, else replaces the revision before its own. If the store has another revision,
   * answers false and changes nothing: of several processes that change the same revision, one gets true.
   */
  putSource(source: Source): Promise<boolean>;
  /** Deletes the source. Answers false and changes nothing if there is none, or if it has another revision than the given one. */
  deleteSource(id: string, revision?: number): Promise<boolean>;
  /** As `putSource`. */
  putDestination(destination: StoredDestination): Promise<boolean>;
  /** As `deleteSource`. */
  deleteDestination(id: string, revision?: number): Promise<boolean>;
  /**
   * Calls `changed` within a second after another process may have changed something, and again while `changed` rejects. The
   * answer ends that. Absent if the store allows only one process.
   */
  watch?(changed: () => Promise<void>): () => void;
}

export interface StoredSettings {
  readonly sources: readonly StoredSource[];
  readonly destinations: readonly StoredDestination[];
}

/** A source as stored. An earlier version wrote it without the fields that came later. */
export type StoredSource = Later<Source, 'oldKey'>;

export type StoredDestination = Later<Omit<Destination, 'webhooks'>, 'updatedAt' | 'maxEventAgeHours'> & {
  readonly webhooks: readonly (Target & Pick<Webhook, 'hold'>)[];
  /** The secrets, encrypted. If present, the other fields contain no secrets (sealed-store.ts). */
  readonly sealed?: string;
};

type Later<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;
