import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { NO_ALERT_SETTINGS } from '../alerts/contract.ts';
import type { AlertSettings, AuditEntry, SettingsPlan } from './contract.ts';
import { type Answer, openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const DEFAULT_RULES = { no_success: { enabled: true, after: '5m' }, waiting: { enabled: true, above: 100_000 } };

beforeEach(async () => {
  const { endsAfter } = NO_ALERT_SETTINGS;
  await world.call('PATCH', '/api/alerts', { rules: DEFAULT_RULES, addresses: [], endsAfter });
});

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const SLACK = 'https://hooks.example.com/services/hidden';
const WEBHOOK = 'https://203.0.112.9/alerts';

const yamlNow = async (): Promise<string> => String((await world.get('/api/settings-file')).body['yaml']);
const now = async (): Promise<AlertSettings> => (await world.get('/api/alerts')).body as unknown as AlertSettings;

const plan = async (yaml: string, more: object = {}): Promise<SettingsPlan> => {
  const answer = await world.call('POST', '/api/settings-file/plan', { yaml, ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as SettingsPlan;
};

const apply = async (yaml: string, more: object = {}): Promise<Answer> => {
  const answer = await world.call('POST', '/api/settings-file/apply', { yaml, ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer;
};

const FILE = `
alerts:
  rules:
    no_success: { after: 10m }
  endsAfter: 3m
  addresses:
    - { kind: slack, url: "\${SLACK}" }
    - { kind: webhook, url: ${WEBHOOK}, standardSecret: "\${SECRET}" }
`;
const variables = { SLACK, SECRET };

test('alerts as they come are in no file, and a file without them changes nothing of them', async () => {
  expect(await yamlNow()).not.toContain('alerts');
  await apply(FILE, { variables });
  const { revision } = await now();
  expect((await plan('sources: []')).changes).toEqual([]);
  await apply('sources: []', { prune: true });
  expect((await now()).revision).toBe(revision);
});

test('what is planned is one change without secrets, is applied and audited, and its file changes nothing', async () => {
  const { changes, before, after } = await plan(FILE, { variables });
  expect(changes).toMatchObject([{ action: 'update', type: 'alerts', name: 'Alerts' }]);
  expect(changes[0]?.values).toEqual([
    { field: 'rules.no_success.after', from: '5m', to: '10m' },
    { field: 'endsAfter', from: '2m', to: '3m' },
    { field: 'addresses.0.kind', from: null, to: 'slack' },
    { field: 'addresses.0.url', from: null, to: '****' },
    { field: 'addresses.1.kind', from: null, to: 'webhook' },
    { field: 'addresses.1.url', from: null, to: WEBHOOK },
    { field: 'addresses.1.standardSecret', from: null, to: '****' },
  ]);
  expect(before).not.toContain('alerts');
  expect(after).toContain(
    'alerts:\n  rules:\n    no_success:\n      enabled: true\n      after: 10m\n  endsAfter: 3m\n',
  );
  for (const hidden of [SLACK, SECRET]) expect(after).not.toContain(hidden);
  expect((await now()).addresses).toEqual([]);

  expect((await apply(FILE, { variables })).body).toEqual({ changes });
  expect(await now()).toMatchObject({
    rules: { no_success: { enabled: true, after: '10m' }, waiting: { above: 100_000 } },
    endsAfter: '3m',
    addresses: [{ kind: 'slack' }, { kind: 'webhook', url: WEBHOOK }],
  });
  expect((await world.alerts.settings())?.addresses).toMatchObject([{ url: SLACK }, { standardSecret: SECRET }]);
  const audit = await world.get('/api/audit?limit=2');
  const entries = audit.body['items'] as AuditEntry[];
  expect(entries.map(({ action, target, fields }) => ({ action, target, fields }))).toEqual([
    { action: 'settings.apply', target: null, fields: expect.any(Array) },
    { action: 'alerts.update', target: null, fields: ['rules', 'addresses', 'endsAfter'] },
  ]);

  const yaml = await yamlNow();
  expect(yaml).toContain('Its URL (https://hooks.example.com/••••) is a secret, and stays');
  expect(yaml).toContain('A secret of Standard Webhooks is set, and stays');
  expect(await plan(yaml)).toEqual({ revision: expect.any(String), changes: [], notes: [], before: yaml, after: yaml });
  // Without ids an address is the one that leads to the same place.
  expect(await plan(FILE, { variables })).toMatchObject({
    changes: [],
    notes: [expect.stringContaining('has a standardSecret, which stays')],
    after: yaml,
  });
  for (const hidden of [SLACK, 'services/hidden', SECRET]) {
    expect(yaml + after + JSON.stringify(changes) + audit.text + world.logged()).not.toContain(hidden);
  }
});

test('addresses replace the list, keep what is left out of them, and secrets are set anew where that is asked for', async () => {
  await apply(FILE, { variables });
  const { addresses } = await now();
  const [slack, webhook] = addresses;
  const yaml = (url: string, more = ''): string =>
    `alerts: { addresses: [{ id: ${webhook?.id}, kind: webhook, url: ${WEBHOOK}${more} }, { id: ${slack?.id}, kind: slack${url} }] }`;
  expect((await plan(yaml(`, url: "${SLACK}/other"`))).changes[0]?.values).toContainEqual({
    field: 'addresses.1.url',
    from: WEBHOOK,
    to: 'https://hooks.example.com/•••• (another)',
  });
  await apply(yaml(''));
  expect((await now()).addresses).toEqual([webhook, slack]);
  expect((await world.alerts.settings())?.addresses).toMatchObject([{ standardSecret: SECRET }, { url: SLACK }]);

  await apply(yaml(`, url: "${SLACK}/other"`));
  expect((await world.alerts.settings())?.addresses).toMatchObject([{}, { id: slack?.id, url: `${SLACK}/other` }]);
  const other = SECRET.replace('Bw', 'CA');
  const again = yaml('', `, standardSecret: ${other}`);
  expect((await plan(again)).changes).toEqual([]);
  expect((await plan(again, { setSecrets: true })).changes).toMatchObject([
    { values: [{ field: 'addresses.0.standardSecret', from: 'set', to: 'set again' }] },
  ]);
  await apply(again, { setSecrets: true });
  expect((await world.alerts.settings())?.addresses).toMatchObject([{ standardSecret: other }, {}]);
  await apply('alerts: { addresses: [] }');
  expect((await now()).addresses).toEqual([]);
});

const wrong: [string, string, { path: string; line: number; message: unknown }][] = [
  [
    'a duration that is none',
    'rules:\n    no_success:\n      after: soon',
    place('rules.no_success.after', 4, 'must be a duration'),
  ],
  [
    'a number for a duration',
    'rules:\n    no_success:\n      after: 10',
    place('rules.no_success.after', 4, 'must be a text'),
  ],
  ['a rule that there is not', 'rules:\n    no_succes: {}', place('rules.no_succes', 3, 'not a known field')],
  ['a field that there is not', 'destinations: {}', place('destinations', 2, 'not a known field')],
  ['an end that is too soon', 'endsAfter: 1s', place('endsAfter', 2, 'must be a duration')],
  [
    'a private address',
    `addresses:\n    - kind: webhook\n      url: http://127.0.0.1/\n      standardSecret: ${SECRET}`,
    place('addresses.0.url', 4, 'not a public address'),
  ],
  [
    'a new webhook without a secret',
    `addresses:\n    - kind: webhook\n      url: ${WEBHOOK}`,
    place('addresses.0.standardSecret', 3, 'is required'),
  ],
  [
    'an address that leads nowhere',
    'addresses:\n    - id: adr_other\n      kind: slack',
    place('addresses.0.url', 3, 'is required'),
  ],
  [
    'a secret of an e-mail address',
    `addresses:\n    - { kind: email, to: a@example.com, standardSecret: ${SECRET} }`,
    place('addresses.0.standardSecret', 3, 'of a webhook only'),
  ],
];

function place(path: string, line: number, message: string): { path: string; line: number; message: unknown } {
  return { path: `alerts.${path}`, line, message: expect.stringContaining(message) };
}

test.each(wrong)(
  '%s is refused with its place, by plan and apply, and nothing is changed',
  async (_, section, error) => {
    const { revision } = await now();
    const { length } = world.settings.sources();
    for (const route of ['plan', 'apply']) {
      const yaml = `alerts:\n  ${section}\nsources: [{ name: Good, type: web }]`;
      const answer = await world.call('POST', `/api/settings-file/${route}`, { yaml });
      expect(answer, answer.text).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
      expect(answer.body['errors']).toContainEqual(error);
    }
    expect((await now()).revision).toBe(revision);
    expect(world.settings.sources()).toHaveLength(length);
  },
);

test('the id of an address is that of one, of its kind', async () => {
  await apply(FILE, { variables });
  const [slack] = (await now()).addresses;
  const each = `{ id: ${slack?.id}, kind: webhook, url: ${WEBHOOK} }`;
  const refused = await world.call('POST', '/api/settings-file/plan', {
    yaml: `alerts: { addresses: [${each}, ${each}] }`,
  });
  expect(refused.body['errors']).toEqual([
    { path: 'alerts.addresses.0.id', line: 1, message: 'names no address of the kind webhook' },
    { path: 'alerts.addresses.1.id', line: 1, message: 'names no address of the kind webhook' },
    { path: 'alerts.addresses.1.id', line: 1, message: 'is there twice' },
  ]);
});

test('a viewer sees of addresses what it sees elsewhere, and its file changes nothing', async () => {
  await apply(FILE, { variables });
  const made = await world.call('POST', '/api/tokens', { name: 'looks', role: 'viewer' });
  const headers = { authorization: `Bearer ${String(made.body['token'])}`, 'content-type': 'application/json' };
  const file = await fetch(`${world.origin}/api/settings-file`, { headers });
  const { yaml } = (await file.json()) as { yaml: string };
  expect(yaml).toContain('Its URL (https://203.0.112.9/••••) is a secret');
  const planOf = async (body: object): Promise<Partial<SettingsPlan>> => {
    const answer = await fetch(`${world.origin}/api/settings-file/plan`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Partial<SettingsPlan>;
  };
  const own = await planOf({ yaml });
  expect(own).toMatchObject({ changes: [], after: yaml });
  const whole = await planOf({ yaml: FILE, variables });
  expect(own).not.toHaveProperty('uncompared');
  const uncompared = ['alerts.addresses.0.url', 'alerts.addresses.1.url'];
  expect(whole).toMatchObject({ changes: [], uncompared });
  const elsewhere = FILE.replace(WEBHOOK, `${WEBHOOK}/elsewhere`);
  expect(await planOf({ yaml: elsewhere, variables })).toEqual(whole);
  for (const hidden of [WEBHOOK, SLACK, SECRET]) expect(JSON.stringify([own, whole])).not.toContain(hidden);
  expect((await plan(yaml)).changes).toEqual([]);
});

test('rules of one destination and of one source are in the file, with them', async () => {
  const yaml = `
sources:
  - { name: Own rules, type: server, alerts: { source_silent: { enabled: true, after: 10m } } }
destinations:
  - name: Own rules
    sources: [Own rules]
    webhooks: [{ url: "https://203.0.112.9/" }]
    alerts: { waiting: { enabled: false } }
`;
  await apply(yaml);
  expect((await plan(yaml)).changes).toEqual([]);
  const own = [...world.settings.sources(), ...world.settings.destinations()].filter(
    ({ name }) => name === 'Own rules',
  );
  expect(own.map(({ alerts }) => alerts)).toEqual([
    { source_silent: { enabled: true, after: '10m' } },
    { waiting: { enabled: false } },
  ]);
  expect((await plan(await yamlNow())).changes).toEqual([]);
  await apply('sources: [{ name: Own rules, alerts: {} }]\ndestinations: [{ name: Own rules, alerts: {} }]');
  const refused = await world.call('POST', '/api/settings-file/plan', {
    yaml: 'sources:\n  - name: Own rules\n    alerts:\n      source_silent:\n        after: soon\n',
  });
  expect(refused.body['errors']).toMatchObject([{ path: 'sources.0.alerts.source_silent.after', line: 5 }]);
});
