import type { Retry } from '../core/delivery.ts';
import type { Position } from '../core/event.ts';
import type { DeliveryStore } from '../record/contract.ts';

/** What the retry queue needs of the records. */
export type Claims = Pick<DeliveryStore, 'claimDue' | 'release'>;

/** Most messages taken from the retry queue at once; the others stay there. */
const PAGE = 64;

/** A destination's retry queue: it knows when the next message is due, and takes due messages page by page. */
export class RetryQueue {
  readonly #destinationId: string;
  readonly #claims: Claims;
  #taken: Retry[] = [];
  #gone: Retry[] = [];
  /** Null: the queue is empty. At first that is unknown, so the first look is due at once. */
  #nextDueAt: number | null = 0;
  #claiming = false;
  #stopped = false;

  constructor(destinationId: string, claims: Claims) {
    this.#destinationId = destinationId;
    this.#claims = claims;
  }

  /** When to claim messages next, milliseconds since the epoch; null for never, or while a claim runs. */
  get nextDueAt(): number | null {
    return this.#claiming ? null : this.#nextDueAt;
  }

  peek(): Retry | undefined {
    return this.#taken[0];
  }

  take(): Retry | undefined {
    return this.#taken.shift();
  }

  /** Takes the loaded messages for which `over` answers true, `most` at most. */
  takeWhere(over: (retry: Retry) => boolean, most: number): Retry[] {
    const taken = new Set<Retry>();
    for (const retry of this.#taken) if (taken.size < most && over(retry)) taken.add(retry);
    if (taken.size > 0) this.#taken = this.#taken.filter((retry) => !taken.has(retry));
    return [...taken];
  }

  /** Takes the loaded messages whose bodies are gone, `most` at most. */
  takeGone(most: number): Retry[] {
    return this.#gone.splice(0, most);
  }

  /** Drops loaded messages. */
  withdraw(positions: ReadonlySet<Position>): void {
    this.#claims.release(this.takeWhere(({ entry }) => positions.has(entry.position), Number.POSITIVE_INFINITY));
    this.#gone = this.#gone.filter(({ entry }) => !positions.has(entry.position));
  }

  /** A message was put into the retry queue, due at this time. */
  added(dueAt: number): void {
    this.#nextDueAt = Math.min(this.#nextDueAt ?? dueAt, dueAt);
  }

  /** Claims due messages where fewer than `enough` are loaded. For the two callbacks see Intake.refill. */
  refill(now: number, enough: number, arrived: () => void, failed: (error: unknown) => number): void {
    if (this.#claiming || this.#stopped || this.#taken.length >= enough) return;
    if (this.#nextDueAt === null || this.#nextDueAt > now) return;
    this.#claiming = true;
    // A message that is put there while the claim runs is reported by added(), beside the claim's answer.
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
        // After a stop the store may be closed while a claim runs; the claim has taken nothing then.
        if (this.#stopped) return;
        this.added(failed(error));
      },
    );
  }

  /** Gives back the messages that were taken and not begun, and those that a running claim may still bring. */
  stop(): void {
    this.#stopped = true;
    this.#claims.release([...this.#taken, ...this.#gone]);
    this.#taken = [];
    this.#gone = [];
  }
}
