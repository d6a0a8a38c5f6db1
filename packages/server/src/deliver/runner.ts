import type { Clock } from '../core/clock.ts';
import { type Attempt, attemptOf, type DeliveryResult, type Outcome, type Retry } from '../core/delivery.ts';
import type { Destination } from '../core/destination.ts';
import type { Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { FailReason } from '../core/reason.ts';
import { Breaker, type BreakerState } from './breaker.ts';
import type { Endpoint, Job } from './endpoint.ts';
import { ABORTED, type EndpointStatus, Endpoints, hasRoom, STALLED } from './endpoints.ts';
import { Intake, type Reader } from './intake.ts';
import { Pace } from './pace.ts';
import type { News, Peers } from './peers.ts';
import { NO_POLICY, retryPolicy, taken } from './policy.ts';
import { type Claims, RetryQueue } from './retry-queue.ts';
import {
  decide,
  endWithout,
  fresh,
  isLasting,
  type Message,
  putOff,
  type RoundResult,
  retried,
  verdictOf,
} from './round.ts';
import { verdict } from './route.ts';
import type { RetryPolicy } from './schedule.ts';
import type { OpenSender } from './sender.ts';
import { Turns } from './turns.ts';

/** What every runner is given: the world as arguments, so that a simulation can be one. */
export interface RunnerWorld {
  readonly clock: Clock;
  readonly openSender: OpenSender;
  readonly claims: Claims;
  /** Records a delivery result; `recorded` follows when it is durable. */
  readonly record: (result: DeliveryResult, recorded: () => void) => void;
  readonly policy: RetryPolicy;
  /** Whether it has to wait for a person: nothing is begun, and nothing fails. None when absent. */
  readonly holds?: (destination: Destination) => boolean;
  /** Most requests under way per URL, of all nodes together. */
  readonly maxConcurrency: number;
  readonly peers: Peers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly meter: DeliveryMeter;
  /** Is told of errors of the log and the records; the runner tries again. */
  readonly report: (error: unknown, destinationId: string) => void;
}

/** Is told of everything that is worth counting. */
export interface DeliveryMeter {
  attempted(destinationId: string, outcome: Outcome, ms: number): void;
  settled(result: DeliveryResult): void;
}

export interface RunnerStatus {
  /** It waits for a person to allow its addresses. */
  readonly held: boolean;
  readonly breaker: BreakerState;
  /** When the next probe goes out, milliseconds since the epoch; null unless the breaker is open. */
  readonly probeAt: number | null;
  readonly urls: readonly EndpointStatus[];
}

/** Most entries of one page: with the limits of concurrency, what a lane holds in memory. */
const LARGEST_PAGE = 256;
/**
 * Messages of the retry queue that are looked through for an ended window while the breaker is open: they come in the order
 * they are due, and the first of them may be the last whose window ends.
 */
const RETRIES_IN_OUTAGE = 1024;
/** Wait after an error of the log or the records. */
const STORE_RETRY_MS = 1_000;

/**
 * Delivers to one destination: takes messages from its lanes and its retry queue as its URLs have room, sends each to all its
 * URLs at once, and records what became of it. Everything is decided in `#pump`, which runs whenever something changed:
 * a message arrived, a request ended, a time came, the settings are new.
 *
 * A message goes to every URL, each on its own: it is begun when one of them has room, and waits for the others in their
 * own queues. A URL that is stalled (8 failures in a row) while a sibling is not has no queue: a message that finds no
 * room there counts as failed there (`url_stalled`) without a request, so that a dead URL delays no living one. The same
 * goes for all queues while the breaker is open. A stop empties the queues, and a change of a URL its own (`aborted`).
 *
 * Messages of the retry queue go first, but one that has to wait for its URLs lets fresh ones pass. The probe of an open breaker
 * is a fresh message where there is one: those in the retry queue may be what the endpoint can't digest.
 */
export class Runner {
  readonly #world: RunnerWorld;
  readonly #retryQueue: RetryQueue;
  readonly #breaker: Breaker;
  readonly #endpoints: Endpoints;
  readonly #pace: Pace;
  #intakes: Intake[] = [];
  #destination: Destination;
  /** Messages begun and not recorded. */
  #open = 0;
  /** The intake that had its turn last. */
  #turn = 0;
  #cancelTimer: (() => void) | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  #stopped: PromiseWithResolvers<void> | null = null;
  #abandoned = false;
  /** Successes after an outage until the other nodes are told that it is over; 0 when there is nothing to tell. */
  #successesToTell = 0;
  #pumping = false;
  readonly #turns: Turns;
  readonly #go = (): void => this.#pump();

  /** `turns` are those of all runners of the process. */
  constructor(destination: Destination, world: RunnerWorld, turns: Turns = new Turns(world.clock)) {
    this.#destination = destination;
    this.#world = world;
    this.#turns = turns;
    this.#retryQueue = new RetryQueue(destination.id, world.claims);
    const { peers, maxConcurrency, openSender, policy, random } = world;
    this.#breaker = new Breaker(() => peers.count(), random);
    this.#pace = new Pace(() => (this.#destination.policy?.ratePerSecond ?? Number.POSITIVE_INFINITY) / peers.count());
    const { pace, nodes } = { pace: this.#pace, nodes: () => peers.count() };
    this.#endpoints = new Endpoints(destination, { openSender, maxConcurrency, nodes, pace, policy });
  }

  get status(): RunnerStatus {
    return {
      held: this.#isHeld,
      breaker: this.#breaker.state,
      probeAt: this.#breaker.probeAt,
      urls: this.#endpoints.status,
    };
  }

  get #isHeld(): boolean {
    return this.#world.holds?.(this.#destination) ?? false;
  }

  addLane(lane: Lane, reader: Reader): void {
    this.#intakes.push(new Intake(lane, reader));
    this.#pump();
  }

  hasLane(id: number): boolean {
    return this.#intakes.some(({ lane }) => lane.id === id);
  }

  /** Follows a change of the settings: what is sent from now on is sent by the new ones. */
  update(destination: Destination): void {
    this.#destination = destination;
    // A new URL, or a new secret, deserves a fresh judgement.
    if (this.#endpoints.follow(destination)) this.#breaker.alive(this.#world.clock.now());
    this.#pump();
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
    this.#retryQueue.added(this.#world.clock.now());
    this.#pump();
  }

  /**
   * These messages were removed, and what became of them is recorded: no request is begun for them from now on. One that is
   * under way is let end.
   */
  withdraw(positions: ReadonlySet<Position>): void {
    for (const intake of this.#intakes) intake.withdraw(positions);
    this.#retryQueue.withdraw(positions);
    this.#endpoints.abort(positions);
    this.#pump();
  }

  /** Takes nothing more; resolves when the rounds under way have ended and are recorded, or are abandoned. */
  async stop(): Promise<void> {
    if (!this.#stopped) {
      this.#stopped = Promise.withResolvers();
      this.#cancelTimer?.();
      for (const intake of this.#intakes) intake.stop();
      this.#retryQueue.stop();
      this.#endpoints.abort();
      this.#checkIdle();
    }
    await this.#stopped.promise;
    this.#endpoints.retire();
  }

  /**
   * Gives up the rounds under way, and waits for no record: what is not recorded is delivered again. For a stop that takes
   * too long; it ends with this.
   */
  async abandon(): Promise<void> {
    this.#abandoned = true;
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
    if (this.#stopped) return;
    const now = this.#world.clock.now();
    this.#endpoints.advance(now, this.#breaker.state === 'open');
    for (const retry of this.#retryQueue.takeGone(Math.max(0, this.#endpoints.window - this.#open))) {
      this.#open++;
      const reason = 'retention_ended' satisfies FailReason;
      this.#settle(retried(retry), undefined, endWithout(retried(retry), 'failed', reason, now));
    }
    const isHeld = this.#isHeld;
    if (this.#destination.enabled && this.#breaker.state === 'open' && !isHeld) this.#expire(now);
    while (!isHeld && this.#open < this.#endpoints.window && this.#turns.open) {
      const closed = this.#breaker.state === 'closed';
      const taken = closed
        ? this.#takeRetry(now) || this.#takeFresh(now)
        : this.#takeFresh(now) || this.#takeRetry(now);
      if (!taken) break;
    }
    if (!this.#turns.open) this.#turns.ask(this.#go);
    this.#refill(now);
    this.#setTimer(now);
  }

  /** Begins the first message of the retry queue, unless it has to wait. */
  #takeRetry(now: number): boolean {
    const retry = this.#retryQueue.peek();
    if (!retry) return false;
    const endpoints = this.#endpoints.targets(retry.urlsLeft);
    const reason = verdict(retry.entry, this.#destination);
    if (reason === null && !(this.#fits(endpoints, now) && this.#breaker.admits(now))) return false;
    this.#retryQueue.take();
    this.#take(retried(retry), undefined, endpoints, reason, now);
    return true;
  }

  /** Begins the next message of the lanes, unless it has to wait. */
  #takeFresh(now: number): boolean {
    const intake = this.#nextIntake();
    const entry = intake?.peek();
    if (!intake || !entry) return false;
    const reason = verdict(entry, this.#destination);
    if (reason === null && !(hasRoom(this.#endpoints.all, now) && this.#breaker.admits(now))) return false;
    intake.take();
    // Its turn is over only now: one that had to wait keeps it.
    this.#turn = this.#intakes.indexOf(intake);
    this.#take(fresh(intake.lane.id, this.#destination.id, entry), intake, this.#endpoints.all, reason, now);
    return true;
  }

  #take(
    message: Message,
    intake: Intake | undefined,
    endpoints: readonly Endpoint[],
    reason: string | null,
    now: number,
  ): void {
    this.#open++;
    if (reason === null) this.#begin(message, intake, endpoints, now);
    else this.#settle(message, intake, endWithout(message, 'filtered', reason, now));
  }

  /**
   * Whether a message that goes to these endpoints can be begun: one has room; or each is stalled, so that no message waits
   * for it, or has a queue already, which fresh messages would otherwise keep ahead of this one for ever.
   */
  #fits(endpoints: readonly Endpoint[], now: number): boolean {
    if (hasRoom(endpoints, now)) return true;
    if (this.#breaker.state !== 'closed' || !this.#endpoints.living) return false;
    return endpoints.every((endpoint) => endpoint.stalled || endpoint.waiting > 0);
  }

  /** The intake whose turn it is, so that no source waits behind another; undefined when none holds an entry. */
  #nextIntake(): Intake | undefined {
    for (let i = 1; i <= this.#intakes.length; i++) {
      const intake = this.#intakes[(this.#turn + i) % this.#intakes.length];
      if (intake?.peek()) return intake;
    }
    return undefined;
  }

  #begin(message: Message, intake: Intake | undefined, endpoints: readonly Endpoint[], now: number): void {
    const attempts: Attempt[] = [];
    const outcomes: { id: string; outcome: Outcome }[] = [];
    const result: RoundResult = { startedAt: now, attempts, outcomes };
    const { living } = this.#endpoints;
    let left = endpoints.length;
    for (const endpoint of endpoints) {
      const { webhook } = endpoint;
      const end = (outcome: Outcome, at: number, ms: number): void => {
        outcomes.push({ id: webhook.id, outcome });
        attempts.push(attemptOf(webhook, at, ms, outcome));
        if (--left === 0) this.#end(message, intake, result);
      };
      const job: Job = {
        position: message.entry.position,
        start: () => {
          this.#turns.spend();
          const at = this.#world.clock.now();
          endpoint.sender.send(message.entry, (answer) => {
            const outcome = taken(answer, this.#destination.policy ?? NO_POLICY);
            const ended = this.#world.clock.now();
            endpoint.ended(outcome, ended - at, ended);
            this.#world.meter.attempted(message.destinationId, outcome, ended - at);
            end(outcome, at, ended - at);
            this.#pumpSoon();
          });
        },
        skip: (instead) => end(instead, this.#world.clock.now(), 0),
      };
      if (living && endpoint.stalled && !endpoint.free(now)) job.skip(STALLED);
      else endpoint.add(job, now);
    }
  }

  #end(message: Message, intake: Intake | undefined, result: RoundResult): void {
    if (this.#abandoned) {
      this.#open--;
      this.#checkIdle();
      return;
    }
    const now = this.#world.clock.now();
    if (verdictOf(result) !== 'temporary') this.#succeeded(now);
    else if (result.outcomes.some(({ outcome }) => outcome !== STALLED && outcome !== ABORTED)) this.#failed(now);
    this.#settle(
      message,
      intake,
      decide(message, result, now, this.#world.random(), this.#policySince(message.firstAt ?? result.startedAt)),
    );
  }

  /** The retry window is one of time that has passed: what a clock skipped since its beginning is added to it. */
  #policySince(at: number): RetryPolicy {
    const { clock } = this.#world;
    const policy = retryPolicy(this.#destination.policy ?? NO_POLICY, this.#world.policy);
    const skipped = clock.skipped?.(at) ?? 0;
    return skipped === 0 ? policy : { ...policy, window: policy.window + skipped };
  }

  /**
   * The other nodes begin again when this one sends as many at once as they will be: so the endpoint has at most twice what
   * it has just shown that it can take, as after each round trip of one node.
   */
  #succeeded(now: number): void {
    const { peers } = this.#world;
    if (this.#breaker.alive(now)) {
      this.#endpoints.restart();
      this.#successesToTell = peers.count();
    }
    if (this.#successesToTell > 0 && --this.#successesToTell === 0) peers.tell(this.#destination.id, 'up');
  }

  #failed(now: number): void {
    if (!this.#breaker.failed(now)) return;
    this.#successesToTell = 0;
    this.#world.peers.tell(this.#destination.id, 'down');
  }

  #settle(message: Message, intake: Intake | undefined, result: DeliveryResult): void {
    this.#turns.spend();
    this.#world.record(result, () => {
      this.#open--;
      intake?.ack([message.entry.position]);
      if (result.dueAt !== null) this.#retryQueue.added(result.dueAt);
      this.#world.meter.settled(result);
      this.#checkIdle();
      this.#pumpSoon();
    });
  }

  /**
   * While the breaker is open, what has waited longer than the window has failed: it is recorded without an attempt. A
   * delete notice never fails for its age: it goes to the retry queue, so that what stands behind it has its turn.
   */
  #expire(now: number): void {
    const isLate = (since: number): boolean => since <= now - this.#policySince(since).window;
    const { window } = this.#endpoints;
    const end = (message: Message, intake: Intake | undefined): void => {
      this.#open++;
      const reason = verdict(message.entry, this.#destination);
      if (reason === null && isLasting(message.entry)) {
        this.#settle(message, intake, putOff(message, now, this.#world.policy));
        return;
      }
      const state = reason === null ? 'failed' : 'filtered';
      this.#settle(message, intake, endWithout(message, state, reason ?? 'window_ended', now));
    };
    const isOver = ({ firstAt, entry }: Retry): boolean => firstAt !== null && isLate(firstAt) && !isLasting(entry);
    for (const retry of this.#retryQueue.takeWhere(isOver, Math.max(0, window - this.#open)))
      end(retried(retry), undefined);
    for (const intake of this.#intakes) {
      for (let entry = intake.peek(); entry && this.#open < window; entry = intake.peek()) {
        if (!isLate(entry.receivedAt)) break;
        intake.take();
        end(fresh(intake.lane.id, this.#destination.id, entry), intake);
      }
    }
  }

  #refill(now: number): void {
    const arrived = (): void => this.#pump();
    const failed = (error: unknown): void => {
      this.#world.report(error, this.#destination.id);
      const failedAt = this.#world.clock.now();
      this.#wakeAt(failedAt, failedAt + STORE_RETRY_MS);
    };
    this.#retryQueue.refill(now, this.#breaker.state === 'closed' ? 1 : RETRIES_IN_OUTAGE, arrived, failed);
    const page = Math.min(LARGEST_PAGE, this.#endpoints.limit * 4);
    for (const intake of this.#intakes) intake.refill(page, arrived, failed);
  }

  /** One timer for everything that only time brings: a probe, a retry that is due, the next request by its rate, the end of a pause. */
  #setTimer(now: number): void {
    const times = [this.#breaker.probeAt, this.#retryQueue.nextDueAt, this.#pace.nextAt(now)];
    for (const { pausedUntil } of this.#endpoints.all) times.push(pausedUntil);
    for (const time of times) if (time !== null && time > now) this.#wakeAt(now, time);
  }

  #wakeAt(now: number, time: number): void {
    if (this.#stopped || time >= this.#timerAt) return;
    this.#cancelTimer?.();
    this.#timerAt = time;
    this.#cancelTimer = this.#world.clock.after(time - now, () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.#pump();
    });
  }

  #checkIdle(): void {
    if (this.#stopped && this.#open === 0) this.#stopped.resolve();
  }
}
