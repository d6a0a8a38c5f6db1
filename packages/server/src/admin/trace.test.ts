import { expect, test } from 'vitest';
import type { LogEntry } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import { received, traceOf } from './trace.ts';

test.each<[string, object, object | null, object]>([
  [
    'an alias has its own names again',
    {
      version: 1,
      type: 'alias',
      'Previous ID': 'a',
      'User ID': 'b',
      timestamp: 't',
      context: {},
      messageId: 'm',
      receivedAt: 'r',
    },
    null,
    { type: 'alias', previousId: 'a', userId: 'b', messageId: 'm' },
  ],
  [
    'an anonymous call has no userId',
    {
      version: 1,
      type: 'page',
      userId: null,
      anonymousId: 'x',
      timestamp: 't',
      context: { ip: '1' },
      messageId: 'm',
      receivedAt: 'r',
    },
    null,
    { type: 'page', anonymousId: 'x', context: { ip: '1' }, messageId: 'm' },
  ],
  [
    'a timestamp is the text that was sent',
    {
      version: 1,
      type: 'track',
      userId: 'u',
      timestamp: '2026',
      context: {},
      originalTimestamp: 'Tuesday',
      messageId: 'm',
      receivedAt: 'r',
    },
    { extra: { deep: [1] } },
    { type: 'track', userId: 'u', timestamp: 'Tuesday', messageId: 'm', extra: { deep: [1] } },
  ],
  [
    'two timestamps stay two',
    {
      version: 1,
      type: 'track',
      userId: 'u',
      timestamp: '2026',
      context: {},
      originalTimestamp: 'Monday',
      messageId: 'm',
      receivedAt: 'r',
    },
    { timestamp: 'Tuesday' },
    { type: 'track', userId: 'u', timestamp: 'Tuesday', originalTimestamp: 'Monday', messageId: 'm' },
  ],
])('%s', (_, sent, unsent, expected) => {
  expect(received(JSON.stringify(sent), unsent && JSON.stringify(unsent))).toEqual(expected);
});

test('a key named __proto__ is data', () => {
  const back = received('{"version":1,"__proto__":{"x":1}}', '{"__proto__":{"y":2}}');
  expect(JSON.stringify(back)).toBe('{"__proto__":{"y":2}}');
  expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
});

const entry: LogEntry = {
  position: 10,
  sourceId: 'src_1',
  messageId: 'm',
  type: 'track',
  name: 'E',
  userId: 'u',
  receivedAt: 0,
  timestamp: 0,
  integrations: null,
  unsent: null,
  body: Buffer.from('{"version":1,"type":"track"}'),
};

test.each<[string, Partial<Lane>, boolean]>([
  ['open, begun before', {}, true],
  ['begun with the event before', { after: 9 }, true],
  ['begun after it', { after: 10 }, false],
  ['ended with it', { until: 10 }, true],
  ['ended before it', { until: 9 }, false],
  ['of another source', { sourceId: 'src_2' }, false],
])('an event waits only in lanes it belongs to: %s', (_, more, waits) => {
  const lane: Lane = { id: 1, sourceId: 'src_1', destinationId: 'dst_1', after: 0, until: null, ...more };
  const { lanes } = traceOf(
    entry,
    [],
    [lane],
    { traits: [], group: null },
    { statusOf: () => null, destination: () => undefined, source: () => undefined },
    'admin',
  );
  expect(lanes.map(({ state }) => state)).toEqual(waits ? ['waiting'] : []);
});

test.each([
  ['waits', [], '1970-01-01T00:00:00.005Z'],
  ['is tried again', [{ state: 'retrying' }], '1970-01-01T00:00:00.005Z'],
  ['is delivered', [{ state: 'processed' }], null],
] as const)('of an event that %s while the breaker is open', (_, results, probeAt) => {
  const before = {
    destinationId: 'dst_1',
    event: 'E',
    reason: null,
    attempts: [],
    rounds: 1,
    dueAt: 1,
    urlsLeft: null,
  };
  const deliveries = results.map((result) => ({ ...entry, ...before, at: 1, ...result }));
  const statusOf = () => ({ held: false, probeAt: 5 });
  const settings = { statusOf, destination: () => undefined, source: () => undefined };
  const lane: Lane = { id: 1, sourceId: 'src_1', destinationId: 'dst_1', after: 0, until: null };
  const { lanes } = traceOf(entry, deliveries, [lane], { traits: [], group: null }, settings, 'admin');
  expect(lanes.map((one) => one.probeAt)).toEqual([probeAt]);
});
