import { Bell } from '../../core/bell.ts';
import type { Event, LogEntry, NewEvent, Position } from '../../core/event.ts';
import type { Lane } from '../../core/lane.ts';
import { BEYOND_ALL } from '../../core/position.ts';
import type { FoundText } from '../../core/text-search.ts';
import {
  type AppendResult,
  type EntryPage,
  type EventLog,
  type FollowedPage,
  type LaneReader,
  MOST_COUNTED,
  type SourceTotals,
  type TextPage,
  type TextQuery,
} from '../../log/contract.ts';
import { pageOf } from '../../log/entry-page.ts';
import { Follower } from '../../log/follower.ts';
import { restFrom } from '../../log/search-rest.ts';
import type { ErasedEvent } from '../../regulations/contract.ts';
import { type LaneSource, SqliteLaneReader } from './lane-reader.ts';
import type { CommitResult } from './protocol.ts';
import type { Tail } from './tail.ts';
import type { SqliteWorld } from './world.ts';
import type { LaneState } from './writer.ts';

/** A search runs in pieces. A piece takes about this long, so that other queries of people wait no longer, milliseconds. */
const PIECE_MS = 8;
const FIRST_PIECE = 2_000;
const LARGEST_PIECE = 20_000;
/** One call of a search answers after this time, milliseconds, or after this many events. */
const CALL_MS = 300;
const CALL_EVENTS = 100_000;
/** If the process is busy for more than this share of the time, a search pauses after each piece. */
const BUSY = 0.3;
/** The shortest time that shows how busy the process is, milliseconds. */
const TELLING_MS = 25;

/** The log in SQLite partitions. See log/contract.ts for the promises. */
export class SqliteEventLog implements EventLog, LaneSource {
  readonly tail: Tail;
  readonly reader: SqliteWorld['laneReader'];
  readonly #world: SqliteWorld;
  /** All lanes: one process has the folder, and every change of a lane passes through here. */
  readonly #lanes = new Map<number, LaneState>();
  readonly #readers = new Map<number, SqliteLaneReader>();
  /** Whether the last search found this process busy. The next search assumes the same until it can measure. */
  #isBusy = false;
  readonly #followers = new Set<Follower>();
  /** Bells for callers that wait for a source's next event. */
  readonly #waiting = new Map<string, Bell>();
  readonly #appended = new Bell();

  /** `lanes` are the existing lanes. */
  constructor(world: SqliteWorld, tail: Tail, lanes: readonly LaneState[]) {
    this.#world = world;
    this.reader = world.laneReader;
    this.tail = tail;
    for (const lane of lanes) this.#know(lane);
    world.committer.serve(this);
  }

  append(events: readonly NewEvent[]): Promise<AppendResult> {
    return this.#world.committer.append(events);
  }

  async openLane(sourceId: string, destinationId: string): Promise<Lane> {
    return this.#know(await this.#world.writer.remote.openLane(sourceId, destinationId));
  }

  async endLane(id: number): Promise<void> {
    const lane = await this.#world.writer.remote.endLane(id);
    if (!lane || lane.until === null) return;
    this.#know(lane);
    this.#readers.get(id)?.end(lane.until);
    this.#wake(lane.sourceId);
  }

  async removeLane(id: number): Promise<void> {
    await this.#world.writer.remote.live.removeLane(id);
    const lane = this.#lanes.get(id);
    this.#readers.get(id)?.end(0);
    this.#readers.delete(id);
    this.#lanes.delete(id);
    if (lane) this.#wake(lane.sourceId);
  }

  async lanes(): Promise<readonly Lane[]> {
    return [...this.#lanes.values()];
  }

  read(id: number): LaneReader {
    const lane = this.#lanes.get(id);
    if (!lane) throw new Error(`There is no lane ${id}; open it, or list the lanes, before reading it.`);
    const reader = new SqliteLaneReader(lane, this);
    this.#readers.set(id, reader);
    return reader;
  }

  fetch(positions: readonly Position[]): Promise<readonly (LogEntry | undefined)[]> {
    return this.reader.remote.fetch(positions);
  }

  async follow(signal: AbortSignal): Promise<AsyncIterable<FollowedPage>> {
    const follower = new Follower(signal, () => this.#followers.delete(follower));
    if (!signal.aborted) this.#followers.add(follower);
    return follower;
  }

  async scan(after: Position, limit: number, through: Position = BEYOND_ALL): Promise<EntryPage> {
    return after < this.tail.end ? this.reader.remote.scan(after, limit, through) : pageOf([]);
  }

  nextAppend(): Promise<void> {
    return this.#appended.next;
  }

  async countAfter(after: Position, through: Position): Promise<number> {
    return Math.min(MOST_COUNTED, Math.max(0, Math.min(through, this.tail.end) - after));
  }

  async find(messageId: string, sourceIds: readonly string[], owner?: string): Promise<LogEntry | undefined> {
    const seq = await this.#world.writer.remote.locating.newest(messageId, sourceIds, owner ?? null);
    if (seq === null) return undefined;
    const [entry] = await this.fetch([seq]);
    return entry;
  }

  /** Runs on the thread of people's queries. Other queries run between two pieces. */
  async search({ text, wordsOnly, cursor, limit }: TextQuery): Promise<TextPage> {
    const items: FoundText[] = [];
    let before = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor) || 0;
    let rows = FIRST_PIECE;
    let events = 0;
    let reachedAt: number | null = null;
    const began = performance.now();
    const idle = performance.eventLoopUtilization();
    for (;;) {
      const place = { before, rows, limit: limit - items.length };
      const piece = await this.#world.queryReader.remote.lookThrough({ text, wordsOnly, ...place });
      if (piece.reached === null) return { items, next: null, events, reachedAt };
      items.push(...piece.found);
      events += piece.events;
      before = piece.reached.seq;
      reachedAt = piece.reached.receivedAt;
      const passed = performance.now() - began;
      if (items.length >= limit || events >= CALL_EVENTS || passed > CALL_MS) break;
      if (passed > TELLING_MS) this.#isBusy = performance.eventLoopUtilization(idle).utilization > BUSY;
      if (this.#isBusy) await restFrom(piece.ms);
      rows = Math.min(Math.ceil(rows * Math.min(4, Math.max(0.1, PIECE_MS / piece.ms))), LARGEST_PIECE);
    }
    return { items, next: String(before), events, reachedAt };
  }

  async totals(): Promise<ReadonlyMap<string, SourceTotals>> {
    return new Map(await this.#world.writer.remote.totals());
  }

  changed(sourceId: string): Promise<void> {
    const waiting = this.#waiting.get(sourceId) ?? new Bell();
    this.#waiting.set(sourceId, waiting);
    return waiting.next;
  }

  /** The committer calls this when events are durable. Adds them to the tail and wakes those who wait for them. */
  appended(events: readonly Event[], { firstSeq, duplicates }: CommitResult): void {
    let position = firstSeq;
    let skip = 0;
    const sources = new Set<string>();
    const followed: LogEntry[] | null = this.#followers.size > 0 ? [] : null;
    for (let i = 0; i < events.length; i++) {
      const event = events[i];
      if (duplicates[skip] === i) {
        skip++;
      } else if (event) {
        // Only these fields: the others are in the body, and would take memory.
        const entry: LogEntry = {
          position: position++,
          sourceId: event.sourceId,
          messageId: event.messageId,
          type: event.type,
          name: event.name,
          userId: event.userId,
          receivedAt: event.receivedAt,
          timestamp: event.timestamp,
          integrations: event.integrations,
          unsent: event.unsent,
          body: event.body,
        };
        this.tail.push(entry);
        followed?.push(entry);
        sources.add(event.sourceId);
      }
    }
    for (const sourceId of sources) this.#wake(sourceId);
    this.#appended.ring();
    if (followed) for (const follower of this.#followers) follower.push(followed);
  }

  /** Drops removed events from memory. */
  forget(events: readonly ErasedEvent[]): void {
    for (const { sourceId, position } of events) this.tail.forget(sourceId, position);
    const positions = new Set(events.map(({ position }) => position));
    for (const follower of this.#followers) follower.forget(positions);
  }

  takePositions(): [lane: number, position: number][] {
    const positions: [number, number][] = [];
    for (const [id, reader] of this.#readers) {
      const position = reader.takePosition();
      const lane = this.#lanes.get(id);
      if (position === null || !lane) continue;
      positions.push([id, position]);
      this.#lanes.set(id, { ...lane, position });
    }
    return positions;
  }

  #know(lane: LaneState): LaneState {
    this.#lanes.set(lane.id, lane);
    return lane;
  }

  #wake(sourceId: string): void {
    this.#waiting.get(sourceId)?.ring();
    this.#waiting.delete(sourceId);
  }
}
