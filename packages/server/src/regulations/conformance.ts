import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Event, LogEntry, Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import { isWithin } from '../core/position.ts';
import type { EventLog } from '../log/contract.ts';
import type { Erasure, FoundEvent, Regulation, RegulationStore } from './contract.ts';

/** An implementation with an empty store, as its tests open it. */
export interface RegulationWorld {
  /** The regulations. `reopen` replaces this object. */
  readonly regulations: RegulationStore;
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export interface ErasureWorld extends RegulationWorld {
  /**
   * Entries in the retry queue of a destination. Some stores can only remove a block of events as a whole; there, lanes find the
   * rest of the block in this queue. Absent if the store leaves nothing there.
   */
  queued?(destinationId: string): Promise<readonly LogEntry[]>;
  /** The log whose events are removed. `reopen` replaces it, as it replaces the other fields. */
  readonly log: EventLog;
  readonly erasure: Erasure;
}

export const REGULATION: Regulation = {
  id: 'reg_1',
  regulationType: 'SUPPRESS_WITH_DELETE',
  step: 'searching',
  createdAt: 1000,
  finishedAt: null,
  users: 2,
  through: null,
  after: 0,
  events: { found: 0, erased: 0 },
  notices: { total: 0, ended: 0, failed: 0 },
};

/** The tests of what every `RegulationStore` promises (contract.ts). */
export function regulationStoreConformance(name: string, open: () => Promise<RegulationWorld>): void {
  describe(`${name} keeps the regulations' contract`, () => {
    let world: RegulationWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    test('keeps a regulation, its users in their order and their suppression', async () => {
      await world.regulations.create(REGULATION, ['b', 'a']);
      await world.regulations.create({ ...REGULATION, id: 'reg_0', createdAt: 999, regulationType: 'DELETE_ONLY' }, [
        'c',
      ]);
      await world.reopen();
      expect(await world.regulations.regulations()).toMatchObject([{ id: 'reg_0' }, REGULATION]);
      expect(await world.regulations.subjects('reg_1', 0, 10)).toEqual([
        { place: 0, userId: 'b', sources: [] },
        { place: 1, userId: 'a', sources: [] },
      ]);
      expect(await world.regulations.subjects('reg_1', 1, 10)).toMatchObject([{ userId: 'a' }]);
      expect(await world.regulations.subjects('reg_1', 0, 1)).toMatchObject([{ userId: 'b' }]);
      expect(await world.regulations.suppressions()).toEqual([
        { userId: 'a', since: 1000 },
        { userId: 'b', since: 1000 },
      ]);
    });

    test('replaces what is known, and of the users only those that are given', async () => {
      await world.regulations.create(REGULATION, ['b', 'a']);
      const known = { place: 1, userId: 'a', sources: [{ sourceId: 's', events: 3, notice: null }] };
      await world.regulations.save({ ...REGULATION, step: 'erasing' }, [known]);
      await world.reopen();
      expect(await world.regulations.regulations()).toEqual([{ ...REGULATION, step: 'erasing' }]);
      expect(await world.regulations.subjects('reg_1', 0, 10)).toEqual([{ place: 0, userId: 'b', sources: [] }, known]);
    });

    test('goes no step back', async () => {
      await world.regulations.create(REGULATION, ['b', 'a']);
      const further = { ...REGULATION, step: 'delivering' as const };
      const known = { place: 1, userId: 'a', sources: [{ sourceId: 's', events: 3, notice: null }] };
      await world.regulations.save(further, [known]);
      await world.regulations.save({ ...REGULATION, step: 'erasing' }, [{ ...known, sources: [] }]);
      expect(await world.regulations.regulations()).toEqual([further]);
      expect(await world.regulations.regulations('running')).toEqual([further]);
      expect(await world.regulations.subjects('reg_1', 1, 10)).toEqual([known]);
      await world.regulations.save({ ...further, step: 'finished' });
      expect(await world.regulations.regulations()).toMatchObject([{ step: 'finished' }]);
      expect(await world.regulations.regulations('running')).toEqual([]);
      expect(await world.regulations.regulations({ id: 'reg_1' })).toMatchObject([{ step: 'finished' }]);
      expect(await world.regulations.regulations({ id: 'reg_2' })).toEqual([]);
    });

    test('an ask for a compaction stays until one is made that began after it; that it is for now stays too', async () => {
      expect(await world.regulations.compactionAsked()).toBeNull();
      await world.regulations.askCompaction({ at: 1, now: true });
      await world.regulations.askCompaction({ at: 2, now: false });
      // The first one may have come by a clock that was ahead.
      for (const other of [1, 3]) await world.regulations.compactionDone(other);
      await world.reopen();
      expect(await world.regulations.compactionAsked()).toEqual({ at: 2, now: true });
      await world.regulations.compactionDone(2);
      expect(await world.regulations.compactionAsked()).toBeNull();
    });

    test('forgets a regulation and its users; their suppression stays until it is lifted', async () => {
      await world.regulations.create(REGULATION, ['a']);
      await world.regulations.create({ ...REGULATION, id: 'reg_2', createdAt: 2000 }, ['a']);
      await world.regulations.delete('reg_1');
      await world.regulations.delete('reg_1');
      expect(await world.regulations.regulations()).toMatchObject([{ id: 'reg_2' }]);
      expect(await world.regulations.subjects('reg_1', 0, 10)).toEqual([]);
      expect(await world.regulations.suppressions()).toEqual([{ userId: 'a', since: 1000 }]);
      expect(await world.regulations.lift('a')).toBe(true);
      expect(await world.regulations.lift('a')).toBe(false);
      await world.reopen();
      expect(await world.regulations.suppressions()).toEqual([]);
    });
  });
}

/** The tests of what every `Erasure` promises about the log (contract.ts). */
export function erasureConformance(name: string, open: () => Promise<ErasureWorld>): void {
  describe(`${name} keeps the erasure's contract`, () => {
    let world: ErasureWorld;
    let lane: Lane;
    beforeEach(async () => {
      world = await open();
      lane = await world.log.openLane('s', 'd');
    });
    afterEach(() => world.close());

    const append = (...events: Partial<Event>[]) => world.log.append(events.map(eventOf));
    const entry = (messageId: string, sourceId = 's') => world.log.find(messageId, [sourceId]);
    const position = async (messageId: string, sourceId?: string): Promise<Position> =>
      (await entry(messageId, sourceId))?.position ?? Number.NaN;

    async function found(...userIds: string[]): Promise<FoundEvent[]> {
      const all: FoundEvent[] = [];
      const through = await world.erasure.end();
      for (let after: Position | null = 0; after !== null; ) {
        const page = await world.erasure.find(userIds, after, through);
        all.push(...page.events);
        after = page.next;
      }
      return all;
    }

    const inOrder = (events: readonly FoundEvent[]) => events.toSorted((a, b) => a.position - b.position);

    async function erase(...userIds: string[]): Promise<void> {
      await world.erasure.erase(await found(...userIds));
    }

    /** The messageIds that a lane or its retry queue still reads. */
    async function handedOut(): Promise<string[]> {
      await world.log.endLane(lane.id);
      await world.log.lanes();
      const reader = world.log.read(lane.id);
      const ids: string[] = [];
      for (;;) {
        const page: readonly LogEntry[] = await reader.pull(2, new AbortController().signal);
        if (page.length === 0) break;
        ids.push(...page.map(({ messageId }) => messageId));
      }
      const queued = (await world.queued?.('d')) ?? [];
      return [...ids, ...queued.map(({ messageId }) => messageId)].sort();
    }

    test('finds the events of users in all sources, an alias call by both identities, and no delete notice', async () => {
      await append(
        { messageId: 'a', userId: 'u1' },
        { messageId: 'b', userId: 'u2' },
        { messageId: 'c', userId: null },
        { messageId: 'd', userId: 'u1', sourceId: 's2' },
        { messageId: 'e', userId: 'u3', type: 'alias', body: bytes('{"Previous ID":"u1","User ID":"u3"}') },
        { messageId: 'f', userId: 'u1', type: 'delete' },
        { messageId: 'g', userId: 'u1 ' },
      );
      const of = async (messageId: string, userId: string, sourceId = 's') => ({
        position: await position(messageId, sourceId),
        sourceId,
        id: userId,
      });
      const ofFirst = [await of('a', 'u1'), await of('d', 'u1', 's2'), await of('e', 'u1')];
      expect(await found('u1')).toEqual(inOrder(ofFirst));
      expect(await found('u3', 'u2', 'nobody')).toEqual([await of('b', 'u2'), await of('e', 'u3')]);
      const end = await world.erasure.end();
      expect((await world.erasure.find(['u1'], await position('a'), end)).events).toHaveLength(2);
      expect((await world.erasure.find(['u1'], 0, [await position('a')])).events).toHaveLength(1);
    });

    test('finds an event without a userId by its anonymousId, and an alias call by that too', async () => {
      await append(
        { messageId: 'a', userId: null, body: bytes('{"userId":null,"anonymousId":"x"}') },
        {
          messageId: 'b',
          userId: null,
          body: bytes('{"userId":null,"anonymousId":"y","properties":{"anonymousId":"x"}}'),
        },
        { messageId: 'c', userId: null, body: bytes(String.raw`{"userId":null,"anonymousId":"\ud800"}`) },
        {
          messageId: 'd',
          userId: 'u',
          type: 'alias',
          body: bytes('{"Previous ID":"x","User ID":"u","anonymousId":"z"}'),
        },
      );
      const ids = async (...asked: string[]) => {
        const events = await found(...asked);
        const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map((messageId) => position(messageId)));
        return events.map(({ position: at, id }) => [[a, b, c, d].indexOf(at), id]);
      };
      expect(await ids('x')).toEqual([
        [0, 'x'],
        [3, 'x'],
      ]);
      expect(await ids('u', 'z', '\ufffd')).toEqual([
        [2, '\ufffd'],
        [3, 'u'],
      ]);
    });

    test("finds no alias call of another user by an anonymous id, but by a user id, and one that is no user's", async () => {
      const alias = (messageId: string, userId: string): Partial<Event> => ({
        ...{ messageId, userId, type: 'alias' },
        body: bytes(`{"Previous ID":"old","User ID":"${userId}","anonymousId":"device"}`),
      });
      await append(alias('a', 'other'), alias('b', 'guest'), alias('c', 'u'));
      const ids = async (asked: string[], anonymous: string[]): Promise<string[]> => {
        const { events } = await world.erasure.find(asked, 0, await world.erasure.end(), anonymous);
        const entries = await world.log.fetch(events.map(({ position: at }) => at));
        return events.map(({ id }, i) => `${entries[i]?.messageId} ${id}`).sort();
      };
      expect(await ids(['u', 'old', 'device'], ['old', 'device'])).toEqual(['b device', 'b old', 'c u']);
      expect(await ids(['u', 'old', 'device'], ['device'])).toEqual(['a old', 'b device', 'b old', 'c old', 'c u']);
    });

    test('the end is behind everything that was appended before', async () => {
      const appended = Promise.all(Array.from({ length: 50 }, (_, i) => append({ messageId: `m${i}` })));
      const end = await world.erasure.end();
      await appended;
      expect(isWithin(end, await position('m49'))).toBe(true);
    });

    test('what is removed is not fetched, found or handed out any more, and can be removed again', async () => {
      await append(
        { messageId: 'a' },
        { messageId: 'b', userId: 'gone' },
        { messageId: 'c', userId: 'gone' },
        { messageId: 'd' },
      );
      const gone = await position('b');
      await erase('gone');
      await world.erasure.erase([
        { position: gone, sourceId: 's' },
        { position: 1_000_000, sourceId: 's' },
      ]);
      expect(await entry('b')).toBeUndefined();
      expect(await world.log.fetch([gone])).toEqual([undefined]);
      const left = [await position('a'), await position('d')];
      expect([...(await world.log.scan(0, 2)).positions]).toEqual(left);
      expect([...(await world.log.scan(left[1] ?? 0, 2)).positions]).toEqual([]);
      expect(await found('gone')).toEqual([]);
      const holding = async (text: string): Promise<string[]> =>
        (await world.log.search({ text, cursor: null, limit: 9 })).items.map(({ messageId }) => messageId);
      // Search does not find the removed events by name, id or body.
      expect([await holding('bought'), await holding('gone')]).toEqual([['d', 'a'], []]);
      expect(await handedOut()).toEqual(['a', 'd']);
      await world.reopen();
      expect(await world.log.fetch([gone])).toEqual([undefined]);
      expect(await handedOut()).toEqual(['a', 'd']);
    });

    test('a removed event hides no older one with its messageId', async () => {
      await append({ messageId: 'a', userId: 'stays' }, { messageId: 'a', userId: 'gone' });
      expect(await entry('a')).toMatchObject({ userId: 'gone' });
      await erase('gone');
      expect(await entry('a')).toMatchObject({ userId: 'stays' });
      expect(await world.log.find('a', ['s'], 'gone')).toBeUndefined();
    });

    test('a removed messageId still tells a duplicate, and the totals stay', async () => {
      await append({ messageId: 'a', userId: 'gone' });
      await erase('gone');
      expect(await append({ messageId: 'a', userId: 'gone' })).toEqual({ duplicates: [0] });
      expect(await append({ messageId: 'a', userId: 'stays' })).toEqual({ duplicates: [] });
      // The first event is removed a second time, together with a new event of the same user: its messageId still belongs to that
      // user.
      await append({ messageId: 'b', userId: 'gone' });
      const again = [...(await world.log.scan(0, 9)).positions];
      await erase('gone');
      await world.erasure.erase(again.map((position) => ({ position, sourceId: 's' })));
      expect(await append({ messageId: 'b', userId: 'gone' })).toEqual({ duplicates: [0] });
      expect(await append({ messageId: 'a', userId: 'stays' })).toEqual({ duplicates: [0] });
      await world.reopen();
      expect(await append({ messageId: 'a', userId: 'gone' })).toEqual({ duplicates: [0] });
      expect(await append({ messageId: 'a', userId: 'new' })).toEqual({ duplicates: [] });
    });

    test('a purge ends', async () => {
      await append({ messageId: 'a', userId: 'gone' });
      await erase('gone');
      await world.erasure.purge(new AbortController().signal);
      await expect(world.erasure.purge(AbortSignal.abort())).rejects.toThrow();
    });
  });
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function eventOf(more: Partial<Event>): Event {
  return {
    sourceId: 's',
    messageId: 'm',
    type: 'track',
    name: 'Bought',
    userId: 'u',
    receivedAt: 1_800_000_000_000,
    timestamp: 1_800_000_000_000,
    integrations: null,
    unsent: null,
    body: bytes('{"type":"track"}'),
    ...more,
  };
}
