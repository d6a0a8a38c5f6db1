import type { Retry } from '../core/delivery.ts';
import type { Position } from '../core/event.ts';
import type { DeliveryStore } from '../record/contract.ts';

/** What the retry queue needs of the records. */
export type Claims = Pick<DeliveryStore, 'claimDue' | 'release'>;

/** Most messages taken from the retry queue at once; the rest waits there, however many there are. */
const PAGE = 64;

/** A destination's retry queue: knows when the next message is due, and takes those that are a page at a time. */
export class RetryQueue {
  readonly #destinationId: string;
  readonly #claims: Claims;
  #taken: Retry[] = [];
  #gone: Retry[] = [];
  /** Null: nothing stands there. At first it is unknown, so that looking is due at once. */
  #nextDueAt: number | null = 0;
  #claiming = false;
  #stopped = false;

  constructor(destinationId: string, claims: Claims) {
    this.#destinationId = destinationId;
    this.#claims = claims;
  }

  /** When there may be something to claim, milliseconds since the epoch; null for never, or while claiming. */
  get nextDueAt(): number | null {
    return this.#claiming ? null : this.#nextDueAt;
  }

  peek(): Retry | undefined {
    return this.#taken[0];
  }

  take(): Retry | undefined {
    return this.#taken.shift();
  }

  /** Takes those at hand that `over` says so of, at most so many. */
  takeWhere(over: (retry: Retry) => boolean, most: number): Retry[] {
    const taken = new Set<Retry>();
    for (const retry of this.#taken) if (taken.size < most && over(retry)) taken.add(retry);
    if (taken.size > 0) this.#taken = this.#taken.filter((retry) => !taken.has(retry));
    return [...taken];
  }

  /** Takes those at hand whose bodies are gone, at most so many. */
  takeGone(most: number): Retry[] {
    return this.#gone.splice(0, most);
  }

  /** Lets go of messages at hand. */
  withdraw(positions: ReadonlySet<Position>): void {
    this.#claims.release(this.takeWhere(({ entry }) => positions.has(entry.position), Number.POSITIVE_INFINITY));
    this.#gone = this.#gone.filter(({ entry }) => !positions.has(entry.position));
  }

  /** A message was put into the retry queue, due then. */
  added(dueAt: number): void {
    this.#nextDueAt = Math.min(this.#nextDueAt ?? dueAt, dueAt);
  }

  /** Claims what is due when fewer than `enough` are at hand; see Intake.refill for the two calls. */
  refill(now: number, enough: number, arrived: () => void, failed: (error: unknown) => void): void {
    if (this.#claiming || this.#stopped || this.#taken.length >= enough) return;
    if (this.#nextDueAt === null || this.#nextDueAt > now) return;
    this.#claiming = true;
    // What is added while the claim runs is told by added(), and counts beside the answer.
    this.#nextDueAt = null;
    this.#claims.claimDue(this.#destinationId, now, PAGE).then(
      ({ items, gone = [], nextDueAt }) => {
        this.#claiming = false;
        if (this.#stopped) return this.#claims.release([...items, ...gone]);
        this.#taken.push(...items);
        this.#gone.push(...gone);
        if (nextDueAt !== null) this.added(nextDueAt);
        arrived();
      },
      (error: unknown) => {
        this.#claiming = false;
        // After a stop the store may be closed under a claim, which has then taken nothing.
        if (this.#stopped) return;
        this.added(now);
        failed(error);
      },
    );
  }

  /** Gives back what was taken and not begun, and what a claim under way may still bring. */
  stop(): void {
    this.#stopped = true;
    this.#claims.release([...this.#taken, ...this.#gone]);
    this.#taken = [];
    this.#gone = [];
  }
}
