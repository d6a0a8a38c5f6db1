import { Millrace } from '../src/client.ts';
import { equal, holds, throws } from './expectations.ts';
import { type SuiteCase, world } from './suite-client.ts';

/** A call of any shape, as JavaScript may make it. */
type Loose = (call: unknown) => void;

/** What a call sends, and which calls are refused. */
export function callCases(server: string): SuiteCase[] {
  return [
    {
      name: 'the six calls send their fields, in a batch with the library, its id and the time',
      async run() {
        const { client, room } = await world(server);
        const at = { timestamp: '2026-02-01T00:00:00.000Z' };
        client.identify({ userId: 'u1', traits: { plan: 'pro' }, messageId: 'm1', ...at });
        client.track({ anonymousId: 'a1', event: 'Bought', properties: { total: 5 }, messageId: 'm2', ...at });
        const traits = { url: 'https://a.b/c', title: 'T', referrer: 'r', path: '/c', own: 1 };
        client.page({ userId: 'u1', name: 'Home', category: 'Docs', traits, messageId: 'm3', ...at });
        client.screen({ userId: 'u1', name: 'Main', traits: { a: 1 }, messageId: 'm4', ...at });
        client.group({ userId: 'u1', groupId: 'g1', traits: { 'of two': 2 }, messageId: 'm5', ...at });
        client.alias({ userId: 'u1', previousId: 'a1', messageId: 'm6', ...at });
        await client.flush();
        const [seen] = await room.seen();
        equal(seen?.path, '/v1/batch', 'the path');
        equal(seen?.headers['authorization'], `Basic ${btoa('the-write-key:')}`, 'the write key');
        equal(seen?.headers['content-type'], 'application/json', 'the type');
        const [batch] = await room.batches();
        equal(
          batch?.batch,
          [
            { type: 'identify', messageId: 'm1', ...at, userId: 'u1', traits: { plan: 'pro' } },
            { type: 'track', messageId: 'm2', ...at, anonymousId: 'a1', event: 'Bought', properties: { total: 5 } },
            { type: 'page', messageId: 'm3', ...at, userId: 'u1', name: 'Home', category: 'Docs', properties: traits },
            { type: 'screen', messageId: 'm4', ...at, userId: 'u1', name: 'Main', properties: { a: 1 } },
            { type: 'group', messageId: 'm5', ...at, userId: 'u1', groupId: 'g1', traits: { 'of two': 2 } },
            { type: 'alias', messageId: 'm6', ...at, userId: 'u1', previousId: 'a1' },
          ],
          'the calls',
        );
        equal(Object.keys(batch ?? {}).sort(), ['batch', 'context', 'messageId', 'sentAt'], 'the batch');
        equal(batch?.sentAt, '2026-03-01T12:00:00.000Z', 'sentAt');
        equal(Object.keys(Object(batch?.context).library), ['name', 'version'], 'the library');
      },
    },
    {
      name: 'messageId and timestamp are made at the time of the call, and kept where given',
      async run() {
        const { client, room, time } = await world(server);
        client.track({ userId: 'u1', event: 'A' });
        time.clock += 60_000;
        client.track({ userId: 'u1', event: 'B', timestamp: new Date(0), messageId: 'mine' });
        client.track({ userId: 'u1', event: 'C', timestamp: '2015-2-02T00:30:08.276Z' });
        client.track({ userId: 'u1', event: 'D', timestamp: '2009-11-10T23:00:00+0000' });
        await client.flush();
        const calls = await room.calls();
        equal(
          calls.map(({ timestamp }) => timestamp),
          [
            '2026-03-01T12:00:00.000Z',
            '1970-01-01T00:00:00.000Z',
            '2015-2-02T00:30:08.276Z',
            '2009-11-10T23:00:00+0000',
          ],
          'timestamps',
        );
        equal(calls[1]?.messageId, 'mine', 'the id given');
        holds(/^[0-9a-f-]{36}$/.test(calls[0]?.messageId ?? ''), 'an id is made');
        equal(new Set(calls.map(({ messageId }) => messageId)).size, 4, 'ids differ');
      },
    },
    {
      name: 'context and integrations of the client lie under those of a call, key by key',
      async run() {
        const { client, room } = await world(server, [], {
          context: { app: 'shop', locale: 'en' },
          integrations: { All: false, Webhooks: true, Mail: true },
        });
        client.track({ userId: 'u1', event: 'A' });
        client.track({
          userId: 'u1',
          event: 'B',
          context: { locale: 'de', integrations: { Mail: false, Webhooks: false } },
          integrations: { Webhooks: true },
        });
        await client.flush();
        const [a, b] = await room.calls();
        equal(a?.['context'], { app: 'shop', locale: 'en' }, 'the context of the client');
        equal(a?.['integrations'], { All: false, Webhooks: true, Mail: true }, 'the integrations of the client');
        equal(Object(b?.['context']).locale, 'de', 'the context of the call wins');
        equal(b?.['integrations'], { All: false, Webhooks: true, Mail: false }, 'the integrations of the call win');
      },
    },
    {
      name: 'a call that can not be right throws, and says where',
      async run() {
        const { client } = await world(server);
        const refused = (method: keyof Millrace, call: unknown, words: string): void =>
          throws(() => (client[method] as unknown as Loose).call(client, call), 'invalid_call', words);
        refused('track', undefined, 'track: "event" is missing');
        refused('track', { userId: 'u1' }, 'track: "event" is missing');
        refused('track', { userId: 'u1', event: null }, 'track: "event" is missing');
        refused('track', { userId: 'u1', event: '' }, '"event" must be a non-empty text');
        refused('track', { userId: 'u1', event: '  ' }, '"event" must be a non-empty text');
        refused('track', { event: 'A' }, '"userId" or "anonymousId" is missing');
        refused('track', { userId: 7, event: 'A' }, '"userId" must be a non-empty text');
        refused('track', { userId: 'u1', event: 'A', propertis: {} }, '"propertis" is unknown');
        refused('track', JSON.parse('{"userId":"u1","event":"A","__proto__":{}}'), '"__proto__" is unknown');
        refused('track', { userId: 'u1', event: 'A', constructor: 1 }, '"constructor" is unknown');
        for (const properties of [[1], new Date(0), new URL('http://a.b'), { toJSON: () => [1] }]) {
          refused('track', { userId: 'u1', event: 'A', properties }, '"properties" must be an object');
        }
        refused('identify', { userId: 'u1', traits: 'pro' }, 'identify: "traits" must be an object');
        refused('group', { userId: 'u1' }, 'group: "groupId" is missing');
        refused('alias', { userId: 'u1' }, 'alias: "previousId" is missing');
        refused('alias', { previousId: 'u1', anonymousId: 'a' }, 'alias: "userId" is missing');
        refused('page', { userId: 'u1', timestamp: 'yesterday' }, '"timestamp" must be a Date or ISO 8601');
        refused('page', { userId: 'u1', timestamp: new Date(Number.NaN) }, '"timestamp" must be a Date or ISO 8601');
        refused('screen', { userId: 'u1', messageId: 'x'.repeat(101) }, '"messageId" is longer than 100');
        refused('screen', { userId: 'u1', context: 1 }, '"context" must be an object');
        refused('screen', { userId: 'u1', integrations: true }, '"integrations" must be an object');
        equal(await client.flush(), { delivered: 0, failed: 0 }, 'none of them was queued');
      },
    },
    {
      name: 'values are sent as JSON has them, and what JSON would lose is refused with the way to it',
      async run() {
        const { client, room } = await world(server);
        const send = (value: unknown): void =>
          client.track({ userId: 'u1', event: 'A', properties: { a: { b: [1, value] } } });
        send(new Date(0));
        send(undefined);
        send(() => {});
        send(Number.NaN);
        send({ toJSON: () => 'own' });
        send({ toJSON: 'a text' });
        class Price {
          readonly cents = 5;
        }
        send(new Price());
        const same = {};
        send([same, same]);
        send({ left: undefined, out() {} });
        const circle: Record<string, unknown> = {};
        circle['self'] = circle;
        const refused = (value: unknown, words: string): void => throws(() => send(value), 'invalid_call', words);
        refused(circle, '"properties".a.b.1.self is circular');
        refused(12n, '"properties".a.b.1 is a BigInt');
        refused(new Date(Number.NaN), '"properties".a.b.1 is an invalid Date');
        refused(new Map([[1, 2]]), '"properties".a.b.1 is no JSON but Map');
        refused(new Set(), 'is no JSON but Set');
        refused(new Error('x'), 'is no JSON but Error');
        refused(/x/, '"properties".a.b.1 is no JSON but RegExp');
        const throwing = {
          toJSON() {
            throw new Error('x');
          },
        };
        refused(throwing, '"properties".a.b.1 threw: Error: x');
        refused({ toJSON: () => 12n }, '"properties".a.b.1 is a BigInt');
        refused({ toJSON: () => circle }, '"properties".a.b.1.self is circular');
        const levels = (count: number): unknown => JSON.parse(`${'['.repeat(count)}${']'.repeat(count)}`);
        refused(levels(5_000), 'too deep');
        // The call, its properties, a and b are four of the 128 that the service takes.
        send(levels(124));
        refused(levels(125), 'too deep');
        refused({ toJSON: () => levels(125) }, 'too deep');
        await client.flush();
        equal(
          (await room.calls()).map((call) => Object(call['properties']).a.b[1]),
          [
            '1970-01-01T00:00:00.000Z',
            null,
            null,
            null,
            'own',
            { toJSON: 'a text' },
            { cents: 5 },
            [{}, {}],
            {},
            levels(124),
          ],
          'the values',
        );
      },
    },
    {
      name: 'a call of 32,000 bytes goes out, one of 32,001 is refused, whatever the characters',
      async run() {
        const { client, room } = await world(server);
        const sized = (bytes: number, filler: string): void => {
          const call = { userId: 'u1', event: 'A', messageId: 'm', timestamp: '2026-01-01' };
          const empty =
            '{"type":"track","messageId":"m","timestamp":"2026-01-01","userId":"u1","event":"A","properties":{"f":""}}';
          const left = bytes - empty.length;
          const width = new TextEncoder().encode(filler).length;
          const f = filler.repeat(Math.floor(left / width)) + 'x'.repeat(left % width);
          client.track({ ...call, properties: { f } });
        };
        for (const filler of ['x', 'ü', '€', '😀']) {
          sized(31_999, filler);
          sized(32_000, filler);
          throws(() => sized(32_001, filler), 'call_too_large', '32001 bytes exceed 32000');
        }
        equal(await client.flush(), { delivered: 8, failed: 0 }, 'the rest is delivered');
        const sizes = (await room.calls()).map((call) => new TextEncoder().encode(JSON.stringify(call)).length);
        equal(sizes, [31_999, 32_000, 31_999, 32_000, 31_999, 32_000, 31_999, 32_000], 'sizes');
      },
    },
    {
      name: 'an option that can not be right throws, and is named',
      async run() {
        const refused = (options: object, words: string): void =>
          throws(() => new Millrace('key', options), 'invalid_option', words);
        for (const key of ['', 'a:b', 'ключ', 7, undefined]) {
          throws(() => new Millrace(key as string), 'invalid_option', '"writeKey" must be');
        }
        refused({ flushAT: 1 }, '"flushAT" is unknown');
        for (const name of ['flushAt', 'size', 'flushAfter', 'maxQueue', 'maxAttempts', 'timeout']) {
          for (const value of [0, -1, 1.5, '5', Number.NaN, 2 ** 31])
            refused({ [name]: value }, `"${name}" must be an integer`);
        }
        for (const endpoint of ['', 'localhost', 'ftp://a', 'http://', 'http://u:p@a', 'http://a?b', 7]) {
          refused({ endpoint }, '"endpoint" must be an http(s) URL');
        }
        for (const endpoint of ['http://a/v1/batch', 'http://a/path/v1/batch/', new URL('http://a/v1/batch')]) {
          refused({ endpoint }, '"endpoint" must be an http(s) URL without query or /v1/batch');
        }
        refused({ onOverflow: 'block' }, '"onOverflow" must be');
        refused({ context: 5 }, '"context" must be an object');
        refused({ integrations: [] }, '"integrations" must be an object');
        for (const name of ['onDelivered', 'onError', 'fetch']) refused({ [name]: 1 }, `"${name}" must be a function`);
        refused({ logger: { debug() {} } }, '"logger" must have');
        new Millrace('key', { flushAt: undefined } as object);
      },
    },
  ];
}
