import { afterEach, beforeEach, expect, test } from 'vitest';
import { Rejections } from '../observe/rejections.ts';
import { openWorld, type SqliteWorld } from '../stores/sqlite/test-world.ts';
import { RejectionGroups } from './rejection-groups.ts';

let world: SqliteWorld;
let rejections: Rejections;
let errors: unknown[];
let groups: RejectionGroups;
let away: boolean;

beforeEach(async () => {
  world = await openWorld();
  rejections = new Rejections();
  errors = [];
  away = false;
  groups = new RejectionGroups({
    store: {
      async add(added) {
        if (away) throw new Error('away');
        await world.rejections.add(added);
      },
      groups: (sourceId) => world.rejections.groups(sourceId),
      removeExamples: (of) => world.rejections.removeExamples(of),
    },
    refused: rejections,
    clock: world.clock,
    failed: (error) => errors.push(error),
  });
});
afterEach(() => world.close());

const refuse = (part: string): void => rejections.add('s', world.now(), 'event_required', 'no', part);

test('what is refused is written at the stop, and counted on after it', async () => {
  await groups.start();
  refuse('one');
  await groups.stop();
  expect(await world.rejections.groups('s')).toMatchObject([{ count: 1, example: 'one' }]);
  refuse('two');
  expect(await groups.list('s')).toMatchObject([{ count: 2, example: 'two' }]);
});

test('what a store does not take is written the next time', async () => {
  away = true;
  refuse('one');
  expect(await groups.list('s')).toEqual([]);
  expect(errors).toEqual([new Error('away')]);
  away = false;
  refuse('two');
  expect(await groups.list('s')).toMatchObject([{ count: 2, example: 'two' }]);
});

test('examples that hold somebody go, the counts stay', async () => {
  refuse('{"userId":"ada"}');
  rejections.add('s', world.now(), 'invalid_json', 'no', 'other');
  await groups.erase((example) => example.includes('ada'));
  const left = await groups.list('s');
  expect(left.map(({ code, example }) => [code, example]).toSorted()).toEqual([
    ['event_required', ''],
    ['invalid_json', 'other'],
  ]);
});
