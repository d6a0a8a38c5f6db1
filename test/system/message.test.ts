import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Destination, Source } from '../../packages/server/src/admin/contract.ts';
import type { Call } from './kit/admin.ts';
import { type Arrival, type Receiver, receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService();

async function world(): Promise<{ source: Source; receiver: Receiver; destination: Destination }> {
  const receiver = await receive();
  const source = await service.source();
  return { receiver, source, destination: await service.destination(source, receiver.url('/hook')) };
}

/** Sends one call to a world of its own; answers what arrives. */
async function deliver(type: string, call: string | Call): Promise<Arrival> {
  const { receiver, source } = await world();
  const { status, text } = await service.send(source, type, call);
  expect({ status, text }).toEqual({ status: 200, text: '{"success":true}' });
  const [arrival] = await receiver.waitFor(1);
  if (!arrival) throw new Error('nothing came');
  return arrival;
}

const TIME = '2012-12-02T00:30:08.276Z';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Everything a call can carry beside its type's own fields, in an order that is not the delivered one. */
const BESIDE = {
  integrations: { Webhooks: true, CRM: { plan: 'x' } },
  messageId: 'm-1',
  timestamp: TIME,
  context: { app: { name: 'Shop' }, locale: 'de' },
  anonymousId: 'a-1',
};
const BESIDE_DELIVERED = (receivedAt: unknown): string =>
  `"timestamp":"${TIME}","context":{"app":{"name":"Shop"},"locale":"de"},"anonymousId":"a-1","messageId":"m-1",` +
  `"receivedAt":"${receivedAt}","originalTimestamp":"${TIME}","integrations":{"Webhooks":true,"CRM":{"plan":"x"}}}`;

const TYPES: readonly (readonly [type: string, call: Call, own: string])[] = [
  [
    'identify',
    { traits: { name: 'Achilles', email: 'a@example.com', plan: 'Premium', friendCount: 29 }, userId: 'u1' },
    '"userId":"u1","traits":{"name":"Achilles","email":"a@example.com","plan":"Premium","friendCount":29}',
  ],
  [
    'track',
    { properties: { revenue: '39.95' }, event: 'Purchased an Item', userId: 'u1' },
    '"userId":"u1","event":"Purchased an Item","properties":{"revenue":"39.95"}',
  ],
  [
    'page',
    {
      properties: {
        path: '/pricing',
        referrer: 'https://example.com',
        title: 'Pricing',
        url: 'https://example.com/pricing',
      },
      category: 'Docs',
      name: 'Home',
      userId: 'u1',
    },
    '"userId":"u1","name":"Home","category":"Docs","properties":{"path":"/pricing","referrer":"https://example.com","title":"Pricing","url":"https://example.com/pricing"}',
  ],
  [
    'screen',
    { properties: { tab: 1 }, category: 'Main', name: 'Main Screen', userId: 'u1' },
    '"userId":"u1","name":"Main Screen","category":"Main","properties":{"tab":1}',
  ],
  [
    'group',
    { traits: { 'total billed': 830 }, groupId: 'g1', userId: 'u1' },
    '"userId":"u1","groupId":"g1","traits":{"total billed":830}',
  ],
  ['alias', { userId: 'new', previousId: 'old' }, '"Previous ID":"old","User ID":"new"'],
];

describe('contract 1.1: the delivered message', () => {
  test.each(TYPES)('%s has its fields in their order', async (type, call, own) => {
    const { text, message } = await deliver(type, { ...BESIDE, ...call });
    expect(text).toBe(`{"version":1,"type":"${type}",${own},${BESIDE_DELIVERED(message['receivedAt'])}`);
    expect(message['receivedAt']).toMatch(ISO);
  });

  test('a call without context has an empty one, and what was not given is not there', async () => {
    const { message } = await deliver('track', { userId: 'u1', event: 'E', properties: {} });
    expect(message['context']).toEqual({});
    expect(Object.keys(message)).toEqual([
      'version',
      'type',
      'userId',
      'event',
      'properties',
      'timestamp',
      'context',
      'messageId',
      'receivedAt',
    ]);
    expect(message['messageId']).toEqual(expect.stringMatching(/.{8,}/));
  });

  test('page without name and category carries neither', async () => {
    const { message } = await deliver('page', { userId: 'u1', properties: { path: '/' } });
    expect(Object.keys(message).slice(0, 4)).toEqual(['version', 'type', 'userId', 'properties']);
  });

  test('alias has no userId field (contract 1.1)', async () => {
    const { message } = await deliver('alias', { userId: 'new', previousId: 'old' });
    expect(message).not.toHaveProperty('userId');
    expect(message).not.toHaveProperty('previousId');
  });
});

test('contract 1.2: an anonymous call has userId null and its anonymousId', async () => {
  for (const [type, call] of TYPES.filter(([name]) => name !== 'alias')) {
    const { message } = await deliver(type, { ...call, userId: undefined, anonymousId: 'anon' });
    expect(message).toMatchObject({ userId: null, anonymousId: 'anon' });
  }
});

describe('contract 1.3: one serialisation', () => {
  test.each([
    ['numbers', '{"a":1.0,"b":1e21,"c":-0.0,"d":1E2,"e":0.1,"f":100000000000000000000}'],
    ['escapes', String.raw`{"a\/b":"\/","c":"\u00e9\u2028","d":"\ud83d\ude00","e":"\u0041\u000a\"\\","lone":"\ud800"}`],
    ['integer-like keys', '{"b":1,"10":"ten","2":"two","a":2}'],
    ['duplicate keys', '{"a":1,"b":2,"a":{"z":1,"z":2}}'],
    ['white space', '{ "a" :\t1 ,\r\n "b" : [ 1 , 2 ] }'],
    ['__proto__ and its like', '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"a":1,"toString":"x"}'],
    ['toJSON', '{"toJSON":"x","inner":{"toJSON":{}}}'],
  ])('%s: what arrives is what V8 makes of it, and a fixed point', async (_, properties) => {
    const { text } = await deliver(
      'track',
      `{"userId":"u1","event":"E","timestamp":"${TIME}","properties":${properties}}`,
    );
    expect(text).toContain(`"properties":${JSON.stringify(JSON.parse(properties))},"timestamp"`);
    expect(text).toBe(JSON.stringify(JSON.parse(text)));
  });

  test('__proto__ as a key is data wherever it stands', async () => {
    const odd = '{"__proto__":{"x":1},"y":2}';
    const call = `{"__proto__":{"userId":"evil"},"userId":"u1","traits":${odd},"context":${odd},"integrations":{"__proto__":{"Webhooks":false}}}`;
    const { text, message } = await deliver('identify', call);
    expect(text).toContain(`"traits":${odd},`);
    expect(text).toContain(`"context":${odd}`);
    expect(message['userId']).toBe('u1');
    expect(text).toBe(JSON.stringify(JSON.parse(text)));
  });

  test('a byte order mark and integers beyond 2^53 do no harm', async () => {
    const { message } = await deliver('track', '{"userId":"u1","event":"E","properties":{"n":9007199254740993}}');
    expect(message['properties']).toEqual({ n: 9007199254740992 });
  });

  test('any JSON survives, and is a fixed point', async () => {
    const { receiver, source } = await world();
    const values = fc.sample(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 })), 300);
    const texts = values.map((value) => JSON.stringify(value)).filter((text) => Buffer.byteLength(text) < 1_500);
    const calls = texts.map((text, i) => `{"type":"identify","userId":"u","messageId":"m${i}","traits":${text}}`);
    const { status, text } = await service.send(source, 'batch', `{"batch":[${calls.join(',')}]}`);
    expect(text).toBe('{"success":true}');
    expect(status).toBe(200);
    const arrivals = await receiver.waitFor(texts.length);
    for (const arrival of arrivals) {
      const traits = texts[Number(String(arrival.message['messageId']).slice(1))] ?? '';
      expect(arrival.text).toContain(`"traits":${JSON.stringify(JSON.parse(traits))},"timestamp"`);
      expect(arrival.text).toBe(JSON.stringify(JSON.parse(arrival.text)));
    }
  });

  test('every attempt to every URL carries the same bytes', async () => {
    const receiver = await receive(({ attempt }) => (attempt < 3 ? 500 : 200));
    const source = await service.source();
    await service.destination(source, [receiver.url('/a'), receiver.url('/b')]);
    await service.accept(source, { properties: { 'é/': [1.5, '\u2028'] } });
    const arrivals = await receiver.waitFor(6);
    expect(arrivals.map(({ path }) => path).sort()).toEqual(['/a', '/a', '/a', '/b', '/b', '/b']);
    expect(new Set(arrivals.map(({ body }) => body.toString('hex'))).size).toBe(1);
  });
});

describe('contract 1.4: timestamp', () => {
  test.each([
    ['2012-12-02T00:30:08.276Z', '2012-12-02T00:30:08.276Z'],
    ['2009-11-10T23:00:00+0000', '2009-11-10T23:00:00.000Z'],
    ['2009-11-10T23:00:00+0130', '2009-11-10T21:30:00.000Z'],
    ['2009-11-10T23:00:00-05:00', '2009-11-11T04:00:00.000Z'],
    ['2015-2-02T00:30:08.276Z', '2015-02-02T00:30:08.276Z'],
    ['2015-02-2T00:30:08Z', '2015-02-02T00:30:08.000Z'],
    ['2012-12-02T00:30:08Z', '2012-12-02T00:30:08.000Z'],
  ])('%s without sentAt is delivered as %s', async (timestamp, delivered) => {
    const { message } = await deliver('track', { userId: 'u1', event: 'E', timestamp });
    expect(message).toMatchObject({ timestamp: delivered, originalTimestamp: timestamp });
  });

  test('a wrong clock is corrected by receivedAt − sentAt', async () => {
    const now = Date.now();
    const times = {
      timestamp: new Date(now - 3_600_000).toISOString(),
      sentAt: new Date(now - 3_000_000).toISOString(),
    };
    const { message } = await deliver('track', { userId: 'u1', event: 'E', ...times });
    const wrong = Date.parse(String(message['receivedAt'])) - Date.parse(times.sentAt);
    expect(message).toMatchObject({
      timestamp: new Date(Date.parse(times.timestamp) + wrong).toISOString(),
      sentAt: times.sentAt,
      originalTimestamp: times.timestamp,
    });
  });

  test.each([
    ['up to 5 s is the time on the way', 'batch', 2_000],
    ['more than a day is no clock', 'batch', 90_000_000],
    ['an import has no clock', 'import', 3_600_000],
  ])('history is delivered exactly: %s', async (_, path, wrong) => {
    const { receiver, source } = await world();
    const call = { type: 'track', userId: 'u1', event: 'E', timestamp: '2015-03-04T05:06:07.089Z' };
    await service.send(source, path, { batch: [call], sentAt: new Date(Date.now() - wrong).toISOString() });
    const [arrival] = await receiver.waitFor(1);
    expect(arrival?.message['timestamp']).toBe(call.timestamp);
  });

  test('timestamp goes before originalTimestamp, and a batch has one sentAt for its calls', async () => {
    const { receiver, source } = await world();
    const call = {
      type: 'track',
      userId: 'u1',
      event: 'E',
      originalTimestamp: '2020-01-01T00:00:00.000Z',
      timestamp: '1999-01-01T00:00:00.000Z',
    };
    const sentAt = new Date(Date.now() - 60_000).toISOString();
    await service.send(source, 'batch', { batch: [call], sentAt });
    const [arrival] = await receiver.waitFor(1);
    const wrong = Date.parse(String(arrival?.message['receivedAt'])) - Date.parse(sentAt);
    expect(arrival?.message).toMatchObject({
      timestamp: new Date(Date.parse(call.timestamp) + wrong).toISOString(),
      originalTimestamp: call.originalTimestamp,
      sentAt,
    });
  });

  test('none given: receivedAt, and no originalTimestamp', async () => {
    const before = Date.now();
    const { message } = await deliver('track', { userId: 'u1', event: 'E' });
    expect(message['timestamp']).toBe(message['receivedAt']);
    expect(message).not.toHaveProperty('originalTimestamp');
    expect(Date.parse(String(message['receivedAt']))).toBeGreaterThanOrEqual(before);
  });

  test.each(['yesterday', '2012-13-45T99:99:99Z', '0000', '🕐'])(
    'one that cannot be read (%j) gets receivedAt, and originalTimestamp keeps the text',
    async (timestamp) => {
      const { message } = await deliver('track', { userId: 'u1', event: 'E', timestamp });
      expect(message).toMatchObject({ timestamp: message['receivedAt'], originalTimestamp: timestamp });
    },
  );

  test.each([[12345], [null], [{}], [true], [[]]])(
    'one that is no text (%j) never rejects the event',
    async (timestamp) => {
      const { message } = await deliver('track', { userId: 'u1', event: 'E', timestamp });
      expect(message['timestamp']).toMatch(ISO);
    },
  );

  test('a sentAt that cannot be read changes nothing', async () => {
    const { message } = await deliver('track', { userId: 'u1', event: 'E', timestamp: TIME, sentAt: 'soon' });
    expect(message['timestamp']).toBe(TIME);
  });
});

describe('contract 3: the request', () => {
  test('is a POST with Content-Type and User-Agent, and without a signature where there is no secret', async () => {
    const arrival = await deliver('track', { userId: 'u1', event: 'E' });
    expect(arrival).toMatchObject({ method: 'POST', path: '/hook' });
    expect(arrival.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Millrace/1.0' });
    expect(arrival.headers['content-length']).toBe(String(arrival.body.length));
    const beside = Object.keys(arrival.headers).filter(
      (name) => !['host', 'connection', 'content-length'].includes(name),
    );
    expect(beside.sort()).toEqual([
      ...['content-type', 'user-agent', 'x-millrace-position', 'x-millrace-source', 'x-millrace-source-type'],
    ]);
  });

  test("says of which source it is, so that a receiver tells a public key from a server's", async () => {
    const receiver = await receive();
    const [web, server] = [await service.source({ type: 'web' }), await service.source({ type: 'server' })];
    await service.destination(web, receiver.url(), { sourceIds: [web.id, server.id] });
    await service.accept(web, { event: 'Of a page' });
    await service.accept(server, { event: 'Of a server' });
    const arrivals = await receiver.waitFor(2);
    const said = arrivals.map(({ headers, message }) => [
      ...[message['event'], headers['x-millrace-source'], headers['x-millrace-source-type']],
    ]);
    expect(said.toSorted()).toEqual([
      ['Of a page', web.id, 'web'],
      ['Of a server', server.id, 'server'],
    ]);
  });

  test('goes to the path and query of its URL, one for each call', async () => {
    const receiver = await receive();
    const source = await service.source();
    await service.destination(source, receiver.url('/a%20b/c?x=1&y=%C3%A9'));
    await service.send(source, 'batch', {
      batch: [1, 2, 3].map((n) => ({ type: 'track', event: `E${n}`, userId: 'u1' })),
    });
    const arrivals = await receiver.waitFor(3);
    expect(arrivals.map(({ path }) => path)).toEqual(Array(3).fill('/a%20b/c?x=1&y=%C3%A9'));
    expect(arrivals.map(({ message }) => message['event']).sort()).toEqual(['E1', 'E2', 'E3']);
  });
});
