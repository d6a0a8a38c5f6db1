import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from '../core/delivery.ts';
import { type Destination, signingOf, type Webhook } from '../core/destination.ts';
import type { Position } from '../core/event.ts';
import { webhookIdOf } from '../settings/webhook-id.ts';
import { failure } from './attempt.ts';
import { sendError } from './classify.ts';
import { Endpoint } from './endpoint.ts';
import { Limiter } from './limiter.ts';
import type { Pace } from './pace.ts';
import { NO_POLICY, retryPolicy, sendLimits } from './policy.ts';
import type { RetryPolicy } from './schedule.ts';
import type { OpenSender, SenderOptions } from './sender.ts';

/** Most messages begun and not recorded yet: with a store that stands still, this is what a destination holds. */
const WINDOW = 2048;
/**
 * The same where a destination has several URLs: one that hangs is known to be stalled only when its first requests have
 * timed out, and until then its siblings go on for this many messages.
 */
const WINDOW_OF_SEVERAL = 8192;

/** The outcome at a URL in whose queue a message stood when the stop or the change of URLs came. */
export const ABORTED: Outcome = failure(sendError('aborted'));

/** The outcome at a URL that was left out of a round because it is stalled. */
export const STALLED: Outcome = failure(sendError('url_stalled'));

export interface EndpointsOptions {
  readonly openSender: OpenSender;
  /** Most requests under way to a URL, from all nodes together, where the destination says nothing else. */
  readonly maxConcurrency: number;
  /** How many nodes there are, this one among them. */
  readonly nodes: () => number;
  /** Of the destination's requests. */
  readonly pace: Pace;
  /** Of the process. */
  readonly policy: RetryPolicy;
}

export interface EndpointStatus {
  readonly id: string;
  readonly url: string;
  readonly concurrency: number;
  readonly inFlight: number;
  readonly stalled: boolean;
  readonly lastError: string | null;
}

/** The URLs of a destination together: which of them a message goes to, and whether it can go now. */
export class Endpoints {
  readonly #options: EndpointsOptions;
  #current: readonly Endpoint[];
  /** Of the settings before, as long as they have requests under way. */
  #former: readonly Endpoint[] = [];
  /** What a sender is opened with, but for its URL; and how its endpoint is limited. */
  #terms: Terms;

  constructor(destination: Destination, options: EndpointsOptions) {
    this.#options = options;
    this.#terms = termsOf(destination, options);
    this.#current = destination.webhooks.map((webhook) => this.#open(webhook));
  }

  get all(): readonly Endpoint[] {
    return this.#current;
  }

  get status(): readonly EndpointStatus[] {
    return this.#current.map(({ webhook, limit, inFlight, stalled, lastError }) => ({
      id: webhook.id,
      url: webhook.url,
      concurrency: limit,
      inFlight,
      stalled,
      lastError,
    }));
  }

  /** Most messages that may be begun and not recorded. */
  get window(): number {
    return this.#current.length > 1 ? WINDOW_OF_SEVERAL : WINDOW;
  }

  /** Most requests that one of them may have under way now. */
  get limit(): number {
    return Math.max(...this.#current.map(({ limit }) => limit));
  }

  /** Whether one is not stalled: then no message waits for those that are. */
  get living(): boolean {
    return this.#current.some(({ stalled }) => !stalled);
  }

  /** Opens what is new or changed, and closes what is gone or was changed. The others go on. Answers whether one was opened. */
  follow(destination: Destination): boolean {
    const before = this.#current;
    const terms = termsOf(destination, this.#options);
    const known = isDeepStrictEqual(terms, this.#terms) ? before : [];
    this.#terms = terms;
    this.#current = destination.webhooks.map(
      (webhook) => known.find((endpoint) => isDeepStrictEqual(endpoint.webhook, webhook)) ?? this.#open(webhook),
    );
    const gone = before.filter((endpoint) => !this.#current.includes(endpoint));
    this.#former = [...this.#former, ...gone].filter(({ inFlight }) => inFlight > 0);
    for (const endpoint of gone) {
      endpoint.skipWaiting(ABORTED);
      endpoint.retire();
    }
    return this.#current.some((endpoint) => !before.includes(endpoint));
  }

  /** Those a later round goes to. URLs that are no longer the destination's are left out; where none is left, it is all. */
  targets(urlsLeft: readonly string[] | null): readonly Endpoint[] {
    const ids = urlsLeft?.map(webhookIdOf);
    const left = this.#current.filter(({ webhook }) => ids?.includes(webhook.id));
    return left.length > 0 ? left : this.#current;
  }

  /** Begins what waits and has room; no message waits for one that is stalled, or for any while the breaker is open. */
  advance(now: number, breakerOpen: boolean): void {
    const { living } = this;
    for (const endpoint of this.#current) {
      if (breakerOpen || (living && endpoint.stalled)) endpoint.skipWaiting(STALLED);
      else endpoint.startWaiting(now);
    }
  }

  /** The destination has come back after an outage. */
  restart(): void {
    for (const endpoint of this.#current) endpoint.restart();
  }

  /** Empties the queues: of all messages, or of these. */
  abort(positions?: ReadonlySet<Position>): void {
    for (const endpoint of this.#current) endpoint.skipWaiting(ABORTED, positions);
  }

  /** They take no more requests; each is closed when those under way have ended. */
  retire(): void {
    for (const endpoint of this.#current) endpoint.retire();
  }

  /** Ends the requests under way. */
  async close(): Promise<void> {
    await Promise.all([...this.#former, ...this.#current].map(({ sender }) => sender.close()));
  }

  #open(webhook: Webhook): Endpoint {
    const { openSender, pace, nodes, maxConcurrency } = this.#options;
    const { window, sending } = this.#terms;
    const limiter = new Limiter(sending.connections ?? maxConcurrency, nodes);
    return new Endpoint(webhook, openSender({ webhook, ...sending }), limiter, pace, window);
  }
}

interface Terms {
  readonly sending: Omit<SenderOptions, 'webhook'>;
  /** The retry window, milliseconds. */
  readonly window: number;
}

function termsOf(destination: Destination, { policy }: EndpointsOptions): Terms {
  const own = destination.policy ?? NO_POLICY;
  return { sending: { ...signingOf(destination), ...sendLimits(own) }, window: retryPolicy(own, policy).window };
}

/** Whether one of the endpoints can take a message now; one that is stalled has no say while another is not. */
export function hasRoom(endpoints: readonly Endpoint[], now: number): boolean {
  const living = endpoints.some(({ stalled }) => !stalled);
  return endpoints.some((endpoint) => endpoint.free(now) && endpoint.waiting === 0 && !(living && endpoint.stalled));
}
