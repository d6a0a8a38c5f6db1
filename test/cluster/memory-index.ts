import type { LogEntry, Position } from '../../packages/server/src/core/event.ts';
import type { Lane } from '../../packages/server/src/core/lane.ts';
import type { SourceTotals } from '../../packages/server/src/log/contract.ts';
import { type SourceDuplicates, type StreamIndex, shardOf } from '../../packages/server/src/log/stream-index.ts';

/** The index beside a stream, in memory: for tests of the stream alone. */
export class MemoryIndex implements StreamIndex {
  readonly #through = new Map<number, Position>();
  readonly #ids = new Map<string, { position: Position; receivedAt: number }>();
  readonly #totals = new Map<string, { accepted: number; duplicates: number }>();
  readonly #lanes = new Map<number, Lane>();
  readonly #settled = new Set<string>();
  #lastLane = 0;

  async add(
    _shard: number,
    entries: readonly LogEntry[],
    through: Position,
    duplicates: readonly SourceDuplicates[],
  ): Promise<void> {
    const before = this.#through.get(shardOf(through)) ?? 0;
    if (through <= before) return;
    for (const { position, sourceId, messageId, receivedAt } of entries) {
      if (position <= before) continue;
      this.#ids.set(`${sourceId}\n${messageId}`, { position, receivedAt });
      this.#of(sourceId).accepted++;
    }
    for (const { sourceId, count } of duplicates) this.#of(sourceId).duplicates += count;
    this.#through.set(shardOf(through), through);
  }

  async through(shard: number): Promise<Position> {
    return this.#through.get(shard) ?? 0;
  }

  async known(sourceId: string, messageIds: readonly string[], since: number): Promise<ReadonlySet<string>> {
    return new Set(messageIds.filter((id) => (this.#ids.get(`${sourceId}\n${id}`)?.receivedAt ?? -1) >= since));
  }

  async find(messageId: string, sourceIds: readonly string[]): Promise<Position | undefined> {
    const found = sourceIds.flatMap((sourceId) => this.#ids.get(`${sourceId}\n${messageId}`)?.position ?? []);
    return found.length > 0 ? Math.max(...found) : undefined;
  }

  async totals(): Promise<ReadonlyMap<string, SourceTotals>> {
    return new Map(this.#totals);
  }

  async openLane(sourceId: string, destinationId: string, after: Position): Promise<Lane> {
    const open = [...this.#lanes.values()].find(
      (lane) => lane.sourceId === sourceId && lane.destinationId === destinationId && lane.until === null,
    );
    const lane = open ?? { id: ++this.#lastLane, sourceId, destinationId, after, until: null };
    this.#lanes.set(lane.id, lane);
    return lane;
  }

  async endLane(id: number, until: Position): Promise<void> {
    const lane = this.#lanes.get(id);
    if (lane?.until === null) this.#lanes.set(id, { ...lane, until });
  }

  async removeLane(id: number): Promise<void> {
    this.#lanes.delete(id);
  }

  async lanes(): Promise<readonly Lane[]> {
    return [...this.#lanes.values()];
  }

  async taken(laneId: number, positions: readonly Position[]): Promise<ReadonlySet<Position>> {
    return new Set(positions.filter((position) => this.#settled.has(`${laneId} ${position}`)));
  }

  /** These have a delivery now. */
  settle(laneId: number, entries: readonly LogEntry[]): void {
    for (const { position } of entries) this.#settled.add(`${laneId} ${position}`);
  }

  #of(sourceId: string): { accepted: number; duplicates: number } {
    let totals = this.#totals.get(sourceId);
    if (!totals) {
      totals = { accepted: 0, duplicates: 0 };
      this.#totals.set(sourceId, totals);
    }
    return totals;
  }
}
