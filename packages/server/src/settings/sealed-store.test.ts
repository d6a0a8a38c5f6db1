import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openWorld, type SqliteWorld } from '../stores/sqlite/test-world.ts';
import { CRM, settingsConformance } from './conformance.ts';
import { sealedSettings } from './sealed-store.ts';

const [KEY, NEW_KEY] = [randomBytes(32), randomBytes(32)];
const HEADER = 'growth: "a"';

settingsConformance('A settings store whose secrets are encrypted', async () => {
  const world = await openWorld();
  let settings = await sealedSettings(world.settings, [KEY]);
  return {
    get settings() {
      return settings;
    },
    async reopen() {
      await world.reopen();
      settings = await sealedSettings(world.settings, [KEY]);
    },
    close: () => world.close(),
  };
});

test('what is kept has no secret in it, and is another each time', async () => {
  const world = await open();
  const settings = await sealedSettings(world.settings, [KEY]);
  await settings.putDestination(CRM);
  const [first] = (await world.settings.load()).destinations;
  await settings.putDestination({ ...CRM, revision: 2 });
  const [second] = (await world.settings.load()).destinations;
  expect(first).toMatchObject({ sharedSecret: null, webhooks: [{ headers: { 'X-Team': '' } }] });
  expect(first?.sealed).toBeTypeOf('string');
  expect(second?.sealed).not.toBe(first?.sealed);
});

test('the secret of Standard Webhooks, those that were replaced and the key of hashes are encrypted too', async () => {
  const world = await open();
  const former = { sharedSecret: { secret: 'the one before', until: '2026-11-24T00:00:00.000Z' } };
  const keys = { signatures: ['standard'] as const, standardSecret: 'whsec_hidden', redactKey: 'hidden_key' };
  const signed = { ...CRM, ...keys, former };
  const settings = await sealedSettings(world.settings, [KEY]);
  await settings.putDestination(signed);
  expect(JSON.stringify(await world.settings.load())).not.toMatch(/whsec_hidden|hidden_key|the one before/);
  expect((await settings.load()).destinations).toEqual([signed]);
});

test('a destination without secrets is kept as it is, and needs no key', async () => {
  const world = await open();
  const bare = { ...CRM, sharedSecret: null, webhooks: [{ url: 'https://example.com/', headers: {} }] };
  await (await sealedSettings(world.settings, [KEY])).putDestination(bare);
  expect((await (await sealedSettings(world.settings, [])).load()).destinations).toEqual([bare]);
});

test('what was kept without a key is encrypted when one is given', async () => {
  const world = await open();
  await world.settings.putDestination(CRM);
  const settings = await sealedSettings(world.settings, [KEY]);
  expect(JSON.stringify(await world.settings.load())).not.toContain(JSON.stringify(HEADER));
  expect((await settings.load()).destinations).toEqual([{ ...CRM, revision: 2 }]);
});

test('a new key before the old one takes its place', async () => {
  const world = await open();
  await (await sealedSettings(world.settings, [KEY])).putDestination(CRM);
  await sealedSettings(world.settings, [NEW_KEY, KEY]);
  const settings = await sealedSettings(world.settings, [NEW_KEY]);
  expect((await settings.load()).destinations).toEqual([{ ...CRM, revision: 2 }]);
});

test.each([
  ['none', [], 'it is not set'],
  ['another', [NEW_KEY], 'it has '],
])('with %s key there is no start, and the error names what is missing', async (_, keys, words) => {
  const world = await open();
  await (await sealedSettings(world.settings, [KEY])).putDestination(CRM);
  const opening = sealedSettings(world.settings, keys);
  await expect(opening).rejects.toThrow(`the destination "${CRM.name}" (${CRM.id})`);
  await expect(opening).rejects.toThrow(words);
});

test.each(['moved to another destination', 'cut', 'changed'])('what was %s is refused', async (how) => {
  const world = await open();
  await (await sealedSettings(world.settings, [KEY])).putDestination(CRM);
  const [kept] = (await world.settings.load()).destinations;
  const sealed = kept?.sealed ?? '';
  const changed = sealed.slice(0, -3) + (sealed.at(-3) === 'A' ? 'B' : 'A') + sealed.slice(-2);
  await world.settings.putDestination({
    ...CRM,
    ...(how.startsWith('moved') ? { id: 'dst_9' } : { revision: 2 }),
    sealed: { cut: sealed.slice(0, 20), changed }[how] ?? sealed,
  });
  await expect(sealedSettings(world.settings, [KEY])).rejects.toThrow("can't be decrypted: it was changed");
});

async function open(): Promise<SqliteWorld> {
  const world = await openWorld();
  onTestFinished(() => world.close());
  return world;
}
