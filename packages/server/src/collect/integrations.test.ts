import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { mergeIntegrations } from './integrations.ts';

test.each([
  ['nothing', [null, null], null],
  ['an empty object', [{}], { delivered: '{}', routing: null }],
  [
    'booleans',
    [{ All: false, Webhooks: true }],
    { delivered: '{"All":false,"Webhooks":true}', routing: '{"All":false,"Webhooks":true}' },
  ],
  ['all', [{ all: false }], { delivered: '{"All":false}', routing: '{"All":false}' }],
  ['All beside all', [{ All: true, all: false }], { delivered: '{"All":true}', routing: '{"All":true}' }],
  ['all over All below', [{ All: true }, { all: false }], { delivered: '{"All":false}', routing: '{"All":false}' }],
  ['an object', [{ Webhooks: { x: 1 } }], { delivered: '{"Webhooks":{"x":1}}', routing: '{"Webhooks":true}' }],
  ['null', [{ Webhooks: null }], { delivered: '{"Webhooks":null}', routing: null }],
  [
    'texts of a query',
    [{ All: 'false', Webhooks: 'true' }],
    { delivered: '{"All":"false","Webhooks":"true"}', routing: '{"All":false,"Webhooks":true}' },
  ],
  [
    'key by key',
    [
      { A: true, B: true },
      { B: false, C: true },
    ],
    { delivered: '{"A":true,"B":false,"C":true}', routing: '{"A":true,"B":false,"C":true}' },
  ],
  [
    'names are case-sensitive',
    [{ webhooks: false }, { Webhooks: true }],
    { delivered: '{"webhooks":false,"Webhooks":true}', routing: '{"webhooks":false,"Webhooks":true}' },
  ],
] as const)('%s', (_name, layers, expected) => {
  expect(mergeIntegrations(layers)).toEqual(expected);
});

test('__proto__ is a name like any other', () => {
  const one = JSON.parse('{"__proto__":false}') as JsonObject;
  const two = JSON.parse('{"__proto__":{"x":1}}') as JsonObject;
  expect(mergeIntegrations([one])).toEqual({ delivered: '{"__proto__":false}', routing: '{"__proto__":false}' });
  expect(mergeIntegrations([one, two])).toEqual({ delivered: '{"__proto__":{"x":1}}', routing: '{"__proto__":true}' });
  expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
});

test('what is delivered is a fixed point, and routing holds booleans for names that are in it', () => {
  const layer = fc.option(
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('All', 'all', 'Webhooks', '1')), fc.jsonValue()),
  );
  fc.assert(
    fc.property(fc.array(layer, { maxLength: 4 }), (given) => {
      const layers = given.map((each) => JSON.parse(JSON.stringify(each)) as JsonObject | null);
      const merged = mergeIntegrations(layers);
      if (!merged) return;
      const delivered: object = JSON.parse(merged.delivered);
      expect(JSON.stringify(delivered)).toBe(merged.delivered);
      expect(Object.hasOwn(delivered, 'all')).toBe(false);
      const routing: object = merged.routing === null ? {} : JSON.parse(merged.routing);
      for (const [name, on] of Object.entries(routing)) {
        expect(typeof on).toBe('boolean');
        expect(Object.hasOwn(delivered, name)).toBe(true);
      }
    }),
  );
});
