import { expect, test } from 'vitest';
import { HandClock } from '../../../../../test/hand-clock.ts';
import { Fault } from '../../core/fault.ts';
import type { Source } from '../../core/source.ts';
import { Settings } from '../../settings/settings.ts';
import type { Did } from '../audit.ts';
import { makeSteps } from './apply.ts';
import type { Step } from './step.ts';

const steps: readonly Step[] = ['A', 'B', 'C'].map((name, place) => ({
  kind: 'create source',
  path: `sources.${place}`,
  name,
  changes: [],
  body: { name, type: 'web' },
}));

/** Settings whose store fails at one of the writes. */
function failingAt(write: number, error: Error): Settings {
  let writes = 0;
  const done = async (): Promise<void> => undefined;
  const putSource = async (_: Source): Promise<boolean> => {
    if (++writes === write) throw error;
    return true;
  };
  const kept = async (): Promise<boolean> => true;
  const store = {
    load: async () => ({ sources: [], destinations: [] }),
    putSource,
    deleteSource: kept,
    putDestination: kept,
    deleteDestination: kept,
  };
  return new Settings(store, { openLane: done }, new HandClock());
}

const NO_ALERTS = { store: { settings: async () => null, saveSettings: async () => false } };

const refused = async (settings: Settings, made: Did[] = []): Promise<unknown> =>
  makeSteps(steps, { settings, alerts: NO_ALERTS, clock: new HandClock() }, async (each) => void made.push(each)).then(
    () => null,
    (error: unknown) => error,
  );

test('a store that fails in the middle is told with what was changed before', async () => {
  const full = new Fault('storage_full', 'The disk is full.', { retryAfter: 5 });
  const settings = failingAt(3, full);
  const made: Did[] = [];
  expect(await refused(settings, made)).toMatchObject({
    code: 'storage_full',
    retryAfter: 5,
    message: 'Cannot create source C: The disk is full. Changed before that: 2 of 3.',
    cause: full,
  });
  expect(settings.sources().map(({ name }) => name)).toEqual(['A', 'B']);
  expect(made.map(({ action, target }) => `${action} ${target?.name}`)).toEqual(['source.create A', 'source.create B']);
});

test('what is a fault of ours is no refusal, and its words stay inside', async () => {
  expect(await refused(failingAt(1, new Error('disk I/O error at /secret')))).toMatchObject({
    code: 'internal',
    message: 'Cannot create source A: The log says why. Nothing was changed.',
  });
});
