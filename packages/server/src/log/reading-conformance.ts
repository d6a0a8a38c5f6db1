import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Event, LogEntry } from '../core/event.ts';
import { entriesIn, type LogWorld, plain, sampleEvent, scanned, take } from './conformance.ts';
import type { FollowedPage } from './contract.ts';

const DAY = 24 * 60 * 60 * 1000;

/** What every `EventLog` promises to those who read it without a lane: scan, fetch, find and follow (log/contract.ts). */
export function logReadingConformance(name: string, open: () => Promise<LogWorld>): void {
  describe(`${name} keeps the log's contract without lanes`, () => {
    let world: LogWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const append = (sourceId: string, ...ids: string[]) =>
      world.log.append(ids.map((id): Event => sampleEvent(sourceId, id, { receivedAt: world.now() })));
    const lane = (sourceId = 's', destinationId = 'd') => world.log.openLane(sourceId, destinationId);
    const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `m${i}`);

    describe('scan', () => {
      const scanAll = async (after: number, limit: number): Promise<ReturnType<typeof scanned>> => {
        const found: ReturnType<typeof scanned> = [];
        for (;;) {
          const page = scanned(await world.log.scan(found.at(-1)?.position ?? after, limit));
          if (page.length === 0) return found;
          expect(page.length).toBeLessThanOrEqual(limit);
          found.push(...page);
        }
      };

      test('answers the entries of every source in order, in pages, from any position on', async () => {
        expect(scanned(await world.log.scan(0, 10))).toEqual([]);
        for (let i = 0; i < 30; i += 3) {
          await append('s', `s${i}`, `s${i + 1}`);
          await append('t', `t${i}`);
          world.advance?.(DAY / 4);
        }
        const whole = await scanAll(0, 1_000);
        expect(whole.map(({ messageId }) => messageId)).toEqual(
          Array.from({ length: 10 }, (_, i) => [`s${i * 3}`, `s${i * 3 + 1}`, `t${i * 3}`]).flat(),
        );
        expect(whole.map(({ position }) => position)).toEqual(
          whole.map(({ position }) => position).toSorted((a, b) => a - b),
        );
        expect(await scanAll(0, 4)).toEqual(whole);
        expect(await scanAll(whole[6]?.position ?? 0, 4)).toEqual(whole.slice(7));
        expect(await scanAll(whole.at(-1)?.position ?? 0, 4)).toEqual([]);
        await world.crash?.();
        expect(await scanAll(0, 1_000)).toEqual(whole);
      });

      test('answers entries that their lanes have let go of, whole', async () => {
        const open = await lane();
        const reader = world.log.read(open.id);
        await append('s', 'm1', 'm2');
        const entries = await take(reader, 2);
        await world.settle(open, entries);
        reader.ack(entries.map(({ position }) => position));
        const whole = entries.map(({ position, sourceId, receivedAt, body }) => {
          return { position, sourceId, receivedAt, body: [...body] };
        });
        const page = [...entriesIn(await world.log.scan(0, 10))];
        expect(page.map(({ body, ...entry }) => ({ ...entry, body: [...body] }))).toEqual(whole);
      });
    });

    describe('fetch and find', () => {
      test('fetch answers in the order that was asked', async () => {
        const { id } = await lane();
        await append('s', 'm1', 'm2', 'm3');
        const [a, b, c] = (await take(world.log.read(id), 3)).map(({ position }) => position);
        const asked = [c, a, Number.MAX_SAFE_INTEGER, b, a].map((position) => position ?? 0);
        const found = await world.log.fetch(asked);
        expect(found.map((entry) => entry?.messageId)).toEqual(['m3', 'm1', undefined, 'm2', 'm1']);
        expect(await world.log.fetch([])).toEqual([]);
      });

      test('find answers the newest event in the sources that were named', async () => {
        await append('s', 'm1', 'm2');
        await append('t', 'm1');
        await append('u', 'm1');
        expect((await world.log.find('m1', ['s', 't', 'unknown']))?.sourceId).toBe('t');
        expect((await world.log.find('m1', ['s']))?.sourceId).toBe('s');
        expect((await world.log.find('m1', ['s'], 'u1'))?.sourceId).toBe('s');
        expect(await world.log.find('m1', ['s'], 'u2')).toBeUndefined();
        expect(await world.log.find('m1', [])).toBeUndefined();
        expect(await world.log.find('m2', ['t', 'u'])).toBeUndefined();
        await world.reopen();
        expect((await world.log.find('m1', ['s', 't']))?.sourceId).toBe('t');
      });
    });

    describe('following', () => {
      /** Takes pages until there are `count` entries or losses. */
      async function watch(pages: AsyncIterator<FollowedPage>, count: number): Promise<FollowedPage> {
        const entries: LogEntry[] = [];
        let lost = 0;
        while (entries.length + lost < count) {
          const page = await pages.next();
          if (page.done) break;
          entries.push(...page.value.entries);
          lost += page.value.lost;
        }
        return { entries, lost };
      }

      test('shows everything that is appended from then on, whatever its source, once', async () => {
        await append('s', 'before');
        const ending = new AbortController();
        const first = (await world.log.follow(ending.signal))[Symbol.asyncIterator]();
        const second = (await world.log.follow(ending.signal))[Symbol.asyncIterator]();
        await append('s', 'm1', 'm2', 'm1');
        await append('t', 'm1');
        for (const pages of [first, second]) {
          const { entries, lost } = await watch(pages, 3);
          expect(entries.map(({ sourceId, messageId }) => `${sourceId} ${messageId}`)).toEqual([
            's m1',
            's m2',
            't m1',
          ]);
          expect(lost).toBe(0);
        }
        const later = watch(first, 1);
        await append('s', 'm3');
        const { entries } = await later;
        expect(plain(entries[0])).toEqual({
          ...plain(sampleEvent('s', 'm3', { receivedAt: world.now() })),
          position: entries[0]?.position,
        });
        expect(await world.log.find('m3', ['s'])).toMatchObject({ position: entries[0]?.position });
        ending.abort();
      });

      test('ends when the signal aborts, while it waits and before it began', async () => {
        const ending = new AbortController();
        const pages = (await world.log.follow(ending.signal))[Symbol.asyncIterator]();
        const waiting = pages.next();
        const idle = await world.log.follow(ending.signal);
        ending.abort();
        expect(await waiting).toEqual({ done: true, value: undefined });
        await append('s', 'm1');
        expect(await idle[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
        const late = await world.log.follow(ending.signal);
        expect(await late[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
      });

      test('loses what a slow follower does not take, and says how much', async () => {
        const ending = new AbortController();
        const pages = (await world.log.follow(ending.signal))[Symbol.asyncIterator]();
        const body = new TextEncoder().encode(JSON.stringify({ text: 'x'.repeat(30_000) }));
        const COUNT = 1_500;
        for (let i = 0; i < COUNT; i += 100) {
          await world.log.append(
            numbered(100).map((id) => sampleEvent('s', `${id} of ${i}`, { body, receivedAt: world.now() })),
          );
        }
        const { entries, lost } = await watch(pages, COUNT);
        expect(entries.length + lost).toBe(COUNT);
        expect(lost).toBeGreaterThan(COUNT / 2);
        await append('s', 'last');
        expect(await watch(pages, 1)).toMatchObject({ entries: [{ messageId: 'last' }], lost: 0 });
        ending.abort();
      });
    });
  });
}
