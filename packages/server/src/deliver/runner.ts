import type { DeliveryResult } from '../core/delivery.ts';
import type { Destination } from '../core/destination.ts';
import type { Position } from '../core/event.ts';
import { isPaused, resumedBy, standsStill } from '../core/hold.ts';
import type { Lane } from '../core/lane.ts';
import type { FailReason } from '../core/reason.ts';
import { wasTaken } from '../core/urls-left.ts';
import type { LaneReader } from '../log/contract.ts';
import { Alarm } from './alarm.ts';
import { Backlog, type IsOver, type Waiting } from './backlog.ts';
import { Breaker } from './breaker.ts';
import { Endpoints, hasRoom, wasSent } from './endpoints.ts';
import { Hastening } from './hasten.ts';
import { Ordering } from './ordering.ts';
import { Pace } from './pace.ts';
import { type News, OutageNews } from './peers.ts';
import {
  decide,
  endOf,
  endWithout,
  failedOf,
  held,
  isLasting,
  parked,
  putOff,
  type RoundResult,
  retried,
  verdictOf,
} from './round.ts';
import { beginRound, type Sending } from './rounds.ts';
import { reasonAgainst } from './route.ts';
import type { RunnerStatus, RunnerWorld } from './runner-world.ts';
import { Terms } from './terms.ts';
import { Turns } from './turns.ts';
import { GO } from './user-order.ts';
import { type Way, wayOf } from './way.ts';

const RETENTION_ENDED = 'retention_ended' satisfies FailReason;
/** Wait after an error of the log or the records. */
const STORE_RETRY_MS = 1_000;

/**
 * Delivers to one destination: takes messages from its lanes and its retry queue as its URLs have room, sends each to all its
 * URLs at once, and records what became of it. Everything is decided in `#pump`, which runs whenever something changed:
 * a message arrived, a request ended, a time came, the settings are new.
 *
 * A message goes to every URL, each on its own: it is begun when one of them has room, and waits for the others in their
 * own queues. While another URL keeps up, a URL that is stalled (8 failures in a row) has no queue, and a slow one a short
 * queue: a message that finds no room there counts as failed there (`url_stalled`, `url_overloaded`) without a request. The
 * same goes for all queues while the breaker is open. A stop empties the queues, and a change of a URL its own (`aborted`).
 *
 * Messages of the retry queue go first, but one that has to wait for its URLs lets fresh ones pass. The probe of an open breaker
 * is a fresh message where there is one: those in the retry queue may be what the endpoint can't digest.
 */
export class Runner {
  readonly #world: RunnerWorld;
  readonly #backlog: Backlog;
  readonly #breaker: Breaker;
  readonly #endpoints: Endpoints;
  readonly #pace: Pace;
  readonly #sending: Sending;
  #destination: Destination;
  #terms: Terms;
  /** Messages begun and not recorded. */
  #open = 0;
  readonly #alarm: Alarm;
  #stopped: PromiseWithResolvers<void> | null = null;
  #abandoned = false;
  #pumping = false;
  readonly #hastening: Hastening;
  readonly #order: Ordering;
  readonly #news: OutageNews;
  readonly #turns: Turns;
  readonly #go = (): void => this.#pump();
  readonly #isHeld = (): boolean => this.#world.holds?.(this.#destination) ?? false;

  /** `turns` are those of all runners of the process; `leads` says whether it is the one that keeps the order of users. */
  constructor(destination: Destination, world: RunnerWorld, turns: Turns = new Turns(world), leads = true) {
    this.#destination = destination;
    this.#world = world;
    this.#turns = turns;
    this.#terms = new Terms(destination, world);
    this.#backlog = new Backlog(destination.id, world.claims);
    const { peers, maxConcurrency, openSender, random } = world;
    this.#breaker = new Breaker(() => peers.count(), random);
    this.#news = new OutageNews(destination.id, peers);
    this.#pace = new Pace(() => this.#terms.perSecond / peers.count());
    const { pace, nodes } = { pace: this.#pace, nodes: () => peers.count() };
    this.#endpoints = new Endpoints(destination, this.#terms, { openSender, maxConcurrency, nodes, pace });
    this.#sending = {
      ...{ endpoints: this.#endpoints, turns, world, answered: () => this.#pumpSoon() },
      ...{ destination: () => this.#destination, terms: () => this.#terms },
    };
    this.#alarm = new Alarm(world.clock, this.#go);
    this.#hastening = new Hastening({
      ...{ destinationId: destination.id, world, isStopped: () => this.#stopped !== null },
      hastened: () => this.wake(),
    });
    this.#order = new Ordering({
      ...{ destinationId: destination.id, world, leads, hold: () => this.#terms.orderHold },
      hastening: this.#hastening,
      searched: () => {
        this.#checkIdle();
        this.wake();
      },
    });
    this.#order.follow(this.#terms.isOrdered);
    this.#hastening.goOn(destination);
  }

  get status(): RunnerStatus {
    return {
      held: this.#isHeld(),
      breaker: this.#breaker.state,
      probeAt: this.#breaker.probeAt,
      urls: this.#endpoints.status(this.#world.clock.now()),
    };
  }

  /** Nothing is begun, and nothing fails. What is switched off is filtered all the same. */
  get #standsStill(): boolean {
    return this.#isHeld() || (this.#destination.enabled && standsStill(this.#destination));
  }

  addLane(lane: Lane, reader: LaneReader): void {
    this.#backlog.addLane(lane, reader);
    this.#pump();
  }

  hasLane(id: number): boolean {
    return this.#backlog.hasLane(id);
  }

  /** Follows a change of the settings: what is sent from now on is sent by the new ones. */
  update(destination: Destination): void {
    const before = this.#destination;
    this.#destination = destination;
    this.#terms = new Terms(destination, this.#world);
    this.#order.follow(this.#terms.isOrdered);
    // A new URL, or a new secret, deserves a fresh judgement; after an outage the URLs begin slowly.
    const isNew = this.#endpoints.follow(destination, this.#terms);
    if (isNew && this.#breaker.alive(this.#world.clock.now())) this.#endpoints.restart();
    if (isPaused(destination)) this.#endpoints.pause();
    const resumed = resumedBy(before, destination);
    const now = this.#world.clock.now();
    if (resumed.length > 0) {
      // Many may wait: they begin one at a time, and faster as they are taken.
      this.#endpoints.restart(resumed);
      if (before.hold?.since && !isPaused(destination)) this.#order.stoodStill(now - Date.parse(before.hold.since));
    }
    // What is switched off is filtered, what is tried again too.
    if (resumed.length > 0 || (before.enabled && !destination.enabled)) this.#hastening.all(now);
    this.#pump();
  }

  /** As it is set, as far as this runner knows. */
  get destination(): Destination {
    return this.#destination;
  }

  /** From now on this process is the one that keeps the order of users. */
  lead(): void {
    this.#order.lead();
  }

  /** Another node has found something out about the destination. */
  told(news: News): void {
    const now = this.#world.clock.now();
    if (news === 'down') this.#breaker.toldDown(now);
    else this.#breaker.toldUp(now);
    this.#pump();
  }

  /** Something was put into the retry queue from outside (by a replay), or is free again there (another node has died). */
  wake(): void {
    this.#backlog.retryQueue.added(this.#world.clock.now());
    this.#pump();
  }

  /**
   * These messages were removed, and what became of them is recorded: no request is begun for them from now on. One that is
   * under way is let end.
   */
  withdraw(positions: ReadonlySet<Position>): void {
    this.#backlog.withdraw(positions);
    const { gone, next } = this.#order.withdraw(positions);
    for (const { message, intake } of gone) intake?.ack([message.entry.position]);
    this.#hastening.these(next);
    this.#endpoints.abort(positions);
    this.#pump();
  }

  /** Takes nothing more; resolves when the rounds under way have ended and are recorded, or are abandoned. */
  async stop(): Promise<void> {
    if (!this.#stopped) {
      this.#stopped = Promise.withResolvers();
      this.#alarm.stop();
      this.#backlog.stop();
      this.#order.stop();
      this.#endpoints.abort();
      this.#checkIdle();
    }
    await this.#stopped.promise;
    this.#endpoints.retire();
  }

  /** Gives up what is under way, and waits for no record: it is delivered again, here or elsewhere. Ends a stop that takes too long. */
  async abandon(): Promise<void> {
    this.#abandoned = true;
    this.#backlog.close();
    await this.#endpoints.close();
    this.#stopped?.resolve();
  }

  /** Pumps once for all that this moment brings: outcomes and records come in batches. */
  #pumpSoon(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#stopped || this.#order.isElsewhere || !this.#turns.has(this.#go)) return;
    const now = this.#world.clock.now();
    this.#endpoints.advance(now, this.#breaker.state === 'open');
    for (const retry of this.#backlog.retryQueue.takeGone(this.#room)) {
      this.#settle({ message: retried(retry) }, endWithout(retried(retry), 'failed', RETENTION_ENDED, now));
    }
    const isStill = this.#standsStill;
    if (isStill) this.#expire(now, (message) => this.#terms.isTooOld(message, now), RETENTION_ENDED);
    else if (this.#destination.enabled && this.#breaker.state === 'open') {
      this.#expire(now, (message, since) => this.#endpoints.isWindowOver(message, since, now), 'window_ended');
    }
    while (!isStill && !this.#order.isFinding && this.#room > 0 && this.#turns.open) {
      if (this.#takeReady(now)) continue;
      const isClosed = this.#breaker.state === 'closed';
      if (!(isClosed ? this.#takeRetry(now) || this.#takeFresh(now) : this.#takeFresh(now) || this.#takeRetry(now)))
        break;
    }
    if (!this.#turns.open) this.#turns.ask(this.#go);
    if (!this.#order.isFinding) this.#refill(now);
    this.#setTimer(now);
  }

  /** Begins the next message whose user's earlier call has ended, unless it has to wait. */
  #takeReady(now: number): boolean {
    const waiting = this.#order.peekReady();
    if (!waiting) return false;
    const way = wayOf(waiting.message, this.#destination, this.#endpoints);
    if (way.open.length > 0 && !(hasRoom(way.open, now) && this.#breaker.admits(now))) return false;
    this.#order.takeReady();
    this.#take(waiting, way, now);
    return true;
  }

  /** Begins the first message of the retry queue, unless it has to wait. */
  #takeRetry(now: number): boolean {
    const message = this.#backlog.peekRetry();
    if (!message) return false;
    const way = wayOf(message, this.#destination, this.#endpoints);
    const isSent = way.open.length > 0;
    const turn = isSent || way.held.length > 0 ? this.#order.turn(message, now) : GO;
    const fits = (): boolean => this.#endpoints.fits(way.open, now, this.#breaker.state) && this.#breaker.admits(now);
    if (turn.may === 'go' && isSent && !fits()) return false;
    this.#backlog.retryQueue.take();
    if (turn.may === 'park') this.#park({ message }, turn.until, now);
    else this.#take({ message }, way, now, turn.may === 'go' && turn.isEarly);
    return true;
  }

  /** Begins the next message of the lanes, unless it has to wait. */
  #takeFresh(now: number): boolean {
    for (const waiting of this.#backlog.peekFresh()) {
      const way = wayOf(waiting.message, this.#destination, this.#endpoints);
      const isSent = way.open.length > 0;
      const turn = way.reason === null ? this.#order.turn(waiting.message, now) : GO;
      if (turn.may === 'stay') continue;
      if (isSent && !hasRoom(way.open, now)) return false;
      // In an outage the lanes stand still.
      if (turn.may === 'go' ? isSent && !this.#breaker.admits(now) : this.#breaker.state !== 'closed') return false;
      this.#backlog.takeFresh(waiting.intake);
      if (turn.may === 'go') this.#take(waiting, way, now, turn.isEarly);
      else if (turn.may === 'park') this.#park(waiting, turn.until, now);
      else this.#order.setAside(waiting);
      return true;
    }
    return false;
  }

  /** It waits in the retry queue for an earlier call of its user. */
  #park(waiting: Waiting, until: number, now: number): void {
    this.#order.park(waiting.message.entry);
    this.#settle(waiting, parked(waiting.message, now, until));
  }

  #take(waiting: Waiting, way: Way, now: number, isEarly = false): void {
    const { message } = waiting;
    if (way.open.length > 0) {
      this.#open++;
      this.#order.begin(message);
      beginRound(this.#sending, message, way, now, isEarly, (result) => this.#end(waiting, result));
    } else if (way.reason !== null) this.#settle(waiting, endWithout(message, 'filtered', way.reason, now));
    else if (way.held.length === 0) this.#settle(waiting, endOf(message, now, this.#destination));
    else if (message.retried && this.#terms.isLost(message, way.held, now))
      this.#settle(waiting, endWithout(message, 'failed', RETENTION_ENDED, now));
    else {
      this.#order.begin(message);
      this.#retry(waiting, held(message, way.held, now), now);
    }
  }

  #end(waiting: Waiting, result: RoundResult): void {
    this.#open--;
    const { message } = waiting;
    // Its lane gives it again; the retry queue, when it is given back.
    if (this.#abandoned) return void (message.retried && this.#world.claims.release([message]));
    const now = this.#world.clock.now();
    if (verdictOf(result) !== 'temporary') {
      const isOver = this.#breaker.alive(now);
      if (isOver) this.#endpoints.restart();
      this.#news.succeeded(isOver);
    } else if (wasSent(result) && this.#breaker.failed(now, wasTaken(message))) this.#news.failed();
    const policy = this.#terms.since(message.firstAt ?? result.startedAt, result.outcomes);
    const decided = decide(message, result, now, this.#world.random(), policy, this.#destination);
    if (decided.state !== 'retrying') this.#settle(waiting, decided);
    else if (this.#terms.isLost(message, result.held, now)) this.#settle(waiting, failedOf(decided, RETENTION_ENDED));
    else this.#retry(waiting, decided, now);
  }

  /** It is tried again later. So do those of its user that wait for it in memory. */
  #retry(waiting: Waiting, result: DeliveryResult, now: number): void {
    this.#settle(waiting, result);
    // Recorded after it: what a crash leaves in the retry queue is never later than what it leaves in the lane.
    for (const { waiting: later, until } of this.#order.retries(waiting.message.entry, now))
      this.#park(later, until, now);
  }

  #settle({ message, intake }: Waiting, result: DeliveryResult): void {
    this.#open++;
    this.#turns.spend();
    this.#world.record(result, () => {
      this.#open--;
      intake?.ack([message.entry.position]);
      if (result.dueAt !== null) this.#backlog.retryQueue.added(result.dueAt);
      // What it waited for came while it was being written.
      const isLate = result.at <= this.#hastening.allAt || this.#order.isFirst(message.entry);
      if (result.dueAt !== null && isLate) this.#hastening.these([message.entry.position]);
      this.#world.meter.settled(result);
      if (result.state !== 'retrying') {
        const next = this.#order.ended(message.entry);
        if (next !== null) this.#hastening.these([next]);
      }
      this.#checkIdle();
      this.#pumpSoon();
    });
  }

  /**
   * What has waited too long while nothing can be sent has failed: it is recorded without an attempt. A delete notice never fails
   * for its age: it goes to the retry queue, so that what stands behind it has its turn.
   */
  #expire(now: number, isOver: IsOver, reason: FailReason): void {
    for (const waiting of this.#backlog.takeOver(isOver, this.#room)) {
      const { message } = waiting;
      const filtered = reasonAgainst(message, this.#destination);
      if (filtered !== null) this.#settle(waiting, endWithout(message, 'filtered', filtered, now));
      else if (isLasting(message.entry)) this.#settle(waiting, putOff(message, now, this.#world.policy));
      else this.#settle(waiting, endWithout(message, 'failed', reason, now));
    }
  }

  /** How many more messages may be begun and not recorded. */
  get #room(): number {
    return Math.max(0, this.#endpoints.window - this.#open - this.#order.waiting);
  }

  #refill(now: number): void {
    const failed = (error: unknown): number => {
      this.#world.report(error, this.#destination.id);
      return this.#alarm.setIn(STORE_RETRY_MS);
    };
    this.#backlog.refill(now, this.#endpoints.limit, this.#breaker.state !== 'closed', this.#go, failed);
  }

  /** For a probe, a retry that is due, the next request by its rate, the end of a pause, the next try after an error. */
  #setTimer(now: number): void {
    const times = [this.#breaker.probeAt, ...this.#backlog.nextAt, this.#pace.nextAt(now)];
    for (const { pausedUntil } of this.#endpoints.open) times.push(pausedUntil);
    if (this.#standsStill) times.push(...this.#backlog.firstReceivedAt().map((at) => this.#terms.keptUntil(at)));
    for (const time of times) if (time !== null && time > now) this.#alarm.set(now, time);
  }

  #checkIdle(): void {
    if (this.#stopped && this.#open === 0 && !this.#order.isClaiming) this.#stopped.resolve();
  }
}
