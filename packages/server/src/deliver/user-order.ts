import { weakMemo } from '../core/bounded-map.ts';
import { carriedIds } from '../core/carried-ids.ts';
import type { Clock } from '../core/clock.ts';
import type { Claimed } from '../core/delivery.ts';
import type { LogEntry, Position } from '../core/event.ts';
import { BEYOND_ALL } from '../core/position.ts';
import { isParked } from '../core/urls-left.ts';
import type { Waiting } from './backlog.ts';
import type { Claims } from './retry-queue.ts';
import type { Message } from './round.ts';

/** What may be done with a message now. */
export type Turn =
  /** It is sent. `isEarly`: it is sent before an earlier call of its user, because that call has held it up for too long. */
  | { readonly may: 'go'; readonly isEarly: boolean }
  /**
   * An earlier call is under way. It may be in its lane only, so this message waits in memory, or where it is: from the retry
   * queue it could come before that call after a crash.
   */
  | { readonly may: 'wait' | 'stay' }
  /** An earlier call is retried: this message waits in the retry queue, until a time at the latest. */
  | { readonly may: 'park'; readonly until: number };

export const GO: Turn = { may: 'go', isEarly: false };
const WAIT: Turn = { may: 'wait' };
const STAY: Turn = { may: 'stay' };
const GO_EARLY: Turn = { may: 'go', isEarly: true };

/** Longest time after which a message in the retry queue is looked at, milliseconds: seven days. */
const LONGEST_MS = 604_800_000;

/** Most messages that wait in memory. */
const MOST_ASIDE = 1_024;

/** The calls of one user that were seen and have no end yet. */
interface Line {
  /**
   * In the order of acceptance. The first is under way or in the retry queue, and the others wait for it. Exception: a call from
   * an earlier lane of the source comes first in the line, but waits for the call that is under way.
   */
  readonly positions: Position[];
  /** Calls of the line that wait in the retry queue for an earlier call, not for a round of their own. */
  readonly parked: Set<Position>;
  /** Calls of the line that wait in memory. */
  readonly aside: Map<Position, Waiting>;
  /** Until when the first call holds up the others, milliseconds since the epoch; null until it is retried. */
  heldUntil: number | null;
  /** A call that is sent though an earlier one has no end. */
  early: Position | null;
  /**
   * A later call that was put into the retry queue after the first one had its turn there. The queue is read by due time: when
   * this call comes from the queue before the first one, the first one is not in it. After a crash a lane may hand out a call
   * that has an end already: it is parked here, and the queue does not take it.
   */
  asker: Position | null;
}

/**
 * Sends the calls of one user one after the other, in the order of their acceptance: the next one when the end of the one before
 * is durable. A user is identified by source and user id, else by the anonymous id.
 *
 * A call that is retried holds up later calls of its user, and of no other user, for `hold` milliseconds. They wait in the retry
 * queue, so memory holds only their positions.
 */
export class UserOrder {
  readonly #hold: () => number;
  readonly #lines = new Map<string, Line>();
  /** Messages whose turn has come. */
  readonly #ready: Waiting[] = [];
  #aside = 0;

  /** `hold`: the longest time that a call holds up later ones, milliseconds. */
  constructor(hold: () => number) {
    this.#hold = hold;
  }

  /** Messages in memory: those that wait, and those whose turn has come. */
  get waiting(): number {
    return this.#aside + this.#ready.length;
  }

  /** The first search of the retry queue found this message. */
  found(entry: LogEntry, isParked: boolean, now: number): void {
    const line = this.#lineOf(entry);
    insert(line.positions, entry.position);
    if (isParked) line.parked.add(entry.position);
    line.heldUntil = line.parked.has(line.positions[0] ?? 0) ? null : now + this.#hold();
  }

  /** Whether the message waits in the retry queue though its turn has come. */
  isFirst(entry: LogEntry): boolean {
    if (this.#lines.size === 0) return false;
    const line = this.#lines.get(keyOf(entry));
    return line?.positions[0] === entry.position && line.parked.has(entry.position);
  }

  /** Positions in the retry queue whose turn it is, though no call before them has just ended. */
  firsts(): Position[] {
    return [...this.#lines.values()].flatMap(({ positions: [first = 0], parked }) =>
      parked.has(first) ? [first] : [],
    );
  }

  /** Positions that wait in the retry queue for an earlier call. */
  parked(): Position[] {
    return [...this.#lines.values()].flatMap(({ parked }) => [...parked]);
  }

  /** What may be done with a message now; `isRetried`: it is in the retry queue. */
  turnOf(entry: LogEntry, isRetried: boolean, now: number): Turn {
    const line = this.#lines.get(keyOf(entry));
    // A message of the retry queue that is in no line was given up before, or belongs to a replay.
    if (!line || (isRetried && !isIn(line, entry.position))) return GO;
    if (line.positions[0] === entry.position) return line.early === entry.position ? GO_EARLY : GO;
    if (line.heldUntil === null && !isRetried) return this.#aside < MOST_ASIDE ? WAIT : STAY;
    const place = isRetried ? line.positions.indexOf(entry.position) : line.positions.length;
    return { may: 'park', until: this.#untilOf(line, place, now) };
  }

  /**
   * When the message at a place of the line has its turn if each call before it holds it up for the whole time. So messages that
   * wait for one call are not all looked at again and again.
   */
  #untilOf({ heldUntil }: Line, place: number, now: number): number {
    const hold = this.#hold();
    return Math.min((heldUntil ?? now + hold) + Math.max(0, place - 1) * hold, now + LONGEST_MS);
  }

  /**
   * Removes the first call of this user from the line when it has held up the others for the longest time, or when it should be
   * in the retry queue and is not. The next call has its turn: answers its position where it waits in the retry queue.
   */
  giveUp(entry: LogEntry, now: number): Position | null {
    const key = keyOf(entry);
    const line = this.#lines.get(key);
    const [first, next = null] = line?.positions ?? [];
    if (!line || first === undefined || first === entry.position) return null;
    if (line.parked.has(first)) return line.asker === entry.position ? this.#remove(key, line, [first]) : null;
    if (line.heldUntil === null || now < line.heldUntil) return null;
    line.early = next;
    return this.#remove(key, line, [first]);
  }

  /** The message is sent now. */
  begin({ entry, retried }: Pick<Message, 'entry' | 'retried'>): void {
    const known = this.#lines.get(keyOf(entry));
    if (retried && !(known && isIn(known, entry.position))) return;
    const line = known ?? this.#lineOf(entry);
    insert(line.positions, entry.position);
    line.parked.delete(entry.position);
    if (line.positions[0] === entry.position) line.asker = null;
  }

  /** The message waits in memory. */
  setAside(waiting: Waiting): void {
    const { entry } = waiting.message;
    const line = this.#lineOf(entry);
    insert(line.positions, entry.position);
    line.aside.set(entry.position, waiting);
    this.#aside++;
  }

  /** The message waits in the retry queue. */
  park(entry: LogEntry): void {
    const line = this.#lineOf(entry);
    insert(line.positions, entry.position);
    line.parked.add(entry.position);
    const [first = 0] = line.positions;
    const isAsked = line.asker !== null && isIn(line, line.asker);
    if (first !== entry.position && line.parked.has(first) && !isAsked) line.asker = entry.position;
  }

  /** The message is tried again later. Answers the messages in memory that wait for it, and until when each may be held up. */
  retries(entry: LogEntry, now: number): readonly { readonly waiting: Waiting; readonly until: number }[] {
    const line = this.#lines.get(keyOf(entry));
    if (!line) return [];
    if (line.positions[0] !== entry.position) {
      this.#letFirstGo(line);
      return [];
    }
    line.heldUntil ??= now + this.#hold();
    const aside = [...line.aside.values()].map((waiting) => {
      return { waiting, until: this.#untilOf(line, line.positions.indexOf(waiting.message.entry.position), now) };
    });
    line.aside.clear();
    this.#aside -= aside.length;
    return aside;
  }

  /**
   * The message has an end. Answers the position of its user's next call where that waits in the retry queue; a call that waits
   * in memory becomes ready.
   */
  ended(entry: LogEntry): Position | null {
    if (this.#lines.size === 0) return null;
    const key = keyOf(entry);
    const line = this.#lines.get(key);
    return line && isIn(line, entry.position) ? this.#remove(key, line, [entry.position]) : null;
  }

  /** Nothing could be sent for this long, milliseconds: no call has held up others meanwhile. */
  stoodStill(ms: number): void {
    for (const line of this.#lines.values()) if (line.heldUntil !== null) line.heldUntil += ms;
  }

  /** The next message whose turn has come, without taking it. */
  peekReady(): Waiting | undefined {
    return this.#ready[0];
  }

  takeReady(): void {
    this.#ready.shift();
  }

  /** Drops all messages that wait in memory: their lanes still have them. */
  stop(): void {
    this.#lines.clear();
    this.#ready.length = 0;
    this.#aside = 0;
  }

  /** Nothing is ordered any more: all messages in memory are ready. */
  release(): void {
    for (const { aside } of this.#lines.values()) this.#ready.push(...aside.values());
    this.#lines.clear();
    this.#aside = 0;
  }

  /** Messages were removed. Answers those of them that waited in memory, and the positions in the retry queue whose turn has come by that. */
  withdraw(positions: ReadonlySet<Position>): {
    readonly gone: readonly Waiting[];
    readonly next: readonly Position[];
  } {
    const gone = this.#ready.filter(({ message }) => positions.has(message.entry.position));
    for (const waiting of gone) this.#ready.splice(this.#ready.indexOf(waiting), 1);
    const next = [...this.#lines].map(([key, line]) => {
      const removed = line.positions.filter((position) => positions.has(position));
      gone.push(...removed.flatMap((position) => line.aside.get(position) ?? []));
      return this.#remove(key, line, removed);
    });
    return { gone, next: next.filter((position) => position !== null) };
  }

  /** Answers the position of the line's next call where its turn has come and it waits in the retry queue. */
  #remove(key: string, line: Line, removed: readonly Position[]): Position | null {
    const [first] = line.positions;
    for (const position of removed) {
      line.positions.splice(line.positions.indexOf(position), 1);
      line.parked.delete(position);
      if (line.aside.delete(position)) this.#aside--;
    }
    if (line.positions.length === 0) this.#lines.delete(key);
    if (line.positions[0] !== first) [line.heldUntil, line.asker] = [null, null];
    return this.#letFirstGo(line);
  }

  /**
   * The first call of a line has its turn: answers its position where it waits in the retry queue; in memory it becomes ready. It
   * may be a call of an earlier lane of the source, which was put before the call that was under way.
   */
  #letFirstGo({ positions: [first], aside, parked }: Line): Position | null {
    if (first === undefined) return null;
    const waiting = aside.get(first);
    if (!waiting) return parked.has(first) ? first : null;
    aside.delete(first);
    this.#aside--;
    this.#ready.push(waiting);
    return null;
  }

  #lineOf(entry: LogEntry): Line {
    const key = keyOf(entry);
    const known = this.#lines.get(key);
    if (known) return known;
    const line: Line = {
      positions: [],
      parked: new Set(),
      aside: new Map(),
      heldUntil: null,
      early: null,
      asker: null,
    };
    this.#lines.set(key, line);
    return line;
  }
}

/** Whether the line has the position. A line may be as long as all that one user sends while one of their calls is retried. */
function isIn({ positions, parked, aside }: Line, position: Position): boolean {
  return positions[0] === position || parked.has(position) || aside.has(position) || positions.includes(position);
}

/** Messages of the retry queue that one step of the search reads. */
const FOUND_AT_ONCE = 1_000;

/** Adds the messages of a destination's retry queue to an order, until it is stopped. Messages of a replay are in no line. */
export async function findWaiting(
  order: UserOrder,
  claims: Claims,
  destinationId: string,
  clock: Clock,
  isStopped: () => boolean,
): Promise<void> {
  // Of many messages it keeps no bodies.
  const claimed: Claimed[] = [];
  try {
    for (let more = true; more && !isStopped(); ) {
      const { items, gone = [] } = await claims.claimDue(destinationId, BEYOND_ALL, FOUND_AT_ONCE);
      for (const retry of [...items, ...gone]) {
        claimed.push({ destinationId, entry: { position: retry.entry.position } });
        if (!retry.isReplay) order.found(retry.entry, isParked(retry), clock.now());
      }
      more = items.length + gone.length > 0;
    }
  } finally {
    claims.release(claimed);
  }
}

/** The anonymous id is in the body only. */
const keyOf = weakMemo((entry: LogEntry): string => {
  return `${entry.sourceId} ${entry.userId ?? carriedIds(entry).anonymousId ?? ''}`;
});

/** Inserts into an ascending list, without doubles. Most positions come last. */
function insert(positions: Position[], position: Position): void {
  const place = positions.findLastIndex((other) => other <= position);
  if (positions[place] !== position) positions.splice(place + 1, 0, position);
}
