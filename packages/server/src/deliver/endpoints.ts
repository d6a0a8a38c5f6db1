import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from '../core/delivery.ts';
import { type Destination, type Signing, signingOf, type Webhook } from '../core/destination.ts';
import type { Position } from '../core/event.ts';
import { webhookIdOf } from '../settings/webhook-id.ts';
import { failure } from './attempt.ts';
import { sendError } from './classify.ts';
import { Endpoint } from './endpoint.ts';
import type { Limiter } from './limiter.ts';
import type { OpenSender } from './sender.ts';

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
  /** Most requests under way per URL now. */
  /** That of a URL. */
  readonly newLimiter: () => Limiter;
  /** The retry window, milliseconds. */
  readonly window: number;
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
  #signing: Signing;

  constructor(destination: Destination, options: EndpointsOptions) {
    this.#options = options;
    this.#signing = signingOf(destination);
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
    const signing = signingOf(destination);
    const known = isDeepStrictEqual(signing, this.#signing) ? before : [];
    this.#signing = signing;
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
    const { openSender, newLimiter, window } = this.#options;
    const sender = openSender({ webhook, ...this.#signing });
    return new Endpoint(webhook, sender, newLimiter(), window);
  }
}

/** Whether one of the endpoints can take a message now; one that is stalled has no say while another is not. */
export function hasRoom(endpoints: readonly Endpoint[], now: number): boolean {
  const living = endpoints.some(({ stalled }) => !stalled);
  return endpoints.some((endpoint) => endpoint.free(now) && endpoint.waiting === 0 && !(living && endpoint.stalled));
}
