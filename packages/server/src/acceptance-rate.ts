import type { Clock } from './core/clock.ts';
import { Recurring } from './core/recurring.ts';
import type { Service } from './core/service.ts';
import type { PeerNews } from './peer-news.ts';

export interface AcceptanceRateOptions {
  readonly clock: Clock;
  /** Events per second that this node accepts. */
  readonly own: () => number;
  readonly peers: Pick<PeerNews, 'count' | 'tellRate'>;
  /** How often this node sends its rate to the other nodes, milliseconds; null if there are none. */
  readonly every: number | null;
}

/** A rate of another node is used until this many of its messages are missing. */
const GOOD_FOR = 3;

/** Events per second that all nodes accept together. Each node sends its own rate to the others. */
export class AcceptanceRate implements Service {
  readonly #options: AcceptanceRateOptions;
  readonly #telling: Recurring | null;
  /** Rates of the other nodes, by node number. */
  readonly #others = new Map<number, { readonly perSecond: number; readonly until: number }>();
  #wasZero = true;

  constructor(options: AcceptanceRateOptions) {
    this.#options = options;
    const { clock, every } = options;
    this.#telling = every === null ? null : new Recurring({ clock, every, run: async () => this.#tell() });
  }

  async start(): Promise<void> {
    await this.#telling?.start();
  }

  async stop(): Promise<void> {
    await this.#telling?.stop();
  }

  told(node: number, perSecond: number): void {
    const { clock, every } = this.#options;
    this.#others.set(node, { perSecond, until: clock.now() + (every ?? 0) * GOOD_FOR });
  }

  perSecond(): number {
    const now = this.#options.clock.now();
    let sum = this.#options.own();
    for (const [node, { perSecond, until }] of this.#others) {
      if (until >= now) sum += perSecond;
      else this.#others.delete(node);
    }
    return sum;
  }

  #tell(): void {
    const { own, peers } = this.#options;
    const perSecond = own();
    const isNews = perSecond > 0 || !this.#wasZero;
    this.#wasZero = perSecond === 0;
    if (isNews && peers.count() > 1) peers.tellRate(perSecond);
  }
}
