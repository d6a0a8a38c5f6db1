import { expect, test } from 'vitest';
import { announce } from './announce.ts';
import type { Incident } from './contract.ts';
import { type Change, endsAt, evaluate } from './evaluate.ts';
import type { Observation } from './measures.ts';
import { RULE_CODES, valuesOf } from './rules.ts';
import { textOf } from './text.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_800_000_000_000;

const RULES = Object.fromEntries(RULE_CODES.map((code) => [code, valuesOf(code)]));

function destination(more: Partial<Observation> = {}): Observation {
  return {
    subject: { kind: 'destination', id: 'dst_1', name: 'CRM' },
    rules: RULES,
    tried: { good: 0, bad: 0 },
    lately: { good: 0, bad: 0 },
    ...{ lastAt: null, triedAt: null, failingSince: null, waiting: 0, oldestWaitingAt: null },
    ...{ processed: 0, failed: 0, certificate: null, isUnseen: false, isDiskShort: false, needsAll: false },
    ...more,
  };
}

/** Attempts that failed for so long. */
function failing(now: number, length: number, more: Partial<Observation> = {}): Observation {
  return destination({ failingSince: now - length, triedAt: now, lastAt: now - length - 1, ...more });
}

/** Goes through moments, and keeps what becomes of the incidents. */
class World {
  now = START;
  known: Incident[] = [];
  readonly snoozes = new Map<string, number>();

  look(...observed: Observation[]): Change[] {
    const changes = evaluate(observed, this.known, this.now, { quiet: 2 * MINUTE, snoozes: this.snoozes });
    const changed = changes.map(({ incident }) => incident);
    this.known = [...this.known.filter(({ id }) => !changed.some((one) => one.id === id)), ...changed];
    return changes.filter(({ type }) => type !== null);
  }

  after(ms: number, ...observed: Observation[]): Change[] {
    this.now += ms;
    return this.look(...observed);
  }

  /** Attempts fail for so long at this moment. */
  fail(after: number, length: number, more: Partial<Observation> = {}): Change[] {
    return this.after(after, failing(this.now + after, length, more));
  }
}

test('nothing succeeded for 5 min: an incident, which says since when', () => {
  const world = new World();
  expect(world.fail(0, 5 * MINUTE - 1)).toEqual([]);
  const [begun] = world.fail(0, 5 * MINUTE, { waiting: 12 });
  expect(begun).toMatchObject({
    type: 'opened',
    incident: {
      rule: 'no_success',
      state: 'open',
      since: START - 5 * MINUTE,
      numbers: { waiting: 12, value: 300_000 },
    },
  });
  expect(world.fail(10_000, 6 * MINUTE)).toEqual([]);
});

test('a message that failed, after which nothing was sent, is no outage', () => {
  const once = { failingSince: START - 2 * HOUR, triedAt: START - 2 * HOUR + 1000 };
  expect(new World().look(destination(once))).toEqual([]);
});

test('it ends when no rule held for 2 min, with what was drained', () => {
  const world = new World();
  world.fail(0, 5 * MINUTE, { waiting: 12_431, processed: 100 });
  const draining = { waiting: 6_000, processed: 6_531 };
  expect(world.after(MINUTE, destination(draining))).toEqual([]);
  // It fails again before it has ended: it goes on.
  expect(world.fail(MINUTE, MINUTE, draining)).toEqual([]);
  expect(world.after(MINUTE, destination({ waiting: 3_000, processed: 9_531 }))).toEqual([]);
  expect(world.after(MINUTE, destination({ waiting: 0, processed: 12_531 }))).toEqual([]);
  const [ended] = world.after(MINUTE, destination({ waiting: 0, processed: 12_600 }));
  expect(ended).toMatchObject({
    type: 'ended',
    incident: { state: 'ended', endedAt: world.now, recovery: 'Recovered: 6,000 messages drained in 2 min.' },
  });
});

test('one of which no rule holds says since when, when it ends, and what waits now', () => {
  const world = new World();
  const open = (): Incident => world.known[0] as Incident;
  world.fail(0, 5 * MINUTE, { waiting: 30_578, oldestWaitingAt: START, failed: 40 });
  expect(endsAt(open(), 2 * MINUTE)).toBeNull();
  world.after(10_000, destination({ waiting: 12, failed: 40 }));
  world.after(10_000, destination({ waiting: 0, failed: 39, processed: 30_578 }));
  expect(open()).toMatchObject({
    clearSince: START + 10_000,
    numbers: { waiting: 0, oldestWaitingAt: null, failed: 39 },
  });
  expect(endsAt(open(), 2 * MINUTE)).toBe(START + 10_000 + 2 * MINUTE);
  // One that came back has to be quiet for longer.
  expect(endsAt({ ...open(), reopened: 2 }, 2 * MINUTE)).toBe(START + 10_000 + 8 * MINUTE);
  world.after(2 * MINUTE, destination());
  expect(endsAt(open(), 2 * MINUTE)).toBeNull();
});

test('what still waits at the end is told', () => {
  const world = new World();
  world.fail(0, 5 * MINUTE, { waiting: 500 });
  world.after(10_000, destination({ waiting: 400, processed: 100 }));
  const [ended] = world.after(2 * MINUTE, destination({ waiting: 1, processed: 499 }));
  expect(ended?.incident.recovery).toBe('Recovered: 499 messages drained in 2 min; 1 message still waits.');
});

test('one that ended less than 10 min ago begins again, and then has to be quiet for longer', () => {
  const world = new World();
  world.fail(0, 5 * MINUTE);
  world.after(10_000, destination());
  expect(world.after(2 * MINUTE, destination())).toMatchObject([{ type: 'ended' }]);
  const [again] = world.fail(9 * MINUTE, 5 * MINUTE);
  expect(again).toMatchObject({ type: 'updated', incident: { state: 'open', endedAt: null, reopened: 1 } });
  expect(world.known).toHaveLength(1);
  world.after(10_000, destination());
  expect(world.after(2 * MINUTE, destination())).toEqual([]);
  expect(world.after(2 * MINUTE, destination())).toMatchObject([{ type: 'ended' }]);
  expect(world.fail(11 * MINUTE, 5 * MINUTE)).toMatchObject([{ type: 'opened' }]);
  expect(world.known).toHaveLength(2);
});

test('what no URL has taken is told from what not all URLs have taken', () => {
  const [one, all] = [new World(), new World()];
  one.fail(0, 5 * MINUTE, { lastAt: null });
  all.fail(0, 5 * MINUTE, { lastAt: null, needsAll: true });
  expect(one.known[0]?.cause).toBe('Nothing was ever delivered: attempts have failed for 5 min.');
  expect(all.known[0]?.cause).toBe('No message ever reached all its URLs: attempts have failed for 5 min.');
  const few = new World();
  few.look(destination({ tried: { good: 29, bad: 71 }, needsAll: true }));
  expect(few.known[0]?.cause).toBe('Only 29.0% of what was tried in the last 15 min reached all its URLs.');
});

test('rules of one cause are one incident, which bears the gravest', () => {
  const world = new World();
  const few = { tried: { good: 5, bad: 15 }, lately: { good: 0, bad: 3 } };
  expect(world.look(destination(few))).toMatchObject([{ type: 'opened', incident: { rule: 'success_share' } }]);
  const oldestWaitingAt = world.now - 2 * HOUR;
  const [graver] = world.fail(10_000, 5 * MINUTE, { ...few, oldestWaitingAt });
  expect(graver).toMatchObject({
    type: 'updated',
    incident: { rule: 'no_success', also: ['success_share', 'oldest_waiting'] },
  });
  // The backlog drains: less grave, and the same incident.
  expect(world.after(10_000, destination({ oldestWaitingAt }))).toEqual([]);
  expect(world.known).toMatchObject([{ rule: 'oldest_waiting', worst: 'no_success' }]);
});

test('few attempts tell nothing; a share is judged by the last minutes while it goes on', () => {
  const world = new World();
  expect(world.look(destination({ tried: { good: 0, bad: 19 } }))).toEqual([]);
  world.look(destination({ tried: { good: 0, bad: 20 }, lately: { good: 0, bad: 5 } }));
  const better = destination({ tried: { good: 5, bad: 8 }, lately: { good: 5, bad: 0 } });
  world.after(10_000, better);
  expect(world.after(2 * MINUTE, better)).toMatchObject([{ type: 'ended' }]);
});

test('what fails does not recover because traffic stopped: it goes on, without news, until something succeeds', () => {
  const world = new World();
  const triedAt = START;
  const refused = { triedAt, failingSince: START - MINUTE };
  world.look(destination({ ...refused, tried: { good: 0, bad: 30 }, lately: { good: 0, bad: 30 } }));
  const cause = (): unknown => world.known[0]?.cause;
  expect(cause()).toBe('Nothing of what was tried in the last 15 min succeeded.');
  for (const quiet of [3 * MINUTE, 20 * MINUTE, 5 * HOUR]) expect(world.after(quiet, destination(refused))).toEqual([]);
  expect(world.known).toMatchObject([{ state: 'open', rule: 'success_share', clearSince: null }]);
  expect(cause()).toBe('Few attempts or none succeeded, and nothing was tried for 5 h 23 min.');
  const works = destination({ triedAt: world.now, lastAt: world.now, processed: 1, lately: { good: 1, bad: 0 } });
  world.after(10_000, works);
  const [ended] = world.after(2 * MINUTE, works);
  expect(ended).toMatchObject({ type: 'ended', incident: { recovery: 'Recovered: 1 message drained in 10 s.' } });
});

test('an incident whose statistics are no longer kept does not say that it recovered', () => {
  const world = new World();
  world.fail(0, 5 * MINUTE);
  world.after(10_000, destination({ lastAt: START - HOUR }));
  const [ended] = world.after(2 * MINUTE, destination({ lastAt: START - HOUR }));
  expect(ended?.incident.recovery).toBe('Over: none of its rules holds now. Nothing was delivered since it began.');
});

test('a certificate that is not known now ends no incident', () => {
  const world = new World();
  const ending = (days: number): Observation =>
    destination({ certificate: { endsAt: START + days * 24 * HOUR, host: 'example.com' } });
  const [begun] = world.look(ending(13));
  expect(begun?.incident).toMatchObject({
    rule: 'certificate',
    cause: 'The certificate of example.com ends in 13 days.',
  });
  // That another URL has a later one says nothing of it.
  const later = { endsAt: START + 300 * 24 * HOUR, host: 'other.example' };
  expect(world.after(10_000, destination({ certificate: later, isUnseen: true }))).toEqual([]);
  expect(world.after(2 * MINUTE, destination({ certificate: later, isUnseen: true }))).toEqual([]);
  // What is not known now is no news either.
  for (let day = 0; day < 9; day++) {
    expect(world.after(24 * HOUR, destination({ isUnseen: true }))).toEqual([]);
  }
  expect(world.known).toMatchObject([
    { state: 'open', cause: begun?.incident.cause, numbers: begun?.incident.numbers },
  ]);
  world.after(10_000, ending(90));
  expect(world.after(2 * MINUTE, ending(90))[0]?.incident.recovery).toBe(
    'Recovered: the certificate was renewed, or no URL uses one now.',
  );
});

test('a destination that is gone or off, and a rule that is off, end it at once', () => {
  const world = new World();
  world.fail(0, 5 * MINUTE, { waiting: 40, oldestWaitingAt: START, failed: 573 });
  const changes = world.after(10_000);
  expect(changes).toMatchObject([{ type: 'ended', incident: { recovery: expect.stringContaining('Over:') } }]);
  // Messages of a destination that is gone or off do not wait.
  expect(changes[0]?.incident.numbers).toMatchObject({ waiting: null, oldestWaitingAt: null, failed: 573 });
  const [notice] = announce(changes, [{ id: 'adr_1' }], [], world.now);
  const text = notice && textOf(notice).text;
  expect(text).toContain('\n573 failed attempts in the last 15 min.\n');
  expect(text).not.toMatch(/wait/);
});

test('news are told after half an hour, then less and less often', () => {
  const world = new World();
  world.fail(0, 5 * MINUTE);
  const told = Array.from({ length: 24 * 6 }, () => world.fail(10 * MINUTE, HOUR)).flat();
  expect(told.map(({ type }) => type)).toEqual(Array(5).fill('updated'));
  expect(world.known[0]?.updates).toHaveLength(5);
});

test('an outage on the same day as one that is over for long is another incident', () => {
  const world = new World();
  const [first] = world.fail(0, 5 * MINUTE);
  world.after(MINUTE, destination());
  expect(world.after(2 * MINUTE, destination())).toMatchObject([{ type: 'ended' }]);
  const [second] = world.fail(HOUR, 5 * MINUTE);
  expect(second?.type).toBe('opened');
  expect(second?.incident.id).not.toBe(first?.incident.id);
  expect(world.known).toHaveLength(2);
});

test('an outage that goes on after a pause is another incident, which begins once', () => {
  const world = new World();
  const since = START - 5 * MINUTE;
  const still = (now: number): Observation => failing(now, now - since);
  const [first] = world.look(still(world.now));
  expect(world.after(MINUTE)).toMatchObject([{ type: 'ended' }]);
  const [second] = world.after(HOUR, still(world.now + HOUR));
  expect(second).toMatchObject({ type: 'opened', incident: { since: first?.incident.since } });
  for (let i = 0; i < 3; i++) expect(world.after(10_000, still(world.now + 10_000))).toEqual([]);
  world.after(MINUTE, destination());
  expect(world.after(3 * MINUTE, destination())).toMatchObject([
    { type: 'ended', incident: { id: second?.incident.id } },
  ]);
});

test('a silence whose beginning is no longer known goes on', () => {
  const world = new World();
  const rules = { source_silent: valuesOf('source_silent', { enabled: true, after: '4h' }) };
  const source = (lastAt: number | null): Observation => {
    return { ...destination({ lastAt }), rules, subject: { kind: 'source', id: 'src_1', name: 'Shop' } };
  };
  expect(world.look(source(START - 5 * HOUR))).toMatchObject([{ type: 'opened' }]);
  for (const lastAt of [null, START + 2 * HOUR]) {
    world.after(MINUTE, source(lastAt));
    expect(world.after(10 * MINUTE, source(lastAt))).toEqual([]);
  }
  world.after(MINUTE, source(world.now));
  expect(world.after(2 * MINUTE, source(world.now))).toMatchObject([{ type: 'ended' }]);
});

test('sources and the disk', () => {
  const world = new World();
  const source = (more: Partial<Observation>): Observation => {
    return { ...destination(more), subject: { kind: 'source', id: 'src_1', name: 'Shop' } };
  };
  const service: Observation = {
    ...destination({ isDiskShort: true }),
    subject: { kind: 'service', id: 'service', name: 'Millrace' },
  };
  const refused = { tried: { good: 19, bad: 20 }, lately: { good: 0, bad: 1 }, lastAt: START - 5 * HOUR };
  const rules = world.look(source(refused), service).map(({ incident }) => incident.rule);
  // That a source is silent is not watched until it is asked for.
  expect(rules).toEqual(['source_refused', 'disk_reserve']);
  const asked = { source_silent: valuesOf('source_silent', { enabled: true, after: '4h' }) };
  expect(new World().look({ ...source(refused), rules: asked })).toMatchObject([
    { incident: { rule: 'source_silent', cause: 'No event came for 5 h.' } },
  ]);
});

test('ten beginnings within a minute are told one by one, more than that as one', () => {
  const addresses = [{ id: 'adr_1' }, { id: 'adr_2' }];
  const many = (count: number, from = 0): Observation[] =>
    Array.from({ length: count }, (_, i) => ({
      ...failing(START, 5 * MINUTE),
      subject: { kind: 'destination', id: `dst_${from + i}`, name: `Nr. ${from + i}` },
    }));
  const world = new World();
  const single = announce(world.look(...many(10)), addresses, [], world.now);
  expect(single.map(({ count }) => count)).toEqual(Array(20).fill(1));
  const before = world.known;
  const more = announce(world.after(10_000, ...many(12)), addresses, before, world.now);
  expect(more.map(({ count, addressId }) => [count, addressId])).toEqual([
    [2, 'adr_1'],
    [2, 'adr_2'],
  ]);
  const [storm] = announce(new World().look(...many(150)), addresses, [], START);
  expect(storm).toMatchObject({ count: 150 });
  const text = storm && textOf(storm).text;
  expect(text).toContain('150 incidents at once');
  expect(text).toContain('- Nr. 99: Nothing is delivered: attempts have failed for 5 min.');
  expect(text).toContain('and 50 more');
});

test('an id and an answer stay on one line of the text, and none turns its direction', () => {
  const [begun] = new World().fail(0, 5 * MINUTE);
  const [notice] = announce(begun ? [begun] : [], [{ id: 'adr_1' }], [], START);
  const sample = {
    messageId: 'm1\nMillrace: Ended\u001b[0m\u202e',
    sourceId: 'src_1',
    error: 'no\r\nhttp://evil.test',
  };
  const incidents = notice?.incidents.map((incident) => ({ ...incident, sample })) ?? [];
  const text = notice && textOf({ ...notice, incidents }).text;
  expect(text?.split('\n').at(-2)).toBe('For example message m1 Millrace: Ended [0m : no http://evil.test');
});

test('of one that is snoozed nothing is told but its end, and that it goes on as soon as the time is over', () => {
  const world = new World();
  const [begun] = world.fail(0, 5 * MINUTE);
  world.snoozes.set(begun?.incident.id ?? '', world.now + 8 * HOUR);
  for (let hour = 1; hour < 8; hour++) expect(world.fail(HOUR, hour * HOUR)).toEqual([]);
  expect(world.fail(HOUR, 8 * HOUR)).toMatchObject([{ type: 'updated' }]);
  expect(world.fail(10_000, 8 * HOUR)).toEqual([]);
  expect(world.after(10_000, destination())).toEqual([]);
  expect(world.after(2 * MINUTE, destination())).toMatchObject([{ type: 'ended' }]);

  const other = new World();
  const [slow] = other.look(destination({ waiting: 1e6 }));
  other.snoozes.set(slow?.incident.id ?? '', other.now + HOUR);
  other.after(MINUTE, destination());
  other.after(2 * MINUTE, destination());
  expect(other.known).toMatchObject([{ state: 'ended' }]);
  // It begins again, and graver, within that time.
  expect(other.fail(MINUTE, 5 * MINUTE)).toEqual([]);
  expect(other.known).toMatchObject([{ state: 'open', rule: 'no_success', worst: 'waiting' }]);
  expect(other.fail(HOUR, HOUR)).toMatchObject([{ type: 'updated', incident: { worst: 'no_success' } }]);
});

test('one that begins again, and graver, is told once', () => {
  const world = new World();
  world.look(destination({ waiting: 1e6 }));
  world.after(MINUTE, destination());
  expect(world.after(2 * MINUTE, destination())).toMatchObject([{ type: 'ended' }]);
  expect(world.fail(MINUTE, 5 * MINUTE)).toMatchObject([{ type: 'updated', incident: { worst: 'no_success' } }]);
  expect(world.fail(10_000, 5 * MINUTE)).toEqual([]);
});

test('an incident of a certificate is over when no URL uses one', () => {
  const world = new World();
  world.look(destination({ certificate: { endsAt: START + HOUR, host: 'crm.example' } }));
  world.after(MINUTE, destination());
  expect(world.after(2 * MINUTE, destination())).toMatchObject([{ type: 'ended' }]);
});
