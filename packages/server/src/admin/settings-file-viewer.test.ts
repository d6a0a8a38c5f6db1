import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SettingsPlan } from './contract.ts';
import { openWorld, type World } from './test-server.ts';

let world: World;
let asViewer: Record<string, string>;
/** The settings as an admin exports them, with everything that a viewer does not see but the shared secret, which is in no file. */
let whole: string;

const KEY = 'k'.repeat(20);
const FILE = `
sources:
  - { name: Shop, type: web, writeKey: ${KEY} }
destinations:
  - name: CRM
    sources: [Shop]
    webhooks: [{ url: https://203.0.112.9/hook, headers: { Authorization: Bearer t0ken } }]
`;

beforeAll(async () => {
  world = await openWorld();
  const made = await world.call('POST', '/api/tokens', { name: 'compares', role: 'viewer' });
  asViewer = { authorization: `Bearer ${String(made.body['token'])}` };
  await world.call('POST', '/api/settings-file/apply', { yaml: FILE });
  whole = String((await world.get('/api/settings-file?withWriteKeys=true')).body['yaml']);
});
afterAll(() => world.close());

async function plan(yaml: string, headers: Record<string, string> = asViewer): Promise<SettingsPlan> {
  const answer = await world.call('POST', '/api/settings-file/plan', { yaml }, headers);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as SettingsPlan;
}

const uncompared = ['sources.0.writeKey', 'destinations.0.webhooks.0.headers.Authorization'];

test('what a viewer does not see is not compared, and its plan says so', async () => {
  expect(await plan(whole)).toMatchObject({
    changes: [],
    notes: [`Not compared, because only an admin sees these values: ${uncompared.join(', ')}`],
    uncompared,
  });
  expect(await plan(whole, {})).toEqual(expect.not.objectContaining({ uncompared: expect.anything() }));
});

test('a right guess of a viewer looks as a wrong one', async () => {
  const right = await plan(whole);
  for (const guess of ['Bearer guess', '••••']) {
    expect(await plan(whole.replace('Bearer t0ken', guess).replace(KEY, 'g'.repeat(20)))).toEqual(right);
  }
});

test('beside it everything is compared: other fields, and which headers there are', async () => {
  const moved = await plan(whole.replace('203.0.112.9/hook', '203.0.112.9/moved'));
  expect(moved).toMatchObject({ uncompared, changes: [{ fields: ['webhooks.0.url'] }] });
  for (const text of [moved.before, moved.after]) expect(text).toContain('Authorization: ••••');
  const renamed = await plan(whole.replace('Authorization: Bearer', 'X-Other: Bearer'));
  expect(renamed.uncompared).toEqual(['sources.0.writeKey']);
  expect(renamed.changes[0]?.values).toEqual([
    { field: 'webhooks.0.headers.Authorization', from: '••••', to: null },
    { field: 'webhooks.0.headers.X-Other', from: null, to: 'Bearer t0ken' },
  ]);
});

test('a file that leaves out what a viewer does not see is compared whole', async () => {
  const plain = FILE.replace(/, writeKey: \w+/, '').replace(/\n *webhooks.*/, '');
  expect(await plan(plain)).toEqual(expect.not.objectContaining({ uncompared: expect.anything() }));
  expect((await plan(plain)).notes).toEqual([]);
});
