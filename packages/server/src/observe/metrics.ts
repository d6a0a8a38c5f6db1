import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Clock, systemClock } from '../core/clock.ts';
import type { DeliveryState, OutcomeClass } from '../core/delivery.ts';
import { pause, within } from '../core/pause.ts';
import { Tally } from './tally.ts';

/** Counts of what waits in a lane. */
export interface LaneQueue {
  readonly destinationId: string;
  readonly waiting: number;
  /** The part of `waiting` that waits in the retry queue for another attempt. */
  readonly retrying: number;
}

/** Counts about profiles. */
export interface ProfilesState {
  readonly persons: number;
  /** Accepted calls that are not taken in yet. */
  readonly lag: number;
  /** Calls of audiences and computed traits that are not sent yet. */
  readonly outbox: number;
}

/** How sending to a destination goes. */
export interface SendingState {
  readonly destinationId: string;
  /** Whether the destination is paused, and all its messages with it. */
  readonly isPaused: boolean;
  readonly breaker: 'closed' | 'open' | 'probing';
  readonly urls: readonly { readonly id: string; readonly concurrency: number; readonly inFlight: number }[];
}

/** A store of the service, and whether it answers. */
export interface StoreState {
  readonly name: string;
  readonly isUp: boolean;
}

/** A value that is read at each scrape, and the gauges that show it. */
interface Reading {
  readonly gauges: readonly Gauge[];
  readonly read: () => void | Promise<void>;
}

/** A value that takes longer is left out of the scrape, milliseconds: less than Prometheus waits for the whole answer. */
const READING_MS = 5_000;
/** Delays of the event loop are measured after this long. */
const FIRST_DELAYS_MS = 30;

const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const LONG = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600, 3600, 14_400];

/**
 * The service's metrics, named by Prometheus's conventions: base units, counters end in `_total`. Labels are ids of destinations,
 * sources and URLs: a URL itself may contain a token, and /metrics needs no sign-in.
 *
 * Made for the hot path: a counter adds to a number in memory, which goes to the registry at each scrape. A histogram costs about
 * 0.2 µs an observation.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #tallies: Tally[] = [];
  readonly #clock: Clock;
  #watchesProcess = false;
  /** Read before each scrape. */
  readonly #readings: Reading[] = [];

  readonly #accepted = this.#tally('millrace_events_accepted_total', 'Events accepted and durable', ['source']);
  readonly #duplicates = this.#tally('millrace_events_duplicate_total', 'Events left out as duplicates', ['source']);
  readonly #rejected = this.#tally('millrace_events_rejected_total', 'Calls and requests refused', ['source', 'code']);
  readonly #settled = this.#tally('millrace_deliveries_total', 'Events settled in a lane', ['destination', 'state']);
  readonly #attempts = this.#tally('millrace_attempts_total', 'Requests made to URLs', ['destination', 'class']);
  readonly #tests = this.#tally('millrace_test_messages_total', 'Test messages sent', ['destination']);

  readonly #latency = this.#histogram('millrace_delivery_latency_seconds', 'From accepted to processed', LONG);
  readonly #attemptTime = this.#histogram('millrace_attempt_duration_seconds', 'Time a request to a URL took', SHORT);
  readonly #commitTime = this.#histogram(
    'millrace_commit_duration_seconds',
    'Time until what was written was durable',
    SHORT,
  );
  readonly #commitRows = this.#histogram(
    'millrace_commit_rows',
    'Rows of one commit, or events of one batch',
    [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000],
  );

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  accepted(sourceId: string, events: number): void {
    this.#accepted.add(events, sourceId);
  }

  duplicates(sourceId: string, events: number): void {
    this.#duplicates.add(events, sourceId);
  }

  /** `sourceId` is null for a request without a known source. */
  rejected(sourceId: string | null, code: string): void {
    this.#rejected.add(1, sourceId ?? '', code);
  }

  settled(destinationId: string, state: DeliveryState, events = 1): void {
    this.#settled.add(events, destinationId, state);
  }

  /** @param ms From accepted to processed, milliseconds. */
  processedAfter(ms: number): void {
    this.#latency.observe(ms / 1000);
  }

  /** @param ms How long the request took, milliseconds. */
  attempted(destinationId: string, outcome: OutcomeClass, ms: number): void {
    this.#attempts.add(1, destinationId, outcome);
    this.#attemptTime.observe(ms / 1000);
  }

  /** @param ms How long it took until what was written was durable, milliseconds. */
  committed(ms: number, rows: number): void {
    this.#commitTime.observe(ms / 1000);
    this.#commitRows.observe(rows);
  }

  tested(destinationId: string): void {
    this.#tests.add(1, destinationId);
  }

  /** Reads what waits, by lane, at each scrape. */
  watchLanes(read: () => Promise<readonly LaneQueue[]>): void {
    const lanes = this.#gauge('millrace_lanes_waiting', 'Lanes with events that had no attempt yet', []);
    const waiting = this.#gauge('millrace_waiting_messages', 'Messages without an end', ['destination']);
    const queued = this.#gauge('millrace_retrying_messages', 'Messages waiting for another attempt', ['destination']);
    this.#watch([lanes, waiting, queued], async () => {
      const queues = await read();
      lanes.set(queues.filter((queue) => queue.waiting > queue.retrying).length);
      waiting.reset();
      queued.reset();
      for (const queue of queues) {
        waiting.inc({ destination: queue.destinationId }, queue.waiting);
        queued.inc({ destination: queue.destinationId }, queue.retrying);
      }
    });
  }

  /** Reads how sending goes, at each scrape. */
  watchSending(read: () => readonly SendingState[]): void {
    const url = ['destination', 'url'];
    const concurrency = this.#gauge('millrace_url_concurrency', 'Requests a URL may have under way at once', url);
    const inFlight = this.#gauge('millrace_url_requests', 'Requests a URL has under way', url);
    const breaker = this.#gauge('millrace_breaker_open', '1 while a sustained outage stops sending', ['destination']);
    const paused = this.#gauge('millrace_paused', '1 while a destination stands still on demand', ['destination']);
    const gauges = [concurrency, inFlight, breaker, paused];
    this.#watch(gauges, () => {
      for (const gauge of gauges) gauge.reset();
      for (const { destinationId: destination, urls, ...state } of read()) {
        breaker.set({ destination }, state.breaker === 'closed' ? 0 : 1);
        paused.set({ destination }, state.isPaused ? 1 : 0);
        for (const one of urls) {
          concurrency.set({ destination, url: one.id }, one.concurrency);
          inFlight.set({ destination, url: one.id }, one.inFlight);
        }
      }
    });
  }

  /** Reads the counts about profiles at each scrape. */
  watchProfiles(read: () => Promise<ProfilesState>): void {
    const persons = this.#gauge('millrace_people_persons', 'Persons that are known', []);
    const lag = this.#gauge('millrace_people_lag_events', 'Calls accepted and not taken in by audiences yet', []);
    const outbox = this.#gauge('millrace_people_outbox_messages', 'Calls of audiences and traits not sent yet', []);
    this.#watch([persons, lag, outbox], async () => {
      const state = await read();
      persons.set(state.persons);
      lag.set(state.lag);
      outbox.set(state.outbox);
    });
  }

  /** Reads whether the stores answer, at each scrape. */
  watchStores(read: () => readonly StoreState[]): void {
    const up = this.#gauge('millrace_store_up', '1 while this can be read and written', ['store']);
    this.#watch([up], () => {
      for (const { name, isUp } of read()) up.set({ store: name }, isUp ? 1 : 0);
    });
  }

  /** Reads the losses of the log at each scrape. */
  watchLosses(read: () => Promise<{ readonly events: number; readonly noted: boolean }[]>): void {
    const lost = this.#gauge('millrace_lost_events', 'Events that were confirmed and are gone, at least', []);
    const open = this.#gauge('millrace_losses_not_noted', 'Losses that no admin has taken note of', []);
    this.#watch([lost, open], async () => {
      const losses = await read();
      lost.set(losses.reduce((sum, { events }) => sum + events, 0));
      open.set(losses.filter(({ noted }) => !noted).length);
    });
  }

  /** Reads the list of backups at each scrape. */
  watchBackups(read: () => Promise<readonly { readonly state: string; readonly at: number }[]>): void {
    const at = this.#gauge(
      'millrace_backup_last_success_timestamp_seconds',
      'The moment that the newest complete backup is of; 0 where there is none',
      [],
    );
    this.#watch([at], async () => {
      const complete = (await read()).filter(({ state }) => state === 'complete');
      at.set(Math.max(0, ...complete.map((backup) => backup.at)) / 1000);
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus's text format. Values that can't be read now are left out. */
  async render(): Promise<string> {
    for (const tally of this.#tallies) tally.flush();
    await Promise.all([this.#watchProcess(), ...this.#readings.map((reading) => this.#read(reading))]);
    return this.#registry.metrics();
  }

  /** Begins with the first scrape: it wakes the process a hundred times a second. */
  async #watchProcess(): Promise<void> {
    if (this.#watchesProcess) return;
    this.#watchesProcess = true;
    collectDefaultMetrics({ register: this.#registry });
    await pause(FIRST_DELAYS_MS, undefined, this.#clock);
  }

  #watch(gauges: readonly Gauge[], read: () => void | Promise<void>): void {
    this.#readings.push({ gauges, read });
  }

  async #read({ gauges, read }: Reading): Promise<void> {
    try {
      if ((await within(READING_MS, read(), () => 'late', this.#clock)) !== 'late') return;
    } catch {
      // millrace_store_up shows which store is away, and its users log it.
    }
    // After a reset, a gauge without labels would show 0.
    for (const gauge of gauges) for (const { labels } of (await gauge.get()).values) gauge.remove(labels);
  }

  #tally(name: string, help: string, labelNames: readonly string[]): Tally {
    const tally = new Tally(
      new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] }),
      labelNames,
    );
    this.#tallies.push(tally);
    return tally;
  }

  #histogram(name: string, help: string, buckets: readonly number[]): Histogram {
    return new Histogram({ name, help, buckets: [...buckets], registers: [this.#registry] });
  }

  #gauge(name: string, help: string, labelNames: readonly string[]): Gauge {
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }
}
