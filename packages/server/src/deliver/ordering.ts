import type { Hastening } from './hasten.ts';
import type { Message } from './round.ts';
import type { RunnerWorld } from './runner-world.ts';
import { findWaiting, GO, type Turn, UserOrder } from './user-order.ts';

/** What keeping the order of users needs from its runner. */
export interface OrderingOptions {
  readonly destinationId: string;
  readonly world: Pick<RunnerWorld, 'claims' | 'clock' | 'report'>;
  /** Longest time that a call holds up later ones, milliseconds. */
  readonly hold: () => number;
  /** Whether this process keeps the order. */
  readonly leads: boolean;
  /** Makes messages of the retry queue due. */
  readonly hastening: Pick<Hastening, 'these'>;
  /** The search of the retry queue is over. */
  readonly searched: () => void;
}

/** Wait after an error of the retry queue. */
const RETRY_MS = 1_000;

/** Keeps the order of a destination's users where its settings ask for it; of several processes one keeps it. */
export class Ordering extends UserOrder {
  readonly #options: OrderingOptions;
  #isOn = false;
  #leads: boolean;
  #isFinding = false;
  #isClaiming = false;
  #isStopped = false;

  constructor(options: OrderingOptions) {
    super(options.hold);
    this.#options = options;
    this.#leads = options.leads;
  }

  /** Whether another process keeps the order, and so delivers. */
  get isElsewhere(): boolean {
    return this.#isOn && !this.#leads;
  }

  /** Whether the retry queue is searched for users whose calls wait there: nothing may be begun meanwhile. */
  get isFinding(): boolean {
    return this.#isFinding;
  }

  /** Whether the search holds claims; a stop waits until it holds none. */
  get isClaiming(): boolean {
    return this.#isClaiming;
  }

  /** From now on this process keeps the order. */
  lead(): void {
    if (this.#leads) return;
    this.#leads = true;
    if (this.#isOn) void this.#find();
  }

  /** Begins to keep the order, or ceases to. */
  follow(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    if (isOn && this.#leads) void this.#find();
    if (!isOn) this.#letAllGo();
  }

  /** What may be done with a message now. An earlier call that has held it up for too long is given up. */
  turn({ entry, retried }: Message, now: number): Turn {
    if (!this.#isOn) return GO;
    const next = this.giveUp(entry, now);
    if (next !== null && next !== entry.position) this.#options.hastening.these([next]);
    return this.turnOf(entry, retried, now);
  }

  override begin(message: Pick<Message, 'entry' | 'retried'>): void {
    if (this.#isOn) super.begin(message);
  }

  override stop(): void {
    this.#isStopped = true;
    super.stop();
  }

  #letAllGo(): void {
    const parked = this.parked();
    this.release();
    this.#options.hastening.these(parked);
  }

  /** Finds the calls that an earlier process has put into the retry queue: later calls of their users wait for them. */
  async #find(): Promise<void> {
    const { destinationId, world, hastening, searched } = this.#options;
    const { claims, clock, report } = world;
    this.#isFinding = true;
    this.#isClaiming = true;
    try {
      await findWaiting(this, claims, destinationId, clock, () => this.#isStopped);
      this.#isFinding = false;
      // The order may have been switched off meanwhile.
      if (this.#isOn) hastening.these(this.firsts());
      else this.#letAllGo();
    } catch (error) {
      report(error, destinationId);
      if (!this.#isStopped) clock.after(RETRY_MS, () => void this.#find());
    }
    this.#isClaiming = false;
    searched();
  }
}
