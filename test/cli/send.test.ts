import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../../bench/redis.ts';
import type { Source } from '../../packages/server/src/admin/contract.ts';
import { folder, millrace, serviceForFile } from './command.ts';
import { Inbox } from './inbox.ts';

const service = await serviceForFile();
let source: Source;
beforeAll(async () => {
  source = await service.client.call('POST /api/sources', { name: 'Shop', type: 'server' });
  // What it sends under is no source for others: there is still one to be taken unasked.
  await make('/api/audiences', { name: 'Buyers', definition: { event: { name: 'Order Completed' } } });
});

/** What the command line itself never asks of the admin API. */
async function make(path: string, body: object): Promise<void> {
  const made = await fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.env['MILLRACE_ADMIN_TOKEN']}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(made.status).toBe(201);
}

async function inbox(): Promise<Inbox> {
  const opened = await new Inbox().open();
  for (const { id } of await service.client.destinations())
    await service.client.call('DELETE /api/destinations/:id', id);
  await service.client.call('POST /api/destinations', {
    name: 'CRM',
    type: 'Webhooks',
    sourceIds: [source.id],
    settings: { webhooks: [{ url: opened.url }] },
  });
  return opened;
}

test('a source that is not there is a wrong argument: nothing was tried', async () => {
  const { code, stderr } = await millrace(['send', '--source', 'Shopp'], { env: service.env });
  expect(stderr).toContain(`there is no source "Shopp". There are: Shop (${source.id})`);
  expect(code).toBe(2);
});

test.each([
  [[], { type: 'track', event: 'Order Completed', userId: 'u1' }],
  [
    [
      'track',
      'Order Completed',
      '--user',
      'u7',
      '--property',
      'total=12.5',
      '--property',
      'note=a=b',
      '--property',
      'tags=["x"]',
      '--property',
      'serial=1e400',
    ],
    {
      type: 'track',
      event: 'Order Completed',
      userId: 'u7',
      properties: { total: 12.5, note: 'a=b', tags: ['x'], serial: '1e400' },
    },
  ],
  [
    ['identify', '--user', 'u7', '--trait', 'email=a@mail.example'],
    { type: 'identify', userId: 'u7', traits: { email: 'a@mail.example' } },
  ],
  [
    ['page', 'Home', '--anonymous', 'v1', '--context', 'locale=en'],
    { type: 'page', name: 'Home', userId: null, anonymousId: 'v1' },
  ],
  [['group', 'acme', '--user', 'u7'], { type: 'group', groupId: 'acme', userId: 'u7' }],
  [['alias', 'u7', '--previous', 'v1'], { type: 'alias', 'Previous ID': 'v1', 'User ID': 'u7' }],
  [
    [
      'track',
      '--json',
      '{"event":"E","userId":"a","messageId":"mine"}',
      '--user',
      'b',
      '--timestamp',
      '2020-01-02T03:04:05Z',
    ],
    { type: 'track', event: 'E', userId: 'b', messageId: 'mine', timestamp: '2020-01-02T03:04:05.000Z' },
  ],
])('millrace send %j', async (args, expected) => {
  const received = await inbox();
  const { code, stdout, stderr } = await millrace(['send', ...args], { env: service.env });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^200 \{"success":true\} {2}\w+ \S+\n$/);
  expect(code).toBe(0);
  expect((await received.count(1))[0]).toMatchObject(expected);
});

test('takes the write key from the environment, without a token', async () => {
  const env = { MILLRACE_URL: service.url, MILLRACE_WRITE_KEY: source.writeKey };
  expect((await millrace(['send'], { env, cwd: folder() })).code).toBe(0);
});

test('a call that is refused: exit code 1 with the code of the refusal', async () => {
  const noGroup = await millrace(['send', 'group'], { env: service.env });
  expect(noGroup.stderr).toContain('400 group_id_required');
  expect(noGroup.code).toBe(1);
  const noSource = await millrace(['send', '--write-key', 'nobody'], { env: service.env });
  expect(noSource.stderr).toContain('401 unknown_write_key');
  expect(noSource.code).toBe(1);
});

test('a time that is none is not tried: the call would count as happening now', async () => {
  const { code, stderr } = await millrace(['send', '--timestamp', 'yesterday'], { env: service.env });
  expect(stderr).toContain("'yesterday' is invalid. It must be a time like 2026-11-27T09:30:00Z.");
  expect(code).toBe(2);
});

test('a call of a suppressed user is answered 200 and refused: exit code 1', async () => {
  const regulation = { regulationType: 'SUPPRESS_WITH_DELETE', subjectType: 'USER_ID', subjectIds: ['gone'] };
  await make('/api/regulations', regulation);
  const { code, stdout, stderr } = await millrace(['send', 'track', 'A', '--user', 'gone'], { env: service.env });
  expect(stderr).toContain('the call was refused: 200 user_suppressed: The user is suppressed');
  expect(stdout).toBe('');
  expect(code).toBe(1);
});

test('a wrong admin token, and where it came from', async () => {
  const { code, stderr } = await millrace(['send', '--token', 'wrong'], { env: service.env });
  expect(stderr).toBe(
    `millrace: ${service.url} refuses the admin token from --token. Give the right one with --token or MILLRACE_ADMIN_TOKEN.\n`,
  );
  expect(code).toBe(1);
});

test('a token that none can be is not tried, and not shown: exit code 2', async () => {
  const cwd = folder();
  mkdirSync(join(cwd, 'data'));
  writeFileSync(join(cwd, 'data/admin-token'), 'first-secret\nsecond-secret\n');
  const url = { MILLRACE_URL: service.url };
  for (const [args, env, from] of [
    [['--token', 'first-secret\nsecond-secret'], {}, '--token'],
    [[], { MILLRACE_ADMIN_TOKEN: 'first-secret\r\nsecond-secret' }, 'MILLRACE_ADMIN_TOKEN'],
    [['--token', 'first-secret€'], {}, '--token'],
    [[], {}, 'data/admin-token'],
  ] as const) {
    const { code, stdout, stderr } = await millrace(['send', ...args], { cwd, env: { ...url, ...env } });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`the admin token from ${from} has a line break`)]);
    expect(stdout + stderr).not.toContain('secret');
  }
});

test('a port that HTTP clients refuse: the reason is named, whatever runs there', async () => {
  const { code, stderr } = await millrace(['send', '--write-key', 'k', '--url', 'http://127.0.0.1:6667']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('this command, send no HTTP to its port')]);
});

test('no service there: exit code 1, and how to name another address', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { code, stderr } = await millrace(['send', '--write-key', 'k', '--url', url]);
  expect(stderr).toContain(`cannot reach ${url} (connection refused). Is the service running?`);
  expect(stderr).toContain('--url or MILLRACE_URL');
  expect(stderr).not.toContain('    at ');
  expect(code).toBe(1);
});

test.each([
  [['send', 'bogus'], 'Allowed choices are identify, track'],
  [['send', '--property', 'nothing'], '--property takes name=value'],
  [['send', '--json', '{'], '--json is no JSON'],
  [['send', 'track', '--json', '{"type":"identify"}'], '--json is of type "identify", and this sends track'],
  [['send', 'track', '--user', 'u1'], 'which event? Name it'],
  [['send', '--property', 'total=1'], 'which event? Name it'],
  [['send', '--trait', 'plan=pro'], 'a call of type track takes no --trait. It is for: identify, group'],
  [['send', 'track', 'X', '--group', 'g1'], 'takes no --group'],
  [['send', 'track', 'X', '--previous', 'p1'], 'takes no --previous'],
  [['send', 'identify', '--json', '{}', '--property', 'total=1'], 'a call of type identify takes no --property'],
  [['send', 'alias', 'u1', '--user', 'u2'], '"u1" and --user "u2" name the same field'],
  [['send', 'group', 'g1', '--group', 'g2'], '"g1" and --group "g2" name the same field'],
  [['send', '--url', 'localhost:8080', '--write-key', 'k'], 'must be a URL like'],
  [['send', '--url', 'https://millrace.example.com'], 'this needs the admin token of https://millrace.example.com'],
  [['send'], 'data/admin-token: no such file'],
])('%j is not tried: exit code 2', async (args, reason) => {
  const { code, stderr } = await millrace(args, { cwd: folder() });
  expect(stderr).toContain(reason);
  expect(code).toBe(2);
});
