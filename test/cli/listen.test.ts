import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { begin, type Command, millrace, serviceForFile } from './command.ts';

const service = await serviceForFile({ MILLRACE_ALLOW_PRIVATE_URLS: 'false' });

async function listening(...args: string[]): Promise<{ listen: Command; url: string }> {
  const listen = begin(['listen', '--port', '0', ...args]);
  const [url = ''] = await listen.said(/Receiving on (http:\S+)/);
  return { listen, url };
}

const BODY = '{"version":1,"type":"track","userId":"u1","event":"Order Completed","messageId":"m1"}';

async function post(url: string, signature?: string, body = BODY): Promise<number> {
  const headers: Record<string, string> = { 'content-type': 'application/json', connection: 'close' };
  if (signature !== undefined) headers['x-signature'] = signature;
  const response = await fetch(url, { method: 'POST', body, headers });
  await response.arrayBuffer();
  return response.status;
}

const signed = (secret: string): string => createHmac('sha1', secret).update(BODY).digest('hex');

test('says of each request whether its signature is right', async () => {
  const { listen, url } = await listening('--secret', 's3cret', '--count', '3');
  expect(await post(url, signed('s3cret'))).toBe(200);
  expect(await post(url, signed('another'))).toBe(200);
  expect(await post(url)).toBe(200);
  const { code, stdout } = await listen.ended;
  expect(stdout).toMatch(/^✔ verified .* track .* Order Completed .* u1$/m);
  expect(stdout).toMatch(/^✘ wrong signature .* again$/m);
  expect(stdout).toMatch(/^✘ not signed /m);
  expect(stdout).toContain('3 requests arrived: 1 verified; 2 with a wrong or missing signature; 2 again');
  expect(code).toBe(1);
});

test('says which scheme and which secret have fit, and refuses what is old', async () => {
  const secrets = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);
  const { listen, url } = await listening(...secrets.flatMap((secret) => ['--secret', secret]), '--count', '3');
  const send = async (at: Date, body = BODY): Promise<void> => {
    const signature = new Webhook(secrets[1] ?? '').sign('msg_1', at, BODY);
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    await (await fetch(url, { method: 'POST', body, headers: { ...headers, connection: 'close' } })).arrayBuffer();
  };
  await send(new Date());
  await send(new Date(), `${BODY} `);
  await send(new Date(Date.now() - 600_000));
  const { stdout, code } = await listen.ended;
  expect(stdout).toMatch(/^✔ verified .* by v1, secret 2$/m);
  expect(stdout).toMatch(/^✘ wrong signature /m);
  expect(stdout).toMatch(/^✘ too old /m);
  expect(code).toBe(1);
});

test('misbehaves on request, and ends with 0 at Ctrl-C', async () => {
  const { listen, url } = await listening('--status', '404', '--fail', '0%');
  expect(await post(url)).toBe(404);
  await listen.said(/→ 404/);
  const { code, stdout } = await listen.signal('SIGINT');
  expect(stdout).toContain('1 request arrived: 0 verified; 1 refused on request');
  expect(code).toBe(0);

  const flaky = await listening('--fail', '100%', '--quiet');
  expect(await post(flaky.url)).toBe(500);
  expect((await flaky.listen.signal('SIGTERM')).stdout).not.toContain('Order Completed');
});

test('--json prints bodies, what is no JSON with its control characters written out', async () => {
  const { listen, url } = await listening('--json', '--count', '2');
  await post(url);
  await post(url, undefined, 'no\u001b[31mt JSON');
  const { stdout } = await listen.ended;
  expect(stdout).toContain(JSON.stringify(JSON.parse(BODY), null, 2));
  expect(stdout).toContain('no\\x1b[31mt JSON');
  expect(stdout).not.toContain('\u001b');
});

test('--connect explains an address that the service refuses, and leaves nothing behind', async () => {
  const { code, stderr } = await millrace(['listen', '--connect', '--port', '0'], { env: service.env });
  expect(stderr).toContain('MILLRACE_ALLOW_PRIVATE_URLS=true');
  expect(stderr).not.toContain('    at ');
  expect(code).toBe(1);
  expect(await service.client.sources()).toEqual([]);
  expect(await service.client.destinations()).toEqual([]);
});

test('--connect asks which source where there are several, and takes the same destination again', async () => {
  const one = await service.client.call('POST /api/sources', { name: 'One', type: 'web' });
  const two = await service.client.call('POST /api/sources', { name: 'Two', type: 'web' });
  const args = ['listen', '--connect', '--port', '0', '--public-url', 'https://hooks.example.com/x'];
  const asked = await millrace(args, { env: service.env });
  expect(asked.stderr).toContain(`which source? Say --source with one of: One (${one.id}), Two (${two.id})`);
  expect(asked.code).toBe(2);
  for (const more of [['--source', 'Two'], []]) {
    const listen = begin([...args, ...more], { env: service.env });
    await listen.said(/Receiving on/);
    expect(listen.stdout).toContain(`Source Two (${two.id}), write key ${two.writeKey}`);
    expect((await listen.signal('SIGINT')).code).toBe(0);
  }
  expect(await service.client.destinations()).toMatchObject([
    { sourceIds: [two.id], settings: { sharedSecret: { set: true } } },
  ]);
});

test('a port that is taken, and a share that is none', async () => {
  const { url } = await listening();
  const taken = await millrace(['listen', '--port', new URL(url).port]);
  expect(taken.stderr).toContain('is taken. Give another one with --port');
  expect(taken.code).toBe(1);
  const unconnected = await millrace(['listen', '--source', 'Website']);
  expect(unconnected.stderr).toContain('need --connect');
  expect(unconnected.code).toBe(2);
  const long = await millrace(['listen', '--delay', '25d']);
  expect([long.code, long.stderr]).toEqual([2, expect.stringContaining('of 24d at most')]);
  const wrong = await millrace(['listen', '--fail', '0.2']);
  expect(wrong.stderr).toContain('It must be a share like 20%');
  expect(wrong.code).toBe(2);
});
