import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fillUp, smallDisk } from '../../../../../test/small-disk.ts';
import type { Lane } from '../../core/lane.ts';
import type { Source } from '../../core/source.ts';
import { sampleEvent, take } from '../../log/conformance.ts';
import { resultOf } from '../../record/conformance.ts';
import { openWorld, SMALL, type SqliteWorld } from './test-world.ts';

const SOURCE: Source = {
  id: 'src_1',
  name: 'A source',
  type: 'web',
  writeKey: 'key',
  enabled: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  oldKey: null,
};

const DAY = 24 * 60 * 60 * 1000;

const disk = smallDisk(8);

afterAll(() => disk?.remove());

describe.skipIf(disk === null)('on a full disk', () => {
  let world: SqliteWorld;
  let lane: Lane;
  const filler = join(disk?.folder ?? '', 'filler');
  const dataDir = join(disk?.folder ?? '', 'data');

  beforeEach(async () => {
    world = await openWorld({ ...SMALL, dataDir });
    lane = await world.log.openLane('s', 'd');
  });
  afterEach(async () => {
    rmSync(filler, { force: true });
    await world.close();
    rmSync(dataDir, { recursive: true });
  });

  const append = (...ids: string[]) =>
    world.log.append(ids.map((id) => sampleEvent('s', id, { receivedAt: world.now() })));
  const counts = async () => (await world.deliveries.counts(['d']))[0]?.counts;

  /** Lets the store try again what it could not write, until `done` has come true. */
  async function retry(done: Promise<unknown>): Promise<void> {
    let waiting = true;
    const ended = done.finally(() => {
      waiting = false;
    });
    while (waiting) {
      world.advance(500);
      await setImmediate();
    }
    await ended;
  }

  test('events are refused, what is known is kept, and all goes on when there is space', async () => {
    await append('a', 'b', 'c', 'd');
    const reader = world.log.read(lane.id);
    const [a, b, c, d] = await take(reader, 4);
    if (!a || !b || !c || !d) return;
    await world.settle(lane, [a]);
    fillUp(filler);
    for (let i = 0; i < 20; i++) {
      await expect(append('e', `x${i}`)).rejects.toMatchObject({ code: 'storage_full', retryAfter: 10 });
    }
    const name = 'x'.repeat(20_000);
    const session = { hash: 'h', accountId: null, way: 'token', seal: name, createdAt: 0, renewedAt: 0 } as const;
    for (const write of [
      () => world.settings.putSource({ ...SOURCE, name }),
      () => world.accounts.addSession({ ...session, expiresAt: 1 }),
    ]) {
      await expect(write()).rejects.toMatchObject({ code: 'storage_full', retryAfter: 10 });
    }
    let recorded = 0;
    const settled = Promise.all([
      world.deliveries.settle([resultOf(lane, b)]).then(() => recorded++),
      world.deliveries.settle([resultOf(lane, c, { state: 'retrying', dueAt: 1 })]).then(() => recorded++),
    ]);
    for (let i = 0; i < 5; i++) {
      await expect(append('e')).rejects.toMatchObject({ code: 'storage_full' });
      world.advance(500);
    }
    expect(recorded).toBe(0);
    expect(await counts()).toMatchObject({ accepted: 4, processed: 1, waiting: 3, retrying: 0 });

    rmSync(filler);
    await retry(settled);
    expect(await counts()).toMatchObject({ accepted: 4, processed: 2, waiting: 2, retrying: 1 });
    expect(await append('e', 'a')).toEqual({ duplicates: [1] });
    expect((await take(reader, 1))[0]?.messageId).toBe('e');
    await world.reopen();
    expect(await counts()).toMatchObject({ accepted: 5, processed: 2, waiting: 3, retrying: 1 });
    await world.log.lanes();
    const again = await take(world.log.read(lane.id), 2);
    expect(again.map(({ messageId }) => messageId)).toEqual(['d', 'e']);
    expect((await world.log.totals()).get('s')).toEqual({ accepted: 5, duplicates: 1 });
  });

  test('no partition is left half made, however often it is tried', async () => {
    await append('a');
    fillUp(filler);
    world.advance(DAY + 1);
    const before = readdirSync(dataDir);
    for (let i = 0; i < 50; i++) {
      await expect(append('b')).rejects.toMatchObject({ status: 503 });
      world.advance(1);
    }
    expect(readdirSync(dataDir)).toEqual(before);
    // Room for a little more each time, so that it fails wherever it can.
    for (let taken = false; !taken; ) {
      truncateSync(filler, statSync(filler).size - 8192);
      taken = await append('a', 'b').then(
        () => true,
        () => false,
      );
      // One that could be made is used, as soon as an event has room in it too.
      const partitions = readdirSync(dataDir).filter((name) => /^events-.*\.db$/.test(name));
      expect(partitions.length).toBeLessThanOrEqual(2);
      world.advance(1);
    }
    await world.reopen();
    expect(await counts()).toMatchObject({ accepted: 3, waiting: 3 });
  });

  test('appending until there is no room loses nothing that was accepted', async () => {
    const padding = 'x'.repeat(20_000);
    const accepted: string[] = [];
    const refused: string[] = [];
    for (let i = 0; refused.length < 5; i++) {
      const id = `m${i}`;
      const event = sampleEvent('s', id, { receivedAt: world.now(), unsent: padding });
      await world.log.append([event]).then(
        () => accepted.push(id),
        () => refused.push(id),
      );
    }
    expect(accepted.length).toBeGreaterThan(20);
    await world.stop();
    expect(statSync(dataDir).isDirectory()).toBe(true);
    await world.start();
    await world.log.lanes();
    const entries = await take(world.log.read(lane.id), accepted.length);
    expect(entries.map(({ messageId }) => messageId)).toEqual(accepted);
    expect(await counts()).toMatchObject({ accepted: accepted.length, waiting: accepted.length });
  });

  describe('old data', () => {
    const ballast = join(dataDir, 'millrace.ballast');
    const eventFiles = () => readdirSync(dataDir).filter((name) => /^events-.*\.db$/.test(name));
    const expire = () => world.retention.expire(world.now() - DAY);
    const appendUntilFull = async (): Promise<void> => {
      const unsent = 'x'.repeat(20_000);
      for (let i = 0; ; i++) {
        const event = sampleEvent('s', `filling${i}`, { receivedAt: world.now(), unsent });
        if ((await world.log.append([event]).catch(() => null)) === null) return;
      }
    };

    /** Delivers events of so many days, so that only their age keeps them. A look for old data comes before. */
    async function deliver(days: number): Promise<void> {
      expect(await world.retention.expire(0)).toBe(0);
      const reader = world.log.read(lane.id);
      for (let day = 0; day < days; day++) {
        await append(`${day}a`, `${day}b`);
        const entries = await take(reader, 2);
        await world.settle(lane, entries);
        reader.ack(entries.map(({ position }) => position));
        world.advance(DAY + 1);
      }
    }

    test.each([1, 3])(
      'of %i files is dropped with the room of the ballast, which is then taken again',
      async (days) => {
        await deliver(days);
        expect(statSync(ballast)).toMatchObject({ size: 4_194_304, blocks: 8192 });
        const before = eventFiles();
        fillUp(filler);
        world.advance(DAY);
        await expect(append('x')).rejects.toMatchObject({ code: 'storage_full' });
        expect(await expire()).toBe(days);
        expect(eventFiles().filter((name) => before.includes(name))).toEqual([]);
        expect(await append('x')).toEqual({ duplicates: [] });
        expect(statSync(ballast).size).toBeGreaterThan(2_000_000);
        await expire();
        expect(await counts()).toMatchObject({ accepted: 2 * days + 1, processed: 2 * days, waiting: 1 });
        await world.reopen();
        expect(await world.store.losses.list()).toEqual([]);
        expect(await counts()).toMatchObject({ accepted: 2 * days + 1, processed: 2 * days, waiting: 1 });
      },
    );

    test('that may not go yet costs no ballast, however often that is asked', async () => {
      await deliver(1);
      fillUp(filler);
      const tooSoon = () => world.retention.expire(world.now() - 2 * DAY);
      for (let i = 0; i < 20; i++) expect(await tooSoon()).toBe(0);
      expect(statSync(ballast).size).toBe(4_194_304);
    });

    test('and a start on a full disk have the ballast, as often as it takes', async () => {
      await deliver(2);
      await world.stop();
      fillUp(filler);
      for (let i = 0; i < 3; i++) {
        await world.start();
        expect(statSync(ballast).size).toBeGreaterThan(1_000_000);
        await world.stop();
        // Another program takes what the stop gave back.
        rmSync(`${filler}2`, { force: true });
        fillUp(`${filler}2`);
      }
      // As a crash leaves it between the two.
      rmSync(ballast);
      await world.start();
      expect(statSync(ballast).size).toBeGreaterThan(1_000_000);
      await appendUntilFull();
      expect(await expire()).toBe(2);
      rmSync(`${filler}2`);
    });

    test('is kept on a full disk without a ballast, and the start is refused, until there is room', async () => {
      await deliver(2);
      await world.stop();
      rmSync(ballast);
      fillUp(filler);
      await expect(world.start()).rejects.toThrow('disk is full');
      rmSync(filler);
      await world.start();
      rmSync(ballast);
      fillUp(filler);
      await expect(expire()).rejects.toMatchObject({ code: 'storage_full' });
      rmSync(filler);
      expect(await expire()).toBe(2);
      expect(await counts()).toMatchObject({ accepted: 4, processed: 4 });
    });
  });
});
