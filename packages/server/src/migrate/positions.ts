import type { Position } from '../core/event.ts';
import { type Offsets, SHARD_POSITIONS, shardKey } from '../core/position.ts';
import type { ProfileErasure } from '../people/contract.ts';
import type { Replay } from '../record/contract.ts';
import type { Regulation } from '../regulations/contract.ts';
import type { Exporter, Importer, MovedRow, Part, StreamImporter } from './contract.ts';

export interface PositionsOptions {
  readonly exporter: Pick<Exporter, 'eventsOf' | 'lastPosition'>;
  readonly importer: Pick<Importer, 'run' | 'endsAt'>;
  readonly stream: Pick<StreamImporter, 'shardOf'>;
}

/** Added to positions of the folder: the results are below every position of a log, for any folder. */
const BEFORE_ALL = -(2 ** 52);

/** Translates positions of the folder to positions of the cluster. Use it after the log was moved. */
export class Positions {
  readonly #options: PositionsOptions;

  constructor(options: PositionsOptions) {
    this.#options = options;
  }

  /** New position of the source's last event up to a position. If there is no such event, a position before all of the source's events. */
  async lastOf(sourceId: string, position: Position): Promise<Position> {
    const { exporter, importer, stream } = this.#options;
    const run = await importer.run(sourceId, position);
    if (!run) return stream.shardOf(sourceId) * SHARD_POSITIONS;
    return run.position + exporter.eventsOf(sourceId, run.from, position) - 1;
  }

  /** New position of one event; 0 if retention has dropped the event. */
  async of(sourceId: string, position: Position): Promise<Position> {
    return this.#options.exporter.eventsOf(sourceId, position, position) === 0 ? 0 : this.lastOf(sourceId, position);
  }

  /** The cluster's offsets for an offset of the folder's log, which has one shard. */
  async offsetsAt([last = 0]: Offsets): Promise<Offsets> {
    return (await this.#endsAt(last)) ?? [];
  }

  /** Where a scan of all shards must begin to miss no event after the mark. With several shards it reads some earlier events again. */
  async beginAt(mark: Position): Promise<Position> {
    return (await this.#endsAt(mark))?.[0] ?? 0;
  }

  /** If the folder has lost its last events, a mark may lie after the last remaining event: then that event is used. */
  #endsAt(mark: Position): Promise<Offsets | null> {
    const { importer, exporter } = this.#options;
    return importer.endsAt(Math.min(mark, exporter.lastPosition));
  }
}

/** A position for facts about persons and groups: keeps the old order, and is below all positions of new events. */
export function saidBefore(position: Position): Position {
  return BEFORE_ALL + position;
}

export function documentIn<T>({ document }: MovedRow): T {
  return JSON.parse(String(document)) as T;
}

/**
 * Positions of the folder for which the ends of the streams must be noted, because unfinished work continues from there. None is
 * after the folder's last event. `rowsOf` reads all rows of a part.
 */
export function cutsOf(rowsOf: (part: Part) => readonly MovedRow[], lastPosition: Position): Position[] {
  const documentsOf = <T>(part: Part): T[] => rowsOf(part).map((row) => documentIn<T>(row));
  const marks = [
    ...documentsOf<Regulation>('regulations').flatMap(({ through }) => through ?? []),
    ...documentsOf<ProfileErasure>('erasures').flatMap(({ through }) => through),
    ...rowsOf('takenIn').flatMap(({ id, position }) => (id === shardKey(0) ? Number(position) : [])),
    ...documentsOf<Replay>('replays').flatMap(({ status, after }) => (status === 'running' ? after : [])),
  ];
  const cuts = marks.filter((mark) => mark > 0).map((mark) => Math.min(mark, lastPosition));
  return [...new Set(cuts)].sort((a, b) => a - b);
}
