import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from '../core/delivery.ts';
import type { Destination, Hold, Webhook } from '../core/destination.ts';
import type { Position } from '../core/event.ts';
import { isDiscarded, isPaused } from '../core/hold.ts';
import type { FilterReason } from '../core/reason.ts';
import { endOf } from '../core/tally.ts';
import { isForOne, isParked, wasAnswered } from '../core/urls-left.ts';
import { webhookIdOf } from '../settings/webhook-id.ts';
import { failure } from './attempt.ts';
import type { BreakerState } from './breaker.ts';
import { sendError } from './classify.ts';
import { Endpoint, MOST_WAITING_BYTES } from './endpoint.ts';
import { Limiter } from './limiter.ts';
import type { Pace } from './pace.ts';
import { isLasting, type Message, type RoundResult } from './round.ts';
import type { OpenSender } from './sender.ts';
import type { Terms } from './terms.ts';

/** Most messages that are begun and not recorded: what a destination holds in memory when the store does not answer. */
const WINDOW = 2048;
/**
 * The same for a destination with several URLs. A URL that hangs is known to be stalled only when its first requests have timed
 * out; until then its siblings go on for this many messages.
 */
const WINDOW_OF_SEVERAL = 8192;

/** The outcome for a message that waited in a URL's queue when a stop, or a change of the URLs, emptied the queue. */
const ABORTED: Outcome = failure(sendError('aborted'));

/** The outcome for a message that waited in a URL's queue when the destination or the URL was paused. */
const PAUSED: Outcome = failure(sendError('paused'));

/** The outcome for a stalled URL that is left out of a round. */
export const STALLED: Outcome = failure(sendError('url_stalled'));

/** Recorded for a message that is sent before an earlier call of its user, because that call held it up for too long. */
export const EARLY: Outcome = failure(sendError('order_given_up'));

/** Whether a round made a request. */
export function wasSent({ outcomes }: RoundResult): boolean {
  return outcomes.some(({ outcome }) => endOf(outcome) !== null);
}

export interface EndpointsOptions {
  readonly openSender: OpenSender;
  /** Most requests under way from this node to one URL, where the destination sets no number for all nodes. */
  readonly maxConcurrency: number;
  /** How many nodes there are, this one included. */
  readonly nodes: () => number;
  /** Spaces the destination's requests. */
  readonly pace: Pace;
}

export interface EndpointStatus {
  readonly id: string;
  readonly url: string;
  readonly concurrency: number;
  readonly inFlight: number;
  readonly stalled: boolean;
  readonly overloaded: boolean;
  readonly lastError: string | null;
  /** When its certificate ends, milliseconds since the epoch; null for http, and before the first connection. */
  readonly certificateEndsAt: number | null;
}

/** All URLs of a destination: which of them a message goes to, and whether it can go now. */
export class Endpoints implements Targets {
  readonly #options: EndpointsOptions;
  #current: readonly Endpoint[];
  #open: readonly Endpoint[] = [];
  #held: readonly string[] = [];
  #holds: ReadonlyMap<string, Hold | undefined> = new Map();
  #hasDiscarded = false;
  /** Endpoints of earlier settings that have requests under way. */
  #former: readonly Endpoint[] = [];
  #terms: Terms;

  constructor(destination: Destination, terms: Terms, options: EndpointsOptions) {
    this.#options = options;
    this.#terms = terms;
    this.#current = destination.webhooks.map((webhook) => this.#endpointOf(webhook));
    this.#sort(destination);
  }

  /** URLs that are not paused. */
  get open(): readonly Endpoint[] {
    return this.#open;
  }

  /** Ids of the paused URLs. */
  get held(): readonly string[] {
    return this.#held;
  }

  status(now: number): readonly EndpointStatus[] {
    return this.#current.map((endpoint) => {
      const { webhook, sender, limit, inFlight, stalled, lastError } = endpoint;
      const isOpen = !this.#held.includes(webhook.id);
      return {
        id: webhook.id,
        url: webhook.url,
        concurrency: limit,
        inFlight,
        stalled: stalled && isOpen,
        overloaded: endpoint.isOverloaded(now) && isOpen,
        lastError,
        certificateEndsAt: sender.certificateEndsAt ?? null,
      };
    });
  }

  /** Most messages that may be begun and not yet recorded. */
  get window(): number {
    if (this.#current.some(({ waitingBytes }) => waitingBytes > MOST_WAITING_BYTES)) return 0;
    return this.#current.length > 1 ? WINDOW_OF_SEVERAL : WINDOW;
  }

  /** Most requests that one URL may have under way now. */
  get limit(): number {
    return Math.max(1, ...this.#open.map(({ limit }) => limit));
  }

  /** Whether one URL is not stalled: then no message waits for a stalled one. */
  get living(): boolean {
    return this.#open.some(({ stalled }) => !stalled);
  }

  /** Opens new and changed URLs, and closes removed and changed ones; the others go on. Answers whether one was opened. */
  follow(destination: Destination, terms: Terms): boolean {
    const before = this.#current;
    const known = isDeepStrictEqual(terms.sending, this.#terms.sending) ? before : [];
    this.#terms = terms;
    this.#current = destination.webhooks.map(
      (webhook) => known.find((endpoint) => isSameUrl(endpoint.webhook, webhook)) ?? this.#endpointOf(webhook),
    );
    this.#sort(destination);
    for (const endpoint of this.#current) if (!this.#open.includes(endpoint)) endpoint.skipWaiting(PAUSED);
    const gone = before.filter((endpoint) => !this.#current.includes(endpoint));
    this.#former = [...this.#former, ...gone].filter(({ inFlight }) => inFlight > 0);
    for (const endpoint of gone) {
      endpoint.skipWaiting(ABORTED);
      endpoint.retire();
    }
    return this.#current.some((endpoint) => !before.includes(endpoint));
  }

  /**
   * The URLs a message goes to: all, or in a later round those that are left.
   *
   * A message that was discarded at a URL is not sent there, unless a replay asks for it or it is a delete notice. Where the URLs
   * that are left no longer belong to the destination, and no URL has finally answered the message, the present URLs take their
   * place; but not the place of the one URL that a replay is for, unless the message is a delete notice. `reason`: why no URL is
   * left.
   */
  targets(message: Message): Targets & { readonly reason?: FilterReason | null } {
    const { entry, urlsLeft } = message;
    const isAll = urlsLeft === null || isParked({ urlsLeft });
    const isSent = !this.#hasDiscarded || isLasting(entry);
    if (isAll && isSent) return this;
    const ids = urlsLeft?.map(webhookIdOf);
    const own = isAll ? this.#current : this.#current.filter(({ webhook }) => ids?.includes(webhook.id));
    const isGone = own.length === 0 && !wasAnswered(message);
    if (isGone && isForOne(message) && !isLasting(entry)) return { open: [], held: [], reason: 'url_removed' };
    const left = isGone ? this.#current : own;
    const kept = left.filter(
      ({ webhook: { id } }) => isSent || !isDiscarded(this.#holds.get(id), entry.position, message),
    );
    const open = kept.filter((endpoint) => this.#open.includes(endpoint));
    const held = kept.map(({ webhook }) => webhook.id).filter((id) => this.#held.includes(id));
    return { open, held, reason: left.length > 0 && kept.length === 0 ? 'discarded' : null };
  }

  /** Whether a message's retry window has ended. It does not end while a URL that the message waits for is paused. */
  isWindowOver({ urlsLeft }: Message, since: number | null, now: number): boolean {
    const ids = urlsLeft === null || isParked({ urlsLeft }) ? null : urlsLeft.map(webhookIdOf);
    const left = this.#current.flatMap(({ webhook }) => (ids?.includes(webhook.id) === false ? [] : [webhook]));
    if (since === null || left.some(({ id }) => this.#held.includes(id))) return false;
    return since <= now - this.#terms.since(since, left).window;
  }

  /**
   * Whether a message of the retry queue can be begun at some of these URLs: one has a free request; or each is stalled or spared,
   * so that the message does not wait for it; or each has a queue already, and fresh messages would else stay ahead of this one for
   * ever.
   */
  fits(some: readonly Endpoint[], now: number, breaker: BreakerState): boolean {
    if (hasRoom(some, now)) return true;
    if (breaker !== 'closed' || !this.living) return false;
    return some.every((endpoint) => endpoint.stalled || endpoint.waiting > 0 || this.#isSpared(endpoint, now));
  }

  /**
   * Begins attempts that wait, as far as requests are free. No message waits for a stalled URL, nor for any URL while the breaker
   * is open, and none for long while another URL keeps up.
   */
  advance(now: number, breakerOpen: boolean): void {
    const { living } = this;
    for (const endpoint of this.#open) {
      if (breakerOpen || (living && endpoint.stalled)) endpoint.skipWaiting(STALLED);
      else endpoint.startWaiting(now);
    }
    for (const endpoint of this.#open) if (this.#isSpared(endpoint, now)) endpoint.skipExcess(now);
  }

  /** Whether a URL that does not keep up is left out where a message would wait for it, because another URL keeps up. */
  #isSpared(endpoint: Endpoint, now: number): boolean {
    return !endpoint.keepsUp(now) && this.#open.some((other) => other.keepsUp(now));
  }

  /** The destination has recovered from an outage, or these URLs were resumed. */
  restart(ids?: readonly string[]): void {
    for (const endpoint of this.#current) if (ids?.includes(endpoint.webhook.id) ?? true) endpoint.restart();
  }

  /** Empties the queues: of all messages, or of these. */
  abort(positions?: ReadonlySet<Position>): void {
    for (const endpoint of this.#current) endpoint.skipWaiting(ABORTED, positions);
  }

  /** Empties the queues, because the destination is paused. */
  pause(): void {
    for (const endpoint of this.#current) endpoint.skipWaiting(PAUSED);
  }

  /** No URL takes further requests; each is closed when its requests under way have ended. */
  retire(): void {
    for (const endpoint of this.#current) endpoint.retire();
  }

  /** Ends the requests under way. */
  async close(): Promise<void> {
    await Promise.all([...this.#former, ...this.#current].map(({ sender }) => sender.close()));
  }

  #sort({ webhooks }: Destination): void {
    this.#holds = new Map(webhooks.map(({ id, hold }) => [id, hold]));
    this.#hasDiscarded = webhooks.some(({ hold }) => hold?.discarded !== undefined);
    this.#held = webhooks.filter(isPaused).map(({ id }) => id);
    this.#open = this.#current.filter(({ webhook }) => !this.#held.includes(webhook.id));
  }

  #endpointOf(webhook: Webhook): Endpoint {
    const { openSender, pace, nodes, maxConcurrency } = this.#options;
    const { sending } = this.#terms;
    const { connections } = sending;
    const most = (): number => (connections ? Math.max(1, Math.floor(connections / nodes())) : maxConcurrency);
    const limiter = new Limiter(most, nodes);
    const former = (): number => this.#formerAt(webhook.url);
    return new Endpoint(webhook, openSender({ webhook, ...sending }), limiter, pace, () => this.#terms.window, former);
  }

  #formerAt(url: string): number {
    return this.#former.reduce((sum, { webhook, inFlight }) => sum + (webhook.url === url ? inFlight : 0), 0);
  }
}

/** The URLs a message goes to. */
export interface Targets {
  readonly open: readonly Endpoint[];
  /** Ids of its paused URLs. */
  readonly held: readonly string[];
}

/** Whether requests to a URL are the same before and after a change; a pause or its end changes nothing about them. */
function isSameUrl({ hold: _, ...before }: Webhook, { hold: __, ...after }: Webhook): boolean {
  return isDeepStrictEqual(before, after);
}

/** Whether an endpoint can take a message now. A stalled endpoint does not count where another is not stalled. */
export function hasRoom(endpoints: readonly Endpoint[], now: number): boolean {
  const living = endpoints.some(({ stalled }) => !stalled);
  return endpoints.some((endpoint) => endpoint.free(now) && endpoint.waiting === 0 && !(living && endpoint.stalled));
}
