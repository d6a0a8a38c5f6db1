import { stateOf } from '../../core/delivery.ts';
import { EMPTY_ANSWERS, shortened, withAnswers } from './answers.ts';
import { type Counts, noCounts } from './counts.ts';
import { numberOrNull, type Row } from './event-rows.ts';
import type { LaneRow } from './live.ts';
import { INSERT_DELIVERY, type Partition, RETRYING } from './partition.ts';
import type { ResultRow } from './protocol.ts';

const INSERT_ANSWERS = 'INSERT INTO answers (id, json) VALUES (?, ?)';
const REPLACE_ANSWERS = 'UPDATE answers SET json = ? WHERE id = ? AND octet_length(json) >= ?';

const DELIVERY = 'SELECT lane, state, rounds, attempts, at, replay FROM deliveries WHERE destination = ? AND seq = ?';

const UPDATE_DELIVERY = `UPDATE deliveries SET state = ?, reason = ?, attempts = ?, rounds = ?, first_at = ?, due_at = ?,
  urls_left = ?, at = ? WHERE destination = ? AND seq = ?`;

const REQUEUE_DELIVERY = `UPDATE deliveries SET state = ${RETRYING}, reason = NULL, rounds = 0, first_at = NULL, due_at = ?,
  urls_left = ?, at = ?, replay = ? WHERE destination = ? AND seq = ?`;

const EVENT = 'SELECT source, length(body) AS size FROM events WHERE seq = ?';

/** Writes rows of delivery results, inside the caller's transaction. Answers the change of counts. */
export function settleRows(
  partition: Partition,
  results: readonly ResultRow[],
  number: (name: string) => number,
): Map<number, Counts> {
  const changes = new Map<number, Counts>();
  const insert = partition.prepare(INSERT_DELIVERY);
  for (const result of results) {
    const [destinationId, seq, lane, state, reason, lines, answers, rounds, ...times] = result;
    const [firstAt, dueAt, urlsLeft, at] = times;
    const destination = number(destinationId);
    const answersId = answers === '' ? null : partition.nextAnswers();
    const attempts = answersId === null ? lines : withAnswers(answersId, lines);
    const inserted = insert.run(
      ...[destination, seq, lane, state, reason, attempts, rounds, firstAt, dueAt, urlsLeft, at, null],
    );
    if (inserted.changes === 1) {
      if (answersId !== null) partition.prepare(INSERT_ANSWERS).run(answersId, answers);
      countOf(changes, lane)[stateOf(state)]++;
      continue;
    }
    const row = partition.prepare(DELIVERY).get(destination, seq);
    const known = Number(row?.['state']);
    // A final state does not change, and a round is recorded once. A caller that repeats one did not get the first answer.
    if (known !== RETRYING || (state === RETRYING && Number(row?.['rounds']) >= rounds)) continue;
    const all = withRound(partition, String(row?.['attempts']), lines, answersId, answers);
    partition.prepare(UPDATE_DELIVERY).run(state, reason, all, rounds, firstAt, dueAt, urlsLeft, at, destination, seq);
    for (const counts of countedFor(changes, row)) {
      counts.retrying--;
      counts[stateOf(state)]++;
    }
  }
  for (const [lane, change] of changes) partition.counts.save(lane, change);
  return changes;
}

/**
 * The lines of a delivery after one more round. The round's answers take the place of answers that are no longer kept, if those
 * are as long: nothing is moved then, and the file doesn't grow. Else they get the row `answersId`.
 */
function withRound(
  partition: Partition,
  before: string,
  lines: string,
  answersId: number | null,
  answers: string,
): string {
  const { text, free } = shortened(before, lines);
  let id = answersId;
  if (answersId !== null) {
    const replace = partition.prepare(REPLACE_ANSWERS);
    const bytes = Buffer.byteLength(answers);
    id = free.find((row) => replace.run(answers, row, bytes).changes === 1) ?? answersId;
    if (id === answersId) partition.prepare(INSERT_ANSWERS).run(answersId, answers);
  }
  for (const row of free) if (row !== id) partition.prepare(EMPTY_ANSWERS).run(row);
  return [text, id === null ? lines : withAnswers(id, lines)].filter((part) => part !== '').join('\n');
}

/** The values that all messages of a requeue share. */
export interface Requeuing {
  readonly destination: number;
  /** The replay's number. */
  readonly replay: number;
  readonly now: number;
  /** JSON of `Retry.urlsLeft`. */
  readonly urlsLeft: string | null;
}

/** A delivery that had ended and was put back into the retry queue. */
export interface EndedRow {
  readonly source: number;
  readonly state: number;
  readonly at: number;
}

/**
 * Puts one delivery back into the retry queue, inside the caller's transaction; adds it to `ended` if it had ended. Answers
 * whether anything changes.
 */
export function requeueRow(
  partition: Partition,
  lanes: Iterable<LaneRow>,
  { destination, replay, now, urlsLeft }: Requeuing,
  seq: number,
  dueAt: number,
  changes: Map<number, Counts>,
  ended: EndedRow[],
): boolean {
  const event = partition.prepare(EVENT).get(seq);
  // The event was removed, and is never sent again.
  if (event?.['size'] === 0) return false;
  const source = Number(event?.['source']);
  const row = partition.prepare(DELIVERY).get(destination, seq);
  if (row) {
    const state = Number(row['state']);
    if (state === RETRYING) return false;
    partition.prepare(REQUEUE_DELIVERY).run(dueAt, urlsLeft, now, replay, destination, seq);
    const counts = countOf(changes, Number(row['lane']));
    counts[stateOf(state)]--;
    counts.retrying++;
    const result = countOf(changes, -replay);
    // A replay that was killed repeats its last batch. Each message must count once.
    if (row['replay'] === replay) result[stateOf(state)]--;
    result.retrying++;
    ended.push({ source, state, at: Number(row['at']) });
    return true;
  }
  const pair = [...lanes].filter((lane) => lane.source === source && lane.destination === destination);
  // The event has no delivery. Either it still waits in a lane, or it came before or between the lanes of its source and destination.
  if (pair.some((lane) => seq > lane.startSeq && seq <= (lane.endSeq ?? Infinity))) return false;
  const lane = pair.find(({ endSeq }) => endSeq === null);
  if (!lane) return false;
  partition
    .prepare(INSERT_DELIVERY)
    .run(destination, seq, lane.id, RETRYING, null, '', 0, null, dueAt, urlsLeft, now, replay);
  const counts = countOf(changes, lane.id);
  counts.retrying++;
  counts.backfilled++;
  countOf(changes, -replay).retrying++;
  return true;
}

/** The delivery results of events from `from` on and before `before`. */
export function resultsIn(results: readonly ResultRow[], from: number, before: number): ResultRow[] {
  return results.filter(([, seq]) => seq >= from && seq < before);
}

/** The counts that contain a stored delivery: those of its lane, and of the replay that put it into the retry queue. */
export function countedFor(changes: Map<number, Counts>, row: Row | undefined): Counts[] {
  const of = [countOf(changes, Number(row?.['lane']))];
  const replay = numberOrNull(row?.['replay']);
  if (replay !== null) of.push(countOf(changes, -replay));
  return of;
}

export function countOf(changes: Map<number, Counts>, lane: number): Counts {
  const known = changes.get(lane);
  if (known) return known;
  const counts = noCounts();
  changes.set(lane, counts);
  return counts;
}
