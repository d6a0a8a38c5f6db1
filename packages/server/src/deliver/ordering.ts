import type { Hastening } from './hasten.ts';
import type { Message } from './round.ts';
import type { RunnerWorld } from './runner-world.ts';
import { findWaiting, GO, type Turn, UserOrder } from './user-order.ts';

/** What the order of a destination's users needs of the runner that keeps it. */
export interface OrderingOptions {
  readonly destinationId: string;
  readonly world: Pick<RunnerWorld, 'claims' | 'clock' | 'report'>;
  /** Longest that a call is held up by another, milliseconds. */
  readonly hold: () => number;
  /** Whether this process is the one that keeps the order. */
  readonly leads: boolean;
  /** Makes due what waits in the retry queue. */
  readonly hastening: Pick<Hastening, 'these'>;
  /** The search of the retry queue has ended. */
  readonly searched: () => void;
}

/** Wait after an error of the retry queue. */
const RETRY_MS = 1_000;

/** The order of a destination's users, as its settings want it: kept or not, and by one process of several. */
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

  /** Another process delivers. */
  get isElsewhere(): boolean {
    return this.#isOn && !this.#leads;
  }

  /** The retry queue is looked through for users whose calls wait there: nothing may be begun. */
  get isFinding(): boolean {
    return this.#isFinding;
  }

  /** The search holds claims: a stop leaves none. */
  get isClaiming(): boolean {
    return this.#isClaiming;
  }

  /** From now on this process is the one that keeps the order. */
  lead(): void {
    if (this.#leads) return;
    this.#leads = true;
    if (this.#isOn) void this.#find();
  }

  /** Begins or ends to keep the order. */
  follow(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    if (isOn && this.#leads) void this.#find();
    if (!isOn) this.#letAllGo();
  }

  /** What may be done with a message; an earlier call that has held it up for too long is given up. */
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

  /** Later calls of users wait for those in the retry queue, which a process before this one has put there. */
  async #find(): Promise<void> {
    const { destinationId, world, hastening, searched } = this.#options;
    const { claims, clock, report } = world;
    this.#isFinding = true;
    this.#isClaiming = true;
    try {
      await findWaiting(this, claims, destinationId, clock, () => this.#isStopped);
      this.#isFinding = false;
      // It may have been switched off meanwhile.
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
