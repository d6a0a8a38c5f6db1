import pLimit from 'p-limit';
import { memo } from '../core/bounded-map.ts';
import { Fault } from '../core/fault.ts';
import type { PeopleQueries } from './queries.ts';

export type Questions = Omit<PeopleQueries, 'close'>;

/** Callers whose turns are known. */
const MOST_ASKING = 1_000;

/**
 * The same questions for each caller; `first` is awaited before each. Those of one caller are asked one after the other: however
 * many these are, the questions of others wait for one of them. If the store does not answer one, those that wait behind it fail
 * with it, or the last would fail after the sum of all deadlines.
 */
export function inTurns(questions: Questions, first: () => Promise<void>): (who: string) => Questions {
  const turns = memo(MOST_ASKING, turnsOfOne);
  return (who) => {
    const turn = turns(who);
    const ask =
      (name: keyof Questions) =>
      async (...args: readonly unknown[]): Promise<unknown> => {
        await first();
        return turn(async () => (questions[name] as (...args: readonly unknown[]) => unknown)(...args));
      };
    return new Proxy(questions, { get: (_, name) => ask(name as keyof Questions) });
  };
}

function turnsOfOne(): <T>(ask: () => Promise<T>) => Promise<T> {
  const inTurn = pLimit(1);
  let failures = 0;
  let failure: unknown;
  return (ask) => {
    const before = failures;
    return inTurn(async () => {
      if (failures > before) throw failure;
      try {
        return await ask();
      } catch (error) {
        if (error instanceof Fault && error.code === 'storage_unavailable') [failures, failure] = [failures + 1, error];
        throw error;
      }
    });
  };
}
