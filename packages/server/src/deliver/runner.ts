import type { Clock } from '../core/clock.ts';
import type { Attempt, Outcome, Settlement } from '../core/delivery.ts';
import type { Destination } from '../core/destination.ts';
import type { Lane } from '../core/lane.ts';
import { Breaker, type BreakerState } from './breaker.ts';
import { Endpoint, type Job } from './endpoint.ts';
import { Intake, type Reader } from './intake.ts';
import { decide, endWithout, fresh, type Message, type RoundResult, shelved, verdictOf } from './round.ts';
import { verdict } from './route.ts';
import type { RetryPolicy } from './schedule.ts';
import type { OpenSender } from './sender.ts';
import { type Claims, Shelf } from './shelf.ts';

/** What every runner is given: the world as arguments, so that a simulation can be one. */
export interface RunnerWorld {
  readonly clock: Clock;
  readonly openSender: OpenSender;
  readonly claims: Claims;
  /** Records a settlement; `recorded` follows when it is durable. */
  readonly record: (settlement: Settlement, recorded: () => void) => void;
  readonly policy: RetryPolicy;
  /** Most requests under way per URL. */
  readonly maxConcurrency: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly meter: DeliveryMeter;
  /** Is told of errors of the log and the records; the runner tries again by itself. */
  readonly report: (error: unknown, destinationId: string) => void;
}

/** Is told of everything that is worth counting. */
export interface DeliveryMeter {
  attempted(destinationId: string, outcome: Outcome, ms: number): void;
  settled(settlement: Settlement): void;
}

export interface RunnerStatus {
  readonly breaker: BreakerState;
  /** When the next probe goes out, milliseconds since the epoch; null unless the breaker is open. */
  readonly probeAt: number | null;
  readonly urls: readonly {
    readonly url: string;
    readonly concurrency: number;
    readonly inFlight: number;
    readonly stalled: boolean;
    readonly lastError: string | null;
  }[];
}

/** Most messages begun and not recorded yet: with a store that stands still, this is what a destination holds. */
const WINDOW = 2048;
/** Most entries of one page: with the limits of concurrency, what a lane holds in memory. */
const LARGEST_PAGE = 256;
/** Wait after an error of the log or the records. */
const STORE_RETRY_MS = 1_000;

/**
 * Delivers to one destination: takes messages from its lanes and its shelf as its URLs have room, sends each to all its
 * URLs at once, and records what became of it. Everything is decided in `#pump`, which runs whenever something changed:
 * a message arrived, a request ended, a time came, the settings are new.
 *
 * A message goes to every URL, each on its own: it is begun when one of them has room, and waits for the others in their
 * own queues. A URL that is stalled (8 failures in a row) while a sibling is not has no queue: a message that finds no
 * room there counts as failed there (`url_stalled`) without a request, so that a dead URL delays no living one.
 */
export class Runner {
  readonly #world: RunnerWorld;
  readonly #shelf: Shelf;
  readonly #breaker = new Breaker();
  #intakes: Intake[] = [];
  #destination: Destination;
  #endpoints: Endpoint[] = [];
  /** Messages begun and not recorded. */
  #open = 0;
  /** Which intake is asked next, so that no source waits behind another. */
  #turn = 0;
  #cancelTimer: (() => void) | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  #stopped: PromiseWithResolvers<void> | null = null;
  #abandoned = false;

  constructor(destination: Destination, world: RunnerWorld) {
    this.#destination = destination;
    this.#world = world;
    this.#shelf = new Shelf(destination.id, world.claims);
    this.#openEndpoints(destination);
  }

  get status(): RunnerStatus {
    return {
      breaker: this.#breaker.state,
      probeAt: this.#breaker.probeAt,
      urls: this.#endpoints.map(({ webhook, limit, inFlight, stalled, lastError }) => ({
        url: webhook.url,
        concurrency: limit,
        inFlight,
        stalled,
        lastError,
      })),
    };
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
    const before = this.#destination;
    this.#destination = destination;
    const same =
      JSON.stringify([before.webhooks, before.sharedSecret]) ===
      JSON.stringify([destination.webhooks, destination.sharedSecret]);
    if (!same) {
      for (const endpoint of this.#endpoints) endpoint.retire();
      this.#openEndpoints(destination);
      // New URLs deserve a fresh judgement.
      this.#breaker.alive();
    }
    this.#pump();
  }

  /** Something was put on the shelf by somebody else (a replay). */
  wake(): void {
    this.#shelf.added(this.#world.clock.now());
    this.#pump();
  }

  /** Takes nothing more; resolves when the rounds under way have ended and are recorded. */
  async stop(): Promise<void> {
    if (!this.#stopped) {
      this.#stopped = Promise.withResolvers();
      this.#cancelTimer?.();
      for (const intake of this.#intakes) intake.stop();
      this.#shelf.release();
      this.#checkIdle();
    }
    await this.#stopped.promise;
    for (const endpoint of this.#endpoints) endpoint.retire();
  }

  /** Gives up the rounds under way: they are not recorded, and so are delivered again. For a stop that takes too long. */
  async abandon(): Promise<void> {
    this.#abandoned = true;
    await Promise.all(this.#endpoints.map(({ sender }) => sender.close()));
  }

  #openEndpoints(destination: Destination): void {
    const { openSender, maxConcurrency } = this.#world;
    this.#endpoints = destination.webhooks.map(
      (webhook) =>
        new Endpoint(webhook, openSender({ webhook, sharedSecret: destination.sharedSecret }), maxConcurrency),
    );
  }

  #pump(): void {
    if (this.#stopped) return;
    const now = this.#world.clock.now();
    const living = this.#endpoints.some((endpoint) => !endpoint.stalled);
    for (const endpoint of this.#endpoints) {
      if (living && endpoint.stalled) endpoint.skipWaiting();
      else endpoint.startWaiting(now);
    }
    if (this.#destination.enabled && this.#breaker.state === 'open') this.#expire(now);
    while (this.#open < WINDOW) {
      const retry = this.#shelf.peek();
      const intake = retry ? undefined : this.#nextIntake();
      const entry = retry?.entry ?? intake?.peek();
      if (!entry) break;
      const reason = verdict(entry, this.#destination);
      const endpoints = retry ? this.#targets(retry.urlsLeft) : this.#endpoints;
      if (reason === null && !(hasRoom(endpoints, now) && this.#breaker.admits(now))) break;
      this.#open++;
      const message = retry ? shelved(retry) : fresh(intake?.lane.id ?? 0, this.#destination.id, entry);
      if (retry) this.#shelf.take();
      else intake?.take();
      if (reason === null) this.#begin(message, intake, endpoints, now);
      else this.#settle(message, intake, endWithout(message, 'filtered', reason, now));
    }
    this.#refill(now);
    this.#setTimer(now);
  }

  /** The intake whose turn it is, so that no source waits behind another; undefined when none holds an entry. */
  #nextIntake(): Intake | undefined {
    for (let i = 0; i < this.#intakes.length; i++) {
      this.#turn = (this.#turn + 1) % this.#intakes.length;
      const intake = this.#intakes[this.#turn];
      if (intake?.peek()) return intake;
    }
    return undefined;
  }

  /** The endpoints a later round goes to. URLs that are no longer the destination's are left out. */
  #targets(urlsLeft: readonly string[] | null): readonly Endpoint[] {
    const left = this.#endpoints.filter(({ webhook }) => urlsLeft?.includes(webhook.url));
    return left.length > 0 ? left : this.#endpoints;
  }

  #begin(message: Message, intake: Intake | undefined, endpoints: readonly Endpoint[], now: number): void {
    const attempts: Attempt[] = [];
    const outcomes: { url: string; outcome: Outcome }[] = [];
    const result: RoundResult = { startedAt: now, attempts, outcomes };
    const living = endpoints.some((endpoint) => !endpoint.stalled);
    let left = endpoints.length;
    for (const endpoint of endpoints) {
      const { url } = endpoint.webhook;
      const end = (outcome: Outcome, at: number, ms: number): void => {
        outcomes.push({ url, outcome });
        attempts.push(attemptOf(url, at, ms, outcome));
        if (--left === 0) this.#end(message, intake, result);
      };
      const job: Job = {
        start: () => {
          const at = this.#world.clock.now();
          endpoint.sender.send(message.entry.body, (outcome) => {
            const ended = this.#world.clock.now();
            endpoint.ended(outcome, ended - at, ended);
            this.#world.meter.attempted(message.destinationId, outcome, ended - at);
            end(outcome, at, ended - at);
            this.#pump();
          });
        },
        skip: () => end(STALLED, this.#world.clock.now(), 0),
      };
      if (living && endpoint.stalled && !endpoint.free(now)) job.skip();
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
    if (verdictOf(result) === 'temporary') this.#breaker.failed(now);
    else if (this.#breaker.alive()) for (const endpoint of this.#endpoints) endpoint.restart();
    this.#settle(message, intake, decide(message, result, now, this.#world.random(), this.#world.policy));
  }

  #settle(message: Message, intake: Intake | undefined, settlement: Settlement): void {
    this.#world.record(settlement, () => {
      this.#open--;
      intake?.ack([message.entry.position]);
      if (settlement.dueAt !== null) this.#shelf.added(settlement.dueAt);
      this.#world.meter.settled(settlement);
      this.#checkIdle();
      this.#pump();
    });
  }

  /** While the breaker is open, what has waited longer than the window has failed: it is recorded without an attempt. */
  #expire(now: number): void {
    const before = now - this.#world.policy.window;
    const end = (message: Message, intake: Intake | undefined): void => {
      this.#open++;
      this.#settle(message, intake, endWithout(message, 'failed', 'window_ended', now));
    };
    for (const retry of this.#shelf.takeWhere(({ firstAt }) => firstAt !== null && firstAt <= before)) {
      end(shelved(retry), undefined);
    }
    for (const intake of this.#intakes) {
      for (
        let entry = intake.peek();
        entry && entry.receivedAt <= before && this.#open < WINDOW;
        entry = intake.peek()
      ) {
        intake.take();
        end(fresh(intake.lane.id, this.#destination.id, entry), intake);
      }
    }
  }

  #refill(now: number): void {
    const arrived = (): void => this.#pump();
    const failed = (error: unknown): void => {
      this.#world.report(error, this.#destination.id);
      this.#wakeAt(now, now + STORE_RETRY_MS);
    };
    this.#shelf.refill(now, arrived, failed);
    const limit = Math.max(...this.#endpoints.map((endpoint) => endpoint.limit));
    const page = Math.min(LARGEST_PAGE, limit * 4);
    for (const intake of this.#intakes) intake.refill(page, arrived, failed);
  }

  /** One timer for everything that only time brings: a probe, a retry that is due, the end of a pause. */
  #setTimer(now: number): void {
    const times = [this.#breaker.probeAt, this.#shelf.nextDueAt];
    for (const { pausedUntil } of this.#endpoints) times.push(pausedUntil);
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

/** The outcome at a URL that was left out of a round because it is stalled. */
const STALLED: Outcome = {
  class: 'temporary',
  status: null,
  error: 'url_stalled',
  detail: 'Not sent: this URL has failed several times in a row, and another one was there to take the message',
  retryAfter: null,
  answer: null,
};

/** Whether one of the endpoints can take a message now; one that is stalled has no say while another is not. */
function hasRoom(endpoints: readonly Endpoint[], now: number): boolean {
  const living = endpoints.some((endpoint) => !endpoint.stalled);
  return endpoints.some((endpoint) => endpoint.free(now) && endpoint.waiting === 0 && !(living && endpoint.stalled));
}

function attemptOf(url: string, at: number, ms: number, outcome: Outcome): Attempt {
  const { status, error, detail, answer } = outcome;
  return { url, at, ms, status, error, detail, answer };
}
