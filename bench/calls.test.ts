import { expect, test } from 'vitest';
import { prepareRequest } from './calls.ts';

interface Call {
  readonly messageId: string;
  readonly userId: string;
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
  const request = prepareRequest({ writeKey: 'key', calls: 100, run: 'abcdef', stamped: true });
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
  const { bytes } = prepareRequest({ writeKey: 'key', calls: 1, run: 'abcdef', stamped: false });
  const call = JSON.parse(bodyOf(bytes)) as Call;
  expect(call.properties.t).toBeUndefined();
  expect(Math.abs(Buffer.byteLength(bodyOf(bytes)) - 1000)).toBeLessThan(150);
});
