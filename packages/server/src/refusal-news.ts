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

/** Live pages look as often. */
const EVERY_MS = 250;
/** Of a flood the newest: a live page shows no more of one. */
const MOST_TOLD = 5;

/** Tells the other nodes of refused calls, so that a live page shows them whichever node answers it. */
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
