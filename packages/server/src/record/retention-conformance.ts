import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryResult } from '../core/delivery.ts';
import type { LogEntry } from '../core/event.ts';
import { type Lane, NO_COUNTS } from '../core/lane.ts';
import { take } from '../log/conformance.ts';
import { appendTo, listAll, type RecordWorld, replayOf, resultOf } from './conformance.ts';
import type { Retention } from './contract.ts';
import { countsOf } from './test-counts.ts';

const DAY = 24 * 60 * 60 * 1000;

/** What every `Retention` promises (record/contract.ts), as tests. Needs a world whose time can be moved. */
export function retentionConformance(
  name: string,
  open: () => Promise<RecordWorld & { readonly retention: Retention; advance(ms: number): void }>,
): void {
  describe(`${name} keeps retention's contract`, () => {
    let world: Awaited<ReturnType<typeof open>>;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    /** Ten days later, with a new event so that the old ones stand apart; answers what was dropped of ten days back. */
    async function expire(): Promise<number> {
      world.advance(10 * DAY);
      await appendTo(world, 'clock', [`tick ${world.now()}`]);
      return world.retention.expire(world.now() - DAY);
    }

    /** Hands out the lane's next entries, records what `more` says became of them, and acknowledges them. */
    async function deliver(
      lane: Lane,
      count: number,
      more: Partial<DeliveryResult> = {},
    ): Promise<readonly LogEntry[]> {
      await world.log.lanes();
      const reader = world.log.read(lane.id);
      const entries = await take(reader, count);
      await world.deliveries.settle(entries.map((entry) => resultOf(lane, entry, more)));
      reader.ack(entries.map(({ position }) => position));
      return entries;
    }

    test('replays that are over end with what they sent again; one that runs stays', async () => {
      const createdAt = world.now();
      await world.deliveries.saveReplay(replayOf({ id: 'over', status: 'done', createdAt }));
      await world.deliveries.saveReplay(replayOf({ id: 'runs', createdAt }));
      await world.deliveries.saveReplay(replayOf({ id: 'younger', status: 'done', createdAt: createdAt + 1 }));
      await world.retention.expire(createdAt + 1);
      expect((await world.deliveries.replays()).map(({ id }) => id)).toEqual(['runs', 'younger']);
    });

    test('what became of the messages of a replay is known as long as the replay', async () => {
      const lane = await world.log.openLane('s', 'd');
      await appendTo(world, 's', ['a']);
      const [a] = await deliver(lane, 1, { state: 'failed', reason: 'permanent' });
      const again = [{ position: a?.position ?? 0, dueAt: 1 }];
      const replay = replayOf({ id: 'over', status: 'done', createdAt: world.now() + 9.5 * DAY });
      await world.deliveries.saveReplay(replay);
      await world.deliveries.requeue('d', again, 'over');
      const [taken] = (await world.deliveries.claimDue('d', world.now(), 10)).items;
      if (taken) await world.deliveries.settle([resultOf(lane, taken.entry, { rounds: 2 })]);
      await world.log.openLane('s', 'another');
      expect(await expire()).toBeGreaterThan(0);
      expect((await world.deliveries.replayResults(['over'])).get('over')).toMatchObject({ processed: 1 });
      await world.retention.expire(replay.createdAt + 1);
      expect(await world.deliveries.replays()).toEqual([]);
      expect(await world.deliveries.replayResults(['over'])).toEqual(new Map());
      await world.reopen();
      expect(await world.deliveries.replayResults(['over'])).toEqual(new Map());
      expect(await countsOf(world, 'd')).toEqual({ ...NO_COUNTS, accepted: 1, processed: 1 });
    });

    test('drops what is old and settled; the counts stay', async () => {
      const lane = await world.log.openLane('s', 'd');
      const [a] = await appendTo(world, 's', ['a']);
      await deliver(lane, 1);
      const [b] = await appendTo(world, 's', ['b']);
      await deliver(lane, 1, { state: 'failed', reason: 'permanent' });
      expect(await world.retention.expire(world.now() - DAY)).toBe(0);
      expect(await world.log.fetch([a.position])).toMatchObject([{ messageId: 'a' }]);
      expect(await expire()).toBeGreaterThan(0);
      expect(await world.log.fetch([a.position, b.position])).toEqual([undefined, undefined]);
      expect(await world.log.find('a', ['s'])).toBeUndefined();
      expect(await listAll(world.deliveries)).toEqual([]);
      expect(await world.deliveries.deliveriesOf(a.position)).toEqual([]);
      const expected = { ...NO_COUNTS, accepted: 2, processed: 1, failed: 1 };
      expect(await countsOf(world, 'd')).toEqual(expected);
      await appendTo(world, 's', ['a']);
      await deliver(lane, 1);
      await world.reopen();
      expect(await countsOf(world, 'd')).toEqual({ ...expected, accepted: 3, processed: 2 });
      expect((await world.log.totals()).get('s')).toEqual({ accepted: 3, duplicates: 0 });
    });

    test('keeps what a lane has not settled', async () => {
      const lane = await world.log.openLane('s', 'd');
      const [a] = await appendTo(world, 's', ['a']);
      expect(await expire()).toBe(0);
      // Handed out and not acknowledged is not settled.
      await take(world.log.read(lane.id), 1);
      expect(await expire()).toBe(0);
      await world.reopen();
      expect(await expire()).toBe(0);
      expect(await world.log.fetch([a.position])).toMatchObject([{ messageId: 'a' }]);
      await deliver(lane, 1);
      expect(await expire()).toBeGreaterThan(0);
    });

    test('keeps what is in a retry queue', async () => {
      const lane = await world.log.openLane('s', 'd');
      await appendTo(world, 's', ['a']);
      const [a] = await deliver(lane, 1, { state: 'retrying', dueAt: 1, urlsLeft: [] });
      expect(await expire()).toBe(0);
      expect((await world.deliveries.claimDue('d', world.now(), 10)).items).toHaveLength(1);
      if (a) await world.deliveries.settle([resultOf(lane, a, { rounds: 2 })]);
      expect(await expire()).toBeGreaterThan(0);
      expect(await countsOf(world, 'd')).toEqual({ ...NO_COUNTS, accepted: 1, processed: 1 });
    });

    test('keeps what a reader of the whole log has not taken in', async () => {
      const [a] = await appendTo(world, 's', ['a']);
      const [b] = await appendTo(world, 's', ['b']);
      world.advance(10 * DAY);
      const [tick] = await appendTo(world, 'clock', ['tick']);
      const before = world.now() - DAY;
      expect(await world.retention.expire(before, [])).toBe(0);
      expect(await world.retention.expire(before, [a.position])).toBe(0);
      expect(await world.log.fetch([a.position, b.position])).toMatchObject([{ messageId: 'a' }, { messageId: 'b' }]);
      expect(await world.retention.expire(before, [b.position])).toBeGreaterThan(0);
      expect(await world.log.fetch([a.position, b.position])).toEqual([undefined, undefined]);
      expect(await world.log.fetch([tick.position])).toMatchObject([{ messageId: 'tick' }]);
    });

    test('waits for no lane that has ended before, and for none that is removed', async () => {
      const ended = await world.log.openLane('s', 'ended');
      await world.log.endLane(ended.id);
      const removed = await world.log.openLane('s', 'removed');
      await appendTo(world, 's', ['a']);
      await world.log.removeLane(removed.id);
      expect(await expire()).toBeGreaterThan(0);
    });
  });
}
