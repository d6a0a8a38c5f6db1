import { ownerOf } from '../../core/event.ts';
import { MOST_ALIKE } from '../../log/contract.ts';
import { type Hash, hashId } from './hash.ts';
import type { Ids } from './ids.ts';
import type { Live } from './live.ts';
import type { Locating } from './locating.ts';
import type { Partition, Totals } from './partition.ts';
import type { AppendColumns } from './protocol.ts';

/** What `planAppend` reads of the store. */
export interface AppendState {
  readonly nextSeq: number;
  readonly totals: ReadonlyMap<number, Totals>;
  readonly ids: Ids;
  readonly live: Live;
  readonly locating: Locating;
}

/** The result of planning a batch of appends. Nothing is written yet. */
export interface AppendPlan {
  readonly firstSeq: number;
  readonly sources: readonly number[];
  /** 0 for a duplicate. */
  readonly seqs: Float64Array;
  readonly hashes: Int32Array;
  readonly duplicates: number[];
  readonly totals: Map<number, Totals>;
  nextSeq: number;
  newest: number;
}

/** Decides for each appended event: its seq, or that it is a duplicate. Changes nothing. */
export function planAppend(appends: AppendColumns, since: number, state: AppendState): AppendPlan {
  const { messageIds, sourceOf } = appends;
  const count = messageIds.length;
  const sources = appends.sources.map((id) => state.live.number(id));
  const plan: AppendPlan = {
    sources,
    seqs: new Float64Array(count),
    hashes: new Int32Array(count * 2),
    duplicates: [],
    totals: new Map(),
    firstSeq: state.nextSeq,
    nextSeq: state.nextSeq,
    newest: 0,
  };
  // Ids of this batch are not in the index yet. The value is the index of the event; if the id occurs again, the set of its owners.
  const batch = new Map<string, number | Set<string>>();
  const hash: Hash = { high: 0, low: 0 };
  for (let i = 0; i < count; i++) {
    const source = sources[sourceOf[i] ?? 0] ?? 0;
    const messageId = messageIds[i] ?? '';
    let totals = plan.totals.get(source);
    if (!totals) {
      totals = { ...(state.totals.get(source) ?? { accepted: 0, duplicates: 0 }) };
      plan.totals.set(source, totals);
    }
    hashId(state.live.seed, source, messageId, hash);
    const key = `${source} ${messageId}`;
    const before = batch.get(key);
    const owners = typeof before === 'number' ? new Set([ownerIn(appends, before)]) : before;
    if (owners) batch.set(key, owners);
    let alike = 0;
    const isSeen = (seq: number): boolean => {
      if (alike === MOST_ALIKE || !state.locating.isEvent(seq, source, messageId, since)) return false;
      alike++;
      return state.locating.isOf(seq, ownerIn(appends, i));
    };
    if (owners?.has(ownerIn(appends, i)) === true || state.ids.findSeen(hash, since, isSeen) !== null) {
      plan.duplicates.push(i);
      totals.duplicates++;
      continue;
    }
    if (owners) owners.add(ownerIn(appends, i));
    else batch.set(key, i);
    plan.hashes[i * 2] = hash.high;
    plan.hashes[i * 2 + 1] = hash.low;
    plan.seqs[i] = plan.nextSeq++;
    plan.newest = Math.max(plan.newest, appends.receivedAt[i] ?? 0);
    totals.accepted++;
  }
  return plan;
}

/** See `ownerOf`. Well-formed, as the stored ids are when they are read back. */
function ownerIn({ userIds, anonymousIds }: AppendColumns, place: number): string {
  return ownerOf({ userId: userIds[place] ?? null, anonymousId: anonymousIds[place] ?? null }).toWellFormed();
}

const INSERT_EVENT = `INSERT INTO events (seq, source, received_at, age, type, message_id, name, user_id, anonymous_id,
  previous_id, integrations, unsent, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const INSERT_IDS = 'INSERT INTO ids (first_seq, hashes) VALUES (?, ?)';

/** Writes the planned events, their ids and the totals, inside the caller's transaction. */
export function insertEvents(partition: Partition, appends: AppendColumns, plan: AppendPlan): void {
  const insert = partition.prepare(INSERT_EVENT);
  const ids = new Int32Array((plan.nextSeq - plan.firstSeq) * 2);
  let id = 0;
  let start = 0;
  for (let i = 0; i < appends.messageIds.length; i++) {
    const end = appends.ends[i] ?? 0;
    const seq = plan.seqs[i] ?? 0;
    const receivedAt = appends.receivedAt[i] ?? 0;
    if (seq > 0) {
      insert.run(
        seq,
        plan.sources[appends.sourceOf[i] ?? 0] ?? 0,
        receivedAt,
        receivedAt - (appends.timestamps[i] ?? receivedAt),
        appends.types[i] ?? 0,
        appends.messageIds[i] ?? '',
        appends.names[i] ?? null,
        appends.userIds[i] ?? null,
        appends.anonymousIds[i] ?? null,
        appends.previousIds[i] ?? null,
        appends.integrations[i] ?? null,
        appends.unsent[i] ?? null,
        appends.bodies.subarray(start, end),
      );
      ids[id++] = plan.hashes[i * 2] ?? 0;
      ids[id++] = plan.hashes[i * 2 + 1] ?? 0;
    }
    start = end;
  }
  if (id > 0) partition.prepare(INSERT_IDS).run(plan.firstSeq, new Uint8Array(ids.buffer));
  for (const [source, totals] of plan.totals) partition.saveTotals(source, totals);
}
