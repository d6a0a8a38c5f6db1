import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { NO_ALERT_SETTINGS } from '../alerts/contract.ts';
import { systemClock } from '../core/clock.ts';
import type { Webhook } from '../core/destination.ts';
import type { Fault } from '../core/fault.ts';
import type * as contract from './contract.ts';
import { currentAlerts } from './settings-file/alerts.ts';
import { SettingsFiles } from './settings-file/reading.ts';
import { openWorld, TOKEN, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

beforeEach(async () => {
  for (const { id } of world.settings.destinations()) await world.settings.deleteDestination(id);
  for (const { id } of world.settings.sources()) await world.settings.deleteSource(id);
});

const yamlNow = async (): Promise<string> => String((await world.get('/api/settings-file')).body['yaml']);

const plan = async (yaml: string, more: object = {}): Promise<contract.SettingsPlan> => {
  const answer = await world.call('POST', '/api/settings-file/plan', { yaml, ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as contract.SettingsPlan;
};

test('one caller has two files in work at most, and keeps out no other', async () => {
  const files = new SettingsFiles(systemClock);
  onTestFinished(() => files.close());
  const nothing = {
    role: 'admin' as const,
    sources: [],
    destinations: [],
    alerts: currentAlerts(NO_ALERT_SETTINGS, 'admin'),
  };
  const write = (who: string) => files.write(nothing, { withWriteKeys: false }, who);
  const own = [write('viewer'), write('viewer'), write('viewer')].map((file) =>
    file.catch((error: Fault) => error.code),
  );
  expect(await write('admin')).toContain('sources');
  expect((await Promise.all(own))[2]).toBe('overloaded');
  expect(await write('viewer')).toContain('sources');
});

/** Each line stands for ten times the one before. */
const BOMB = Array.from({ length: 9 }, (_, i) => {
  const items = i === 0 ? Array(10).fill('x') : Array(10).fill(`*a${i - 1}`);
  return `k${i}: &a${i} [${items.join(', ')}]`;
}).join('\n');

const FILE = `
sources:
  - { name: Shop, type: web }
destinations:
  - name: CRM
    sources: [Shop]
    webhooks: [{ url: https://203.0.112.9/hook, headers: { Authorization: 'Bearer \${TOKEN}' } }]
    sharedSecret: \${SECRET}
`;
const VARIABLES = { TOKEN: 't0ken', SECRET: 's3cret' };

test('a plan masks a variable in a list, and in what it shows as one text', async () => {
  const file = `
sources: [{ name: Shop, type: web, allowedOrigins: ['https://\${HIDDEN}.example'] }]
destinations:
  - { name: CRM, webhooks: [{ url: https://203.0.112.9/ }], trackFilter: { mode: allow, events: [Seen, '\${HIDDEN}'] } }
`;
  const { changes, after } = await plan(file, { variables: { HIDDEN: 'hidden' } });
  expect(changes).toHaveLength(2);
  expect(JSON.stringify(changes) + after).not.toContain('hidden');
});

test('what would be has no id of what is not made yet, though the file names one by a variable', async () => {
  const { after } = await plan(`sources: [{ id: '\${ID}', name: Shop, type: web }]`, {
    variables: { ID: 'src_other' },
  });
  expect(after).toContain('name: Shop');
  expect(after).not.toContain('id:');
});

test('a plan shows what would change, without secrets, and changes nothing', async () => {
  const { changes, before, after } = await plan(FILE, { variables: VARIABLES });
  expect(changes).toMatchObject([
    { action: 'create', type: 'source', name: 'Shop', fields: ['type', 'enabled'] },
    { action: 'create', type: 'destination', name: 'CRM' },
  ]);
  expect(changes[1]?.values).toContainEqual({ field: 'webhooks.0.headers.Authorization', from: null, to: '****' });
  expect(before).toContain('sources: []');
  expect(after).toContain('name: CRM');
  expect(after).toContain('Authorization: "****"');
  expect(after).toContain('A shared secret is set');
  expect(after).not.toContain('id:');
  expect(JSON.stringify(changes) + after).not.toMatch(/t0ken|s3cret/);
  expect(world.settings.sources()).toEqual([]);
});

test('a plan is applied only while it would change the same', async () => {
  const apply = (revision: string) =>
    world.call(
      'POST',
      '/api/settings-file/apply',
      { yaml: FILE, variables: VARIABLES },
      { 'if-match': `"${revision}"` },
    );
  const { revision } = await plan(FILE, { variables: VARIABLES });
  expect(await plan(FILE, { variables: VARIABLES })).toMatchObject({ revision });
  await world.call('POST', '/api/sources', { name: 'Another', type: 'web' });
  expect((await plan(FILE, { variables: VARIABLES })).revision, 'it has nothing to do with the file').toBe(revision);
  await world.call('POST', '/api/sources', { name: 'Shop', type: 'server' });

  expect(await apply(revision)).toMatchObject({ status: 412, body: { code: 'changed_meanwhile' } });
  expect(world.settings.destinations()).toEqual([]);
  expect(await apply((await plan(FILE, { variables: VARIABLES })).revision)).toMatchObject({ status: 200 });
});

test('what is applied is what was planned, and the file of it changes nothing', async () => {
  const { after } = await plan(FILE, { variables: VARIABLES });
  const applied = await world.call('POST', '/api/settings-file/apply', { yaml: FILE, variables: VARIABLES });
  expect(applied.status, applied.text).toBe(200);
  expect((applied.body['changes'] as object[]).length).toBe(2);
  const [source] = world.settings.sources();
  expect(world.settings.destinations()).toMatchObject([
    { sourceIds: [source?.id], sharedSecret: 's3cret', webhooks: [{ headers: { Authorization: 'Bearer t0ken' } }] },
  ]);
  const yaml = await yamlNow();
  expect(yaml.replaceAll(/(- )id: \S+\n\s+/g, '$1').replace('Bearer t0ken', '"****"')).toBe(after);
  expect(await plan(yaml)).toMatchObject({ changes: [], before: yaml, after: yaml });
  expect(world.logged()).not.toContain('s3cret');
});

test('the audit log has what was made of the file, thing by thing, as if each had been done alone', async () => {
  const audited = async (): Promise<object[]> => {
    const { body } = await world.get('/api/audit?limit=3');
    const entries = body['items'] as contract.AuditEntry[];
    return entries.map(({ action, target, fields }) => ({ action, target, fields }));
  };
  await world.call('POST', '/api/settings-file/apply', { yaml: FILE, variables: VARIABLES });
  const target = (type: 'source' | 'destination', name: string) => ({
    type,
    id: world.settings[`${type}s`]()[0]?.id,
    name,
  });
  const source = target('source', 'Shop');
  expect(await audited()).toEqual([
    { action: 'settings.apply', target: null, fields: ['yaml', 'variables'] },
    {
      action: 'destination.create',
      target: target('destination', 'CRM'),
      fields: ['name', 'type', 'sourceIds', 'enabled', 'settings.webhooks', 'settings.sharedSecret'],
    },
    { action: 'source.create', target: source, fields: ['name', 'type'] },
  ]);
  const { id } = target('destination', 'CRM');
  const yaml = `sources: []\ndestinations: [{ id: ${id}, name: Renamed, sources: [] }]`;
  const answer = await world.call('POST', '/api/settings-file/apply', { yaml, prune: true });
  expect(answer.status, answer.text).toBe(200);
  expect(await audited()).toEqual([
    { action: 'settings.apply', target: null, fields: ['yaml', 'prune'] },
    { action: 'source.delete', target: source, fields: [] },
    { action: 'destination.update', target: target('destination', 'Renamed'), fields: ['name', 'sourceIds'] },
  ]);
});

test('filter, redaction and consent come back from a file; the key of hashes is in none', async () => {
  const { id } = await world.destination();
  const shaping = {
    filter: { not: { field: 'event', is: { equals: 'Cost $' + '{more}' } } },
    redact: [{ path: 'traits.email', do: 'hash' }],
    consent: ['ads'],
  };
  expect((await world.call('PATCH', `/api/destinations/${id}`, shaping)).body).toMatchObject(shaping);
  const { redactKey = '' } = world.settings.destination(id) ?? {};
  expect(Buffer.from(redactKey, 'base64url')).toHaveLength(32);
  const yaml = await yamlNow();
  expect((await plan(yaml)).changes).toEqual([]);
  const without = yaml.replace(/consent:\s+- ads/, 'consent: []').replace('do: hash', 'do: mask');
  expect((await plan(without)).changes).toMatchObject([{ action: 'update', fields: ['redact.0.do', 'consent.0'] }]);
  await world.call('POST', '/api/settings-file/apply', { yaml: without });
  const { body } = await world.call('POST', '/api/settings-file/apply', { yaml });
  expect(body).toMatchObject({ changes: [{ action: 'update' }] });
  expect(world.settings.destination(id)).toMatchObject({ ...shaping, redactKey });
  const seen = [
    yaml,
    world.logged(),
    (await world.get('/api/audit')).text,
    (await world.get('/api/destinations')).text,
  ];
  expect(seen.join()).not.toContain(redactKey);
  const wrong = yaml.replace('event', 'password').replace('traits.email', 'userId');
  const refused = await world.call('POST', '/api/settings-file/plan', { yaml: wrong });
  expect(refused).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'destinations.0.filter.not.field' }, { path: 'destinations.0.redact.0.path' }] },
  });
});

test('a URL is the one of its id, else the one of its text; ids of another service say nothing', async () => {
  const { id } = await world.destination();
  const now = (): readonly Webhook[] => world.settings.destination(id)?.webhooks ?? [];
  const [before] = now();
  const edited = (await yamlNow()).replace(String(before?.url), 'https://203.0.112.9/edited');
  expect(edited).toContain(`- id: ${before?.id}\n        url: https://203.0.112.9/edited\n`);
  expect((await plan(edited)).changes).toMatchObject([
    { action: 'update', values: [{ field: 'webhooks.0.url', from: before?.url, to: 'https://203.0.112.9/edited' }] },
  ]);
  expect((await plan(edited)).after).toContain(`id: ${before?.id}\n`);
  await world.call('POST', '/api/settings-file/apply', { yaml: edited });
  expect(now()).toMatchObject([{ id: before?.id, url: 'https://203.0.112.9/edited' }]);

  const byText = edited.replace(/- id: url_\w+\n\s+url/, '- url');
  expect(await plan(byText)).toMatchObject({ changes: [], after: edited });
  const { name } = world.settings.destination(id) ?? {};
  const foreign = (of: string): string =>
    `destinations: [{ ${of}, webhooks: [{ id: url_other, url: https://203.0.112.9/edited }] }]`;
  expect((await plan(foreign(`id: dst_other, name: ${name}`))).changes).toEqual([]);
  expect((await plan(foreign('id: dst_other, name: New'))).changes).toMatchObject([{ action: 'create' }]);
  for (const of of [`id: ${id}`, `name: ${name}`, 'name: New']) {
    expect(await world.call('POST', '/api/settings-file/plan', { yaml: foreign(of) })).toMatchObject({
      status: 400,
      body: {
        errors: [
          { path: 'destinations.0.webhooks.0.id', line: 1, message: expect.stringContaining('is the id of no URL') },
        ],
      },
    });
  }
});

test('the longest age is planned, applied, kept where it is left out, and removed by null', async () => {
  const destination = (more: string) =>
    `destinations: [{ name: CRM, webhooks: [{ url: https://203.0.112.9/ }]${more} }]`;
  const apply = async (more: string): Promise<number | null | undefined> => {
    const { changes } = await plan(destination(more));
    const applied = await world.call('POST', '/api/settings-file/apply', { yaml: destination(more) });
    expect(applied.body).toEqual({ changes });
    return world.settings.destinations()[0]?.maxEventAgeHours;
  };
  expect(await apply(', maxEventAgeHours: 24')).toBe(24);
  expect(await yamlNow()).toContain('maxEventAgeHours: 24');
  expect((await plan(destination(', maxEventAgeHours: 48'))).changes).toMatchObject([
    { action: 'update', values: [{ field: 'maxEventAgeHours', from: '24', to: '48' }] },
  ]);
  expect((await plan(destination(', maxEventAgeHours: 48'))).after).toContain('maxEventAgeHours: 48');
  expect(await apply('')).toBe(24);
  expect(await apply(', maxEventAgeHours: null')).toBe(null);
});

test('signatures and their secret are planned and applied, and a scheme needs its secret in the file', async () => {
  const destination = (more: string) =>
    `destinations: [{ name: CRM, webhooks: [{ url: https://203.0.112.9/ }], signatures: [segment, standard]${more} }]`;
  const refused = await world.call('POST', '/api/settings-file/plan', { yaml: destination('') });
  expect(refused.body['errors']).toEqual([
    { path: 'destinations.0.standardSecret', message: expect.stringContaining('is required'), line: 1 },
  ]);
  const yaml = destination(`, standardSecret: "\${S}"`);
  const variables = { S: `whsec_${Buffer.alloc(24, 1).toString('base64')}` };
  const { changes, after } = await plan(yaml, { variables });
  expect(after).toContain('A secret of Standard Webhooks is set');
  const applied = await world.call('POST', '/api/settings-file/apply', { yaml, variables });
  expect(applied.body).toEqual({ changes });
  expect(world.settings.destinations()).toMatchObject([
    { signatures: ['segment', 'standard'], standardSecret: variables.S },
  ]);
  const now = await yamlNow();
  expect(now).not.toContain(variables.S);
  expect(await plan(now)).toMatchObject({ changes: [], after: now });
  // It is there by now, and stays.
  expect((await plan(destination(''))).changes).toEqual([]);
  const { changes: back } = await plan(yaml.replace('[segment, standard]', '[segment]'), { variables });
  expect(back).toMatchObject([{ action: 'update', values: [{ field: 'signatures.1', from: 'standard', to: null }] }]);
});

test('prune deletes what is not there any more, and says so before', async () => {
  await world.call('POST', '/api/settings-file/apply', { yaml: FILE, variables: VARIABLES });
  const kept = await plan('destinations: []');
  expect(kept).toMatchObject({ changes: [], notes: [expect.stringContaining('kept: CRM')] });
  const { changes, after } = await plan('sources: []', { prune: true });
  expect(changes).toMatchObject([{ action: 'delete', type: 'source', name: 'Shop' }]);
  expect(after).toContain('sources: []');
});

const wrong: [string, string, { path: string; line: number; message: string }][] = [
  ['no YAML', 'sources: [\n  a: {', { path: '', line: 2, message: expect.any(String) }],
  [
    'a wrong field',
    'sources:\n  - name: A\n    type: desktop',
    { path: 'sources.0.type', line: 3, message: 'must be one of web, mobile, server' },
  ],
  [
    'a name that is too long',
    `sources:\n  - type: web\n    name: ${'x'.repeat(201)}`,
    { path: 'sources.0.name', line: 3, message: expect.any(String) },
  ],
  [
    'a private address',
    'destinations:\n  - name: A\n    webhooks:\n      - url: http://127.0.0.1/',
    { path: 'destinations.0.webhooks.0.url', line: 4, message: expect.stringContaining('not a public address') },
  ],
  [
    'an age that is no number',
    'destinations:\n  - name: A\n    maxEventAgeHours: a month\n    webhooks: [{ url: https://203.0.112.9/ }]',
    { path: 'destinations.0.maxEventAgeHours', line: 3, message: 'must be a whole number or null' },
  ],
  [
    'a field that is not known',
    'destinations:\n  - name: A\n    settings:\n      sharedSecret: x\n    webhooks: [{ url: https://203.0.112.9/ }]',
    { path: 'destinations.0.settings', line: 3, message: expect.any(String) },
  ],
  [
    'an age that cannot be',
    'destinations:\n  - name: A\n    webhooks: [{ url: https://203.0.112.9/ }]\n    maxEventAgeHours: 0',
    { path: 'destinations.0.maxEventAgeHours', line: 4, message: expect.any(String) },
  ],
  [
    'a header that cannot be',
    'destinations:\n  - name: A\n    webhooks:\n      - url: https://203.0.112.9/\n        headers: { Host: x }',
    { path: 'destinations.0.webhooks.0.headers.Host', line: 5, message: expect.any(String) },
  ],
  [
    'a variable that is not there',
    `sources:\n  - name: \${NONE}\n    type: web`,
    { path: 'sources.0.name', line: 2, message: 'the variable NONE is not set, or is empty' },
  ],
  [
    'the same key twice',
    'sources:\n  - { name: A, type: web, writeKey: aaaaaaaaaaaaaaaaaaaa }\n  - { name: B, type: web, writeKey: aaaaaaaaaaaaaaaaaaaa }',
    { path: 'sources.1.writeKey', line: 3, message: 'is the write key of another source' },
  ],
];

test.each(wrong)('%s is refused with its place, by plan and apply, and nothing is changed', async (_, yaml, error) => {
  const good = 'name: Good, type: web';
  const file = yaml.startsWith('destinations') ? `${yaml}\nsources: [{ ${good} }]` : yaml;
  for (const route of ['plan', 'apply']) {
    const answer = await world.call('POST', `/api/settings-file/${route}`, { yaml: file });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(answer.body['errors']).toContainEqual(error);
    expect(answer.body['detail']).toContain(`line ${error.line}: `);
  }
  expect(world.settings.sources()).toEqual([]);
});

test('write keys are in the file where they are asked for', async () => {
  const { writeKey } = await world.source();
  expect(await yamlNow()).not.toContain(writeKey);
  expect((await world.get('/api/settings-file?withWriteKeys=true')).text).toContain(writeKey);
});

test('a viewer sees neither keys nor the values of headers', async () => {
  await world.call('POST', '/api/settings-file/apply', { yaml: FILE, variables: VARIABLES });
  const made = await world.call('POST', '/api/tokens', { name: 'looks', role: 'viewer' });
  const as = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(world.origin + path, {
      ...init,
      headers: { authorization: `Bearer ${String(made.body['token'])}`, 'content-type': 'application/json' },
    });
  const file = await (await as('/api/settings-file')).text();
  expect(file).toContain('Authorization: ••••');
  const planned = await as('/api/settings-file/plan', {
    method: 'POST',
    body: JSON.stringify({ yaml: FILE, variables: VARIABLES }),
  });
  for (const text of [file, await planned.text(), await (await as('/api/destinations')).text()])
    expect(text).not.toContain('t0ken');
  expect((await as('/api/settings-file?withWriteKeys=true')).status).toBe(403);
  expect((await as('/api/settings-file/apply', { method: 'POST', body: '{"yaml":""}' })).status).toBe(403);
});

const urls = (names: readonly string[]): string =>
  `destinations:${names.map((name, i) => `\n  - { name: D${i}, webhooks: [{ url: 'https://${name}/${i}' }] }`).join('')}`;

test('a name is looked up once, only so many of them, and none for a viewer', async () => {
  const apply = (yaml: string): Promise<{ status: number }> =>
    world.call('POST', '/api/settings-file/plan', { yaml, prune: false });
  world.lookedUp.length = 0;
  await apply(urls(['a.example.com', 'b.example.com', 'a.example.com']));
  expect(world.lookedUp).toEqual(['a.example.com', 'b.example.com']);
  world.lookedUp.length = 0;
  await apply(urls(Array.from({ length: 150 }, (_, i) => `n${i}.example.com`)));
  expect(world.lookedUp).toHaveLength(100);
  expect(await apply(urls(['crm.internal']))).toMatchObject({ status: 400 });

  const made = await world.call('POST', '/api/tokens', { name: 'plans', role: 'viewer' });
  world.lookedUp.length = 0;
  const planned = await fetch(`${world.origin}/api/settings-file/plan`, {
    method: 'POST',
    headers: { authorization: `Bearer ${String(made.body['token'])}`, 'content-type': 'application/json' },
    body: JSON.stringify({ yaml: urls(['crm.internal']) }),
  });
  expect(planned.status).toBe(200);
  expect(world.lookedUp).toEqual([]);
});

test.each([
  ['a key twice', 'sources: []\nsources: []', 'the key sources is there twice', 2],
  ['aliases that stand for too much', BOMB, 'aliases', undefined],
  ['more levels than a body has', `a: ${'['.repeat(5_000)}`, 'lists and mappings in one another', 1],
  ['more lists in one line', `sources:\n${'- '.repeat(5_000)}x`, 'lists and mappings in one another', 2],
])('%s is refused', async (_, yaml, message, line) => {
  const answer = await world.call('POST', '/api/settings-file/plan', { yaml });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
  const [first] = answer.body['errors'] as { message: string; line?: number }[];
  expect(first?.message).toContain(message);
  expect(first?.line).toBe(line);
});

test('an answer names as many errors as somebody reads', async () => {
  const yaml = `sources:${Array.from({ length: 3_000 }, (_, i) => `\n  - { k${i}: 1 }`).join('')}`;
  const answer = await world.call('POST', '/api/settings-file/plan', { yaml });
  expect(answer.body['errors']).toHaveLength(100);
  expect(answer.body['detail']).toMatch(/; and \d+ more$/);
});

test('a section of too many entries is refused', async () => {
  const yaml = `sources:${'\n  - { name: A, type: web }'.repeat(2_001)}`;
  const answer = await world.call('POST', '/api/settings-file/plan', { yaml });
  const message = 'has more than 2000 entries: make several files of it';
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'sources', message }] } });
});

test('a body with too many levels is refused before anything recurses into it', async () => {
  const yaml = `${'['.repeat(200)}${']'.repeat(200)}`;
  const answer = await world.raw(
    '/api/settings-file/plan',
    `{"yaml":"","variables":{"a":${yaml}}}`,
    'application/json',
  );
  expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining('128 levels') } });
});

test('the settings of the process are told, secrets masked', async () => {
  const { body, text } = await world.get('/api/process-settings');
  expect(body['items']).toContainEqual({
    name: 'MILLRACE_DELIVERY_TIMEOUT',
    value: '5s',
    default: '5s',
    help: expect.any(String),
  });
  expect(body['items']).toContainEqual(
    expect.objectContaining({ name: 'MILLRACE_ADMIN_TOKEN', value: '****', default: null }),
  );
  expect(text).not.toContain(TOKEN);
});
