import { expect, test } from 'vitest';
import { StoredEvent } from './person-draft.ts';

const stored = (json: string) => new StoredEvent(1, { type: 'track', name: 'Order' }, 'm', json);

test('of long properties only those asked for last stay in memory as an object', () => {
  const json = JSON.stringify({ long: 'x'.repeat(2_000) });
  const [one, other] = [stored(json), stored(json)];
  const { properties } = one;
  expect(one.properties).toBe(properties);
  expect(other.properties).toEqual(properties);
  expect(one.properties).not.toBe(properties);
  expect(one.properties).toEqual(properties);
});

test('short properties are read once', () => {
  const [one, other] = [stored('{"total":1}'), stored('{"total":2}')];
  const { properties } = one;
  expect(other.properties).toEqual({ total: 2 });
  expect(one.properties).toBe(properties);
});
