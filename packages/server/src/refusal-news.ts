import type { Clock } from './core/clock.ts';
import { Recurring } from './core/recurring.ts';
import type { Service } from './core/service.ts';
import type { Rejections } from './observe/rejections.ts';
import type { PeerNews } from './peer-news.ts';

export interface RefusalNewsOptions {
  readonly clock: Clock;
  readonly refused: Pick<Rejections, 'after'>;
  readonly peers: Pick<PeerNews, 'count' | 'tellRefusal'>;
  /** Whether this process is a node of a cluster: a process alone tells nothing. */
  readonly isNode: boolean;
}

/** Live pages look as often. */
const EVERY_MS = 250;
/** Of a flood the newest: a live page shows no more of one. */
const MOST_TOLD = 5;

/** Tells the other nodes of refused calls, so that a live page shows them whichever node answers it. */
export class RefusalNews implements Service {
  readonly #options: RefusalNewsOptions;
  readonly #telling: Recurring | null;
  #told = 0;

  constructor(options: RefusalNewsOptions) {
    this.#options = options;
    const { clock, isNode } = options;
    this.#telling = isNode ? new Recurring({ clock, every: EVERY_MS, run: async () => this.#tell() }) : null;
  }

  async start(): Promise<void> {
    await this.#telling?.start();
  }

  async stop(): Promise<void> {
    await this.#telling?.stop();
  }

  #tell(): void {
    const { refused, peers } = this.#options;
    const come = refused.after(this.#told);
    this.#told = come.at(-1)?.number ?? this.#told;
    if (peers.count() === 1) return;
    const own = come.filter(({ isOwn }) => isOwn).slice(-MOST_TOLD);
    for (const { number, isOwn, ...refusal } of own) peers.tellRefusal(refusal);
  }
}
