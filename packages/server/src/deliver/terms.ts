import type { Clock } from '../core/clock.ts';
import type { Outcome } from '../core/delivery.ts';
import { type Destination, optionsOf, type Policy, signingOf } from '../core/destination.ts';
import { parseDuration } from '../core/duration.ts';
import type { Event, LogEntry } from '../core/event.ts';
import { pausedFor } from '../core/hold.ts';
import { NO_POLICY, retryPolicy, sendLimits, taken } from './policy.ts';
import { isLasting } from './round.ts';
import type { RetryPolicy } from './schedule.ts';
import type { SenderOptions } from './sender.ts';

export interface TermsWorld {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  /** How long events are kept, milliseconds. */
  readonly retention: number;
}

/** What the settings of a destination say of its requests, over those of the process; made once for each change. */
export class Terms {
  /** Most requests a second, of all nodes. */
  readonly perSecond: number;
  /** Whether calls of one user go out one after the other. */
  readonly isOrdered: boolean;
  /** Longest that one of them holds up the others, milliseconds. */
  readonly orderHold: number;
  /** What a sender is opened with, but for its URL. */
  readonly sending: Omit<SenderOptions, 'webhook'>;
  /** The retry window, milliseconds. */
  readonly window: number;
  readonly #policy: Policy;
  readonly #retry: RetryPolicy;
  readonly #destination: Destination;
  readonly #clock: Clock;
  readonly #retention: number;
  /** It, or a URL of it, stands or has stood still. */
  readonly #isHeld: boolean;

  constructor(destination: Destination, { policy, clock, retention }: TermsWorld) {
    this.#destination = destination;
    this.#clock = clock;
    this.#retention = retention;
    this.#policy = destination.policy ?? NO_POLICY;
    this.#retry = retryPolicy(this.#policy, policy);
    this.window = this.#retry.window;
    this.sending = { ...signingOf(destination), ...sendLimits(this.#policy) };
    this.#isHeld = [destination, ...destination.webhooks].some(({ hold }) => hold !== undefined);
    const { order, orderHold } = optionsOf(destination);
    this.isOrdered = order === 'user';
    this.orderHold = parseDuration(orderHold) ?? 0;
    this.perSecond = this.#policy.ratePerSecond ?? Number.POSITIVE_INFINITY;
  }

  /** How an answer is taken. */
  taken(answer: Outcome): Outcome {
    return this.#policy === NO_POLICY ? answer : taken(answer, this.#policy, this.#clock.now());
  }

  /**
   * The retry policy of a message whose window began at a time. The window is one of time in which it could be sent: what a clock
   * skipped since then, and for how long the destination or one of its URLs stood still, is added to it.
   */
  since(at: number, urls: readonly { readonly id: string }[] = []): RetryPolicy {
    const skipped = this.#clock.skipped?.(at) ?? 0;
    const added = skipped + (this.#isHeld ? this.#paused(at, urls) : 0);
    return added === 0 ? this.#retry : { ...this.#retry, window: this.#retry.window + added };
  }

  /** Until when an event is kept that was received at a time. What a clock has skipped since does not count. */
  keptUntil(receivedAt: number): number {
    return receivedAt + this.#retention + (this.#clock.skipped?.(receivedAt) ?? 0);
  }

  /** Whether a message waits for longer than events are kept. */
  isTooOld({ entry }: { readonly entry: Pick<Event, 'receivedAt'> }, now: number): boolean {
    return this.keptUntil(entry.receivedAt) <= now;
  }

  /** Whether a message waits for URLs that stand still for longer than events are kept: its file could never go. */
  isLost(message: { readonly entry: LogEntry }, held: readonly string[], now: number): boolean {
    return held.length > 0 && !isLasting(message.entry) && this.isTooOld(message, now);
  }

  #paused(at: number, urls: readonly { readonly id: string }[]): number {
    const now = this.#clock.now();
    const held = this.#destination.webhooks.filter((webhook) => urls.some(({ id }) => id === webhook.id));
    return pausedFor([this.#destination, ...held], at, now);
  }
}
