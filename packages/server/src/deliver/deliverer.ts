import pLimit from 'p-limit';
import type { Destination } from '../core/destination.ts';
import type { Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import { within } from '../core/pause.ts';
import type { Service } from '../core/service.ts';
import type { EventLog } from '../log/contract.ts';
import type { News } from './peers.ts';
import { Runner } from './runner.ts';
import type { RunnerStatus, RunnerWorld } from './runner-world.ts';
import { Turns } from './turns.ts';

/** What delivering needs of the log. */
export type DeliveryLog = Pick<EventLog, 'lanes' | 'read' | 'endLane' | 'removeLane'>;

/** What delivering needs of the settings. */
export interface DeliverySettings {
  destination(id: string): Destination | undefined;
  /** Calls the listener after each change, before the next one begins. */
  onChange(listener: () => void): () => void;
}

export interface DelivererOptions extends RunnerWorld {
  readonly log: DeliveryLog;
  readonly settings: DeliverySettings;
  /** Resolves when everything recorded so far is durable. */
  readonly flush: () => Promise<void>;
  /**
   * How long a lane may be without a place in the settings before it is given up, milliseconds. Where there are other nodes,
   * one of them may be about to give it its place. 0: what is found at a start or at a change of the settings is given up.
   */
  readonly gracePeriod: number;
  /**
   * What a process that began to lead waits before it delivers to destinations that keep the order of users, milliseconds: the one
   * before it may have held messages of theirs. 0 where there is no other.
   */
  readonly leadAfter: number;
  /** Longest that `stop` waits for requests and records under way, milliseconds. */
  readonly stopTime: number;
  /** The same where one destination ends, or another process is to keep the order of its users: less than `leadAfter`. */
  readonly drainTime: number;
}

/** Wait after an error of the log. */
const LOG_RETRY_MS = 1_000;

/**
 * The stage: one runner per destination, kept in step with the settings.
 *
 * A change of the settings changes what is known at once, while the settings call the listener: from
 * then on messages are judged by the new settings, and lanes of a pair that was cut are ended before the pair can be
 * connected again. Lanes that are new have to be looked up, and are added when the log answers. A lane that is found then
 * and has no place in the settings may belong to a change under way, so it is left alone until the next change or start;
 * where other nodes change the settings too, for as long as such a change may take.
 */
export class Deliverer implements Service {
  readonly #options: DelivererOptions;
  readonly #runners = new Map<string, Runner>();
  /** As the log last listed them. */
  #lanes = new Map<number, Lane>();
  /** Since when lanes have no place in the settings, by id; never those that have had one in this process. */
  readonly #strangers = new Map<number, number>();
  readonly #known = new Set<number>();
  readonly #listings = pLimit(1);
  /** Runners of destinations that are gone, until they have stopped. */
  readonly #leaving = new Set<Promise<void>>();
  /** Destinations whose next runner waits for that. */
  readonly #restarting = new Set<string>();
  /** What runners that were restarted knew last, by destination: the next one begins with it, and follows what has changed since. */
  readonly #knew = new Map<string, Destination>();
  #unsubscribe: (() => void) | null = null;
  #cancelRetry: (() => void) | null = null;
  #cancelGracePeriod: (() => void) | null = null;
  #cancelLead: (() => void) | null = null;
  #leads = false;
  #stopped: Promise<void> | null = null;

  readonly #turns: Turns;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#turns = new Turns(options.clock);
  }

  /** Resolves when every lane is read, or when the log could not list them: then it is asked again and again. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#options.settings.onChange(() => this.#follow());
    this.#look();
    await this.#listings(async () => undefined);
    this.#apply();
  }

  /** Ends what is under way, or gives it up when that takes too long; from then on nothing is sent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#cancelRetry?.();
    this.#cancelGracePeriod?.();
    this.#cancelLead?.();
    const { clock, stopTime, flush } = this.#options;
    const until = clock.now() + stopTime;
    const runners = [...this.#runners.values()];
    await Promise.all([...runners.map((runner) => this.#stopRunner(runner, stopTime)), ...this.#leaving]);
    await within(Math.max(0, until - clock.now()), flush(), () => undefined, clock);
    this.#runners.clear();
  }

  /**
   * Destinations that keep the order of users are delivered to by one process at a time: by this one while it runs this service.
   * When it no longer does, what it held of them is for the next.
   */
  readonly lead: Service = {
    start: async () => {
      const { clock, leadAfter } = this.#options;
      this.#cancelLead = leadAfter === 0 ? null : clock.after(leadAfter, () => this.#begin());
      if (leadAfter === 0) this.#begin();
    },
    stop: async () => {
      this.#cancelLead?.();
      this.#leads = false;
      for (const [id, runner] of this.#runners) if (isOrdered(runner.destination)) this.#restart(id, runner);
    },
  };

  #begin(): void {
    this.#leads = true;
    for (const runner of this.#runners.values()) runner.lead();
  }

  /** Stops a runner, and begins again with another: what it held is given back. */
  #restart(destinationId: string, runner: Runner): void {
    this.#runners.delete(destinationId);
    this.#restarting.add(destinationId);
    this.#knew.set(destinationId, runner.destination);
    const left = this.#stopRunner(runner)
      .catch((error: unknown) => this.#options.report(error, destinationId))
      .finally(() => {
        this.#leaving.delete(left);
        this.#restarting.delete(destinationId);
        if (!this.#stopped) this.#look();
      });
    this.#leaving.add(left);
  }

  /** Undefined for a destination that is unknown. */
  status(destinationId: string): RunnerStatus | undefined {
    return this.#runners.get(destinationId)?.status;
  }

  /** Something was put into a destination's retry queue. */
  wake(destinationId: string): void {
    this.#runners.get(destinationId)?.wake();
  }

  /** What destinations are held for may have changed. */
  resume(): void {
    for (const runner of this.#runners.values()) runner.wake();
  }

  /** Another node tells something of a destination; see Runner.told. */
  told(destinationId: string, news: News): void {
    this.#runners.get(destinationId)?.told(news);
  }

  /** These messages were removed from the log; see Runner.withdraw. */
  withdraw(positions: ReadonlySet<Position>): void {
    for (const runner of this.#runners.values()) runner.withdraw(positions);
  }

  #follow(): void {
    this.#apply();
    this.#look();
  }

  /** Brings what is known in step with the settings, at once. */
  #apply(): void {
    const { settings } = this.#options;
    for (const [id, runner] of this.#runners) {
      const destination = settings.destination(id);
      if (!destination) continue;
      // What a runner holds when order is asked for stands in no line: it is given back first.
      if (isOrdered(destination) && !isOrdered(runner.destination)) this.#restart(id, runner);
      else runner.update(destination);
    }
    const gone = new Set<string>();
    for (const lane of this.#lanes.values()) {
      if (this.#hasPlace(lane) || !this.#isHopeless(lane)) continue;
      if (settings.destination(lane.destinationId)) this.#end(lane);
      else gone.add(lane.destinationId);
    }
    for (const id of gone) this.#drop(id);
  }

  /** Whether the lane is one of the settings', or has ended and is still to be read. */
  #hasPlace({ id, sourceId, destinationId, until }: Lane): boolean {
    const destination = this.#options.settings.destination(destinationId);
    if (!destination || (until === null && !destination.sourceIds.includes(sourceId))) return false;
    this.#known.add(id);
    this.#strangers.delete(id);
    return true;
  }

  /** Whether this lane, which has no place in the settings, will never get one. */
  #isHopeless({ id }: Lane): boolean {
    const { clock, gracePeriod } = this.#options;
    if (gracePeriod === 0 || this.#known.has(id)) return true;
    const now = clock.now();
    const since = this.#strangers.get(id) ?? now;
    this.#strangers.set(id, since);
    if (now - since >= gracePeriod) return true;
    this.#cancelGracePeriod ??= clock.after(gracePeriod, () => {
      this.#cancelGracePeriod = null;
      this.#follow();
    });
    return false;
  }

  /** Lists the lanes and reads those that are new, one listing after the other. */
  #look(): void {
    this.#listings(() => this.#addLanes()).catch((error: unknown) => {
      // After a stop the log may be closed under the listing, which is no longer needed.
      if (this.#stopped) return;
      this.#options.report(error, '');
      this.#followAgain();
    });
  }

  #followAgain(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = this.#options.clock.after(LOG_RETRY_MS, () => this.#follow());
  }

  async #addLanes(): Promise<void> {
    const { log, settings } = this.#options;
    const lanes = await log.lanes();
    if (this.#stopped) return;
    this.#lanes = new Map(lanes.map((lane) => [lane.id, lane]));
    for (const ids of [this.#known, this.#strangers]) {
      for (const id of ids.keys()) if (!this.#lanes.has(id)) ids.delete(id);
    }
    for (const lane of lanes) {
      const destination = settings.destination(lane.destinationId);
      // Read before its place is known here, a lane's events would count as those of a pair that was cut.
      if (!destination || (!this.#hasPlace(lane) && !this.#isHopeless(lane))) continue;
      if (this.#restarting.has(destination.id)) continue;
      const runner = this.#runnerOf(destination);
      if (!runner.hasLane(lane.id)) runner.addLane(lane, log.read(lane.id));
    }
  }

  #runnerOf(destination: Destination): Runner {
    let runner = this.#runners.get(destination.id);
    if (!runner) {
      const knew = this.#knew.get(destination.id);
      this.#knew.delete(destination.id);
      runner = new Runner(knew ?? destination, this.#options, this.#turns, this.#leads);
      this.#runners.set(destination.id, runner);
      if (knew) runner.update(destination);
    }
    return runner;
  }

  /** The pair is cut. What its lane still holds is filtered, so the lane ends by being read. */
  #end(lane: Lane): void {
    this.#lanes.delete(lane.id);
    this.#options.log.endLane(lane.id).catch((error: unknown) => this.#tryAgain(error, lane.destinationId, [lane]));
  }

  /** The destination is gone: its runner stops, then its lanes are forgotten. No other destination waits for that. */
  #drop(destinationId: string): void {
    const lanes = [...this.#lanes.values()].filter((lane) => lane.destinationId === destinationId);
    for (const { id } of lanes) this.#lanes.delete(id);
    const runner = this.#runners.get(destinationId);
    this.#runners.delete(destinationId);
    this.#knew.delete(destinationId);
    const left = (runner ? this.#stopRunner(runner) : Promise.resolve())
      .then(() => Promise.all(lanes.map(({ id }) => this.#options.log.removeLane(id))))
      .then(() => undefined)
      .catch((error: unknown) => this.#tryAgain(error, destinationId, lanes))
      .finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  /** The log could not do with these lanes what the settings ask. */
  #tryAgain(error: unknown, destinationId: string, lanes: readonly Lane[]): void {
    this.#options.report(error, destinationId);
    if (this.#stopped) return;
    for (const lane of lanes) this.#lanes.set(lane.id, lane);
    this.#followAgain();
  }

  async #stopRunner(runner: Runner, time = this.#options.drainTime): Promise<void> {
    const cancel = this.#options.clock.after(time, () => void runner.abandon());
    await runner.stop();
    cancel();
  }
}

function isOrdered({ order }: Destination): boolean {
  return order === 'user';
}
