import { describe, expect, test } from 'vitest';
import type { Destination } from '../core/destination.ts';
import { EVENT_TYPES } from '../core/event.ts';
import { type RoutedEvent, verdict } from './route.ts';
import { destinationOf } from './test-world.ts';

const destination = destinationOf([], { sourceIds: ['s1', 's2'] });

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;

const UNREADABLE: Uint8Array = new Proxy(new Uint8Array(), {
  get() {
    throw new Error('No rule asks for the body');
  },
});

/** Its body is not one of an event: verdicts of other rules do not look at it. */
const track: RoutedEvent = {
  sourceId: 's1',
  type: 'track',
  name: 'Order Completed',
  integrations: null,
  receivedAt: NOW,
  timestamp: NOW,
  body: UNREADABLE,
};

describe('the integrations object', () => {
  test.each([
    ['{}', null],
    ['{"All":true}', null],
    ['{"All":false}', 'integrations'],
    ['{"All":false,"Webhooks":true}', null],
    ['{"All":true,"Webhooks":false}', 'integrations'],
    ['{"Webhooks":false}', 'integrations'],
    ['{"Webhooks":true}', null],
    ['{"webhooks":false}', null],
    ['{"WEBHOOKS":false,"Salesforce":false}', null],
    ['{"All":false,"webhooks":true}', 'integrations'],
    ['{"All":false,"Webhooks":{"retry":false}}', null],
    ['{"All":{"x":1}}', null],
    ['{"All":false,"Webhooks":null}', 'integrations'],
    ['{"All":null}', null],
    ['{"__proto__":{"Webhooks":false}}', null],
  ])('%s', (integrations, expected) => {
    expect(verdict({ ...track, integrations }, destination)).toBe(expected);
    expect(verdict({ ...track, integrations }, destination)).toBe(expected);
  });

  test('more of them than are remembered', () => {
    for (let index = 0; index < 2500; index++) {
      const no = index % 2 === 0;
      const integrations = JSON.stringify({ [`Other ${index}`]: true, Webhooks: !no });
      expect(verdict({ ...track, integrations }, destination)).toBe(no ? 'integrations' : null);
    }
  });
});

describe('the track filter', () => {
  const allow: Destination = { ...destination, trackFilter: { mode: 'allow', events: ['Order Completed', 'Refund'] } };
  const deny: Destination = { ...destination, trackFilter: { mode: 'deny', events: ['Order Completed'] } };

  test.each([
    ['Order Completed', null, 'track_filter'],
    ['Refund', null, null],
    ['order completed', 'track_filter', null],
    ['Other', 'track_filter', null],
  ] as const)('%s', (name, allowed, denied) => {
    expect(verdict({ ...track, name }, allow)).toBe(allowed);
    expect(verdict({ ...track, name }, deny)).toBe(denied);
  });

  test('an empty list allows nothing, or denies nothing', () => {
    expect(verdict(track, { ...destination, trackFilter: { mode: 'allow', events: [] } })).toBe('track_filter');
    expect(verdict(track, { ...destination, trackFilter: { mode: 'deny', events: [] } })).toBe(null);
  });

  test.each(EVENT_TYPES.filter((type) => type !== 'track'))('never holds %s back', (type) => {
    expect(verdict({ ...track, type, name: null }, allow)).toBe(null);
    expect(verdict({ ...track, type, name: null }, deny)).toBe(null);
  });
});

describe('the longest age', () => {
  const day: Destination = { ...destination, maxEventAgeHours: 24 };

  test.each([
    ['just now', 0, null],
    ['in the future', -48 * HOUR, null],
    ['exactly as long ago as is taken', 24 * HOUR, null],
    ['a millisecond longer ago', 24 * HOUR + 1, 'too_old'],
    ['in the year 0', NOW + 62_167_219_200_000, 'too_old'],
  ] as const)('%s', (_name, age, expected) => {
    const event = { ...track, timestamp: NOW - age };
    expect(verdict(event, day)).toBe(expected);
    expect(verdict(event, destination)).toBe(null);
  });

  test.each(EVENT_TYPES)('counts for %s', (type) => {
    expect(verdict({ ...track, type, name: null, timestamp: NOW - 25 * HOUR }, day)).toBe('too_old');
  });
});

describe('consent', () => {
  const ads: Destination = { ...destination, consent: ['advertising', 'toString'] };

  test.each([
    ['both', { advertising: true, toString: true }, null],
    ['one of two', { advertising: true, toString: false }, 'consent:toString'],
    ['a name that every object has', { advertising: true }, 'consent:toString'],
    ['anything but true', { advertising: 'true', toString: true }, 'consent:advertising'],
    ['nothing', undefined, 'consent:advertising'],
  ])('%s', (_name, categoryPreferences, expected) => {
    const call = { type: 'track', context: { consent: { categoryPreferences } } };
    expect(verdict(withBody(call), ads)).toBe(expected);
    expect(verdict(withBody({ ...call, type: 'delete' }, 'delete'), ads)).toBe(null);
  });

  test.each([undefined, null, 'yes', [], { consent: true }])('none in a context of %j', (context) => {
    expect(verdict(withBody({ context }), ads)).toBe('consent:advertising');
  });
});

describe('the filter', () => {
  const filter = {
    all: [
      { field: 'type', is: { equals: 'track' } },
      { field: 'properties.total', is: { atLeast: 100 } },
    ],
  };
  const large: Destination = { ...destination, filter };

  test('lets out what it fits, and names the clause of what it does not', () => {
    expect(verdict(withBody({ type: 'track', properties: { total: 100 } }), large)).toBe(null);
    const small = withBody({ type: 'track', properties: { total: 99 } });
    expect(verdict(small, large)).toBe('condition:all.1: properties.total atLeast 100');
    expect(verdict(small, large)).toBe('condition:all.1: properties.total atLeast 100');
  });

  test('lets the notice of a deletion pass', () => {
    expect(verdict(withBody({ type: 'delete' }, 'delete'), large)).toBe(null);
  });

  test('has no clause longer than 200 characters', () => {
    const long: Destination = { ...destination, filter: { field: 'event', is: { equals: '😀'.repeat(500) } } };
    expect(verdict(withBody({}), long)).toHaveLength('condition:'.length + 200);
  });

  test('judges what was removed as an empty call', () => {
    expect(verdict({ ...withBody({}), body: new Uint8Array() }, large)).toMatch(/^condition:all.0/);
  });
});

function withBody(call: object, type: RoutedEvent['type'] = 'track'): RoutedEvent {
  const { sourceId, name, integrations, receivedAt, timestamp } = track;
  const body = new TextEncoder().encode(JSON.stringify(call));
  return { sourceId, type, name, integrations, receivedAt, timestamp, body };
}

test('the reasons stand in a fixed order', () => {
  const old: RoutedEvent = { ...withBody({}), sourceId: 's2', timestamp: NOW - 2 * HOUR };
  const event: RoutedEvent = { ...old, sourceId: 's9', integrations: '{"All":false}' };
  const strict: Destination = {
    ...destination,
    trackFilter: { mode: 'allow', events: [] },
    filter: { field: 'userId', is: { exists: true } },
    consent: ['ads'],
    maxEventAgeHours: 1,
  };
  expect(verdict(event, { ...strict, enabled: false })).toBe('destination_disabled');
  expect(verdict(event, strict)).toBe('source_disconnected');
  expect(verdict({ ...event, type: 'delete', integrations: null }, { ...strict, maxEventAgeHours: null })).toBe(null);
  expect(verdict({ ...event, sourceId: 's2' }, strict)).toBe('integrations');
  expect(verdict(old, strict)).toBe('track_filter');
  expect(verdict(old, { ...strict, trackFilter: null })).toBe('condition:userId exists true');
  expect(verdict(old, { ...strict, trackFilter: null, filter: null })).toBe('consent:ads');
  expect(verdict(old, { ...strict, trackFilter: null, filter: null, consent: [] })).toBe('too_old');
});
