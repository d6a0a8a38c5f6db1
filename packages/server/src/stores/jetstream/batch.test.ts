import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVENT_TYPES, type Event } from '../../core/event.ts';
import { sampleEvent } from '../../log/conformance.ts';
import { compressBatch, decodeBatch, encodeBatch, entriesOf, plainBatch, plainLength } from './batch.ts';

/** Any text of JavaScript's, also one that has no UTF-8. */
const text = fc.string({ unit: 'binary' }).chain((whole) => fc.constantFrom(whole, `${whole}\ud83d`, `\u0000${whole}`));
const event = fc.record({
  sourceId: fc.constant('src_1'),
  messageId: text,
  type: fc.constantFrom(...EVENT_TYPES),
  name: fc.option(text),
  userId: fc.option(text),
  receivedAt: fc.nat({ max: 4_000_000_000_000 }),
  timestamp: fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
  integrations: fc.option(text),
  unsent: fc.option(text),
  body: fc.uint8Array({ maxLength: 200 }),
}) satisfies fc.Arbitrary<Event>;

test('a batch comes back as it was, wherever its bytes lie', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), fc.nat(), fc.nat({ max: 7 }), (events, duplicates, offset) => {
      const bytes = encodeBatch({ sourceId: 'src_1', events, duplicates });
      const moved = new Uint8Array(bytes.byteLength + offset).subarray(offset);
      moved.set(bytes);
      expect(decodeBatch(moved)).toEqual({ sourceId: 'src_1', events, duplicates });
    }),
  );
});

test('its first byte is the version, and one that is unknown is told', () => {
  const bytes = encodeBatch({ sourceId: 's', events: [sampleEvent('s', 'm1')], duplicates: 0 });
  expect(bytes[0]).toBe(1);
  bytes[0] = 3;
  expect(() => decodeBatch(bytes)).toThrow('A batch has layout 3; this version reads 1 and 2.');
});

test('a large batch is stored compressed and read as it was, a small one is stored as it is', () => {
  const events = Array.from({ length: 200 }, (_, i) => ({
    ...sampleEvent('s', `m${i}`),
    body: Buffer.from(JSON.stringify({ messageId: `m${i}`, text: 'words of a call '.repeat(i % 20) })),
  }));
  const plain = encodeBatch({ sourceId: 's', events, duplicates: 3 });
  const stored = compressBatch(plain);
  expect(stored[0]).toBe(2);
  expect(stored.byteLength).toBeLessThan(plain.byteLength / 4);
  // As a client of NATS hands it out: somewhere in a larger buffer.
  const moved = Buffer.concat([Buffer.from('head'), stored]).subarray(4);
  expect(plainLength(moved)).toBe(plain.byteLength);
  expect(Buffer.compare(plainBatch(moved), plain)).toBe(0);
  expect(decodeBatch(moved)).toMatchObject({ sourceId: 's', duplicates: 3, events: { length: 200 } });
  const small = encodeBatch({ sourceId: 's', events: events.slice(0, 2), duplicates: 0 });
  expect(compressBatch(small)).toBe(small);
  expect(plainLength(small)).toBe(small.byteLength);
});

test('its events stand one after the other', () => {
  const batch = { sourceId: 's', events: [sampleEvent('s', 'm1'), sampleEvent('s', 'm2')], duplicates: 0 };
  expect(entriesOf(batch, 0, 3).map(({ position, messageId }) => [position, messageId])).toEqual([
    [3 * 1024, 'm1'],
    [3 * 1024 + 1, 'm2'],
  ]);
});

test('what is left of a batch stands where it stood', () => {
  const events = [sampleEvent('s', 'm2'), sampleEvent('s', 'm5')];
  const bytes = encodeBatch({ sourceId: 's', events, duplicates: 0, places: [1, 4] });
  expect(entriesOf(decodeBatch(bytes), 0, 3).map(({ position, messageId }) => [position, messageId])).toEqual([
    [3 * 1024 + 1, 'm2'],
    [3 * 1024 + 4, 'm5'],
  ]);
});
