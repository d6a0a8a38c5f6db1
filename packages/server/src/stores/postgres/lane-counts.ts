import type { LaneCountsOf } from '../../record/contract.ts';
import type { Database } from './database.ts';
import { fromText } from './text.ts';

/** Counts of a lane as the tables have them. */
export interface CountedLane {
  readonly lane: number;
  readonly source: string;
  readonly destination: string;
  /** Events of the source in it, as far as the index has come, and what replays took from before its start. */
  readonly accepted: number;
  readonly processed: number;
  readonly failed: number;
  readonly filtered: number;
  readonly retrying: number;
}

/** Selects `CountedLane`s of lanes `l`. What the index has not come to yet has no events so far. */
export const COUNTED_LANES: string = `SELECT l.id AS lane, sn.name AS source, dn.name AS destination,
    c.backfilled + coalesce(coalesce(l.end_accepted, s.accepted) - l.start_accepted, 0) AS accepted,
    c.processed, c.failed, c.filtered, c.retrying
  FROM lanes l JOIN names sn ON sn.number = l.source JOIN names dn ON dn.number = l.destination
  LEFT JOIN sources s ON s.source = l.source CROSS JOIN LATERAL (
    SELECT coalesce(sum(processed), 0)::bigint AS processed, coalesce(sum(failed), 0)::bigint AS failed,
      coalesce(sum(filtered), 0)::bigint AS filtered, coalesce(sum(retrying), 0)::bigint AS retrying,
      coalesce(sum(backfilled), 0)::bigint AS backfilled FROM lane_counts WHERE lane = l.id) c`;

/**
 * See DeliveryStore.counts. One statement sees one moment. An event can be settled before the index has come to it: it is
 * accepted all the same.
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
