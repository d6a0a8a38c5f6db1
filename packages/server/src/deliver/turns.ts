import type { Clock } from '../core/clock.ts';
import type { Peers } from './peers.ts';

/** Messages and requests that are begun before the event loop does other work: some milliseconds. */
const AT_ONCE = 64;
/** How many of them one runner begins while others wait. */
const AT_ONCE_OF_ONE = 16;

interface TurnsOptions {
  readonly clock: Clock;
  readonly peers: Pick<Peers, 'isCurrent' | 'caughtUp'>;
}

/**
 * Shares the event loop between the runners of a process and its other work, above all collecting. When `AT_ONCE` messages and
 * requests were begun, runners wait for the loop's next turn, in order. It counts work, not time, so that a simulation can be
 * repeated exactly. While this process does not know what other nodes have changed, no runner has a turn: it would send by former
 * settings what was accepted after a change.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #peers: TurnsOptions['peers'];
  #catchingUp = false;
  #left = AT_ONCE;
  /** What the present runner must leave to the others. */
  #reserved = 0;
  /** Runners that have more to begin, longest waiting first. */
  readonly #waiting = new Set<() => void>();

  constructor({ clock, peers }: TurnsOptions) {
    this.#clock = clock;
    this.#peers = peers;
  }

  /** Whether a runner may look at what it has to do. If not, `go` is called when it may. */
  has(go: () => void): boolean {
    if (this.#peers.isCurrent()) return true;
    this.ask(go);
    if (!this.#catchingUp) {
      this.#catchingUp = true;
      void this.#peers.caughtUp().then(() => {
        this.#catchingUp = false;
        this.#clock.after(0, () => this.#next());
      });
    }
    return false;
  }

  /** Whether more may be begun now. */
  get open(): boolean {
    return this.#left > this.#reserved;
  }

  /** One message or request was begun. */
  spend(): void {
    if (--this.#left === 0) this.#clock.after(0, () => this.#next());
  }

  /** Calls `go` when more may be begun. */
  ask(go: () => void): void {
    this.#waiting.add(go);
  }

  #next(): void {
    this.#left = AT_ONCE;
    // One that must wait on asks again.
    for (const go of [...this.#waiting]) {
      if (this.#left <= 0) break;
      this.#waiting.delete(go);
      this.#reserved = this.#waiting.size > 0 ? Math.max(0, this.#left - AT_ONCE_OF_ONE) : 0;
      go();
    }
    this.#reserved = 0;
  }
}
