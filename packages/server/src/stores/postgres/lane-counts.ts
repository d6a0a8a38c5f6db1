import type { LaneCountsOf } from '../../record/contract.ts';
import type { Database } from './database.ts';
import { fromText } from './text.ts';

/** The counts of a lane, as stored. */
export interface CountedLane {
  readonly lane: number;
  readonly source: string;
  readonly destination: string;
  /** How many events of its source are in the lane, as far as the index has come, plus the events that replays took from before its start. */
  readonly accepted: number;
  readonly processed: number;
  readonly failed: number;
  readonly filtered: number;
  readonly retrying: number;
}

/** Selects `CountedLane`s of lanes `l`. Events that the index has not reached are not counted yet. */
export const COUNTED_LANES: string = `SELECT l.id AS lane, sn.name AS source, dn.name AS destination,
    c.backfilled + coalesce(coalesce(l.end_accepted, s.accepted) - l.start_accepted, 0) AS accepted,
    c.processed, c.failed, c.filtered, c.retrying
  FROM lanes l JOIN names sn ON sn.number = l.source JOIN names dn ON dn.number = l.destination
  LEFT JOIN sources s ON s.source = l.source CROSS JOIN LATERAL (
    SELECT coalesce(sum(processed), 0)::bigint AS processed, coalesce(sum(failed), 0)::bigint AS failed,
      coalesce(sum(filtered), 0)::bigint AS filtered, coalesce(sum(retrying), 0)::bigint AS retrying,
      coalesce(sum(backfilled), 0)::bigint AS backfilled FROM lane_counts WHERE lane = l.id) c`;

/**
 * See DeliveryStore.counts. One statement, so that all counts are of one moment. An event can be settled before the index has
 * reached it; it counts as accepted then.
 */
export async function countsOf(database: Database, destinations: readonly number[]): Promise<LaneCountsOf[]> {
  const lanes = await database.query<CountedLane>(
    `${COUNTED_LANES} WHERE l.destination = ANY($1::int[]) ORDER BY l.id`,
    [destinations],
  );
  return lanes.map(({ lane, source, destination, processed, failed, filtered, retrying, ...row }) => {
    const ended = processed + failed + filtered;
    const accepted = Math.max(row.accepted, ended + retrying);
    return {
      laneId: lane,
      sourceId: fromText(source),
      destinationId: fromText(destination),
      counts: { accepted, processed, failed, filtered, retrying, waiting: accepted - ended },
    };
  });
}
