import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import type { Clock } from '../core/clock.ts';
import type { Destination } from '../core/destination.ts';
import { Fault } from '../core/fault.ts';
import { type Changed, changedMeanwhile, type Expects, revisionOf, type Versioned } from '../core/revision.ts';
import { isTaken, type Source } from '../core/source.ts';
import type { SettingsStore, StoredDestination } from './contract.ts';
import { webhookIdOf } from './webhook-id.ts';

/** What a change of settings needs from the log: a lane for each connected pair. */
export interface Lanes {
  openLane(sourceId: string, destinationId: string): Promise<unknown>;
}

/**
 * The settings in memory, as every stage reads them. A change is durable and visible to all readers before its promise
 * resolves, so that a call accepted after the admin API's answer sees it (contract 9).
 */
export class Settings {
  readonly #store: SettingsStore;
  readonly #lanes: Lanes;
  readonly #clock: Pick<Clock, 'now'>;
  /** Swapped on change, never changed: a reader of several things of it sees one moment. */
  #now = snapshotOf(new Map(), new Map());
  readonly #listeners = new Set<() => void>();
  readonly #inTurn = pLimit(1);

  constructor(store: SettingsStore, lanes: Lanes, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#lanes = lanes;
    this.#clock = clock;
  }

  /** Replaces what is in memory by what the store has, the oldest first. */
  async load(): Promise<void> {
    const { sources, destinations } = await this.#store.load();
    this.#now = snapshotOf(byId(sources.map((source) => ({ oldKey: null, ...source }))), byId(destinations.map(read)));
  }

  /** Follows what other processes change from now on; the answer ends that. */
  follow(): () => void {
    return this.#store.watch?.(() => this.#change(() => this.load())) ?? (() => undefined);
  }

  sources(): Source[] {
    return [...this.#now.sources.values()];
  }

  source(id: string): Source | undefined {
    return this.#now.sources.get(id);
  }

  /** The source that takes calls with this key now: its own, or the one before while that is still taken. */
  sourceByWriteKey(key: string): Source | undefined {
    const source = this.#now.byWriteKey.get(key);
    if (source === undefined || source.writeKey === key) return source;
    return source.oldKey !== null && isTaken(source.oldKey, this.#clock.now()) ? source : undefined;
  }

  destinations(): Destination[] {
    return [...this.#now.destinations.values()];
  }

  destination(id: string): Destination | undefined {
    return this.#now.destinations.get(id);
  }

  /** Creates or replaces a source. The lanes of its readers are open before it is visible: they miss no call. */
  async putSource(source: Source): Promise<void> {
    await this.#change(() => this.#writeSource(source.id, () => source));
  }

  /**
   * Changes a source: of what another process has changed meanwhile nothing is lost, because `change` is then asked again.
   *
   * @throws Fault `not_found`; `changed_meanwhile` when its revision is not an expected one.
   */
  changeSource(id: string, change: (now: Source) => Source, expects?: Expects): Promise<Changed<Source>> {
    return this.#change(async () => {
      const { before, after } = await this.#writeSource(id, (now) => change(there(now, 'source', id)), expects);
      return { before: there(before, 'source', id), after };
    });
  }

  /**
   * Removes a source and its place in every destination.
   *
   * @throws Fault `changed_meanwhile`
   */
  deleteSource(id: string, expects?: Expects): Promise<void> {
    return this.#change(async () => {
      // Of those who expect this revision one goes on.
      if (expects) {
        await this.#agreed(
          `source ${id}`,
          () => this.#now.sources.get(id),
          expects,
          async (now) => {
            const source = there(now, 'source', id);
            return (await this.#store.putSource({ ...source, revision: revisionOf(source) + 1 })) || null;
          },
        );
      }
      const disconnected = ({ sourceIds, ...rest }: Destination): Destination => ({
        ...rest,
        sourceIds: sourceIds.filter((sourceId) => sourceId !== id),
        updatedAt: new Date(this.#clock.now()).toISOString(),
      });
      for (const destination of this.destinations()) {
        if (!destination.sourceIds.includes(id)) continue;
        await this.#writeDestination(destination.id, (now) => disconnected(now ?? destination));
      }
      await this.#store.deleteSource(id);
      this.#now = snapshotOf(without(this.#now.sources, id), this.#now.destinations);
    });
  }

  /** Creates or replaces a destination. Its new lanes are open before the change is visible: it misses no later call. */
  async putDestination(destination: Destination): Promise<void> {
    await this.#change(() => this.#writeDestination(destination.id, () => destination));
  }

  /** As `changeSource`. */
  changeDestination(
    id: string,
    change: (now: Destination) => Destination,
    expects?: Expects,
  ): Promise<Changed<Destination>> {
    return this.#change(async () => {
      const next = (now: Destination | undefined) => change(there(now, 'destination', id));
      const { before, after } = await this.#writeDestination(id, next, expects);
      return { before: there(before, 'destination', id), after };
    });
  }

  /** @throws Fault `changed_meanwhile` */
  deleteDestination(id: string, expects?: Expects): Promise<void> {
    return this.#change(async () => {
      await this.#agreed(
        `destination ${id}`,
        () => this.#now.destinations.get(id),
        expects,
        async (now) => {
          const isGone = await this.#store.deleteDestination(id, expects && now && revisionOf(now));
          return isGone || null;
        },
      );
      this.#now = snapshotOf(this.#now.sources, without(this.#now.destinations, id));
    });
  }

  /** Calls `listener` after each change; the answer ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #writeSource(
    id: string,
    next: (now: Source | undefined) => Source,
    expects?: Expects,
  ): Promise<Written<Source>> {
    const written = await this.#agreed(
      `source ${id}`,
      () => this.#now.sources.get(id),
      expects,
      async (now) => {
        const after = successor(now, next(now));
        return after === now || (await this.#store.putSource(after)) ? { before: now, after } : null;
      },
    );
    this.#now = snapshotOf(new Map(this.#now.sources).set(id, written.after), this.#now.destinations);
    return written;
  }

  async #writeDestination(
    id: string,
    next: (now: Destination | undefined) => Destination,
    expects?: Expects,
  ): Promise<Written<Destination>> {
    const written = await this.#agreed(
      `destination ${id}`,
      () => this.#now.destinations.get(id),
      expects,
      async (now) => {
        const after = successor(now, next(now));
        if (after === now) return { before: now, after };
        for (const sourceId of after.sourceIds) await this.#lanes.openLane(sourceId, id);
        return (await this.#store.putDestination(after)) ? { before: now, after } : null;
      },
    );
    this.#now = snapshotOf(this.#now.sources, new Map(this.#now.destinations).set(id, written.after));
    return written;
  }

  /**
   * Writes what follows from what is here; where another process was faster (`write` answers null), from what it has written.
   *
   * @throws Fault `changed_meanwhile` when what the store has is not expected, or never stands still.
   */
  async #agreed<T extends Versioned, R>(
    what: string,
    read: () => T | undefined,
    expects: Expects | undefined,
    write: (now: T | undefined) => Promise<R | null>,
  ): Promise<R> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (tries > 0) await this.load();
      const now = read();
      const isExpected = !expects || now === undefined || expects(revisionOf(now));
      const written = isExpected ? await write(now) : null;
      if (written !== null) return written;
      // What the store has was seen, and is another.
      if (!isExpected && tries > 0) break;
    }
    throw changedMeanwhile(what);
  }

  /** One change at a time, in the order they were asked for. */
  #change<T>(change: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const changed = await change();
      for (const listener of this.#listeners) listener();
      return changed;
    });
  }
}

function read(stored: StoredDestination): Destination {
  const urls = stored.webhooks.map(({ url }) => url);
  const webhooks = stored.webhooks.map(({ id, ...webhook }, place) => {
    const { url } = webhook;
    // Earlier versions took a URL twice.
    const text = urls.indexOf(url) === place ? url : `${url} ${place}`;
    return { id: id ?? webhookIdOf(text), ...webhook };
  });
  return { updatedAt: null, maxEventAgeHours: null, ...stored, webhooks };
}

/** The settings at one moment. */
interface Snapshot {
  readonly sources: ReadonlyMap<string, Source>;
  readonly destinations: ReadonlyMap<string, Destination>;
  readonly byWriteKey: ReadonlyMap<string, Source>;
}

function snapshotOf(sources: Snapshot['sources'], destinations: Snapshot['destinations']): Snapshot {
  const byWriteKey = new Map<string, Source>();
  for (const source of sources.values()) if (source.oldKey !== null) byWriteKey.set(source.oldKey.writeKey, source);
  // A key that is no longer taken may have become another source's own.
  for (const source of sources.values()) byWriteKey.set(source.writeKey, source);
  return { sources, destinations, byWriteKey };
}

function without<T>(things: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  const others = new Map(things);
  others.delete(id);
  return others;
}

/** The oldest first. */
function byId<T extends { readonly id: string; readonly createdAt: string }>(things: readonly T[]): Map<string, T> {
  const byAge = things.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  return new Map(byAge.map((one) => [one.id, one]));
}

/** Other processes are faster than this one so many times, and no more. */
const MOST_TRIES = 5;

/** What is there when nothing differs, else the next revision of it. */
function successor<T extends Versioned>(now: T | undefined, next: T): T {
  if (now === undefined) return next;
  if (next === now || isDeepStrictEqual({ ...next, revision: now.revision }, { ...now, revision: now.revision }))
    return now;
  return { ...next, revision: revisionOf(now) + 1 };
}

interface Written<T> {
  readonly before: T | undefined;
  readonly after: T;
}

function there<T>(thing: T | undefined, kind: string, id: string): T {
  if (thing === undefined) throw new Fault('not_found', `There is no ${kind} ${id}`);
  return thing;
}
