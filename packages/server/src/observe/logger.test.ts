import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

const SECRET = 'hunter2-0123456789abcdef';

function capture(): { to: Writable; text(): string; lines(): Record<string, unknown>[] } {
  const chunks: string[] = [];
  const to = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const text = (): string => chunks.join('');
  return {
    to,
    text,
    lines: () =>
      text()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

const failure = Object.assign(new Error('no luck', { cause: Object.assign(new Error('inner'), { token: SECRET }) }), {
  code: 'E_NO_LUCK',
  options: { headers: { authorization: SECRET } },
});

const loaded: [string, object][] = [
  ['authorization header', { req: { headers: { authorization: `Bearer ${SECRET}`, accept: 'x' } } }],
  ['raw request', { req: { method: 'POST', url: `/v1/t?writeKey=${SECRET}`, headers: { cookie: SECRET } } }],
  ['write key in a path', { req: { method: 'GET', url: `/v1/projects/${SECRET}/settings`, headers: {} } }],
  ['address of a refused request', { url: `/v1/pixel/track?writeKey=${SECRET}`, code: 'event_required' }],
  ['address of a settings request', { deep: { url: `/v1/projects/${SECRET}/settings` } }],
  ['address of the browser script', { url: `//analytics.js/v1/${SECRET}/analytics.min.js` }],
  ['token in a webhook URL', { attempts: [{ url: `https://hooks.example.com/in?token=${SECRET}` }] }],
  ['destination', { destination: { name: 'CRM', sharedSecret: SECRET } }],
  ['list of destinations', { a: { b: [{ webhooks: [{ url: 'https://x', headers: { 'X-Key': SECRET } }] }] } }],
  ['source', { writeKey: SECRET, source: { 'write-key': SECRET, WRITE_KEY: SECRET } }],
  ['config', { config: { adminToken: SECRET, token: SECRET, databaseUrl: `postgres://u:${SECRET}@db` } }],
  ['map', { map: new Map([['x', { password: SECRET }]]) }],
  ['error with options', { err: failure }],
];

test.each(loaded)('a secret never reaches a line: %s', (_, fields) => {
  const out = capture();
  const logger = createLogger({ level: 'info', to: out.to });
  logger.info(fields, 'a line');
  logger.child(fields).info('a child');
  logger.child({}).child(fields).info('a grandchild');
  expect(out.lines()).toHaveLength(3);
  expect(out.text()).not.toContain(SECRET);
});

test('an error given alone keeps code, stack and causes and nothing else', () => {
  const out = capture();
  createLogger({ level: 'info', to: out.to }).error(failure, 'it failed');
  const [line] = out.lines();
  expect(line).toMatchObject({ level: 'error', msg: 'it failed' });
  expect(line?.['err']).toMatchObject({
    type: 'Error',
    code: 'E_NO_LUCK',
    message: 'no luck',
    cause: { message: 'inner' },
  });
  expect(line?.['err']).not.toHaveProperty('options');
  expect(out.text()).not.toContain(SECRET);
});

test('what is no secret stays as it is', () => {
  const out = capture();
  const logger = createLogger({ level: 'warn', to: out.to });
  const fields = {
    destinationId: 'dst_1',
    ms: 12.5,
    ok: true,
    nothing: null,
    list: [1, 'b'],
    sharedSecret: null,
    databaseUrl: '',
  };
  logger.info(fields, 'too quiet');
  logger.warn(fields, 'delivered');
  expect(out.lines()).toEqual([
    { level: 'warn', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), ...fields, msg: 'delivered' },
  ]);
});

test('deep, cyclic and binary values are bounded', () => {
  const out = capture();
  const cycle: Record<string, unknown> = { bytes: new Uint8Array(9) };
  cycle['self'] = cycle;
  createLogger({ level: 'info', to: out.to }).info({ cycle }, 'round');
  expect(out.text()).toContain('[deep]');
  expect(out.text()).toContain('[9 bytes]');
});
