import type { Clock } from '../../packages/server/src/core/clock.ts';
import type { DeliveryResult, Retry } from '../../packages/server/src/core/delivery.ts';
import type { Destination } from '../../packages/server/src/core/destination.ts';
import type { LogEntry, Position } from '../../packages/server/src/core/event.ts';
import type { Lane } from '../../packages/server/src/core/lane.ts';
import type { Source } from '../../packages/server/src/core/source.ts';
import type { EventLog, LaneReader } from '../../packages/server/src/log/contract.ts';
import type { Claim, DeliveryStore } from '../../packages/server/src/record/contract.ts';
import type { SettingsStore, StoredSettings } from '../../packages/server/src/settings/contract.ts';
import type { Disk, LaneOnDisk, Row } from './disk.ts';
import type { Random } from './random.ts';

/** A time in which the store is not well; milliseconds since the epoch. */
export interface Trouble {
  readonly from: number;
  readonly to: number;
  /** How many of its calls fail. */
  readonly failing: number;
  /** Longest that a call takes, milliseconds. */
  readonly ms: number;
}

export interface WorldPlan {
  readonly troubles: readonly Trouble[];
  /**
   * Whether a lane hands out again, after a crash, what was recorded and whose acknowledgement was lost: a stream does,
   * a table that looks at the records does not.
   */
  readonly handsOutAgain: boolean;
}

/** Is told of what the store does. */
export interface StoreWitness {
  settled(result: DeliveryResult, before: Row | undefined, changed: boolean): void;
  handedOut(destinationId: string, max: number, held: number): void;
  acked(lane: Lane, position: Position): void;
  erased(entry: LogEntry, destinationIds: readonly string[]): void;
  hastened(destinationId: string, messageId: string): void;
}

/** What the stages need of the log, the records and the settings. */
type Contracts = Pick<EventLog, 'lanes' | 'read' | 'openLane' | 'endLane' | 'removeLane'> &
  Pick<DeliveryStore, 'settle' | 'claimDue' | 'release' | 'hasten'> &
  SettingsStore;

/** Acknowledgements are saved this long after the first of them, milliseconds. */
const SAVE_MS = 250;

/**
 * The store as one life of the process sees it: calls take time and may fail, and what is not on the disk when the
 * process dies (claims, who was handed what, acknowledgements not saved, records under way) is gone.
 */
export class World implements Contracts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly witness: StoreWitness;
  readonly plan: WorldPlan;
  readonly #random: Random;
  readonly #readers = new Map<number, SimulatedReader>();
  readonly #claimed = new Map<string, Set<Position>>();
  readonly #settling = new Set<readonly DeliveryResult[]>();
  readonly #acks: { readonly lane: LaneOnDisk; readonly position: Position }[] = [];
  #laneChanges: Promise<unknown> = Promise.resolve();
  #saving = false;
  #dead = false;

  constructor(disk: Disk, clock: Clock, random: Random, plan: WorldPlan, witness: StoreWitness) {
    this.disk = disk;
    this.clock = clock;
    this.plan = plan;
    this.witness = witness;
    this.#random = random;
  }

  /** Events were accepted. */
  appended(entry: LogEntry): void {
    for (const reader of this.#readers.values()) if (reader.lane.sourceId === entry.sourceId) reader.wake();
  }

  settle(batch: readonly DeliveryResult[]): Promise<void> {
    this.#settling.add(batch);
    const finish = (): void => {
      if (this.#settling.delete(batch)) this.#write(batch);
    };
    return this.call(finish, () => {
      // An answer that was lost on its way: recorded all the same, or not.
      if (this.#random.chance(0.3)) finish();
      this.#settling.delete(batch);
    });
  }

  claimDue(destinationId: string, now: number, max: number): Promise<Claim> {
    return this.call(() => {
      const claimed = this.claimedOf(destinationId);
      const due: Row[] = [];
      let next: Row | null = null;
      for (const row of this.disk.retryQueue(destinationId).inOrder()) {
        if (claimed.has(row.entry.position)) continue;
        next = row;
        if (due.length === max || (row.dueAt ?? 0) > now) break;
        due.push(row);
        next = null;
      }
      for (const { entry } of due) claimed.add(entry.position);
      const items = due.map(({ laneId, entry, rounds, firstAt, urlsLeft }) => {
        return { laneId, destinationId, entry, rounds, firstAt, urlsLeft, isReplay: false };
      });
      return { items, nextDueAt: next?.dueAt ?? null };
    });
  }

  hasten(destinationId: string, now: number, of: number | readonly Position[]): Promise<number> {
    return this.call(() => {
      const all = this.disk
        .retryQueue(destinationId)
        .all()
        .filter(({ dueAt }) => (dueAt ?? 0) > now);
      const later =
        typeof of === 'number'
          ? all.filter(({ at }) => at <= now + 1_000).slice(0, of)
          : all.filter(({ entry }) => of.includes(entry.position));
      for (const row of later) {
        const { position } = row.entry;
        this.disk.hasten(destinationId, position, row, now);
        this.witness.hastened(destinationId, this.disk.entries[position - 1]?.messageId ?? '');
      }
      return later.length;
    });
  }

  /** Removes events (regulations/contract.ts); some of them are when it fails. */
  erase(entries: readonly LogEntry[]): Promise<void> {
    const write = (some: readonly LogEntry[]): void => {
      for (const entry of some) {
        if (!this.disk.erased.has(entry.position)) this.witness.erased(entry, this.disk.erase(entry, this.clock.now()));
      }
    };
    return this.call(
      () => write(entries),
      () => write(entries.filter(() => this.#random.chance(0.5))),
    );
  }

  release(retries: readonly Retry[]): void {
    for (const { destinationId, entry } of retries) this.claimedOf(destinationId).delete(entry.position);
  }

  lanes(): Promise<readonly Lane[]> {
    return this.call(() => [...this.disk.lanes.values()].map(({ lane }) => lane));
  }

  openLane(sourceId: string, destinationId: string): Promise<Lane> {
    return this.#inOrder(() => this.disk.openLane(sourceId, destinationId));
  }

  endLane(id: number): Promise<void> {
    return this.#inOrder(() => {
      this.disk.endLane(id);
      this.#readers.get(id)?.wake();
    });
  }

  removeLane(id: number): Promise<void> {
    return this.#inOrder(() => {
      this.disk.lanes.delete(id);
      this.#readers.delete(id);
    });
  }

  read(id: number): LaneReader {
    const reader = new SimulatedReader(id, this);
    this.#readers.set(id, reader);
    return reader;
  }

  load(): Promise<StoredSettings> {
    const { sources, destinations } = this.disk;
    return Promise.resolve({ sources: [...sources.values()], destinations: [...destinations.values()] });
  }

  putSource(source: Source): Promise<boolean> {
    return this.call(() => this.disk.sources.set(source.id, source).has(source.id));
  }

  deleteSource(id: string): Promise<boolean> {
    return this.call(() => this.disk.sources.delete(id) || true);
  }

  putDestination(destination: Destination): Promise<boolean> {
    return this.call(() => this.disk.destinations.set(destination.id, destination).has(destination.id));
  }

  deleteDestination(id: string): Promise<boolean> {
    return this.call(() => this.disk.destinations.delete(id) || true);
  }

  claimedOf(destinationId: string): Set<Position> {
    const claimed = this.#claimed.get(destinationId) ?? new Set<Position>();
    this.#claimed.set(destinationId, claimed);
    return claimed;
  }

  /** How much of a destination's the process holds: handed out or claimed, and not recorded. */
  held(destinationId: string): number {
    let held = this.claimedOf(destinationId).size;
    for (const { lane, pending } of this.#readers.values()) {
      if (lane.destinationId === destinationId) held += pending.size;
    }
    return held;
  }

  ack(lane: LaneOnDisk, position: Position): void {
    this.witness.acked(lane.lane, position);
    this.#acks.push({ lane, position });
    if (this.#saving) return;
    this.#saving = true;
    this.clock.after(SAVE_MS, () => {
      this.#saving = false;
      this.#save();
    });
  }

  /** The process ends in order: what it still knows is saved. */
  close(): void {
    this.#save();
    this.#dead = true;
  }

  /** The process is killed: a record under way may have reached the disk or not. */
  kill(): void {
    this.#dead = true;
    for (const batch of this.#settling) if (this.#random.chance(0.5)) this.#write(batch);
  }

  /** A call of the store: it answers after a while, or fails, or the process dies first and no answer comes. */
  call<T>(answer: () => T, fail: () => void = () => undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const now = this.clock.now();
      const trouble = this.plan.troubles.find(({ from, to }) => from <= now && now < to);
      const fails = trouble !== undefined && this.#random.chance(trouble.failing);
      this.clock.after(this.#random.int(0, trouble?.ms ?? 4), () => {
        if (this.#dead) return;
        if (fails) {
          fail();
          reject(new Error('The store is not well.'));
        } else {
          resolve(answer());
        }
      });
    });
  }

  /** Changes of lanes take effect in the order they are called in. */
  #inOrder<T>(change: () => T): Promise<T> {
    const done = this.#laneChanges.then(() => this.call(change));
    this.#laneChanges = done.catch(() => undefined);
    return done;
  }

  #write(batch: readonly DeliveryResult[]): void {
    for (const result of batch) {
      const { before, changed } = this.disk.settle(result);
      this.witness.settled(result, before, changed);
      // A record that is written again, because its answer was lost, is not the end of a later claim.
      if (changed || before?.state !== 'retrying') this.claimedOf(result.destinationId).delete(result.entry.position);
    }
  }

  #save(): void {
    for (const { lane, position } of this.#acks) lane.acked.add(position);
    this.#acks.length = 0;
  }
}

/** Reads a lane: everything that is not acknowledged, in order, then what comes. */
class SimulatedReader implements LaneReader {
  readonly pending = new Set<Position>();
  readonly #id: number;
  readonly #world: World;
  /** Index of the next entry of the source. */
  #next = 0;
  #wake: (() => void) | null = null;

  constructor(id: number, world: World) {
    this.#id = id;
    this.#world = world;
  }

  get lane(): Lane {
    return this.#onDisk.lane;
  }

  wake(): void {
    this.#wake?.();
  }

  async pull(max: number, signal: AbortSignal): Promise<readonly LogEntry[]> {
    for (;;) {
      signal.throwIfAborted();
      const page = await this.#world.call(() => (signal.aborted ? [] : this.#take(max)));
      signal.throwIfAborted();
      if (page.length > 0 || this.#ended) {
        this.#world.witness.handedOut(this.lane.destinationId, max, this.#world.held(this.lane.destinationId));
        return page;
      }
      await this.#changed(signal);
    }
  }

  ack(positions: readonly Position[]): void {
    for (const position of positions) {
      this.pending.delete(position);
      this.#world.ack(this.#onDisk, position);
    }
  }

  get #onDisk(): LaneOnDisk {
    const known = this.#world.disk.lanes.get(this.#id);
    if (!known) throw new Error(`There is no lane ${this.#id}.`);
    return known;
  }

  get #ended(): boolean {
    const { sourceId, until } = this.lane;
    const next = this.#world.disk.ofSource(sourceId)[this.#next];
    return until !== null && (next === undefined || next.position > until);
  }

  #take(max: number): LogEntry[] {
    const { lane, acked } = this.#onDisk;
    const entries = this.#world.disk.ofSource(lane.sourceId);
    const rows = this.#world.disk.rows(lane.destinationId);
    const page: LogEntry[] = [];
    for (; page.length < max; this.#next++) {
      const entry = entries[this.#next];
      if (!entry || entry.position > (lane.until ?? Infinity)) break;
      if (entry.position <= lane.after || acked.has(entry.position)) continue;
      if (this.#world.disk.erased.has(entry.position)) continue;
      if (!this.#world.plan.handsOutAgain && rows.has(entry.position)) continue;
      this.pending.add(entry.position);
      page.push(entry);
    }
    return page;
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#wake = null;
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#wake = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
