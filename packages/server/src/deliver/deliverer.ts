import type { Destination } from '../core/destination.ts';
import type { Lane } from '../core/lane.ts';
import type { Service } from '../core/service.ts';
import type { Reader } from './intake.ts';
import { Runner, type RunnerStatus, type RunnerWorld } from './runner.ts';

/** What delivering needs of the log (log/contract.ts). */
export interface DeliveryLog {
  lanes(): Promise<readonly Lane[]>;
  read(id: number): Reader;
  endLane(id: number): Promise<void>;
  removeLane(id: number): Promise<void>;
}

/** What delivering needs of the settings. */
export interface DeliverySettings {
  destination(id: string): Destination | undefined;
  onChange(listener: () => void): () => void;
}

export interface DelivererOptions extends RunnerWorld {
  readonly log: DeliveryLog;
  readonly settings: DeliverySettings;
  /** Resolves when everything recorded so far is durable. */
  readonly flush: () => Promise<void>;
  /** Longest that `stop` waits for requests under way, milliseconds. */
  readonly drainTime: number;
}

/** The stage: one runner per destination, kept in step with the settings. */
export class Deliverer implements Service {
  readonly #options: DelivererOptions;
  readonly #runners = new Map<string, Runner>();
  #following: Promise<void> = Promise.resolve();
  #unsubscribe: (() => void) | null = null;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#options.settings.onChange(() => this.#follow());
    this.#follow();
    await this.#following;
  }

  /** Ends what is under way, or gives it up when that takes too long; then nothing is sent any more. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#following;
    const runners = [...this.#runners.values()];
    const cancel = this.#options.clock.after(this.#options.drainTime, () => {
      for (const runner of runners) void runner.abandon();
    });
    await Promise.all(runners.map((runner) => runner.stop()));
    cancel();
    await this.#options.flush();
    this.#runners.clear();
  }

  /** Undefined for a destination that is unknown. */
  status(destinationId: string): RunnerStatus | undefined {
    return this.#runners.get(destinationId)?.status;
  }

  /** Something was put on a destination's shelf. */
  wake(destinationId: string): void {
    this.#runners.get(destinationId)?.wake();
  }

  /** One change of the settings after the other. */
  #follow(): void {
    this.#following = this.#following
      .then(() => this.#reconcile())
      .catch((error: unknown) => this.#options.report(error, ''));
  }

  async #reconcile(): Promise<void> {
    const { log, settings } = this.#options;
    for (const lane of await log.lanes()) {
      const destination = settings.destination(lane.destinationId);
      if (!destination) {
        await this.#drop(lane);
        continue;
      }
      // What a lane still holds when its pair is cut is filtered, so the lane ends by being read.
      if (lane.until === null && !destination.sourceIds.includes(lane.sourceId)) await log.endLane(lane.id);
      const runner = this.#runnerOf(destination);
      if (!runner.hasLane(lane.id)) runner.addLane(lane, log.read(lane.id));
    }
    for (const [id, runner] of this.#runners) {
      const destination = settings.destination(id);
      if (destination) runner.update(destination);
    }
  }

  #runnerOf(destination: Destination): Runner {
    let runner = this.#runners.get(destination.id);
    if (!runner) {
      runner = new Runner(destination, this.#options);
      this.#runners.set(destination.id, runner);
    }
    return runner;
  }

  /** The destination is gone: its runner stops, its lanes are forgotten. */
  async #drop(lane: Lane): Promise<void> {
    const runner = this.#runners.get(lane.destinationId);
    this.#runners.delete(lane.destinationId);
    await runner?.stop();
    await this.#options.log.removeLane(lane.id);
  }
}
