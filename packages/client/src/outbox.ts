import { attempt, type Delivery, type Outcome } from './attempt.ts';
import { BATCH_CALLS, bodyOf, ENVELOPE_BYTES } from './body.ts';
import type { CallType, Counts } from './calls.ts';
import { errorOf, type MillraceError } from './error.ts';
import { isoText, messageOf, type Text } from './message.ts';
import type { Settings } from './options.ts';
import { type Entry, Queue } from './queue.ts';
import type { Runtime } from './runtime.ts';
import { FRESH, nextStep } from './schedule.ts';

/** A batch that left the queue and is neither delivered nor reported. Its id is the same on every attempt. */
export interface Flight {
  readonly id: string;
  readonly entries: readonly Entry[];
  /** True once the flight no longer owns its messages: the outcome of its request is ignored. */
  over: boolean;
  /** Ends the request or the wait that the flight is in. */
  stop(): void;
}

/** A flush that waits for all messages before a position. */
interface Waiter {
  readonly before: number;
  left: number;
  readonly counts: { delivered: number; failed: number };
  done(): void;
}

/**
 * Takes messages, and delivers or reports each of them, in order, one request at a time.
 *
 * Messages wait in the queue until they are due: when there are `flushAt` of them, when they fill a body, when
 * `flushAfter` has passed since the last flush, or at a call of `flush`. The outbox then sends them batch by batch. A
 * batch stays in flight during all its attempts.
 */
export class Outbox {
  protected readonly settings: Settings;
  protected readonly runtime: Runtime;
  protected readonly queue: Queue = new Queue();
  protected readonly flights: Set<Flight> = new Set();
  readonly #bytesPerBatch: number;
  /** One error object for all dropped messages: making an error takes longer than everything else in a call. */
  readonly #full: MillraceError;
  readonly #waiters = new Set<Waiter>();
  /** Position of the next message. */
  #position = 0;
  /** Messages before this position are due. */
  #dueBefore = 0;
  /** Messages that are neither delivered nor reported. */
  #open = 0;
  #timer: (() => void) | null = null;
  #running = false;
  /** True while `onError` is called for a dropped message: a call made inside it must not drop another. */
  #dropping = false;

  constructor(settings: Settings, runtime: Runtime) {
    this.settings = settings;
    this.runtime = runtime;
    this.#full = errorOf('queue_full', `maxQueue (${settings.maxQueue}) is reached.`);
    this.#bytesPerBatch = runtime.batchBytes - ENVELOPE_BYTES;
  }

  /**
   * Queues a call. If the queue is full, drops its oldest message and reports it.
   *
   * @throws MillraceError `invalid_call` or `call_too_large`; `queue_full` if `onOverflow` is `reject`, or if `onError`
   * made the call while it was given a dropped message.
   */
  add(type: CallType, call: object): void {
    const message = messageOf(type, call, this.settings, this.runtime);
    const { maxQueue, onOverflow, debug } = this.settings;
    const full = this.queue.length >= maxQueue;
    if (full && (onOverflow === 'reject' || this.#dropping)) throw this.#full;
    debug?.(`queued ${message.text}`);
    this.push(message);
    if (full) {
      this.#dropping = true;
      this.fail(this.queue.take(1), this.#full);
      this.#dropping = false;
    }
    this.pump();
  }

  /** Resolves when every message that is queued or in flight now is delivered or reported, or kept by the browser. */
  flush(): Promise<Counts> {
    return new Promise((resolve) => {
      const release = this.runtime.hold?.();
      const waiter: Waiter = {
        before: this.#position,
        left: this.#open,
        counts: { delivered: 0, failed: 0 },
        done: () => {
          this.#waiters.delete(waiter);
          release?.();
          resolve(waiter.counts);
        },
      };
      this.#waiters.add(waiter);
      if (waiter.left === 0) waiter.done();
      this.makeDue();
    });
  }

  /** Stops the timer. The outbox must be empty, and gets no more messages. */
  stop(): void {
    this.#timer?.();
  }

  /** Queues a message, also beyond `maxQueue`. */
  protected push(message: Text): void {
    this.queue.push({ ...message, position: this.#position });
    this.#position += 1;
    this.#open += 1;
  }

  /** Starts sending if messages are due; otherwise starts the timer if messages wait. */
  protected pump(): void {
    if (this.#running) return;
    if (this.isDue()) {
      this.#running = true;
      void this.#run();
    } else if (this.#timer === null && this.queue.length > 0) {
      this.#arm();
    }
  }

  /** Makes all messages in the queue due. */
  protected makeDue(): void {
    this.#dueBefore = this.#position;
    this.pump();
  }

  protected isDue(): boolean {
    const { length, bytes } = this.queue;
    const oldest = this.#position - length;
    return oldest < this.#dueBefore || length >= this.settings.flushAt || bytes >= this.#bytesPerBatch;
  }

  protected begin(entries: readonly Entry[]): Flight {
    const flight: Flight = { id: this.runtime.uuid(), entries, over: false, stop() {} };
    this.flights.add(flight);
    return flight;
  }

  /** Sends one request. */
  protected attempt(flight: Flight, settings: Settings = this.settings): Promise<Outcome> {
    const controller = new AbortController();
    flight.stop = () => controller.abort();
    settings.debug?.(`sending ${flight.entries.length} messages`);
    const body = bodyOf(flight.entries, flight.id, isoText(this.runtime.now()));
    return attempt(settings, this.runtime, body, controller);
  }

  /** Resolves after `ms` milliseconds, or when the flight is over. */
  protected wait(flight: Flight, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.runtime.after(ms, resolve);
      flight.stop = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Ends a flight. Returns its messages: the caller decides what becomes of them. */
  protected abandon(flight: Flight): readonly Entry[] {
    flight.over = true;
    this.flights.delete(flight);
    flight.stop();
    return flight.entries;
  }

  /** Settles a batch that arrived: reports rejected messages, and calls `onDelivered` for the others. */
  protected conclude(flight: Flight, { rejected }: Delivery): void {
    for (const [index, entry] of this.abandon(flight).entries()) {
      const error = rejected.get(index);
      if (error) this.fail([entry], error);
      else this.#end(entry, 'delivered', 'onDelivered');
    }
  }

  /** Reports messages as failed to `onError`, or with one warning if there is none. */
  protected fail(entries: readonly Entry[], error: MillraceError): void {
    const { onError, debug, warn } = this.settings;
    if (entries.length > 0) (onError ? debug : warn)?.(`${entries.length} messages lost: ${error.message}`);
    for (const entry of entries) this.#end(entry, 'failed', 'onError', error);
  }

  /** Counts a message as finished. `as` is null if the browser keeps the message. */
  protected settle({ position }: Entry, as: 'delivered' | 'failed' | null): void {
    this.#open -= 1;
    for (const waiter of this.#waiters) {
      if (position >= waiter.before) continue;
      if (as) waiter.counts[as] += 1;
      waiter.left -= 1;
      if (waiter.left === 0) waiter.done();
    }
  }

  /** Starts after the running code has ended, so that calls made one after the other share a batch. */
  async #run(): Promise<void> {
    await null;
    while (this.isDue()) {
      this.#arm();
      const calls = this.settings.flushAt === 1 ? 1 : BATCH_CALLS;
      await this.#deliver(this.begin(this.queue.take(calls, this.#bytesPerBatch)));
    }
    this.#running = false;
    this.pump();
  }

  /** Sends a batch until it is delivered or given up. */
  async #deliver(flight: Flight): Promise<void> {
    let tries = FRESH;
    for (;;) {
      const outcome = await this.attempt(flight);
      if (flight.over) return;
      const { error } = outcome;
      if (!error) {
        this.conclude(flight, outcome);
        return;
      }
      const step = nextStep(outcome, tries, this.settings.maxAttempts, this.runtime.random());
      tries = step.tries;
      this.settings.debug?.(`${error.message}; waiting ${step.wait} ms`);
      await this.wait(flight, step.wait);
      if (flight.over) return;
      if (step.giveUp) {
        this.fail(this.abandon(flight), error);
        return;
      }
    }
  }

  /** Starts the `flushAfter` timer again. */
  #arm(): void {
    this.#timer?.();
    this.#timer = this.runtime.after(this.settings.flushAfter, () => {
      this.#timer = null;
      if (this.queue.length > 0) this.makeDue();
    });
  }

  /** Calls the callback, then settles the message. An error of the callback, thrown or rejected, does not stop the outbox. */
  #end(entry: Entry, as: 'delivered' | 'failed', name: 'onDelivered' | 'onError', ...error: MillraceError[]): void {
    const call = this.settings[name] as ((...given: unknown[]) => unknown) | undefined;
    const threw = (thrown: unknown): void => this.settings.warn(`${name} threw: ${thrown}`);
    if (call) {
      // An `async` function would make one promise per report. This loop never waits, so they would pile up.
      try {
        const answer = call(...error, JSON.parse(entry.text)) as Partial<PromiseLike<unknown>> | undefined;
        answer?.then?.(undefined, threw);
      } catch (thrown) {
        threw(thrown);
      }
    }
    this.settle(entry, as);
  }
}
