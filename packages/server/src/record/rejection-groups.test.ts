import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Rejections } from '../observe/rejections.ts';
import { openWorld, type SqliteWorld } from '../stores/sqlite/test-world.ts';
import { RejectionGroups } from './rejection-groups.ts';

let world: SqliteWorld;
let rejections: Rejections;
let errors: unknown[];
let groups: RejectionGroups;
let away: boolean;
/** Whether a write ends with an error although it was done. */
let cutsOff: boolean;
/** Holds the next write up. */
let writing: { begun: () => void; goesOn: Promise<void> } | null;
let removalsFail: boolean;

beforeEach(async () => {
  world = await openWorld();
  rejections = new Rejections();
  errors = [];
  away = false;
  cutsOff = false;
  writing = null;
  removalsFail = false;
  groups = new RejectionGroups({
    store: {
      async add(added) {
        const held = writing;
        writing = null;
        held?.begun();
        await held?.goesOn;
        if (away) throw new Error('away');
        await world.rejections.add(added);
        if (cutsOff) throw new Error('cut off');
      },
      groups: (sourceId) => world.rejections.groups(sourceId),
      async removeExamples(of) {
        if (removalsFail) throw new Error('no removal');
        await world.rejections.removeExamples(of);
      },
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

/** Begins a write of what was refused, and answers what lets it go on. */
async function beginWrite(): Promise<() => Promise<void>> {
  const [begun, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  writing = { begun: begun.resolve, goesOn: goesOn.promise };
  const written = groups.list('s');
  await begun.promise;
  return async () => {
    goesOn.resolve();
    await written;
  };
}

describe('an example that is erased while it is being written', () => {
  test.each([
    ['for a user', () => rejections.erase(new Set(['ada']))],
    ['for all', () => rejections.eraseAll()],
  ])('is removed when the write ends: %s', async (_, erase) => {
    refuse('{"userId":"ada"}');
    const goOn = await beginWrite();
    erase();
    await goOn();
    expect(await world.rejections.groups('s')).toMatchObject([{ count: 1, example: '' }]);
  });

  test('is not written after the write failed', async () => {
    refuse('{"userId":"ada"}');
    const goOn = await beginWrite();
    rejections.eraseAll();
    away = true;
    await goOn();
    expect(errors).toEqual([new Error('away')]);
    away = false;
    expect(await groups.list('s')).toMatchObject([{ count: 1, example: '' }]);
  });

  test('is removed where the write that failed had stored it', async () => {
    refuse('{"userId":"ada"}');
    const goOn = await beginWrite();
    rejections.eraseAll();
    cutsOff = true;
    await goOn();
    away = true;
    expect(await groups.list('s')).toMatchObject([{ count: 1, example: '' }]);
    expect(errors).toEqual([new Error('cut off'), new Error('away')]);
  });

  test('is removed at the next turn where the removal fails, and what was refused since stays', async () => {
    refuse('{"userId":"ada"}');
    const goOn = await beginWrite();
    rejections.eraseAll();
    removalsFail = true;
    await goOn();
    expect(errors).toEqual([new Error('no removal')]);
    expect(await world.rejections.groups('s')).toMatchObject([{ example: '{"userId":"ada"}' }]);
    removalsFail = false;
    expect(await groups.list('s')).toMatchObject([{ count: 1, example: '' }]);
    refuse('new');
    expect(await groups.list('s')).toMatchObject([{ count: 2, example: 'new' }]);
  });
});
