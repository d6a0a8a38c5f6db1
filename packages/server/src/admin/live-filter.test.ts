import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Event } from '../core/event.ts';
import { sampleEvent } from '../log/conformance.ts';
import { type LiveFilter, liveFilter, lowerCaseBodies } from './live-filter.ts';

function passes(filter: LiveFilter, more: Partial<Event>, text = ''): boolean {
  const body = Buffer.from(JSON.stringify({ text }));
  return liveFilter(filter, lowerCaseBodies())({ ...sampleEvent('s', 'm'), body, position: 1, ...more });
}

test.each<[LiveFilter, Partial<Event>, boolean]>([
  [{}, {}, true],
  [{ sourceId: 's' }, {}, true],
  [{ sourceId: 't' }, {}, false],
  [{ type: 'track' }, {}, true],
  [{ type: 'page' }, {}, false],
  [{ event: 'Order Completed' }, {}, true],
  [{ event: 'order completed' }, {}, false],
  [{ event: 'Order Completed' }, { name: null }, false],
  [{ userId: 'u1' }, {}, true],
  [{ userId: 'u1' }, { userId: null }, false],
  [{ sourceId: 's', userId: 'u2' }, {}, false],
])('%j and an event with %j: %s', (filter, more, expected) => {
  expect(passes(filter, more)).toBe(expected);
});

test.each([
  ['Order', 'an ORDER came', true],
  ['ordered', 'an ORDER came', false],
  ['[@`{', '[@`{', true],
  ['@', '`', false],
  ['"text":', 'anything', true],
  ['MÜLLER & Co', 'Müller & co', true],
  ['müller', 'MÜLLER', true],
  ['müller', 'muller', false],
  ['Ü', 'ü', true],
  ['日本', 'in 日本 today', true],
  ['日本', 'in 本日 today', false],
])('the text %s in %s: %s', (text, body, expected) => {
  expect(passes({ text }, {}, body)).toBe(expected);
});

test('a text is found exactly where the decoded body in lower case has it', () => {
  const words = fc.string({ unit: fc.constantFrom(...'aAbBéÉ日@`'), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(words, words, words, (text, before, after) => {
      const all = `${before}${after}`;
      const expected = JSON.stringify({ text: all }).toLowerCase().includes(text.toLowerCase());
      expect(passes({ text }, {}, all)).toBe(expected);
    }),
  );
});

test('bodies of any length, one after the other, do not mix', () => {
  const test = liveFilter({ text: 'tail' }, lowerCaseBodies());
  const entry = (text: string) => ({ ...sampleEvent('s', 'm', { body: Buffer.from(text) }), position: 1 });
  expect(test(entry('a long one with a TAIL'))).toBe(true);
  expect(test(entry('short'))).toBe(false);
  expect(test(entry(`${'x'.repeat(10_000)}Tail`))).toBe(true);
});
