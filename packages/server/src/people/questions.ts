import pLimit from 'p-limit';
import { memo } from '../core/bounded-map.ts';
import type { PeopleQueries } from './queries.ts';

export type Questions = Omit<PeopleQueries, 'close'>;

/** Callers whose turns are known. */
const MOST_ASKING = 1_000;

/**
 * The same questions for each caller; `first` is awaited before each. Those of one caller are asked one after the other: however
 * many these are, the questions of others wait for one of them.
 */
export function inTurns(questions: Questions, first: () => Promise<void>): (who: string) => Questions {
  const turns = memo(MOST_ASKING, () => pLimit(1));
  return (who) => {
    const turn = turns(who);
    const ask =
      (name: keyof Questions) =>
      async (...args: readonly unknown[]): Promise<unknown> => {
        await first();
        return turn(() => (questions[name] as (...args: readonly unknown[]) => unknown)(...args));
      };
    return new Proxy(questions, { get: (_, name) => ask(name as keyof Questions) });
  };
}
