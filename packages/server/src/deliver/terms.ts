import { agedAt, type Clock } from '../core/clock.ts';
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

/** The limits and rules for a destination's requests: its own settings, else those of the process. Made once for each change. */
export class Terms {
  /** Most requests a second, from all nodes together. */
  readonly perSecond: number;
  /** Whether calls of one user are sent one after the other. */
  readonly isOrdered: boolean;
  /** Longest time that a call holds up later calls of its user, milliseconds. */
  readonly orderHold: number;
  /** The options of its senders, except the URL. */
  readonly sending: Omit<SenderOptions, 'webhook'>;
  /** The retry window, milliseconds. */
  readonly window: number;
  readonly #policy: Policy;
  readonly #retry: RetryPolicy;
  readonly #destination: Destination;
  readonly #clock: Clock;
  readonly #retention: number;
  /** Whether the destination or one of its URLs is or was paused. */
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

  /** The outcome of an answer under the destination's policy. */
  taken(answer: Outcome): Outcome {
    return this.#policy === NO_POLICY ? answer : taken(answer, this.#policy, this.#clock.now());
  }

  /**
   * The retry policy of a message whose window began at a time. Only time in which the message could be sent counts: jumps of the
   * clock since then, and pauses of the destination or of these URLs, make the window longer.
   */
  since(at: number, urls: readonly { readonly id: string }[] = []): RetryPolicy {
    const skipped = this.#clock.skipped?.(at) ?? 0;
    const added = skipped + (this.#isHeld ? this.#paused(at, urls) : 0);
    return added === 0 ? this.#retry : { ...this.#retry, window: this.#retry.window + added };
  }

  /** Until when an event is kept that was received at a time. Jumps of the clock since then do not count. */
  keptUntil(receivedAt: number): number {
    return agedAt(this.#clock, receivedAt, this.#retention);
  }

  /** Whether a message has waited longer than events are kept. */
  isTooOld({ entry }: { readonly entry: Pick<Event, 'receivedAt'> }, now: number): boolean {
    return this.keptUntil(entry.receivedAt) <= now;
  }

  /** Whether a message has waited for paused URLs longer than events are kept: without this its file could never be removed. */
  isLost(message: { readonly entry: LogEntry }, held: readonly string[], now: number): boolean {
    return held.length > 0 && !isLasting(message.entry) && this.isTooOld(message, now);
  }

  #paused(at: number, urls: readonly { readonly id: string }[]): number {
    const now = this.#clock.now();
    const held = this.#destination.webhooks.filter((webhook) => urls.some(({ id }) => id === webhook.id));
    return pausedFor([this.#destination, ...held], at, now);
  }
}
