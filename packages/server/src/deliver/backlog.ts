import type { Retry } from '../core/delivery.ts';
import type { LogEntry, Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import { isParked } from '../core/urls-left.ts';
import type { LaneReader } from '../log/contract.ts';
import { Intake } from './intake.ts';
import { type Claims, RetryQueue } from './retry-queue.ts';
import { fresh, isLasting, type Message, retried } from './round.ts';

/** Most entries of one page. With the limits of concurrency it bounds what a lane holds in memory. */
const LARGEST_PAGE = 256;
/**
 * While the breaker is open, this many messages of the retry queue are checked for an ended retry window. They come in the order
 * they are due, and the first may be the last whose window ends.
 */
const RETRIES_IN_OUTAGE = 1024;

/** A message, and the lane's intake that it came from; no intake for a message of the retry queue. */
export interface Waiting {
  readonly message: Message;
  readonly intake?: Intake;
}

/** Whether a message has waited too long. `since`: when its retry window began; null for never. */
export type IsOver = (message: Message, since: number | null) => boolean;

/** What waits for a destination: the entries of its lanes, which take turns, and its retry queue. */
export class Backlog {
  readonly retryQueue: RetryQueue;
  readonly #destinationId: string;
  #intakes: Intake[] = [];
  /** Index of the intake that had the last turn. */
  #turn = 0;

  constructor(destinationId: string, claims: Claims) {
    this.#destinationId = destinationId;
    this.retryQueue = new RetryQueue(destinationId, claims);
  }

  addLane(lane: Lane, reader: LaneReader): void {
    this.#intakes.push(new Intake(lane, reader));
  }

  hasLane(id: number): boolean {
    return this.#intakes.some(({ lane }) => lane.id === id);
  }

  /** The next message of each lane, in turn, without taking it: no source waits behind another. */
  *peekFresh(): Iterable<Required<Waiting>> {
    for (let i = 1; i <= this.#intakes.length; i++) {
      const intake = this.#intakes[(this.#turn + i) % this.#intakes.length];
      const entry = intake?.peek();
      if (intake && entry) yield { message: this.#fresh(intake, entry), intake };
    }
  }

  /** Takes the next message of an intake. A lane that had to wait keeps its turn until then. */
  takeFresh(intake: Intake): void {
    intake.take();
    this.#turn = this.#intakes.indexOf(intake);
  }

  /** The next message of the retry queue, without taking it. */
  peekRetry(): Message | null {
    const retry = this.retryQueue.peek();
    return retry ? retried(retry) : null;
  }

  /** Takes the loaded messages that have waited too long, `most` at most. Delete notices of the retry queue are not taken: they have no window. */
  takeOver(isOver: IsOver, most: number): Waiting[] {
    const isOld = (retry: Retry): boolean => isOver(retried(retry), windowOf(retry)) && !isLasting(retry.entry);
    const taken: Waiting[] = this.retryQueue
      .takeWhere(isOld, Math.max(0, most))
      .map((retry) => ({ message: retried(retry) }));
    for (const intake of this.#intakes) {
      for (let entry = intake.peek(); entry && taken.length < most; entry = intake.peek()) {
        const message = this.#fresh(intake, entry);
        if (!isOver(message, entry.receivedAt)) break;
        intake.take();
        taken.push({ message, intake });
      }
    }
    return taken;
  }

  /** When the retry queue and the lanes may be asked next, milliseconds since the epoch. Times that have passed say nothing. */
  get nextAt(): (number | null)[] {
    return [this.retryQueue.nextDueAt, ...this.#intakes.map((intake) => intake.restsUntil)];
  }

  /** When the next loaded message of each lane, and of the retry queue, was received. */
  firstReceivedAt(): number[] {
    const entries = [...this.#intakes.map((intake) => intake.peek()), this.retryQueue.peek()?.entry];
    return entries.flatMap((entry) => (entry ? [entry.receivedAt] : []));
  }

  /** Drops messages that are not begun. */
  withdraw(positions: ReadonlySet<Position>): void {
    for (const intake of this.#intakes) intake.withdraw(positions);
    this.retryQueue.withdraw(positions);
  }

  /** See Intake.refill. `limit`: requests that one URL may have under way. */
  refill(now: number, limit: number, isOutage: boolean, arrived: () => void, failed: (error: unknown) => number): void {
    this.retryQueue.refill(now, isOutage ? RETRIES_IN_OUTAGE : 1, arrived, failed);
    for (const intake of this.#intakes) intake.refill(now, Math.min(LARGEST_PAGE, limit * 4), arrived, failed);
  }

  stop(): void {
    for (const intake of this.#intakes) intake.stop();
    this.retryQueue.stop();
  }

  /** Gives messages that were taken from the lanes and are not settled to other readers. */
  close(): void {
    for (const intake of this.#intakes) intake.close();
  }

  #fresh(intake: Intake, entry: LogEntry): Message {
    return fresh(intake.lane.id, this.#destinationId, entry);
  }
}

/** When the message's window began; null for one that waits for an earlier call of its user, which counts as a message of a lane. */
function windowOf(retry: Retry): number | null {
  return isParked(retry) ? retry.entry.receivedAt : retry.firstAt;
}
