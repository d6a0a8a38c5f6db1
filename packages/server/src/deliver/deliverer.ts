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
  /** Resolves when all results recorded so far are durable. */
  readonly flush: () => Promise<void>;
  /**
   * How long a lane may have no place in the settings before it is given up, milliseconds. Where there are other nodes, one of
   * them may be about to add its destination. 0: a lane that has no place at a start or after a change is given up at once.
   */
  readonly gracePeriod: number;
  /**
   * How long a process that began to lead waits before it delivers to destinations that keep the order of users, milliseconds:
   * the leader before it may still send messages of theirs. 0 where there is no other process.
   */
  readonly leadAfter: number;
  /** Longest that `stop` waits for requests and records under way, milliseconds. */
  readonly stopTime: number;
  /**
   * The same where one destination ends, or where another process is about to keep the order of its users. Cut to half of
   * `leadAfter` where there are other processes: in the other half the lanes give back what was not ended.
   */
  readonly drainTime: number;
}

/** Wait after an error of the log. */
const LOG_RETRY_MS = 1_000;

/**
 * The stage: one runner for each destination, kept in step with the settings.
 *
 * A change of the settings takes effect at once, while the settings call the listener: from then on messages are judged by the
 * new settings, and the lane of a disconnected pair is ended before the pair can be connected again. New lanes are looked up, and
 * are read when the log has answered. A lane that has no place in the settings may belong to a change that is under way. So it is
 * left alone until the next change or start; where other nodes change the settings too, for as long as such a change may take.
 */
export class Deliverer implements Service {
  readonly #options: DelivererOptions;
  readonly #runners = new Map<string, Runner>();
  /** The lanes of the log's last list. */
  #lanes = new Map<number, Lane>();
  /** Since when a lane has no place in the settings, by its id. A lane that has had a place in this process is not among them. */
  readonly #strangers = new Map<number, number>();
  readonly #known = new Set<number>();
  readonly #listings = pLimit(1);
  /** Stops of the runners whose destinations are gone. */
  readonly #leaving = new Set<Promise<void>>();
  /** Destinations whose next runner waits until the one before has stopped. */
  readonly #restarting = new Set<string>();
  /** The destination as a restarted runner knew it last. The next runner begins with it, and then follows what has changed since. */
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
    this.#turns = new Turns(options);
  }

  /** Resolves when every lane is read. Where the log can't list the lanes, it resolves too, and asks the log again and again. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#options.settings.onChange(() => this.#follow());
    this.#look();
    await this.#listings(async () => undefined);
    this.#apply();
  }

  /** Ends the requests under way, or gives them up when that takes too long; sends nothing from then on. */
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
    await within(until - clock.now(), flush(), () => undefined, clock);
    this.#runners.clear();
  }

  /**
   * One process at a time delivers to destinations that keep the order of users: this one while it runs this service. When it
   * stops, the messages that it held go to the next process.
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

  /** Stops a runner and begins another in its place. Messages that the first one held are given back. */
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

  /** Undefined for an unknown destination. */
  status(destinationId: string): RunnerStatus | undefined {
    return this.#runners.get(destinationId)?.status;
  }

  /** A message was put into a destination's retry queue. */
  wake(destinationId: string): void {
    this.#runners.get(destinationId)?.wake();
  }

  /** A reason to hold destinations may have ended. */
  resume(): void {
    for (const runner of this.#runners.values()) runner.wake();
  }

  /** Another node has reported something about a destination; see Runner.told. */
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

  /** Brings the runners in step with the settings, at once. */
  #apply(): void {
    const { settings } = this.#options;
    for (const [id, runner] of this.#runners) {
      const destination = settings.destination(id);
      if (!destination) continue;
      // A runner that kept no order holds messages in no order: it gives them back first.
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

  /** Whether the settings connect the lane's pair, or the lane has ended and must still be read to its end. */
  #hasPlace({ id, sourceId, destinationId, until }: Lane): boolean {
    const destination = this.#options.settings.destination(destinationId);
    if (!destination || (until === null && !destination.sourceIds.includes(sourceId))) return false;
    this.#known.add(id);
    this.#strangers.delete(id);
    return true;
  }

  /** Whether a lane that has no place in the settings can no longer get one. */
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

  /** Lists the lanes and reads the new ones; one list at a time. */
  #look(): void {
    this.#listings(() => this.#addLanes()).catch((error: unknown) => {
      // After a stop the log may be closed, and the list is no longer needed.
      if (this.#stopped) return;
      this.#options.report(error, null);
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
      // A lane that is read before its place is known would have its events counted as those of a disconnected pair.
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

  /** The pair was disconnected. Events that the lane still holds are filtered, so the lane is read to its end. */
  #end(lane: Lane): void {
    this.#lanes.delete(lane.id);
    this.#options.log.endLane(lane.id).catch((error: unknown) => this.#tryAgain(error, lane.destinationId, [lane]));
  }

  /** The destination is gone: its runner stops, then its lanes are removed. No other destination waits for that. */
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

  /** The log failed at what the settings ask for these lanes: try it again. */
  #tryAgain(error: unknown, destinationId: string, lanes: readonly Lane[]): void {
    this.#options.report(error, destinationId);
    if (this.#stopped) return;
    for (const lane of lanes) this.#lanes.set(lane.id, lane);
    this.#followAgain();
  }

  get #drainTime(): number {
    const { drainTime, leadAfter } = this.#options;
    return leadAfter === 0 ? drainTime : Math.min(drainTime, leadAfter / 2);
  }

  async #stopRunner(runner: Runner, time = this.#drainTime): Promise<void> {
    const cancel = this.#options.clock.after(time, () => void runner.abandon());
    await runner.stop();
    cancel();
  }
}

function isOrdered({ order }: Destination): boolean {
  return order === 'user';
}
