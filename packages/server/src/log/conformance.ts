import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Event, LogEntry, NewEvent } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import { type EntryPage, type EventLog, type LaneReader, MOST_ALIKE } from './contract.ts';
import type { PagedEntry } from './entry-page.ts';

/** An implementation in an empty world of its own, as its tests open it. */
export interface LogWorld {
  /** The log; another one after `reopen` and `crash`. */
  readonly log: EventLog;
  /** Records that these entries were processed in the lane, so that they may be acknowledged. */
  settle(lane: Lane, entries: readonly LogEntry[]): Promise<void>;
  now(): number;
  /** Moves the time on; absent where the implementation lives by a clock of its own. */
  advance?(ms: number): void;
  /** Closes in good order and opens again. */
  reopen(): Promise<void>;
  /** Loses what a killed process loses, and opens what it left; absent where that can't be had. */
  crash?(): Promise<void>;
  close(): Promise<void>;
}

const DAY = 24 * 60 * 60 * 1000;
/** The years 0000 to 9999. */
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');
/** A test that waits longer than this for an entry has lost it. */
const DEADLINE = 10_000;

/** An event that differs from others in its id. */
export function sampleEvent(sourceId: string, messageId: string, more: Partial<Event> = {}): Event {
  const body = new TextEncoder().encode(JSON.stringify({ version: 1, type: 'track', userId: 'u1', messageId }));
  return {
    sourceId,
    messageId,
    type: 'track',
    name: 'Order Completed',
    userId: 'u1',
    receivedAt: 0,
    timestamp: 1_700_000_000_000,
    integrations: null,
    unsent: null,
    body,
    ...more,
  };
}

/** Pulls until there are `count` entries; more than that is a failure. */
export async function take(reader: LaneReader, count: number): Promise<LogEntry[]> {
  const taken: LogEntry[] = [];
  while (taken.length < count) {
    const page = await reader.pull(count - taken.length, AbortSignal.timeout(DEADLINE));
    if (page.length === 0) break;
    taken.push(...page);
  }
  expect(taken).toHaveLength(count);
  return taken;
}

/** What every `EventLog` promises (log/contract.ts), as tests. `open` gives each test a new world. */
export function eventLogConformance(name: string, open: () => Promise<LogWorld>): void {
  describe(`${name} keeps the log's contract`, () => {
    let world: LogWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const events = (sourceId: string, ...ids: string[]): Event[] =>
      ids.map((id) => sampleEvent(sourceId, id, { receivedAt: world.now() }));
    const append = (sourceId: string, ...ids: string[]) => world.log.append(events(sourceId, ...ids));
    const lane = (sourceId = 's', destinationId = 'd') => world.log.openLane(sourceId, destinationId);
    const idsOf = (entries: readonly LogEntry[]): string[] => entries.map(({ messageId }) => messageId);
    const numbered = (count: number, prefix = 'm'): string[] =>
      Array.from({ length: count }, (_, i) => `${prefix}${i}`);

    describe('append', () => {
      test('hands out what was appended, whole and in order', async () => {
        const reader = world.log.read((await lane()).id);
        const receivedAt = world.now();
        const rich = sampleEvent('s', 'm1', {
          type: 'identify',
          name: null,
          userId: 'Zoë\u0000',
          receivedAt,
          integrations: '{"All":false,"Webhooks":true}',
          unsent: '{"channel":"web"}',
          body: Uint8Array.of(0x7b, 0xc3, 0xa9, 0, 0xff, 0x7d),
        });
        const bare = sampleEvent('s', 'm2', { type: 'page', name: null, userId: null, receivedAt: receivedAt + 1 });
        expect(await world.log.append([rich, bare])).toEqual({ duplicates: [] });
        const [first, second] = await take(reader, 2);
        expect(plain(first)).toEqual({ ...plain(rich), position: first?.position });
        expect(plain(second)).toEqual({ ...plain(bare), position: second?.position });
        expect(second?.position).toBeGreaterThan(first?.position ?? Number.NaN);
      });

      test('keeps when an event happened, wherever it is read, after a crash too', async () => {
        const receivedAt = world.now();
        const timestamps = [FIRST_INSTANT, 0, receivedAt - 1, receivedAt, receivedAt + 1, LAST_INSTANT];
        const { id } = await lane();
        const ending = new AbortController();
        const followed = (await world.log.follow(ending.signal))[Symbol.asyncIterator]().next();
        await world.log.append(
          timestamps.map((timestamp) => sampleEvent('s', `at ${timestamp}`, { receivedAt, timestamp })),
        );
        const times = (entries: readonly (LogEntry | undefined)[]) => entries.map((entry) => entry?.timestamp);
        expect(times((await followed).value?.entries ?? [])).toEqual(timestamps);
        ending.abort();
        const taken = await take(world.log.read(id), timestamps.length);
        expect(times(taken)).toEqual(timestamps);
        await (world.crash ?? world.reopen)();
        expect(times(await take(await readAgain(id), timestamps.length))).toEqual(timestamps);
        expect(times(await world.log.fetch(taken.map(({ position }) => position)))).toEqual(timestamps);
        const found = timestamps.map((timestamp) => world.log.find(`at ${timestamp}`, ['s']));
        expect(times(await Promise.all(found))).toEqual(timestamps);
      });

      test('with nothing to append resolves', async () => {
        expect(await world.log.append([])).toEqual({ duplicates: [] });
      });

      test('is durable when it resolves', async ({ skip }) => {
        const { id } = await lane();
        await append('s', 'm1', 'm2');
        await world.reopen();
        expect(idsOf(await take(await readAgain(id), 2))).toEqual(['m1', 'm2']);
        if (!world.crash) skip('cannot crash');
        await append('s', 'm3');
        await world.crash?.();
        // What was handed out before a crash may come again after what was not.
        expect(idsOf(await take(await readAgain(id), 3)).toSorted()).toEqual(['m1', 'm2', 'm3']);
      });

      test('leaves out the duplicates and names them', async () => {
        const reader = world.log.read((await lane()).id);
        expect(await append('s', 'm1', 'm2', 'm1', 'm3', 'm3')).toEqual({ duplicates: [2, 4] });
        expect(await append('s', 'm4', 'm2', 'm5', 'm1')).toEqual({ duplicates: [1, 3] });
        expect(idsOf(await take(reader, 5))).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
      });

      test('of the same id many times at once takes one', async () => {
        const answers = await Promise.all(numbered(20).map(() => append('s', 'other', 'same')));
        expect(answers.filter(({ duplicates }) => !duplicates.includes(1))).toHaveLength(1);
        expect((await world.log.totals()).get('s')).toEqual({ accepted: 2, duplicates: 38 });
      });

      test('knows ids per source, exactly as they are spelled', async () => {
        await append('s', 'a', 'é', 'e\u0301', 'A', '', 'x'.repeat(100));
        expect(await append('t', 'a', '')).toEqual({ duplicates: [] });
        expect(await append('s', 'a ', 'x'.repeat(99))).toEqual({ duplicates: [] });
        expect(await append('s', 'é', 'new', '', 'x'.repeat(100))).toEqual({ duplicates: [0, 2, 3] });
      });

      test('an id of another user, or of another anonymous one, is another event', async () => {
        const of = (userId: string | null, anonymousId: string | null): NewEvent => {
          const body = new TextEncoder().encode(JSON.stringify({ type: 'track', userId, anonymousId, messageId: 'm' }));
          return { ...sampleEvent('s', 'm', { receivedAt: world.now(), userId, body }), anonymousId };
        };
        const all = [of('u1', null), of('u2', null), of(null, 'a1'), of(null, 'a2'), of(null, 'half \ud83d')];
        const everyPlace = { duplicates: all.map((_, i) => i) };
        expect(await world.log.append(all)).toEqual({ duplicates: [] });
        expect(await world.log.append([of('u1', 'another device'), of('u3', null)])).toEqual({ duplicates: [0] });
        expect(await world.log.append(all)).toEqual(everyPlace);
        await world.reopen();
        expect(await world.log.append(all)).toEqual(everyPlace);
      });

      test('of one id sent by very many users, none is left out but what was sent before', async () => {
        const users = numbered(5 * MOST_ALIKE, 'user');
        const all = users.map((userId) => sampleEvent('s', 'same', { receivedAt: world.now(), userId }));
        expect(await world.log.append(all)).toEqual({ duplicates: [] });
        for (const event of all.slice(0, 3)) expect(await world.log.append([event])).toEqual({ duplicates: [0] });
        expect(await append('s', 'other')).toEqual({ duplicates: [] });
      });

      test('knows an id that has no UTF-8', async () => {
        await append('s', 'half \ud83d');
        expect(await append('s', 'half \ud83d')).toEqual({ duplicates: [0] });
      });

      test('knows ids from before it was opened', async () => {
        await append('s', ...numbered(50));
        await world.reopen();
        expect((await append('s', ...numbered(50), 'new')).duplicates).toHaveLength(50);
        await world.crash?.();
        expect((await append('s', ...numbered(50), 'new', 'newer')).duplicates).toHaveLength(51);
      });

      test('forgets an id after 24 hours and not before', async ({ skip }) => {
        if (!world.advance) skip('has a clock of its own');
        await append('s', 'm1');
        const first = await world.log.find('m1', ['s']);
        world.advance?.(DAY);
        expect(await append('s', 'm1')).toEqual({ duplicates: [0] });
        world.advance?.(1);
        expect(await append('s', 'm1')).toEqual({ duplicates: [] });
        expect((await world.log.find('m1', ['s']))?.position).toBeGreaterThan(first?.position ?? Number.NaN);
        world.advance?.(DAY);
        expect(await append('s', 'm1')).toEqual({ duplicates: [0] });
      });
    });

    describe('totals', () => {
      test('count accepted events and duplicates per source, for good', async () => {
        await append('s', 'm1', 'm2', 'm2');
        await append('t', 'm1');
        await append('s', 'm1');
        const totals = { s: { accepted: 2, duplicates: 2 }, t: { accepted: 1, duplicates: 0 } };
        expect(Object.fromEntries(await world.log.totals())).toEqual(totals);
        await world.reopen();
        expect(Object.fromEntries(await world.log.totals())).toEqual(totals);
        await world.crash?.();
        expect(Object.fromEntries(await world.log.totals())).toEqual(totals);
      });
    });

    describe('a lane', () => {
      test('begins at the end of the log', async () => {
        await append('s', 'before');
        const { id } = await lane();
        await append('s', 'after');
        expect(idsOf(await take(world.log.read(id), 1))).toEqual(['after']);
      });

      test('is one per pair while it is open', async () => {
        const first = await lane();
        expect(first).toMatchObject({ sourceId: 's', destinationId: 'd', until: null });
        await append('s', 'm1');
        expect((await lane()).id).toBe(first.id);
        const others = [await lane('s', 'other'), await lane('other', 'd')];
        expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(3);
        const ids = (await world.log.lanes()).map(({ id }) => id);
        expect(ids.toSorted()).toEqual([first, ...others].map(({ id }) => id).toSorted());
      });

      test('has the events of its source alone', async () => {
        const { id } = await lane();
        await append('other', 'm1');
        await append('s', 'm2');
        expect(idsOf(await take(world.log.read(id), 1))).toEqual(['m2']);
      });

      test('that has ended hands out what it holds, and then says so', async () => {
        const { id } = await lane();
        await append('s', 'm1', 'm2');
        await world.log.endLane(id);
        await append('s', 'm3');
        const reader = world.log.read(id);
        const entries = await take(reader, 2);
        expect(idsOf(entries)).toEqual(['m1', 'm2']);
        expect(await reader.pull(10, AbortSignal.timeout(DEADLINE))).toEqual([]);
        const [ended] = await world.log.lanes();
        expect(ended?.until).toBe(entries[1]?.position);
      });

      test('that ends tells who waits for its next entry', async () => {
        const { id } = await lane();
        await append('other', 'm1');
        const pull = world.log.read(id).pull(10, AbortSignal.timeout(DEADLINE));
        await world.log.endLane(id);
        expect(await pull).toEqual([]);
      });

      test('ends once', async () => {
        const { id } = await lane();
        await append('s', 'm1');
        await world.log.endLane(id);
        const [first] = await world.log.lanes();
        await append('s', 'm2');
        await world.log.endLane(id);
        expect(await world.log.lanes()).toEqual([first]);
      });

      test('of a pair that is connected again is a new one, and what came between belongs to neither', async () => {
        const first = await lane();
        await append('s', 'm1');
        await world.log.endLane(first.id);
        await append('s', 'm2');
        const second = await lane();
        await append('s', 'm3');
        expect(second.id).not.toBe(first.id);
        expect(idsOf(await take(world.log.read(first.id), 1))).toEqual(['m1']);
        expect(idsOf(await take(world.log.read(second.id), 1))).toEqual(['m3']);
        expect(await world.log.read(first.id).pull(10, AbortSignal.timeout(DEADLINE))).toHaveLength(1);
      });

      test('that is removed is forgotten, and ends for who waits for its next entry', async () => {
        const { id } = await lane();
        const pull = world.log.read(id).pull(10, AbortSignal.timeout(DEADLINE));
        await world.log.removeLane(id);
        expect(await pull).toEqual([]);
        expect(await world.log.lanes()).toEqual([]);
        await append('s', 'm1');
        const again = await lane();
        expect(again.id).not.toBe(id);
        await append('s', 'm2');
        expect(idsOf(await take(world.log.read(again.id), 1))).toEqual(['m2']);
      });

      test('is there again after a restart', async () => {
        const open = await lane();
        const ended = await lane('s', 'ended');
        const removed = await lane('s', 'removed');
        await append('s', 'm1');
        await world.log.endLane(ended.id);
        await world.log.removeLane(removed.id);
        const before = await world.log.lanes();
        await world.reopen();
        expect(byId(await world.log.lanes())).toEqual(byId(before));
        await world.crash?.();
        expect(byId(await world.log.lanes())).toEqual(byId(before));
        expect((await lane()).id).toBe(open.id);
      });
    });

    describe('a reader', () => {
      test('keeps its own position, whatever the others of its source do', async () => {
        const [fast, slow, idle] = [await lane('s', 'fast'), await lane('s', 'slow'), await lane('s', 'idle')];
        const ids = numbered(30);
        const [fastReader, slowReader] = [world.log.read(fast.id), world.log.read(slow.id)];
        await append('s', ...ids.slice(0, 20));
        expect(idsOf(await take(fastReader, 20))).toEqual(ids.slice(0, 20));
        expect(idsOf(await take(slowReader, 3))).toEqual(ids.slice(0, 3));
        await append('s', ...ids.slice(20));
        expect(idsOf(await take(fastReader, 10))).toEqual(ids.slice(20));
        expect(idsOf(await take(slowReader, 27))).toEqual(ids.slice(3));
        expect(idsOf(await take(world.log.read(idle.id), 30))).toEqual(ids);
      });

      test('answers no more than it was asked for', async () => {
        const { id } = await lane();
        await append('s', ...numbered(10));
        const reader = world.log.read(id);
        expect((await reader.pull(1, AbortSignal.timeout(DEADLINE))).length).toBe(1);
        const page = await reader.pull(4, AbortSignal.timeout(DEADLINE));
        expect(page.length).toBeGreaterThan(0);
        expect(page.length).toBeLessThanOrEqual(4);
      });

      test('waits for the next event', async () => {
        const reader = world.log.read((await lane()).id);
        for (const id of numbered(20)) {
          const pull = reader.pull(10, AbortSignal.timeout(DEADLINE));
          await append('other', id);
          await append('s', id);
          expect(idsOf(await pull)).toEqual([id]);
        }
      });

      test('misses nothing that is appended while it reads', async () => {
        const reader = world.log.read((await lane()).id);
        const ids = numbered(3000);
        const appended = (async () => {
          for (let i = 0; i < ids.length; i += 7) await append('s', ...ids.slice(i, i + 7));
        })();
        expect(idsOf(await take(reader, ids.length))).toEqual(ids);
        await appended;
      });

      test('rejects with the reason of a signal that aborts, and loses nothing by it', async () => {
        const reader = world.log.read((await lane()).id);
        const stop = new AbortController();
        const reason = new Error('enough');
        const pull = reader.pull(10, stop.signal);
        stop.abort(reason);
        await expect(pull).rejects.toBe(reason);
        await expect(reader.pull(10, stop.signal)).rejects.toBe(reason);
        await append('s', 'm1');
        expect(idsOf(await take(reader, 1))).toEqual(['m1']);
      });

      test('starts over at what is not acknowledged', async () => {
        const open = await lane();
        await append('s', ...numbered(6));
        const first = world.log.read(open.id);
        const entries = await take(first, 6);
        // Acknowledged out of order, as answers come.
        const done = [1, 2, 4].flatMap((i) => entries[i] ?? []);
        await world.settle(open, done);
        first.ack(done.map(({ position }) => position));
        expect(idsOf(await take(world.log.read(open.id), 3))).toEqual(['m0', 'm3', 'm5']);
        await world.reopen();
        expect(idsOf(await take(await readAgain(open.id), 3)).toSorted()).toEqual(['m0', 'm3', 'm5']);
        await world.crash?.();
        expect(idsOf(await take(await readAgain(open.id), 3)).toSorted()).toEqual(['m0', 'm3', 'm5']);
      });

      test('of a lane that has settled everything has nothing, before and after a restart', async () => {
        const open = await lane();
        await append('s', ...numbered(5));
        const entries = await take(world.log.read(open.id), 5);
        await world.settle(open, entries);
        await append('s', 'next');
        expect(idsOf(await take(world.log.read(open.id), 1))).toEqual(['next']);
        await world.reopen();
        expect(idsOf(await take(await readAgain(open.id), 1))).toEqual(['next']);
      });
    });

    /** A reader of a lane in a log that was just opened. */
    async function readAgain(id: number): Promise<LaneReader> {
      await world.log.lanes();
      return world.log.read(id);
    }
  });
}

/** The entries of a page. */
export function* entriesIn({
  sources,
  sourceOf,
  positions,
  receivedAt,
  bodies,
  ends,
}: EntryPage): Generator<PagedEntry> {
  for (const [i, position] of positions.entries()) {
    const sourceId = sources[sourceOf[i] ?? 0] ?? '';
    yield { position, sourceId, receivedAt: receivedAt[i] ?? 0, body: bodies.subarray(ends[i - 1] ?? 0, ends[i]) };
  }
}

/** The entries of a scanned page, each with the messageId that its body has. */
export function scanned(
  page: EntryPage,
): { position: number; sourceId: string; receivedAt: number; messageId: string }[] {
  return [...entriesIn(page)].map(({ body, ...entry }) => {
    return { ...entry, messageId: String(JSON.parse(new TextDecoder().decode(body)).messageId) };
  });
}

/** Without the class of its bytes, which is the implementation's. */
export function plain(event: Event | undefined): object {
  return { ...event, body: [...(event?.body ?? [])] };
}

function byId(lanes: readonly Lane[]): Lane[] {
  return lanes.toSorted((a, b) => a.id - b.id);
}
