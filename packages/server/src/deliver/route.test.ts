import { describe, expect, test } from 'vitest';
import type { Destination } from '../core/destination.ts';
import { EVENT_TYPES } from '../core/event.ts';
import { type RoutedEvent, verdict } from './route.ts';

const destination: Destination = {
  id: 'd1',
  name: 'CRM',
  type: 'Webhooks',
  sourceIds: ['s1', 's2'],
  enabled: true,
  webhooks: [],
  sharedSecret: null,
  trackFilter: null,
  maxEventAgeHours: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: null,
};

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;

const track: RoutedEvent = {
  sourceId: 's1',
  type: 'track',
  name: 'Order Completed',
  integrations: null,
  receivedAt: NOW,
  timestamp: NOW,
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

test('the reasons stand in a fixed order', () => {
  const old: RoutedEvent = { ...track, sourceId: 's2', timestamp: NOW - 2 * HOUR };
  const event: RoutedEvent = { ...old, sourceId: 's9', integrations: '{"All":false}' };
  const strict: Destination = { ...destination, trackFilter: { mode: 'allow', events: [] }, maxEventAgeHours: 1 };
  expect(verdict(event, { ...strict, enabled: false })).toBe('destination_disabled');
  expect(verdict(event, strict)).toBe('source_disconnected');
  expect(verdict({ ...event, sourceId: 's2' }, strict)).toBe('integrations');
  expect(verdict(old, strict)).toBe('track_filter');
  expect(verdict(old, { ...strict, trackFilter: null })).toBe('too_old');
});
