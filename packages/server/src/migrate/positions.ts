import type { Position } from '../core/event.ts';
import { type Offsets, SHARD_POSITIONS, shardKey } from '../core/position.ts';
import type { Exporter, Importer, MovedRows, StreamImporter } from './contract.ts';

export interface PositionsOptions {
  readonly exporter: Pick<Exporter, 'eventsOf' | 'lastPosition'>;
  readonly importer: Pick<Importer, 'run' | 'endsAt'>;
  readonly stream: Pick<StreamImporter, 'shardOf'>;
}

/** Below every position of a log, and far enough for all that a folder can have given. */
const BEFORE_ALL = -(2 ** 52);

/** What positions of the folder are in the cluster, once the log was moved. */
export class Positions {
  readonly #options: PositionsOptions;

  constructor(options: PositionsOptions) {
    this.#options = options;
  }

  /** That of the source's last event up to a position; before its first one where all are gone. */
  async lastOf(sourceId: string, position: Position): Promise<Position> {
    const { exporter, importer, stream } = this.#options;
    const run = await importer.run(sourceId, position);
    if (!run) return stream.shardOf(sourceId) * SHARD_POSITIONS;
    return run.position + exporter.eventsOf(sourceId, run.from, position) - 1;
  }

  /** That of one event; 0, where no event is, when retention has dropped it. */
  async of(sourceId: string, position: Position): Promise<Position> {
    return this.#options.exporter.eventsOf(sourceId, position, position) === 0 ? 0 : this.lastOf(sourceId, position);
  }

  /** The offsets in the cluster that stand for offsets of the folder's log, which is one shard. */
  async offsetsAt([last = 0]: Offsets): Promise<Offsets> {
    return (await this.#endsAt(last)) ?? [];
  }

  /** From where on a scan of all shards passes over nothing that came after a mark; something before it comes again where there are several. */
  async beginAt(mark: Position): Promise<Position> {
    return (await this.#endsAt(mark))?.[0] ?? 0;
  }

  /** Where the folder's last events were lost, its log ended after the last one that is there. */
  #endsAt(mark: Position): Promise<Offsets | null> {
    const { importer, exporter } = this.#options;
    return importer.endsAt(Math.min(mark, exporter.lastPosition));
  }
}

/** Of what was said of a person or a group: in the old order, and before what is said from now on. */
export function saidBefore(position: Position): Position {
  return BEFORE_ALL + position;
}

/** Positions of the folder at which must be known where the streams end: work under way goes on from there. None lies after its last event. */
export function cutsOf(
  regulations: readonly MovedRows['regulations'][],
  erasures: readonly MovedRows['erasures'][],
  replays: readonly MovedRows['replays'][],
  takenIn: readonly MovedRows['takenIn'][],
  lastPosition: Position,
): Position[] {
  const marks = [
    ...regulations.flatMap(({ through }) => through ?? []),
    ...erasures.flatMap(({ through }) => through),
    ...takenIn.filter(({ sourceId }) => sourceId === shardKey(0)).map(({ position }) => position),
    ...replays.filter(({ status }) => status === 'running').map(({ after }) => after),
  ];
  return [...new Set(marks.filter((mark) => mark > 0).map((mark) => Math.min(mark, lastPosition)))].sort(
    (a, b) => a - b,
  );
}
