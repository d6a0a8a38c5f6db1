import { withAnswers } from './answers.ts';
import { type Counts, noCounts } from './counts.ts';
import type { LaneRow } from './live.ts';
import { type Partition, RETRYING, STATES } from './partition.ts';
import type { SettlementColumns } from './protocol.ts';

/** Writes rows of settlements inside the caller's transaction; answers the change of counts. */
export function settleRows(
  partition: Partition,
  settlements: SettlementColumns,
  rows: readonly number[],
  number: (name: string) => number,
): Map<number, Counts> {
  const changes = new Map<number, Counts>();
  const destinations = settlements.destinations.map(number);
  for (const i of rows) {
    const destination = destinations[settlements.destinationOf[i] ?? 0] ?? 0;
    const seq = settlements.seqs[i] ?? 0;
    const lane = settlements.lanes[i] ?? 0;
    const state = settlements.states[i] ?? 0;
    const reason = settlements.reasons[i] ?? null;
    const answers = settlements.answers[i] ?? '';
    const answersId = answers === '' ? null : partition.nextAnswers();
    const lines = settlements.attempts[i] ?? '';
    const attempts = answersId === null ? lines : withAnswers(answersId, lines);
    const rounds = settlements.rounds[i] ?? 0;
    const firstAt = orNull(settlements.firstAt[i]);
    const dueAt = orNull(settlements.dueAt[i]);
    const urlsLeft = settlements.urlsLeft[i] ?? null;
    const at = settlements.at[i] ?? 0;
    const inserted = partition.insertDelivery.run(
      destination,
      seq,
      lane,
      state,
      reason,
      attempts,
      rounds,
      firstAt,
      dueAt,
      urlsLeft,
      at,
    );
    if (inserted.changes === 1) {
      if (answersId !== null) partition.insertAnswers.run(answersId, answers);
      countOf(changes, lane)[stateKey(state)]++;
      continue;
    }
    const row = partition.selectDelivery.get(destination, seq);
    const known = Number(row?.['state']);
    // An end is final, and a round is recorded once: whoever says it again was cut off before the answer.
    if (known !== RETRYING || (state === RETRYING && Number(row?.['rounds']) >= rounds)) continue;
    const all = [String(row?.['attempts']), attempts].filter((lines) => lines !== '').join('\n');
    if (answersId !== null) partition.insertAnswers.run(answersId, answers);
    partition.updateDelivery.run(state, reason, all, rounds, firstAt, dueAt, urlsLeft, at, destination, seq);
    const counts = countOf(changes, Number(row?.['lane']));
    counts.retrying--;
    counts[stateKey(state)]++;
  }
  for (const [lane, change] of changes) partition.counts.save(lane, change);
  return changes;
}

/** Puts one delivery back on the shelf, inside the caller's transaction; answers whether it did. */
export function requeueRow(
  partition: Partition,
  lanes: Iterable<LaneRow>,
  destination: number,
  seq: number,
  dueAt: number,
  now: number,
  changes: Map<number, Counts>,
): boolean {
  const event = partition.selectId.get(seq);
  // Removed: it is never sent again.
  if (event?.['size'] === 0) return false;
  const row = partition.selectDelivery.get(destination, seq);
  if (row) {
    const state = Number(row['state']);
    if (state === RETRYING) return false;
    partition.requeueDelivery.run(dueAt, now, destination, seq);
    const counts = countOf(changes, Number(row['lane']));
    counts[stateKey(state)]--;
    counts.retrying++;
    return true;
  }
  const source = Number(event?.['source']);
  const pair = [...lanes].filter((lane) => lane.source === source && lane.destination === destination);
  // Without a row the event either still waits in a lane, or came before or between the lanes of its pair.
  if (pair.some((lane) => seq > lane.startSeq && seq <= (lane.endSeq ?? Infinity))) return false;
  const lane = pair.find(({ endSeq }) => endSeq === null);
  if (!lane) return false;
  partition.insertDelivery.run(destination, seq, lane.id, RETRYING, null, '', 0, null, dueAt, null, now);
  const counts = countOf(changes, lane.id);
  counts.retrying++;
  counts.backfilled++;
  return true;
}

/** Rows of settlements whose events stand at `from` or later and before `before`. */
export function rowsIn(settlements: SettlementColumns, from: number, before: number): number[] {
  const rows: number[] = [];
  for (let i = 0; i < settlements.seqs.length; i++) {
    const seq = settlements.seqs[i] ?? 0;
    if (seq >= from && seq < before) rows.push(i);
  }
  return rows;
}

function stateKey(state: number): (typeof STATES)[number] {
  return STATES[state] ?? 'failed';
}

function countOf(changes: Map<number, Counts>, lane: number): Counts {
  const known = changes.get(lane);
  if (known) return known;
  const counts = noCounts();
  changes.set(lane, counts);
  return counts;
}

function orNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
