import { createHmac, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Destination } from '../../packages/server/src/admin/contract.ts';
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

describe('contract 2: Standard Webhooks', () => {
  const headersOf = ({ headers }: Arrival): Record<string, string> => headers as Record<string, string>;
  const valuesOf = (arrival: Arrival): string[] => String(arrival.headers['webhook-signature']).split(' ');

  async function signedBy(settings: object, ...answers: readonly number[]) {
    const left = [...answers];
    const receiver = await receive(() => left.shift() ?? 200);
    const source = await service.source();
    const made = await service.destination(source, receiver.url(), {
      settings: { webhooks: [{ url: receiver.url() }], ...settings },
    });
    return { receiver, source, made: made as unknown as Destination };
  }

  test('the published library accepts what is sent, and refuses what was changed or is old', async () => {
    const { receiver, source, made } = await signedBy({ signatures: ['segment', 'standard'], sharedSecret: 'shared' });
    const secret = String(made.standardSecret);
    expect(made.settings).toMatchObject({ signatures: ['segment', 'standard'], standardSecret: { set: true } });
    const again = await service.must<Destination>('GET', `/api/destinations/${made.id}`);
    expect(JSON.stringify(again)).not.toContain(secret.slice(6));
    await service.accept(source, { event: 'Signed' });
    const [arrival] = await receiver.waitFor(1);
    if (!arrival) throw new Error('nothing came');
    isSigned(arrival, 'shared');
    const library = new Webhook(secret);
    expect(library.verify(arrival.text, headersOf(arrival))).toMatchObject({ event: 'Signed' });
    expect(() => library.verify(arrival.text.replace('Signed', 'signed'), headersOf(arrival))).toThrow();
    const old = String(Number(arrival.headers['webhook-timestamp']) - 600);
    expect(() => library.verify(arrival.text, { ...headersOf(arrival), 'webhook-timestamp': old })).toThrow();
  });

  test('an ed25519 signature is verified by the public key', async () => {
    const { receiver, source, made } = await signedBy({ signatures: ['standard-ed25519'] });
    await service.accept(source);
    const [arrival] = await receiver.waitFor(1);
    if (!arrival) throw new Error('nothing came');
    expect(arrival.headers['x-signature']).toBeUndefined();
    const key = String(made.settings.standardSecret.publicKey).replace('whpk_', '');
    const x = Buffer.from(key, 'base64').toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const [value = ''] = valuesOf(arrival);
    expect(value).toMatch(/^v1a,/);
    const { 'webhook-id': id, 'webhook-timestamp': at } = arrival.headers;
    const signature = Buffer.from(value.slice(4), 'base64');
    expect(verify(null, Buffer.from(`${id}.${at}.${arrival.text}`), publicKey, signature)).toBe(true);
  });

  test("the id is the same on all attempts, another for each message, and none of the caller's text", async () => {
    const { receiver, source } = await signedBy({ signatures: ['standard'] }, 500);
    const call = { anonymousId: 'somebody', userId: undefined, messageId: 'a.b' };
    await service.accept(source, call);
    await receiver.waitFor(2);
    await service.accept(source, { ...call, anonymousId: 'another' });
    const ids = (await receiver.waitFor(3)).map(({ headers }) => String(headers['webhook-id']));
    expect(ids[0]).toMatch(/^msg_[\w-]{43}$/);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test('a secret that is replaced signs beside the new one until its end, which can be moved', async () => {
    const { receiver, source, made } = await signedBy({ signatures: ['segment', 'standard'], sharedSecret: 'first' });
    const change = (settings: object) =>
      service.must<Destination>('PATCH', `/api/destinations/${made.id}`, { settings });
    const next = async (count: number): Promise<Arrival> => {
      await service.accept(source);
      const arrival = (await receiver.waitFor(count)).at(-1);
      if (!arrival) throw new Error('nothing came');
      return arrival;
    };
    const rotated = await change({ sharedSecret: 'second', standardSecret: null, secretOverlap: '24h' });
    const [before, after] = [String(made.standardSecret), String(rotated.standardSecret)];
    expect(after).not.toBe(before);
    const until = Date.parse(String(rotated.settings.sharedSecret.previousUntil));
    expect(rotated.settings.standardSecret.previousUntil).toBe(rotated.settings.sharedSecret.previousUntil);
    const both = await next(1);
    isSigned(both, 'second');
    expect(both.headers['x-signature-previous']).toBe(hmac('first', both.body));
    expect(valuesOf(both)).toHaveLength(2);
    for (const secret of [before, after]) expect(new Webhook(secret).verify(both.text, headersOf(both))).toBeTruthy();

    const moved = await change({ secretOverlap: '1h' });
    expect(Date.parse(String(moved.settings.sharedSecret.previousUntil))).toBeLessThan(until);
    const ended = await change({ secretOverlap: '0s' });
    expect(ended.settings.sharedSecret).toEqual({ set: true });
    const one = await next(2);
    expect(one.headers['x-signature-previous']).toBeUndefined();
    expect(valuesOf(one)).toHaveLength(1);
    expect(() => new Webhook(before).verify(one.text, headersOf(one))).toThrow();

    const atOnce = await change({ sharedSecret: 'third' });
    expect(atOnce.settings.sharedSecret).toEqual({ set: true });
  });

  test('the overlap of one secret leaves that of the other alone', async () => {
    const { made } = await signedBy({ signatures: ['segment', 'standard'], sharedSecret: 'first' });
    const change = async (settings: object) =>
      (await service.must<Destination>('PATCH', `/api/destinations/${made.id}`, { settings })).settings;
    const { sharedSecret } = await change({ sharedSecret: 'second', secretOverlap: '24h' });
    expect(sharedSecret).toHaveProperty('previousUntil');
    const shorter = await change({ standardSecret: null, secretOverlap: '1h' });
    expect(shorter.sharedSecret).toEqual(sharedSecret);
    expect(shorter.standardSecret).toHaveProperty('previousUntil');
    const atOnce = await change({ standardSecret: null, secretOverlap: '0s' });
    expect(atOnce.sharedSecret).toEqual(sharedSecret);
    expect(atOnce.standardSecret).not.toHaveProperty('previousUntil');
  });

  test.each([
    [{ standardSecret: 'whsec_c2hvcnQ=' }, 'settings.standardSecret', /24 to 64 bytes/],
    [{ standardSecret: `whsec_${'A'.repeat(43)}` }, 'settings.standardSecret', /with its padding/],
    [{ standardSecret: 'secret' }, 'settings.standardSecret', /whsec_/],
    [{ signatures: ['standard', 'standard'] }, 'settings.signatures', /once/],
    [{ signatures: [] }, 'settings.signatures', /entry/],
    [{ secretOverlap: '24h' }, 'settings.secretOverlap', /of no secret/],
    [{ sharedSecret: 'other', secretOverlap: '31d' }, 'settings.secretOverlap', /at most 30d/],
  ])('%j is refused', async (settings, path, message) => {
    const { made } = await signedBy({});
    const { status, text } = await service.api('PATCH', `/api/destinations/${made.id}`, { settings });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ errors: [{ path, message: expect.stringMatching(message) }] });
  });
});
