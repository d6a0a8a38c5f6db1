import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Call } from './kit/admin.ts';
import { type Arrival, receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly input_json: string;
  readonly body: string;
  readonly x_signature: string;
}

const FILE = new URL('../fixtures/signature-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(FILE, 'utf8')) as Vector[];
const service = sharedService();

function hmac(secret: string, body: string | Buffer): string {
  return createHmac('sha1', Buffer.from(secret)).update(body).digest('hex');
}

function isSigned({ headers, body, text }: Arrival, secret: string): void {
  expect(headers['x-signature']).toBe(hmac(secret, body));
  // As a receiver in JavaScript does it (contract 2).
  expect(headers['x-signature']).toBe(hmac(secret, JSON.stringify(JSON.parse(text))));
}

describe('contract 2: X-Signature', () => {
  // A call can't ask for a deletion: that vector is for the deletion requests.
  const calls = vectors.filter(({ input_json }) => !input_json.startsWith('{"type":"delete"'));

  test.each(calls)('vector $name, from end to end', async ({ secret, input_json, body, x_signature }) => {
    expect(hmac(secret, body)).toBe(x_signature);
    const receiver = await receive();
    const source = await service.source();
    await service.destination(source, receiver.url(), {
      settings: { webhooks: [{ url: receiver.url() }], sharedSecret: secret },
    });
    const { 'Previous ID': previousId, 'User ID': newId, ...call } = JSON.parse(input_json) as Record<string, unknown>;
    const alias = newId === undefined ? {} : { previousId, userId: newId };
    const input = newId === undefined ? input_json : JSON.stringify({ ...call, ...alias });
    expect(await service.send(source, String(call['type']), input)).toMatchObject({ status: 200 });
    const [arrival] = await receiver.waitFor(1);
    if (!arrival) throw new Error('nothing came');
    isSigned(arrival, secret);
    const expected = JSON.parse(body) as Call;
    expect(arrival.message).toMatchObject(expected);
    // Group has its user before its group (contract 1.1); the others begin with the vector's very bytes.
    if (call['type'] !== 'group') expect(arrival.text.startsWith(`${body.slice(0, -1)},`)).toBe(true);
  });

  test('there is one vector that a call cannot send', () => {
    expect(vectors.length - calls.length).toBe(1);
  });

  test.each(['sécrèt 🔑 ключ', 'spaces  within', 'x'.repeat(200), '"\\\''])(
    'the key is the UTF-8 of %j',
    async (secret) => {
      const receiver = await receive();
      const source = await service.source();
      await service.destination(source, receiver.url(), {
        settings: { webhooks: [{ url: receiver.url() }], sharedSecret: secret },
      });
      await service.accept(source, { properties: { name: 'Zoë' } });
      const [arrival] = await receiver.waitFor(1);
      if (arrival) isSigned(arrival, secret);
    },
  );

  test('is computed for each attempt, with the secret of that moment; without a secret there is no header', async () => {
    const source = await service.source();
    const secrets = ['the first shared secret', 'the second shared secret', null];
    const receiver = await receive(async ({ attempt }) => {
      if (attempt > secrets.length) return 200;
      const sharedSecret = secrets[attempt] ?? null;
      await service.must('PATCH', `/api/destinations/${destination.id}`, { settings: { sharedSecret } });
      return 500;
    });
    const settings = { webhooks: [{ url: receiver.url() }], sharedSecret: secrets[0] ?? null };
    const destination = await service.destination(source, receiver.url(), { settings });
    await service.accept(source);
    const [first, second, third] = await receiver.waitFor(3);
    if (!first || !second || !third) throw new Error('they did not come');
    isSigned(first, 'the first shared secret');
    isSigned(second, 'the second shared secret');
    expect(third.headers).not.toHaveProperty('x-signature');
    expect(new Set([first.text, second.text, third.text]).size).toBe(1);
  });
});
