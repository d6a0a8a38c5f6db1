import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import type { Source } from '../core/source.ts';
import { CRM } from './conformance.ts';
import type { StoredSettings } from './contract.ts';
import { Settings } from './settings.ts';
import { webhookIdOf } from './webhook-id.ts';

/** Settings over a store that keeps nothing: a test gives what was there. */
async function settingsOf(
  clock: HandClock,
  sources: StoredSettings['sources'],
  destinations: StoredSettings['destinations'] = [],
): Promise<Settings> {
  const done = async (): Promise<void> => undefined;
  const stored: StoredSettings = { sources, destinations };
  const kept = async (): Promise<boolean> => true;
  const store = {
    load: async () => stored,
    putSource: kept,
    deleteSource: kept,
    putDestination: kept,
    deleteDestination: kept,
  };
  const settings = new Settings(store, { openLane: done }, clock);
  await settings.load();
  return settings;
}

function sourceOf(id: string, writeKey: string, oldKey: Source['oldKey'] = null): Source {
  return { id, name: id, type: 'web', writeKey, enabled: true, createdAt: '2026-01-01T00:00:00.000Z', oldKey };
}

const HOUR = 3_600_000;

function inAnHour(clock: HandClock): string {
  return new Date(clock.now() + HOUR).toISOString();
}

test('an old key is taken until its time, by the clock alone', async () => {
  const clock = new HandClock();
  const settings = await settingsOf(clock, [sourceOf('a', 'new', { writeKey: 'old', until: inAnHour(clock) })]);
  clock.advance(HOUR - 1);
  expect(['new', 'old'].map((key) => settings.sourceByWriteKey(key)?.id)).toEqual(['a', 'a']);
  clock.advance(1);
  expect(['new', 'old'].map((key) => settings.sourceByWriteKey(key)?.id)).toEqual(['a', undefined]);
});

test.each([[false], [true]])(
  'an old key that has ended can be the key of another source (loaded in reverse: %j)',
  async (reverse) => {
    const clock = new HandClock();
    const first = sourceOf('a', 'new', { writeKey: 'old', until: inAnHour(clock) });
    const second = sourceOf('b', 'old');
    clock.advance(HOUR);
    const settings = await settingsOf(clock, reverse ? [second, first] : [first, second]);
    expect(settings.sourceByWriteKey('old')?.id).toBe('b');
    await settings.putSource({ ...first, name: 'renamed' });
    expect(settings.sourceByWriteKey('old')?.id).toBe('b');
    await settings.deleteSource('a');
    expect(['new', 'old'].map((key) => settings.sourceByWriteKey(key)?.id)).toEqual([undefined, 'b']);
  },
);

test('a source that is deleted takes both its keys with it', async () => {
  const clock = new HandClock();
  const settings = await settingsOf(clock, [sourceOf('a', 'new', { writeKey: 'old', until: inAnHour(clock) })]);
  await settings.deleteSource('a');
  expect(['new', 'old'].map((key) => settings.sourceByWriteKey(key))).toEqual([undefined, undefined]);
});

test('what an older version wrote has no old key, and takes events of any age', async () => {
  const { oldKey: _, ...source } = sourceOf('src_1', 'key-1');
  const { maxEventAgeHours: __, updatedAt: ___, ...destination } = CRM;
  const settings = await settingsOf(new HandClock(), [source, sourceOf('src_2', 'key-2')], [destination]);
  expect(settings.source('src_1')).toEqual({ ...source, oldKey: null });
  expect(settings.destination(CRM.id)).toEqual({ ...destination, maxEventAgeHours: null, updatedAt: null });
});

test('a destination is connected to no source that another process has deleted while it was being connected', async () => {
  const sourceIds = ['gone', 'src_1', 'src_2'];
  const sources = [sourceOf('src_1', 'key-1'), sourceOf('src_2', 'key-2')];
  const settings = await settingsOf(new HandClock(), sources, [{ ...CRM, sourceIds }]);
  expect(settings.destination(CRM.id)?.sourceIds).toEqual(['src_1', 'src_2']);
});

test('a URL that an older version wrote has the same id whenever it is read, until it has one of its own', async () => {
  const target = { url: 'https://a.example/hook', headers: {} };
  const own = { id: 'url_own', ...target, hold: { since: '2026-11-20T00:00:00.000Z', past: [] } };
  const read = async (): Promise<unknown> => {
    const webhooks = [target, { ...target, url: 'https://b.example/' }, target, own];
    const settings = await settingsOf(new HandClock(), [], [{ ...CRM, webhooks }]);
    return settings.destination(CRM.id)?.webhooks;
  };
  const webhooks = await read();
  expect(webhooks).toEqual([
    { id: webhookIdOf(target.url), ...target },
    { id: webhookIdOf('https://b.example/'), url: 'https://b.example/', headers: {} },
    { id: expect.stringMatching(/^url_\w{16}$/), ...target },
    own,
  ]);
  expect(new Set((webhooks as { id: string }[]).map(({ id }) => id)).size).toBe(4);
  expect(await read()).toEqual(webhooks);
});
