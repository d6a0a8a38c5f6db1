import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Attempt, DeliveryResult } from '../core/delivery.ts';
import type { LogEntry } from '../core/event.ts';
import { keptAttempts } from '../core/kept-attempts.ts';
import { appendTo, attemptAt, listAll, type RecordWorld, resultOf } from './conformance.ts';
import type { Delivery } from './contract.ts';

/** What every `DeliveryStore` promises of the attempts of a message that is tried for long, as tests. */
export function keptAttemptsConformance(name: string, open: () => Promise<RecordWorld>): void {
  describe(`${name} bounds the attempts of a message`, () => {
    let world: RecordWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    /** A round at three URLs, whose answers are of different lengths. One of the URLs takes the message once. */
    function round(at: number): Attempt[] {
      return ['one', 'two', 'six'].map((id) => ({
        ...attemptAt(at, at === 30 && id === 'six' ? 200 : 503),
        ...{ webhookId: id, answer: `${id} at ${at}${'.'.repeat((at * 7) % 50)}`, headers: { server: id } },
      }));
    }

    const ROUNDS = 150;
    const rounds = Array.from({ length: ROUNDS }, (_, at) => round(at));

    const only = async (entry: LogEntry): Promise<Delivery | undefined> =>
      (await world.deliveries.deliveriesOf(entry.position))[0];

    test('keeps the first and the last ones, each with its answer, however they were written', async () => {
      const lane = await world.log.openLane('s', 'd');
      const [one, old] = await appendTo(world, 's', ['one', 'old']);
      const settle = (entry: LogEntry, more: Partial<DeliveryResult>): Promise<void> =>
        world.deliveries.settle([resultOf(lane, entry, more)]);
      const waits = (n: number) => ({ state: 'retrying', dueAt: 5000, urlsLeft: null, rounds: n }) as const;
      for (const [i, attempts] of rounds.entries()) await settle(one, { ...waits(i + 1), attempts });

      // An earlier version kept all attempts. Reading leaves some out, and the next round does for good.
      const before = rounds.slice(0, -1).flat();
      await settle(old, { ...waits(ROUNDS - 1), attempts: before });
      expect((await only(old))?.attempts).toEqual(keptAttempts(before));
      await settle(old, { ...waits(ROUNDS), attempts: rounds.at(-1) ?? [] });

      const attempts = keptAttempts(rounds.flat());
      expect(attempts.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const entry of [one, old]) expect(await only(entry)).toMatchObject({ rounds: ROUNDS, attempts });
      await settle(old, { state: 'failed', reason: 'window_ended', rounds: ROUNDS });
      expect(await listAll(world.deliveries)).toMatchObject([
        { messageId: 'old', state: 'failed', attempts },
        { messageId: 'one', state: 'retrying', attempts },
      ]);
    });
  });
}
