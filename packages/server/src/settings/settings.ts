import type { Clock } from '../core/clock.ts';
import type { Destination } from '../core/destination.ts';
import { isTaken, type Source } from '../core/source.ts';
import type { SettingsStore } from './contract.ts';

/** What a change of settings needs from the log: a lane for each connected pair. */
export interface Lanes {
  openLane(sourceId: string, destinationId: string): Promise<unknown>;
  /** Destination ids, none of the settings', that read every call of this source from its first on; none when absent. */
  readersOf?(source: Source): readonly string[];
}

/**
 * The settings in memory, as every stage reads them. A change is durable and visible to all readers before its promise
 * resolves, so that a call accepted after the admin API's answer sees it (decisions 9).
 */
export class Settings {
  readonly #store: SettingsStore;
  readonly #lanes: Lanes;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #sources = new Map<string, Source>();
  readonly #destinations = new Map<string, Destination>();
  readonly #byWriteKey = new Map<string, Source>();
  readonly #listeners = new Set<() => void>();
  #changes: Promise<unknown> = Promise.resolve();

  constructor(store: SettingsStore, lanes: Lanes, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#lanes = lanes;
    this.#clock = clock;
  }

  /** Replaces what is in memory by what the store has, the oldest first. */
  async load(): Promise<void> {
    const { sources, destinations } = await this.#store.load();
    for (const id of this.#sources.keys()) this.#hideSource(id);
    for (const source of sources.toSorted(byAge)) this.#showSource({ oldKey: null, ...source });
    this.#destinations.clear();
    for (const destination of destinations.toSorted(byAge)) {
      this.#destinations.set(destination.id, { updatedAt: null, maxEventAgeHours: null, ...destination });
    }
  }

  /** Follows what other processes change from now on; the answer ends that. */
  follow(): () => void {
    return this.#store.watch?.(() => this.#change(() => this.load())) ?? (() => undefined);
  }

  sources(): Source[] {
    return [...this.#sources.values()];
  }

  source(id: string): Source | undefined {
    return this.#sources.get(id);
  }

  /** The source that takes calls with this key now: its own, or the one before while that is still taken. */
  sourceByWriteKey(key: string): Source | undefined {
    const source = this.#byWriteKey.get(key);
    if (source === undefined || source.writeKey === key) return source;
    return source.oldKey !== null && isTaken(source.oldKey, this.#clock.now()) ? source : undefined;
  }

  destinations(): Destination[] {
    return [...this.#destinations.values()];
  }

  destination(id: string): Destination | undefined {
    return this.#destinations.get(id);
  }

  /** Creates or replaces a source. The lanes of its readers are open before it is visible: they miss no call. */
  putSource(source: Source): Promise<void> {
    return this.#change(async () => {
      for (const reader of this.#lanes.readersOf?.(source) ?? []) await this.#lanes.openLane(source.id, reader);
      await this.#store.putSource(source);
      this.#hideSource(source.id);
      this.#showSource(source);
    });
  }

  /** Removes a source and its place in every destination. */
  deleteSource(id: string): Promise<void> {
    return this.#change(async () => {
      for (const destination of this.#destinations.values()) {
        if (!destination.sourceIds.includes(id)) continue;
        const rest = {
          ...destination,
          sourceIds: destination.sourceIds.filter((sourceId) => sourceId !== id),
          updatedAt: new Date(this.#clock.now()).toISOString(),
        };
        await this.#store.putDestination(rest);
        this.#destinations.set(rest.id, rest);
      }
      await this.#store.deleteSource(id);
      this.#hideSource(id);
    });
  }

  /** Creates or replaces a destination. Its new lanes are open before the change is visible: it misses no later call. */
  putDestination(destination: Destination): Promise<void> {
    return this.#change(async () => {
      for (const sourceId of destination.sourceIds) await this.#lanes.openLane(sourceId, destination.id);
      await this.#store.putDestination(destination);
      this.#destinations.set(destination.id, destination);
    });
  }

  deleteDestination(id: string): Promise<void> {
    return this.#change(async () => {
      await this.#store.deleteDestination(id);
      this.#destinations.delete(id);
    });
  }

  /** Calls `listener` after each change; the answer ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** One change at a time, in the order they were asked for. */
  #change(change: () => Promise<void>): Promise<void> {
    const done = this.#changes.then(async () => {
      await change();
      for (const listener of this.#listeners) listener();
    });
    // A change that failed is its caller's to report; the next one must still run.
    this.#changes = done.catch(() => undefined);
    return done;
  }

  #showSource(source: Source): void {
    this.#sources.set(source.id, source);
    this.#byWriteKey.set(source.writeKey, source);
    // A key that is no longer taken may have become another source's own.
    const old = source.oldKey?.writeKey;
    if (old !== undefined && this.#byWriteKey.get(old)?.writeKey !== old) this.#byWriteKey.set(old, source);
  }

  #hideSource(id: string): void {
    const old = this.#sources.get(id);
    if (!old) return;
    this.#sources.delete(id);
    for (const key of [old.writeKey, old.oldKey?.writeKey]) {
      if (key !== undefined && this.#byWriteKey.get(key) === old) this.#byWriteKey.delete(key);
    }
  }
}

function byAge(a: { readonly createdAt: string }, b: { readonly createdAt: string }): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt);
}
