import type { Position } from '../core/event.ts';
import { SHARD_POSITIONS } from '../log/stream-index.ts';
import type { Arrival, ArrivalStream, Departure, MovedRows } from './contract.ts';

export interface PositionsOptions {
  readonly departure: Pick<Departure, 'eventsOf'>;
  readonly arrival: Pick<Arrival, 'run' | 'endsAt'>;
  readonly stream: Pick<ArrivalStream, 'shardOf'>;
}

/** Below every position of a log, and far enough for all that a folder can have given. */
const BEFORE_ALL = -(2 ** 52);

/** What positions of the folder are in the cluster, once the log was moved. */
export class Positions {
  readonly #options: PositionsOptions;

  constructor(options: PositionsOptions) {
    this.#options = options;
  }

  /** That of the source's last event up to a position; before its first one where there is none any more. */
  async lastOf(sourceId: string, position: Position): Promise<Position> {
    const { departure, arrival, stream } = this.#options;
    const run = await arrival.run(sourceId, position);
    if (!run) return stream.shardOf(sourceId) * SHARD_POSITIONS;
    return run.position + departure.eventsOf(sourceId, run.from, position) - 1;
  }

  /** That of one event; 0, where no event is, when retention has dropped it. */
  async of(sourceId: string, position: Position): Promise<Position> {
    return this.#options.departure.eventsOf(sourceId, position, position) === 0 ? 0 : this.lastOf(sourceId, position);
  }

  /**
   * The end of the log as it was at a cut: its last position in the highest shard that had any. What came later to lower ones is
   * not told from what was there (as after a restart, see PostgresErasure.find).
   */
  async endAt(cut: Position): Promise<Position> {
    const ends = (await this.#options.arrival.endsAt(cut)) ?? [];
    return ends.findLast((end) => end % SHARD_POSITIONS >= FIRST_PACK) ?? 0;
  }

  /** From where on a scan of all shards passes over nothing that came after a cut; something before it comes again where there are several. */
  async beginAt(cut: Position): Promise<Position> {
    return (await this.#options.arrival.endsAt(cut))?.[0] ?? 0;
  }
}

/** The first position that an event can have in its shard. */
const FIRST_PACK = 2 ** 10;

/** Of what was said of a person or a group: in the old order, and before whatever is said from now on. */
export function saidBefore(position: Position): Position {
  return BEFORE_ALL + position;
}

/** Positions of the folder at which must be known where the streams end: work under way goes on from there. */
export function cutsOf(
  regulations: readonly MovedRows['regulations'][],
  erasures: readonly MovedRows['erasures'][],
  replays: readonly MovedRows['replays'][],
): Position[] {
  const cuts = [
    ...regulations.map(({ through }) => through ?? 0),
    ...erasures.map(({ through }) => through),
    ...replays.filter(({ status }) => status === 'running').map(({ after }) => after),
  ];
  return [...new Set(cuts.filter((cut) => cut > 0))].sort((a, b) => a - b);
}
