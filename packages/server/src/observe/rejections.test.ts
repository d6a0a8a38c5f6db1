import { expect, test } from 'vitest';
import { Rejections } from './rejections.ts';

test('keeps the last 100 of each source, newest first, and counts all', () => {
  const rejections = new Rejections();
  for (let at = 1; at <= 150; at += 1)
    rejections.add('a', at, at % 2 ? 'invalid_json' : 'event_required', 'no', `part ${at}`);
  rejections.add('b', 7, 'too_large', 'large', 'x');
  const { counts, last } = rejections.of('a');
  expect(last.map(({ at }) => at)).toEqual(Array.from({ length: 100 }, (_, i) => 150 - i));
  expect(last[0]).toEqual({ at: 150, code: 'event_required', message: 'no', part: 'part 150' });
  expect(Object.fromEntries(counts)).toEqual({ invalid_json: 75, event_required: 75 });
  expect(rejections.of('b').last).toHaveLength(1);
});

test('cuts the part to 1 KiB without breaking a character', () => {
  const rejections = new Rejections();
  rejections.add('a', 1, 'invalid_json', 'no', `x${'é'.repeat(5000)}`);
  const part = rejections.of('a').last[0]?.part ?? '';
  expect(Buffer.byteLength(part)).toBe(1023);
  expect(part).toBe(`x${'é'.repeat(511)}`);
});

test('knows nothing of a source that was never refused, or was forgotten', () => {
  const rejections = new Rejections();
  rejections.add('a', 1, 'invalid_json', 'no', '');
  rejections.retain((sourceId) => sourceId !== 'a');
  expect(rejections.of('a')).toEqual({ counts: new Map(), last: [] });
});
