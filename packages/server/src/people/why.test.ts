import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Condition } from './definition.ts';
import { compile } from './evaluate.ts';
import type { Person } from './person.ts';
import { condition, moment, naively, person } from './test-people.ts';
import { explain, MAX_NAMED_EVENTS, type Reason } from './why.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;

/** Of the audiences that are asked about, none changes by time. */
const NONE = new Map<string, null>();

const who: Person = {
  traits: new Map([['plan', { value: 'pro', at: 5 }]]),
  groups: new Map([
    ['g1', new Map([['size', 7]])],
    ['g2', new Map()],
  ]),
  events: Array.from({ length: 12 }, (_, i) => ({
    at: NOW - (11 - i) * DAY,
    type: 'track' as const,
    name: 'Buy',
    properties: { n: i },
    messageId: `m${i}`,
  })),
  audiences: new Set(['vip']),
};

test('each part says what decides it', () => {
  const recently: Condition = {
    event: { name: 'Buy', where: [{ property: 'n', is: { less: 11 } }] },
    during: { lastDays: 3 },
  };
  const definition: Condition = {
    all: [
      { trait: 'plan', is: { equals: 'pro' } },
      { not: { trait: 'email', is: { exists: true } } },
      { any: [{ groupTrait: 'size', is: { greater: 5 } }, { audience: 'new' }] },
      recently,
    ],
  };
  const newest = [
    { messageId: 'm10', at: NOW - DAY },
    { messageId: 'm9', at: NOW - 2 * DAY },
  ];
  const email = { trait: 'email', found: null };
  expect(explain(definition, who, NOW, NONE)).toEqual({
    value: true,
    changesAt: NOW + 2 * DAY,
    all: [
      { value: true, changesAt: null, trait: 'plan', found: { value: 'pro', at: 5 } },
      { value: true, changesAt: null, not: { value: false, changesAt: null, ...email } },
      {
        value: true,
        changesAt: null,
        any: [
          { value: true, changesAt: null, groupTrait: 'size', found: [{ groupId: 'g1', value: 7 }] },
          { value: false, changesAt: null, audience: 'new' },
        ],
      },
      { value: true, changesAt: NOW + 2 * DAY, events: 2, newest },
    ],
  });
});

test('an audience that is asked about changes when that audience does', () => {
  const changes = new Map([
    ['vip', NOW + DAY],
    ['new', NOW + 2 * DAY],
  ]);
  const vip = { value: true, changesAt: NOW + DAY, audience: 'vip' };
  const young = { value: false, changesAt: NOW + 2 * DAY, audience: 'new' };
  expect(explain({ not: { audience: 'vip' } }, who, NOW, changes)).toEqual({
    ...{ value: false, changesAt: NOW + DAY },
    not: vip,
  });
  expect(explain({ all: [{ audience: 'vip' }, { audience: 'new' }] }, who, NOW, changes)).toEqual({
    ...{ value: false, changesAt: NOW + 2 * DAY },
    all: [vip, young],
  });
});

test('all events are counted, and the newest are named, none of the future', () => {
  const ahead = { at: NOW + 1, type: 'track', name: 'Buy', properties: {}, messageId: 'ahead' } as const;
  const reason = explain({ event: { name: 'Buy' } }, { ...who, events: [...who.events, ahead] }, NOW, NONE);
  if (!('events' in reason)) throw new Error('no reason of an event');
  expect(reason.events).toBe(12);
  expect(reason.newest.map(({ messageId }) => messageId)).toEqual(
    Array.from({ length: MAX_NAMED_EVENTS }, (_, i) => `m${11 - i}`),
  );
});

test('the reasons have the values of the parts they stand for', () => {
  const agree = (reason: Reason, definition: Condition, of: Person, now: number): void => {
    expect(reason.value).toBe(naively(definition, of, now));
    expect({ value: reason.value, changesAt: reason.changesAt }).toEqual(compile(definition)(of, now));
    const parts = 'all' in definition ? definition.all : 'any' in definition ? definition.any : [];
    const reasons = 'all' in reason ? reason.all : 'any' in reason ? reason.any : [];
    expect(reasons).toHaveLength(parts.length);
    for (const [i, part] of parts.entries()) agree(reasons[i] as Reason, part, of, now);
    if ('not' in definition) agree((reason as { not: Reason }).not, definition.not, of, now);
  };
  fc.assert(
    fc.property(condition, person, moment, (definition, of, now) => {
      agree(explain(definition, of, now, NONE), definition, of, now);
    }),
  );
});
