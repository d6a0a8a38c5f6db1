import type { Position } from '../../core/event.ts';
import type { Remote } from '../../threads/thread.ts';
import type { Reader } from './reader.ts';
import type { LaneState } from './writer.ts';

/** The position up to which lanes have handed out everything; the log's end where they have handed out all. */
export async function reachedBy(
  lanes: readonly LaneState[],
  end: Position,
  reader: Pick<Remote<Reader>, 'readLane'>,
): Promise<Position> {
  const firsts = await Promise.all(lanes.map((lane) => reader.readLane(lane, lane.position, lane.until ?? end, 1)));
  return Math.min(end, ...firsts.flat().map(({ position }) => position - 1));
}
