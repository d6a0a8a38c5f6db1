import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Event } from '../core/event.ts';
import type { FoundText } from '../core/text-search.ts';
import { type LogWorld, sampleEvent } from './conformance.ts';
import type { TextPage } from './contract.ts';

const DAY = 24 * 60 * 60 * 1000;

/** What every `EventLog` promises to those who look for a text (log/contract.ts). */
export function logSearchConformance(name: string, open: () => Promise<LogWorld>): void {
  describe(`${name} finds texts in the log`, () => {
    let world: LogWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const put = (sourceId: string, messageId: string, call: object, more: Partial<Event> = {}) => {
      const body = new TextEncoder().encode(JSON.stringify({ messageId, ...call }));
      return world.log.append([sampleEvent(sourceId, messageId, { receivedAt: world.now(), body, ...more })]);
    };
    /** All pages, each of so many at most. */
    const searchAll = async (
      text: string,
      limit = 50,
      wordsOnly = false,
    ): Promise<Pick<TextPage, 'items' | 'events'>> => {
      const items: FoundText[] = [];
      let events = 0;
      for (let cursor: string | null = null; ; ) {
        const page: TextPage = await world.log.search({ text, wordsOnly, cursor, limit });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        items.push(...page.items);
        events += page.events;
        if (page.next === null) return { items, events };
        cursor = page.next;
      }
    };
    const found = async (text: string): Promise<string[]> => {
      return (await searchAll(text)).items.map(({ messageId, why }) => `${messageId} ${why}`);
    };

    test('finds a text in bodies, ids and names, and says where', async () => {
      await put('s', 'Aa-1', { userId: 'Ada', event: 'Order Completed', properties: { orderId: 'No 123/7' } });
      await put('t', 'Aa-2', { anonymousId: 'anon-9', event: 'Viewed' }, { userId: null, name: 'Viewed' });
      expect(await found('No 123')).toEqual(['Aa-1 payload']);
      expect(await found('no 123')).toEqual([]);
      expect(await found('aa-')).toEqual(['Aa-2 messageId', 'Aa-1 messageId']);
      expect(await found('U1')).toEqual(['Aa-1 userId']);
      expect(await found('anon-')).toEqual(['Aa-2 anonymousId']);
      expect(await found('COMPLETED')).toEqual(['Aa-1 event']);
      expect(await found('nowhere')).toEqual([]);
      const [hit] = (await searchAll('123/7')).items;
      expect(hit).toMatchObject({ sourceId: 's', type: 'track', name: 'Order Completed', receivedAt: world.now() });
      expect(hit?.excerpt).toContain('"orderId":"No 123/7"');
    });

    test('shows a number where it stands alone, also behind a longer one that has it', async () => {
      await put('s', 'm1', { userId: 'user-123', note: '.'.repeat(200), order: '123', total: 1234 });
      expect((await searchAll('123')).items[0]?.excerpt).toContain('"order":"123"');
    });

    test('finds words of their own only, where it is asked to', async () => {
      await put('s', 'm1', { order: 1234 });
      await put('s', 'm2', { order: 123 }, { userId: '12345' });
      await put('s', 'm3', { note: 'for user-123' });
      await put('s', '123', { note: 'Order 123 was late' });
      await put('s', 'm5', {}, { name: 'Paid 123' });
      await put('s', 'm6', { note: '1230 123_ x123' }, { userId: '1239', name: '0123' });
      await put('s', '123-a', {}, { userId: '123' });
      const { items, events } = await searchAll('123', 50, true);
      expect(items.map(({ messageId, why }) => `${messageId} ${why}`)).toEqual([
        '123-a userId',
        'm5 event',
        '123 messageId',
        'm2 payload',
      ]);
      expect(items[3]?.excerpt).toContain('"order":123');
      expect(events).toBe(7);
    });

    test('counts each event once, on however many pages what is found comes', async () => {
      const events = Array.from({ length: 25 }, (_, i) => sampleEvent('s', `many-${i}`, { receivedAt: world.now() }));
      await world.log.append(events);
      const { items, events: counted } = await searchAll('many-', 10);
      expect(items).toHaveLength(25);
      expect(counted).toBe(25);
    });

    test('takes every character for itself, as it was typed and as JSON has it', async () => {
      await put('s', 'm1', { text: 'say "hé" 100%_\\ .*[a] \u{1F600}\u2028' });
      for (const text of ['"hé"', '\\"hé\\"', '%_\\', '.*[a]', '\u{1F600}', '"text":"say', '\u2028']) {
        expect(await found(text)).toEqual(['m1 payload']);
      }
      for (const text of ['1%', 'h_', 'he', '.+', '\u0000', "' OR 1=1 --", '\ud800', 'x'.repeat(200)]) {
        expect(await found(text)).toEqual([]);
      }
    });

    test('looks for digits alone outside of times and machine-made ids', async () => {
      const id = '0f3b1234-0000-4000-8000-000000001234';
      const at = '2026-11-20T09:12:34.123Z';
      await put('s', id, { anonymousId: id, at, order: 99123 });
      await put('s', 'm2', { anonymousId: id, at });
      expect(await found('123')).toEqual([`${id} payload`]);
      expect(await found('0f3b')).toEqual([`m2 anonymousId`, `${id} messageId`]);
    });

    test('goes on where it ended, the newest first, whatever the pages', async () => {
      for (let i = 0; i < 30; i += 3) {
        await put('s', `s${i}`, { order: 'A1' });
        await put('s', `between ${i}`, {});
        await put('t', `t${i}`, { order: 'A1' });
        world.advance?.(DAY / 4);
      }
      await world.reopen();
      const ids = Array.from({ length: 10 }, (_, i) => [`t${27 - i * 3}`, `s${27 - i * 3}`]).flat();
      for (const limit of [1, 3, 50]) {
        const { items } = await searchAll('A1', limit);
        expect(items.map(({ messageId }) => messageId).toSorted()).toEqual(ids.toSorted());
        expect(items.map(({ receivedAt }) => receivedAt)).toEqual(
          items.map(({ receivedAt }) => receivedAt).toSorted((a, b) => b - a),
        );
      }
      expect(await searchAll('A2')).toEqual({ items: [], events: 30 });
      expect(await world.log.search({ text: 'A1', cursor: 'none of ours', limit: 5 })).toMatchObject({ items: [] });
    });
  });
}
