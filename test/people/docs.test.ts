import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkCondition, checkTrait } from '../../packages/server/src/people/check-definition.ts';
import type { Condition, TraitDefinition } from '../../packages/server/src/people/definition.ts';
import { PeopleQueries } from '../../packages/server/src/people/queries.ts';
import { columnsOf, definitionOf, entryOf, PeopleWorld } from './world.ts';

/** The examples of docs/people.md, held against the person they are said to be true of. */

const page = readFileSync(new URL('../../docs/people.md', import.meta.url), 'utf8');
const [audiences = ''] = /^## Audiences$.*?(?=^## )/ms.exec(page) ?? [];
const [traits = ''] = /^## Computed traits$.*?(?=^## |(?![\s\S]))/ms.exec(page) ?? [];
const [, calls = ''] = /^```jsonl\n(.*?)^```/ms.exec(audiences) ?? [];
const conditions = [...audiences.matchAll(/^```json\n(.*?)\n```/gms)].map(([, json = '']) => json);
const tests = [
  ...audiences.matchAll(
    /`(\{"(?:equals|not|in|contains|greater|atLeast|less|atMost|exists|before|after|withinDays)": [^`]*\})`/g,
  ),
];
const values = [...traits.matchAll(/^\| `(\{.*?\})` \| `(.*?)` \|$/gm)].map(
  ([, definition = '', value = '']) => [definition, value] as const,
);
const NOW = Date.parse('2026-11-21T00:00:00Z');

let world: PeopleWorld;
let queries: PeopleQueries;
beforeAll(async () => {
  world = await PeopleWorld.open();
  queries = new PeopleQueries(world.store, () => undefined);
  const entries = calls
    .trim()
    .split('\n')
    .map((line, i) => {
      const { timestamp, ...body } = JSON.parse(line) as { timestamp: string };
      return entryOf({ sourceId: 's', at: Date.parse(timestamp), body }, i + 1);
    });
  await world.engine.take(
    columnsOf(entries, () => true),
    NOW,
  );
});
afterAll(() => world.close());

test('there are examples of each kind', () => {
  expect(conditions.length).toBeGreaterThanOrEqual(8);
  expect(tests.length).toBeGreaterThanOrEqual(12);
  expect(values.length).toBe(10);
});

test.each(conditions)('%s is true of the person', async (json) => {
  const condition = JSON.parse(json) as Condition;
  expect(checkCondition(condition)).toEqual({ value: condition });
  const reason = await queries.why(definitionOf('aud_1', { audience: condition }, NOW), 'ada', NOW);
  expect(reason?.value).toBe(true);
});

test.each(tests.map(([, json]) => json))('the test %s is one', (json = '') => {
  expect(checkCondition({ trait: 'x', is: JSON.parse(json) as unknown })).toHaveProperty('value');
});

test.each(values)('%s is %s', async (definition, value) => {
  const trait = JSON.parse(definition) as TraitDefinition;
  expect(checkTrait(trait)).toEqual({ value: trait });
  expect(await queries.tryTrait(trait, NOW, 1)).toEqual([
    { person: 1, userId: 'ada', id: 'ada', value: JSON.stringify(JSON.parse(value)) },
  ]);
});
