import type { Retry } from '../core/delivery.ts';
import type { LogEntry, Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import { isParked } from '../core/urls-left.ts';
import type { LaneReader } from '../log/contract.ts';
import { Intake } from './intake.ts';
import { type Claims, RetryQueue } from './retry-queue.ts';
import { fresh, isLasting, type Message, retried } from './round.ts';

/** Most entries of one page: with the limits of concurrency, what a lane holds in memory. */
const LARGEST_PAGE = 256;
/**
 * Messages of the retry queue that are looked through for an ended window while the breaker is open: they come in the order
 * they are due, and the first of them may be the last whose window ends.
 */
const RETRIES_IN_OUTAGE = 1024;

/** A message, and the lane's intake that it came from; none where it came from the retry queue. */
export interface Waiting {
  readonly message: Message;
  readonly intake?: Intake;
}

/** Whether a message has waited for too long; `since` is when its window began, null for never. */
export type IsOver = (message: Message, since: number | null) => boolean;

/** What waits for a destination: the entries of its lanes, whose turn comes in rotation, and its retry queue. */
export class Backlog {
  readonly retryQueue: RetryQueue;
  readonly #destinationId: string;
  #intakes: Intake[] = [];
  /** The intake that had its turn last. */
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

  /** The next messages of the lanes, left where they are, one of each; so that no source waits behind another. */
  *peekFresh(): Iterable<Required<Waiting>> {
    for (let i = 1; i <= this.#intakes.length; i++) {
      const intake = this.#intakes[(this.#turn + i) % this.#intakes.length];
      const entry = intake?.peek();
      if (intake && entry) yield { message: this.#fresh(intake, entry), intake };
    }
  }

  /** It has its turn: one that had to wait keeps it until then. */
  takeFresh(intake: Intake): void {
    intake.take();
    this.#turn = this.#intakes.indexOf(intake);
  }

  /** The next message of the retry queue, left where it is. */
  peekRetry(): Message | null {
    const retry = this.retryQueue.peek();
    return retry ? retried(retry) : null;
  }

  /**
   * Takes those at hand that have waited too long, at most so many. Of the retry queue no delete notice is taken: it has no window.
   */
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

  /** When the first of those at hand were received, one of each lane and of the retry queue. */
  firstReceivedAt(): number[] {
    const entries = [...this.#intakes.map((intake) => intake.peek()), this.retryQueue.peek()?.entry];
    return entries.flatMap((entry) => (entry ? [entry.receivedAt] : []));
  }

  /** Lets go of messages that are not begun. */
  withdraw(positions: ReadonlySet<Position>): void {
    for (const intake of this.#intakes) intake.withdraw(positions);
    this.retryQueue.withdraw(positions);
  }

  /** See Intake.refill. `limit`: requests that one URL may have under way. */
  refill(now: number, limit: number, isOutage: boolean, arrived: () => void, failed: (error: unknown) => void): void {
    this.retryQueue.refill(now, isOutage ? RETRIES_IN_OUTAGE : 1, arrived, failed);
    for (const intake of this.#intakes) intake.refill(Math.min(LARGEST_PAGE, limit * 4), arrived, failed);
  }

  stop(): void {
    for (const intake of this.#intakes) intake.stop();
    this.retryQueue.stop();
  }

  /** What was taken from the lanes and has no end is for others. */
  close(): void {
    for (const intake of this.#intakes) intake.close();
  }

  #fresh(intake: Intake, entry: LogEntry): Message {
    return fresh(intake.lane.id, this.#destinationId, entry);
  }
}

/** When the window of a message began. One that waits for an earlier call of its user counts as one of the lanes. */
function windowOf(retry: Retry): number | null {
  return isParked(retry) ? retry.entry.receivedAt : retry.firstAt;
}
