import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { numberOfState } from '../../core/delivery.ts';
import { eraseAnswers } from './answers.ts';
import type { Counts } from './counts.ts';
import type { LaneRow } from './live.ts';
import type { Locating } from './locating.ts';
import { INSERT_DELIVERY, type Partition, RETRYING } from './partition.ts';
import { countedFor, countOf } from './settling.ts';

const FILTERED = numberOfState('filtered');

/** Reason of a waiting message whose user was deleted. */
const REASON = 'user_deleted';

/**
 * Empties the rows of events, inside the caller's transaction: an event without a body is a removed one. A message of it that
 * still waits, in a lane or in the retry queue, ends as filtered. Answers the change of counts.
 */
export function eraseRows(
  partition: Partition,
  lanes: Iterable<LaneRow>,
  seqs: readonly number[],
  now: number,
  markAt: Locating['markAt'],
): Map<number, Counts> {
  const { db } = partition;
  const selectSource = db.prepare('SELECT source FROM events WHERE seq = ?');
  const empty = db.prepare(
    `UPDATE events SET age = ?, name = NULL, user_id = NULL, anonymous_id = NULL, previous_id = NULL,
     integrations = NULL, unsent = NULL, body = x'' WHERE seq = ?`,
  );
  const update = db.prepare(
    `UPDATE deliveries SET state = ?, reason = ?, attempts = ?, due_at = NULL, urls_left = NULL, at = ?
     WHERE destination = ? AND seq = ?`,
  );
  const insert = partition.prepare(INSERT_DELIVERY);
  const selectDelivery = db.prepare('SELECT * FROM deliveries WHERE destination = ? AND seq = ?');
  const changes = new Map<number, Counts>();
  const destinations = destinationsIn(db.prepare(NEXT_DESTINATION));
  for (const seq of seqs) {
    const event = selectSource.get(seq);
    if (!event) continue;
    empty.run(markAt(seq), seq);
    for (const destination of destinations) {
      const row = selectDelivery.get(destination, seq);
      if (!row) continue;
      const waits = row['state'] === RETRYING;
      update.run(
        waits ? FILTERED : Number(row['state']),
        waits ? REASON : (row['reason'] ?? null),
        eraseAnswers(db, String(row['attempts'])),
        waits ? now : Number(row['at']),
        destination,
        seq,
      );
      if (!waits) continue;
      for (const counts of countedFor(changes, row)) {
        counts.retrying--;
        counts.filtered++;
      }
    }
    for (const lane of lanes) {
      if (lane.source !== event['source'] || seq <= lane.startSeq || seq > (lane.endSeq ?? Infinity)) continue;
      const { destination, id } = lane;
      const { changes: inserted } = insert.run(
        ...[destination, seq, id, FILTERED, REASON, '', 0, null, null, null, now, null],
      );
      if (inserted === 1) countOf(changes, id).filtered++;
    }
  }
  for (const [lane, change] of changes) partition.counts.save(lane, change);
  return changes;
}

/**
 * Writes the write-ahead log into the database file and truncates the log. With `secure_delete`, no file then contains what was
 * removed. Answers false if a reader is using the log.
 */
export function cutLog(db: DatabaseSync): boolean {
  return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
}

export const NEXT_DESTINATION = 'SELECT min(destination) AS destination FROM deliveries WHERE destination > ?';

/** The destinations that have deliveries in a partition, also removed ones. The index yields each in one step. */
export function destinationsIn(next: StatementSync): number[] {
  const destinations: number[] = [];
  for (let last = -1; ; ) {
    const found = next.get(last)?.['destination'];
    if (found === null || found === undefined) return destinations;
    last = Number(found);
    destinations.push(last);
  }
}
