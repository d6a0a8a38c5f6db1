import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Destination } from '../../packages/server/src/admin/contract.ts';
import { collect } from '../../packages/server/src/cli/client.ts';
import { type Ended, folder, millrace, serviceForFile } from './command.ts';
import { Inbox } from './inbox.ts';

const service = await serviceForFile();
const { client } = service;

beforeEach(empty);

async function empty(): Promise<void> {
  for (const { id } of await client.destinations()) await client.call('DELETE /api/destinations/:id', id);
  for (const { id } of await client.sources()) await client.call('DELETE /api/sources/:id', id);
}

async function filled(): Promise<Destination> {
  const shop = await client.call('POST /api/sources', { name: 'Shop: "web"', type: 'web' });
  const app = await client.call('POST /api/sources', { name: `\${app}`, type: 'mobile', enabled: false });
  await client.call('POST /api/destinations', {
    name: 'Plain',
    type: 'Webhooks',
    sourceIds: [app.id],
    enabled: false,
    settings: { webhooks: [{ url: `https://a.example.com/\${x}` }, { url: 'https://b.example.com/' }] },
  });
  return client.call('POST /api/destinations', {
    name: 'CRM',
    type: 'Webhooks',
    sourceIds: [shop.id, app.id],
    settings: {
      webhooks: [{ url: 'https://crm.example.com/hook', headers: { 'X-Team': 'yes', 'X-N': '1' } }],
      sharedSecret: 'old',
    },
    trackFilter: { mode: 'deny', events: ['Mouse Moved', 'on'] },
    maxEventAgeHours: 720,
  });
}

function fileOf(text: string): string {
  const path = join(folder(), 'settings.yaml');
  writeFileSync(path, text);
  return path;
}

function apply(
  text: string,
  args: readonly string[] = ['--yes'],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return millrace(['apply', fileOf(text), ...args], { env: { ...service.env, ...env } });
}

async function exported(...args: string[]): Promise<string> {
  const { code, stdout } = await millrace(['export', ...args], { env: service.env });
  expect(code).toBe(0);
  return stdout;
}

/** What is there, by name, without what the service makes up itself. */
async function everything(): Promise<unknown> {
  const sources = await client.sources();
  const names = new Map(sources.map(({ id, name }) => [id, name]));
  const destinations = (await client.destinations()).map(
    ({ id: _, createdAt: __, updatedAt: ___, sourceIds, ...rest }) => {
      return { ...rest, sources: sourceIds.map((id) => names.get(id)).toSorted() };
    },
  );
  return {
    sources: sources.map(({ id: _, createdAt: __, ...rest }) => rest).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    destinations: destinations.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

test('what was exported changes nothing when it is applied', async () => {
  await filled();
  const text = await exported();
  expect(text).not.toMatch(/\bold/);
  expect(text).not.toContain('writeKey');
  const before = [await client.sources(), await client.destinations()];
  const { code, stdout, stderr } = await apply(text, []);
  expect(stderr).toBe('');
  expect(stdout).toBe('Nothing to change.\n');
  expect(code).toBe(0);
  expect([await client.sources(), await client.destinations()]).toEqual(before);
});

test('an export with write keys makes another installation the same, secrets supplied', async () => {
  await filled();
  const before = await everything();
  const path = join(folder(), 'move.yaml');
  // Also where there was a file that others may read.
  writeFileSync(path, 'before', { mode: 0o644 });
  await exported('--with-write-keys', '-o', path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, 'utf8').replace(/# A shared secret.*/, `sharedSecret: \${CRM_SECRET}`);
  await empty();
  const { code, stdout } = await apply(text, ['--yes'], { CRM_SECRET: 'the secret' });
  expect(stdout).toContain('4 to make, 0 to change, 0 to delete');
  expect(stdout).not.toContain('the secret');
  expect(code).toBe(0);
  expect(await everything()).toEqual(before);
  expect((await apply(text, [], { CRM_SECRET: 'the secret' })).stdout).toBe('Nothing to change.\n');
});

test('the secret of the file is the one that signs', async () => {
  const inbox = await new Inbox().open();
  const text = `
sources: [{ name: Shop, type: server }]
destinations: [{ name: CRM, sources: [Shop], webhooks: [{ url: '${inbox.url}' }], sharedSecret: '\${SECRET}' }]
`;
  await apply(text, ['--yes'], { SECRET: 'first' });
  expect(await client.destinations()).toMatchObject([{ settings: { sharedSecret: { set: true } } }]);
  const again = await apply(text, ['--yes', '--set-secrets'], { SECRET: 'second' });
  expect(again.stdout).toContain('sharedSecret: set → set again');
  const [source] = await client.sources();
  await collect(service.url, '/v1/track', source?.writeKey ?? '', '{"event":"E","userId":"u"}');
  await inbox.count(1);
  const removed = await apply('destinations: [{ name: CRM, sharedSecret: null }]');
  expect(removed.stdout).toContain('sharedSecret: set → nothing');
  expect(await client.destinations()).toMatchObject([{ settings: { sharedSecret: { set: false } } }]);
});

test('shows what changes, changes that, and leaves the rest as it is', async () => {
  const { id } = await filled();
  const text = `
sources:
  - name: New
    type: server
destinations:
  - id: ${id}
    name: CRM 2
    sources: ['Shop: "web"', New]
    webhooks:
      - url: https://crm.example.com/other
        headers: { Authorization: 'Bearer \${CRM_TOKEN}', X-Team: 'yes' }
`;
  const { code, stdout, stderr } = await apply(text, ['--yes'], { CRM_TOKEN: 't0ken' });
  expect(stdout).toContain('+ source New');
  expect(stdout).toContain('~ destination CRM\n');
  expect(stdout).toContain('    name: CRM → CRM 2\n');
  expect(stdout).toContain('    webhooks.0.url: https://crm.example.com/hook → https://crm.example.com/other\n');
  expect(stdout).toContain('    webhooks.0.headers.X-N: 1 → nothing\n');
  expect(stdout).toContain('    webhooks.0.headers.Authorization: nothing → ****\n');
  expect(stdout).toContain(`    sources.1: \${app} → New\n`);
  expect(stdout).toContain('1 to make, 1 to change, 0 to delete');
  expect(stderr).toContain('Not in the file, and kept: Shop: "web"');
  expect(code).toBe(0);
  const changed = (await client.destinations()).find((each) => each.id === id);
  expect(changed).toMatchObject({
    name: 'CRM 2',
    enabled: true,
    settings: {
      webhooks: [{ headers: { Authorization: 'Bearer t0ken', 'X-Team': 'yes' } }],
      sharedSecret: { set: true },
    },
    trackFilter: { mode: 'deny', events: ['Mouse Moved', 'on'] },
    maxEventAgeHours: 720,
  });
  expect(changed?.sourceIds).toHaveLength(2);
});

test('--dry-run and a missing --yes change nothing', async () => {
  await filled();
  const before = await everything();
  const text = 'sources: [{ name: New, type: web }]';
  expect((await apply(text, ['--dry-run'])).code).toBe(0);
  expect((await apply(text, ['--dry-run', '--exit-code'])).code).toBe(1);
  const unasked = await apply(text, []);
  expect(unasked.stderr).toContain('--yes applies this without asking');
  expect(unasked.code).toBe(2);
  expect(await everything()).toEqual(before);
});

test('a viewer learns what its plan did not compare, and gets no exit code of an unchanged service', async () => {
  await filled();
  const text = await exported();
  const made = await fetch(`${service.url}/api/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.env['MILLRACE_ADMIN_TOKEN']}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Drift', role: 'viewer' }),
  });
  const env = { MILLRACE_ADMIN_TOKEN: ((await made.json()) as { token: string }).token };
  const looks = (file: string, ...more: string[]): Promise<Ended> => apply(file, ['--dry-run', ...more], env);
  const ended = await looks(text, '--exit-code');
  expect(ended.stdout).toBe('Nothing to change in what was compared.\n');
  expect(ended.stderr).toContain(
    'Not compared, because only an admin sees these values: destinations.1.webhooks.0.headers',
  );
  expect(ended.code).toBe(1);
  expect((await looks(text)).code).toBe(0);
  expect((await apply(text, ['--yes'], env)).code).toBe(1);
  const plain = await looks('sources: [{ name: \'Shop: "web"\', enabled: true }]', '--exit-code');
  expect(plain).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' });
});

test('--prune deletes what is not in the sections of the file', async () => {
  await filled();
  const { code, stdout } = await apply('destinations: [{ name: Plain }]', ['--yes', '--prune']);
  expect(stdout).toBe('- destination CRM\n0 to make, 0 to change, 1 to delete\nDone: 1 change.\n');
  expect(code).toBe(0);
  expect((await client.destinations()).map(({ name }) => name)).toEqual(['Plain']);
  expect(await client.sources()).toHaveLength(2);
  await apply('sources: []\ndestinations: []', ['--yes', '--prune']);
  expect(await everything()).toEqual({ sources: [], destinations: [] });
});

test('says of everything that is wrong in the file where it is', async () => {
  await filled();
  const before = await everything();
  const { code, stderr } = await apply(`
sources:
  - name: New
    type: desktop
  - type: web
destinations:
  - name: CRM
    enabled: yes
    webhooks:
      - url: https://crm.example.com
        headers: { X-N: 1 }
      - header: {}
    sharedSecret: \${NOT_SET}
    sourceIds: []
`);
  for (const line of [
    'settings.yaml:4: sources.0.type: must be one of web, mobile, server',
    'settings.yaml:5: sources.1: needs a name (or an id)',
    'settings.yaml:8: destinations.0.enabled: must be true or false',
    'settings.yaml:11: destinations.0.webhooks.0.headers.X-N: must be a text (put it in quotes)',
    'settings.yaml:12: destinations.0.webhooks.1.header: is not a known field (known: id, url, headers)',
    'settings.yaml:12: destinations.0.webhooks.1.url: is required',
    'settings.yaml:13: destinations.0.sharedSecret: the variable NOT_SET is not set, or is empty',
    'settings.yaml:14: destinations.0.sourceIds: is not a known field',
  ]) {
    expect.soft(stderr).toContain(line);
  }
  expect(code).toBe(2);
  expect(await everything()).toEqual(before);
});

test.each([
  ['sources: [', ' settings.yaml:1'],
  ['sources: {}', 'sources: must be a list'],
  ['- a', 'must be a mapping'],
  ['destinations: [{ name: X }]', 'destinations.0.webhooks: a new destination needs at least one URL'],
  ['destinations: [{ name: CRM, sources: [Nobody] }]', 'destinations.0.sources.0: names no source: Nobody'],
  ['sources: [{ name: A, type: web }, { name: A, type: web }]', 'sources.1: is the same as sources.0'],
  [
    `sources: [{ name: 'Shop: "web"', type: server }]`,
    'sources.0.type: can not become server: its write key was public',
  ],
  [
    `sources: [{ id: src_1, name: A, type: web }, { id: src_2, name: A, type: web }]
destinations: [{ name: X, sources: [A], webhooks: [{ url: 'https://x.example.com' }] }]`,
    'destinations.0.sources.0: several sources have this name; give the id',
  ],
  [
    `sources: [{ name: 'Shop: "web"', writeKey: another-key-of-it }]`,
    'sources.0.writeKey: is not the one the service has',
  ],
])('%s is refused before anything is changed', async (text, reason) => {
  await filled();
  const before = await everything();
  const { code, stderr } = await apply(text);
  expect(stderr).toContain(reason.replace(' settings.yaml', 'settings.yaml'));
  expect(stderr).not.toContain('    at ');
  expect(code).toBe(2);
  expect(await everything()).toEqual(before);
});

test('a URL that cannot be saved is said at its place in the file, before anything is changed', async () => {
  const { code, stderr } = await apply(`
sources:
  - { name: Shop, type: web }
destinations:
  - name: CRM
    sources: [Shop]
    webhooks:
      - url: https://ok.example.com
      - url: ftp://crm.example.com
        headers: { Host: x }
`);
  expect(stderr).toContain('settings.yaml:9: destinations.0.webhooks.1.url: ');
  expect(stderr).toContain('settings.yaml:10: destinations.0.webhooks.1.headers.Host: ');
  expect(stderr).toContain('nothing was changed');
  expect(code).toBe(2);
  expect(await everything()).toEqual({ sources: [], destinations: [] });
});

test('a file that is larger than the service reads is refused like a wrong one', async () => {
  const { code, stderr } = await apply(`# ${'x'.repeat(2_000_000)}`);
  expect([code, stderr]).toEqual([2, expect.stringContaining("settings.yaml can't be applied; nothing was changed: ")]);
});
