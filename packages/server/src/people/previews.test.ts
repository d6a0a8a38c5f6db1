import { afterAll, beforeAll, expect, test } from 'vitest';
import { PeopleWorld } from '../../../../test/people/world.ts';
import { findHolding, previewAudience } from './previews.ts';
import { PeopleQueries } from './queries.ts';

const PERSONS = 120_000;
const NOW = 1_800_000_000_000;
/** Every third person has one. */
const HAS_PLAN = { trait: 'plan', is: { exists: true } };
/** The signal of a caller who waits for the answer. */
const { signal: STAYS } = new AbortController();

let world: PeopleWorld;
let queries: PeopleQueries;
beforeAll(async () => {
  world = await PeopleWorld.open();
  queries = new PeopleQueries(world.store, () => undefined);
  await world.store.transaction(async (writer) => {
    const ids = await writer.newPersons(PERSONS);
    await writer.putPersons(ids.map((person) => ({ person, userId: `u${person}` })));
    const traits = ids
      .filter((person) => person % 3 === 0)
      .map((person) => ({ person, name: 'plan', value: 'pro', at: NOW, position: person }));
    await writer.record({ traits, groups: [], groupTraits: [], events: [] });
  });
});
afterAll(() => world.close());

test('each person is counted once, over all ranges, and no more are named than were asked for', async () => {
  const preview = await previewAudience(queries, HAS_PLAN, { now: NOW, sample: 3, signal: STAYS });
  expect(preview).toMatchObject({ size: PERSONS / 3, persons: PERSONS });
  expect(preview.sample).toHaveLength(3);
  const asked = { now: NOW, sample: 3, signal: STAYS };
  const none = await previewAudience(queries, { trait: 'x', is: { exists: true } }, asked);
  expect(none).toEqual({ size: 0, persons: PERSONS, sample: [] });
});

test('it is asked in parts, and ends after the part under way when its caller has gone', async () => {
  const left = new AbortController();
  const asked: number[] = [];
  const counting = {
    lastPerson: () => queries.lastPerson(),
    count: (...[condition, now, range, sample]: Parameters<PeopleQueries['count']>) => {
      asked.push(range.upTo - range.after);
      if (asked.length === 2) left.abort();
      return queries.count(condition, now, range, sample);
    },
  };
  await previewAudience(counting, HAS_PLAN, { now: NOW, sample: 3, signal: left.signal });
  expect(asked).toEqual([50_000, 50_000]);
  await findHolding(counting, HAS_PLAN, { after: 0, limit: PERSONS, now: () => NOW, signal: left.signal });
  expect(asked).toHaveLength(2);
});

test('persons are found by number over all ranges, each once, however many a page has', async () => {
  const rare = { trait: 'plan', is: { in: ['pro'] } };
  const found: number[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const page = await findHolding(queries, rare, { after, limit: 9_000, now: () => NOW, signal: STAYS });
    expect(page.items.length).toBeLessThanOrEqual(9_000);
    expect(page.searched).toBe((page.next ?? PERSONS) / PERSONS);
    found.push(...page.items.map(({ person }) => person));
    after = page.next;
  }
  expect(found).toEqual(Array.from({ length: PERSONS / 3 }, (_, i) => 3 * (i + 1)));
});

test('a search that has lasted long enough says how far it came, and goes on from there', async () => {
  let now = NOW;
  const slow = {
    lastPerson: () => queries.lastPerson(),
    count: (...asked: Parameters<PeopleQueries['count']>) => {
      now += 300;
      return queries.count(...asked);
    },
  };
  const none = { trait: 'plan', is: { equals: 'none' } };
  const first = await findHolding(slow, none, { after: 0, limit: 9, now: () => now, signal: STAYS });
  expect(first).toEqual({ items: [], next: 100_000, searched: 100_000 / PERSONS });
  const second = await findHolding(slow, none, { after: 100_000, limit: 9, now: () => now, signal: STAYS });
  expect(second).toEqual({ items: [], next: null, searched: 1 });
});
