import { expect, test } from 'vitest';
import { prepareRequest } from './calls.ts';
import { visitor } from './crowd.ts';

interface Call {
  readonly messageId: string;
  readonly type: string;
  readonly userId: string;
  readonly anonymousId: string;
  readonly properties: { readonly t?: number };
}

function bodyOf(bytes: Buffer): string {
  const text = bytes.toString();
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}

function callsOf(bytes: Buffer): Call[] {
  return (JSON.parse(bodyOf(bytes)) as { batch: Call[] }).batch;
}

test('a renewed request is whole: the length it names, and JSON with new ids and the stamp in every call', () => {
  const request = prepareRequest({ writeKey: 'key', calls: 100, run: 'abcdef', stamped: true, crowd: null });
  request.renew(700, 123_456_789);
  expect(request.bytes.toString()).toContain(`Content-Length: ${Buffer.byteLength(bodyOf(request.bytes))}\r\n`);
  const calls = callsOf(request.bytes);
  expect(calls.map((call) => call.messageId)).toEqual(
    Array.from({ length: 100 }, (_, i) => `bench-abcdef-${String(700 + i).padStart(12, '0')}`),
  );
  expect(new Set(calls.map((call) => call.userId)).size).toBe(100);
  expect(calls.map((call) => call.properties.t)).toEqual(Array.from({ length: 100 }, () => 123_456_789));
});

test('a call is about 1 KB, and carries no stamp where none is wanted', () => {
  const { bytes } = prepareRequest({ writeKey: 'key', calls: 1, run: 'abcdef', stamped: false, crowd: null });
  const call = JSON.parse(bodyOf(bytes)) as Call;
  expect(call.properties.t).toBeUndefined();
  expect(Math.abs(Buffer.byteLength(bodyOf(bytes)) - 1000)).toBeLessThan(150);
});

test('calls of the crowd are of many kinds, and each person has an id of each sort that no other has', () => {
  const request = prepareRequest({ writeKey: 'key', calls: 100, run: 'abcdef', stamped: true, crowd: 1_000_000 });
  request.renew(20_000_000, 1);
  const calls = callsOf(request.bytes);
  expect(new Set(calls.map((call) => call.type))).toEqual(new Set(['page', 'screen', 'track', 'identify']));
  expect(new Set(calls.map((call) => call.userId)).size).toBe(100);
  for (const { userId, anonymousId } of calls) expect(anonymousId.slice(-6)).toBe(userId.slice(-6));
});

test('a visit is five calls of one person, with many calls of others between', () => {
  const visitors = Array.from({ length: 5 * 20_003 }, (_, number) => visitor(number, 1_000_000));
  const calls = Map.groupBy(visitors.keys(), (number) => visitors[number]);
  expect([...calls.values()].every((numbers) => numbers.length === 5)).toBe(true);
  expect(calls.get(visitors[7])).toEqual([7, 20_010, 40_013, 60_016, 80_019]);
});
