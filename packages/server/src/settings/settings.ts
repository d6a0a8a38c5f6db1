import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import type { Clock } from '../core/clock.ts';
import type { Destination } from '../core/destination.ts';
import { Fault } from '../core/fault.ts';
import { type Changed, changedMeanwhile, type Expects, revisionOf, type Versioned } from '../core/revision.ts';
import { isTaken, type Source } from '../core/source.ts';
import type { SettingsStore, StoredDestination } from './contract.ts';
import { webhookIdOf } from './webhook-id.ts';

/** What `Settings` needs from the log: it opens a lane for each pair of source and destination. */
export interface Lanes {
  openLane(sourceId: string, destinationId: string): Promise<unknown>;
}

/**
 * The settings in memory, as every stage reads them. A change is durable and visible to all readers before its promise resolves.
 * So a call that is accepted after the admin API's answer sees the change (contract 9).
 */
export class Settings {
  readonly #store: SettingsStore;
  readonly #lanes: Lanes;
  readonly #clock: Pick<Clock, 'now'>;
  /** Replaced on a change, never modified: a reader that keeps one snapshot sees one moment. */
  #now = snapshotOf({ source: new Map(), destination: new Map() });
  readonly #listeners = new Set<() => void>();
  readonly #inTurn = pLimit(1);

  constructor(store: SettingsStore, lanes: Lanes, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#lanes = lanes;
    this.#clock = clock;
  }

  /** Reads all settings from the store into memory, oldest first. */
  async load(): Promise<void> {
    const { sources, destinations } = await this.#store.load();
    const source = byId(sources.map((stored) => ({ oldKey: null, ...stored })));
    this.#now = snapshotOf({ source, destination: byId(destinations.map((one) => read(one, source))) });
  }

  /** From now on takes over the changes of other processes. The answer ends that. */
  follow(): () => void {
    return this.#store.watch?.(() => this.#change(() => this.load())) ?? (() => undefined);
  }

  sources(): Source[] {
    return [...this.#now.things.source.values()];
  }

  source(id: string): Source | undefined {
    return this.#now.things.source.get(id);
  }

  /** The source that accepts this write key now: as its current key, or as its former key during the overlap. */
  sourceByWriteKey(key: string): Source | undefined {
    const source = this.#now.byWriteKey.get(key);
    if (source === undefined || source.writeKey === key) return source;
    return source.oldKey !== null && isTaken(source.oldKey, this.#clock.now()) ? source : undefined;
  }

  destinations(): Destination[] {
    return [...this.#now.things.destination.values()];
  }

  destination(id: string): Destination | undefined {
    return this.#now.things.destination.get(id);
  }

  /**
   * Creates or replaces a source. The lanes of its destinations are open before it is visible: they miss no call.
   *
   * @throws Fault `conflict` if the source is new and another process has given its write key to another source meanwhile.
   */
  async putSource(source: Source): Promise<void> {
    await this.#change(async () => {
      const { before } = await this.#write('source', source.id, () => source);
      // A store that can't be watched has no other process.
      if (before !== undefined || this.#store.watch === undefined) return;
      // Of processes that give one key to two sources at once, the later reader sees both. It may be that each withdraws its own.
      await this.load();
      if (!this.sources().some(({ id, writeKey }) => id !== source.id && writeKey === source.writeKey)) return;
      await this.#store.deleteSource(source.id);
      this.#show('source', without(this.#now.things.source, source.id));
      throw new Fault('conflict', KEY_TAKEN);
    });
  }

  /**
   * Changes a source. If another process has changed it meanwhile, `change` is called again with the new state: no change is
   * lost.
   *
   * @throws Fault `not_found`; `changed_meanwhile` if the revision is not an expected one.
   */
  changeSource(id: string, change: (now: Source) => Source, expects?: Expects): Promise<Changed<Source>> {
    return this.#changeOne('source', id, change, expects);
  }

  /**
   * Deletes a source and disconnects it from every destination.
   *
   * @throws Fault, where a revision is expected: `changed_meanwhile`, or `not_found` if another process has deleted it.
   */
  deleteSource(id: string, expects?: Expects): Promise<void> {
    return this.#change(async () => {
      // Of several callers that expect this revision, only one can make the next revision and go on.
      if (expects) await this.#markChanged(id, expects);
      const disconnected = ({ sourceIds, ...rest }: Destination): Destination => ({
        ...rest,
        sourceIds: sourceIds.filter((sourceId) => sourceId !== id),
        updatedAt: new Date(this.#clock.now()).toISOString(),
      });
      for (const destination of this.destinations()) {
        if (!destination.sourceIds.includes(id)) continue;
        await this.#write('destination', destination.id, (now) => disconnected(now ?? destination));
      }
      const isDeleted = await this.#store.deleteSource(id);
      this.#show('source', without(this.#now.things.source, id));
      if (expects && !isDeleted) there(undefined, 'source', id);
    });
  }

  /** Creates or replaces a destination. Its new lanes are open before the change is visible: it misses no later call. */
  async putDestination(destination: Destination): Promise<void> {
    await this.#change(() => this.#write('destination', destination.id, () => destination));
  }

  /** As `changeSource`. */
  changeDestination(
    id: string,
    change: (now: Destination) => Destination,
    expects?: Expects,
  ): Promise<Changed<Destination>> {
    return this.#changeOne('destination', id, change, expects);
  }

  /** As `deleteSource`. */
  deleteDestination(id: string, expects?: Expects): Promise<void> {
    return this.#change(async () => {
      await this.#agreed('destination', id, expects, async (now) => {
        const isDeleted = await this.#store.deleteDestination(id, expects && revisionOf(there(now, 'destination', id)));
        return isDeleted || !expects || null;
      });
      const before = this.destination(id);
      this.#show('destination', without(this.#now.things.destination, id));
      await this.#connected.destination(before);
    });
  }

  /** Calls `listener` after each change. The answer ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changeOne<K extends Kind>(
    kind: K,
    id: string,
    change: (now: Things[K]) => Things[K],
    expects?: Expects,
  ): Promise<Changed<Things[K]>> {
    return this.#change(async () => {
      const { before, after } = await this.#write(kind, id, (now) => change(there(now, kind, id)), expects);
      return { before: there(before, kind, id), after };
    });
  }

  async #write<K extends Kind>(
    kind: K,
    id: string,
    next: (now: Things[K] | undefined) => Things[K],
    expects?: Expects,
  ): Promise<Written<Things[K]>> {
    const written = await this.#agreed(kind, id, expects, async (now) => {
      const after = successor(now, next(now));
      return after === now || (await this.#put[kind](after)) ? { before: now, after } : null;
    });
    this.#show(kind, new Map(this.#now.things[kind]).set(id, written.after));
    await this.#connected[kind](written.before, written.after);
    return written;
  }

  /** The destinations of an audience or trait are part of its settings: connecting or disconnecting its source is a new revision of the source. */
  readonly #connected: { readonly [K in Kind]: (before?: Things[K], after?: Things[K]) => Promise<void> } = {
    source: async () => undefined,
    destination: async (before, after) => {
      const changed = new Set(before?.sourceIds).symmetricDifference(new Set(after?.sourceIds));
      for (const id of changed) if (this.source(id)?.sentBy !== undefined) await this.#markChanged(id);
    },
  };

  /** Makes the next revision of a source and changes nothing else. @throws Fault `not_found`, `changed_meanwhile` */
  async #markChanged(id: string, expects?: Expects): Promise<void> {
    const marked = await this.#agreed('source', id, expects, async (now) => {
      const source = there(now, 'source', id);
      const next = { ...source, revision: revisionOf(source) + 1 };
      return (await this.#store.putSource(next)) ? next : null;
    });
    this.#show('source', new Map(this.#now.things.source).set(id, marked));
  }

  /** Writes to the store. Answers false if another process was faster. */
  readonly #put: { readonly [K in Kind]: (thing: Things[K]) => Promise<boolean> } = {
    source: (source) => this.#store.putSource(source),
    destination: async (destination) => {
      for (const sourceId of destination.sourceIds) await this.#lanes.openLane(sourceId, destination.id);
      return this.#store.putDestination(destination);
    },
  };

  #show<K extends Kind>(kind: K, all: ReadonlyMap<string, Things[K]>): void {
    this.#now = snapshotOf({ ...this.#now.things, [kind]: all });
  }

  /**
   * Calls `write` with the thing in memory. If another process was faster (`write` answers null), loads the store and tries
   * again.
   *
   * @throws Fault `changed_meanwhile` if the revision in the store is not expected, or after `MOST_TRIES` tries.
   */
  async #agreed<K extends Kind, R>(
    kind: K,
    id: string,
    expects: Expects | undefined,
    write: (now: Things[K] | undefined) => Promise<R | null>,
  ): Promise<R> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (tries > 0) await this.load();
      const now = this.#now.things[kind].get(id);
      const isExpected = !expects || now === undefined || expects(revisionOf(now));
      const written = isExpected ? await write(now) : null;
      if (written !== null) return written;
      // The store was just read, and its revision is not an expected one.
      if (!isExpected && tries > 0) break;
    }
    throw changedMeanwhile(`${kind} ${id}`);
  }

  /** Runs one change at a time, in the order of the calls. */
  #change<T>(change: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      try {
        return await change();
      } finally {
        // After a failure too: a part of the change may be written and visible.
        for (const listener of this.#listeners) listener();
      }
    });
  }
}

function read(stored: StoredDestination, sources: ReadonlyMap<string, Source>): Destination {
  const urls = stored.webhooks.map(({ url }) => url);
  const webhooks = stored.webhooks.map(({ id, ...webhook }, place) => {
    const { url } = webhook;
    // Earlier versions accepted the same URL twice.
    const text = urls.indexOf(url) === place ? url : `${url} ${place}`;
    return { id: id ?? webhookIdOf(text), ...webhook };
  });
  // One process may connect a source while another one deletes it.
  const sourceIds = stored.sourceIds.filter((sourceId) => sources.has(sourceId));
  return { updatedAt: null, maxEventAgeHours: null, ...stored, sourceIds, webhooks };
}

/** The types of the settings, by kind. */
interface Things {
  readonly source: Source;
  readonly destination: Destination;
}

type Kind = keyof Things;

/** A written thing, and its state before; undefined if it is new. */
interface Written<T> {
  readonly before: T | undefined;
  readonly after: T;
}

/** The settings at one moment. */
interface Snapshot {
  readonly things: { readonly [K in Kind]: ReadonlyMap<string, Things[K]> };
  readonly byWriteKey: ReadonlyMap<string, Source>;
}

function snapshotOf(things: Snapshot['things']): Snapshot {
  const sources = [...things.source.values()];
  const byWriteKey = new Map<string, Source>();
  for (const source of sources) if (source.oldKey !== null) byWriteKey.set(source.oldKey.writeKey, source);
  // After the keys above, so they win: a former key that has ended may be the current key of another source.
  for (const source of sources) byWriteKey.set(source.writeKey, source);
  return { things, byWriteKey };
}

function without<T>(things: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  const others = new Map(things);
  others.delete(id);
  return others;
}

/** The things by id, oldest first. */
function byId<T extends { readonly id: string; readonly createdAt: string }>(things: readonly T[]): Map<string, T> {
  const byAge = things.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  return new Map(byAge.map((one) => [one.id, one]));
}

export const KEY_TAKEN = 'Another source has this write key.';

/** How often a change is tried while other processes are faster. */
const MOST_TRIES = 5;

/** `now` if `next` differs in nothing, else `next` as the next revision. */
function successor<T extends Versioned>(now: T | undefined, next: T): T {
  if (now === undefined) return next;
  if (next === now || isDeepStrictEqual({ ...next, revision: now.revision }, { ...now, revision: now.revision }))
    return now;
  return { ...next, revision: revisionOf(now) + 1 };
}

function there<T>(thing: T | undefined, kind: string, id: string): T {
  if (thing === undefined) throw new Fault('not_found', `There is no ${kind} ${id}`);
  return thing;
}
