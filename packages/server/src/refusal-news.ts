import type { Clock } from './core/clock.ts';
import { Recurring } from './core/recurring.ts';
import type { Service } from './core/service.ts';
import type { Rejections } from './observe/rejections.ts';
import type { PeerNews } from './peer-news.ts';

export interface RefusalNewsOptions {
  readonly clock: Clock;
  readonly refused: Pick<Rejections, 'after'>;
  readonly peers: Pick<PeerNews, 'count' | 'tellRefusal'>;
}

/** Time between two messages, milliseconds. Live pages look as often. */
const EVERY_MS = 250;
/** The most refused calls per message round, the newest of many: a live page shows no more. */
const MOST_TOLD = 5;

/** Sends refused calls to the other nodes, so that a live page shows them on any node. */
export function refusalNews({ clock, refused, peers }: RefusalNewsOptions): Service {
  let told = 0;
  const tell = async (): Promise<void> => {
    const come = refused.after(told);
    told = come.at(-1)?.number ?? told;
    if (peers.count() === 1) return;
    const own = come.filter(({ isOwn }) => isOwn).slice(-MOST_TOLD);
    for (const { number, isOwn, ...refusal } of own) peers.tellRefusal(refusal);
  };
  return new Recurring({ clock, every: EVERY_MS, run: tell });
}
