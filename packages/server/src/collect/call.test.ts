import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonObject, objectOrNull } from '../core/json.ts';
import { BatchFields } from './batch-fields.ts';
import { type Draft, readCall, type Surroundings } from './call.ts';
import { isRefusal, notObject, type Refusal } from './refusal.ts';

const RECEIVED = '2026-11-21T12:00:00.000Z';

/** What a test says of the request and of the batch. */
interface Around extends Partial<Omit<Surroundings, 'batchFields'>> {
  readonly context?: JsonObject | null;
  readonly integrations?: JsonObject;
  readonly sentAt?: string;
}

function around({ context = null, integrations, sentAt, ...more }: Around = {}): Surroundings {
  const inContext = (context?.['integrations'] ?? null) as JsonObject | null;
  return {
    received: { text: RECEIVED, instant: Date.parse(RECEIVED) },
    ip: '203.0.113.7',
    fillIp: false,
    isHistory: false,
    batchFields: new BatchFields(context, [inContext, integrations ?? null], sentAt),
    newMessageId: () => 'generated',
    ...more,
  };
}

function read(call: unknown, more: Around = {}, pathType: string | null = null): Draft | Refusal {
  return readCall(typeof call === 'string' ? JSON.parse(call) : call, pathType, around(more));
}

function draft(call: unknown, more: Around = {}, pathType: string | null = null): Draft {
  const result = read(call, more, pathType);
  if (isRefusal(result)) throw new Error(`refused: ${result.code} ${result.message}`);
  return result;
}

const TAIL = `"timestamp":"${RECEIVED}","context":{},"messageId":"generated","receivedAt":"${RECEIVED}"}`;

describe('the delivered body', () => {
  test.each([
    ['track', '{"type":"track","event":"E","userId":"u"}', '"userId":"u","event":"E","properties":{}'],
    [
      'track, anonymous',
      '{"type":"track","event":"E","anonymousId":"a","properties":{"b":1}}',
      '"userId":null,"event":"E","properties":{"b":1}',
    ],
    ['identify', '{"traits":{"n":1},"userId":"u","type":"identify"}', '"userId":"u","traits":{"n":1}'],
    [
      'page',
      '{"type":"page","userId":"u","properties":{"url":"/"},"category":"C","name":"N"}',
      '"userId":"u","name":"N","category":"C","properties":{"url":"/"}',
    ],
    ['page, bare', '{"type":"page","userId":"u"}', '"userId":"u","properties":{}'],
    ['screen', '{"type":"screen","userId":"u","name":"N"}', '"userId":"u","name":"N"'],
    [
      'screen with properties',
      '{"type":"screen","userId":"u","name":"N","properties":{}}',
      '"userId":"u","name":"N","properties":{}',
    ],
    [
      'group',
      '{"type":"group","traits":{"total billed":830},"groupId":"g","userId":"u"}',
      '"userId":"u","groupId":"g","traits":{"total billed":830}',
    ],
    ['alias', '{"type":"alias","previousId":"p","userId":"u"}', '"Previous ID":"p","User ID":"u"'],
  ])('of %s has its fields in order', (_name, call, own) => {
    const { text, type } = draft(call);
    const tail = call.includes('anonymousId') ? TAIL.replace('"messageId"', '"anonymousId":"a","messageId"') : TAIL;
    expect(text).toBe(`{"version":1,"type":"${type}",${own},${tail}`);
  });

  test('carries everything that was given, in order', () => {
    const call = {
      integrations: { All: false, Webhooks: true },
      sentAt: '2026-11-21T11:59:59Z',
      timestamp: '2026-11-21T11:59:58Z',
      messageId: 'm',
      anonymousId: 'a',
      context: { locale: 'en' },
      properties: { b: 1 },
      event: 'E',
      userId: 'u',
    };
    expect(draft(call, {}, 'track').text).toBe(
      '{"version":1,"type":"track","userId":"u","event":"E","properties":{"b":1},"timestamp":"2026-11-21T11:59:58.000Z",' +
        `"context":{"locale":"en"},"anonymousId":"a","messageId":"m","receivedAt":"${RECEIVED}",` +
        '"sentAt":"2026-11-21T11:59:59Z","originalTimestamp":"2026-11-21T11:59:58Z","integrations":{"All":false,"Webhooks":true}}',
    );
  });

  test('holds the values of every documented example', () => {
    const vectors = JSON.parse(
      readFileSync(new URL('../../../../test/fixtures/signature-vectors.json', import.meta.url), 'utf8'),
    ) as { name: string; input_json: string; body: string }[];
    for (const { input_json, body } of vectors.filter(({ name }) => !/^(delete|alias)/.test(name))) {
      const delivered: object = JSON.parse(draft(input_json).text);
      expect(delivered).toMatchObject(JSON.parse(body));
    }
    const alias = '{"type":"alias","previousId":"previousId","userId":"userId","timestamp":"2012-12-02T00:30:08.276Z"}';
    const delivered: object = JSON.parse(draft(alias).text);
    expect(delivered).toMatchObject({ 'Previous ID': 'previousId', 'User ID': 'userId' });
    expect(delivered).not.toHaveProperty('userId');
  });

  test.each([
    ['1.0', '1'],
    ['1e21', '1e+21'],
    ['1e20', '100000000000000000000'],
    ['-0', '0'],
    ['9007199254740993', '9007199254740992'],
    ['1e999', 'null'],
    ['"\\/\\u00e9\\u2028"', '"/é\u2028"'],
    ['"\\ud83d"', '"\\ud83d"'],
    ['"\\ud83d\\ude00"', '"😀"'],
    ['{"b":1,"10":2,"2":3,"a":4}', '{"2":3,"10":2,"b":1,"a":4}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1}}'],
    ['{ "a" : [ 1 , 2 ] }', '{"a":[1,2]}'],
  ])('carries %s in the form of V8: %s', (given, carried) => {
    const { text } = draft(`{"type":"track","event":"E","userId":"u","properties":{"v":${given}}}`);
    expect(text).toContain(`"properties":{"v":${carried}},`);
    expect(JSON.stringify(JSON.parse(text))).toBe(text);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  test.each([
    ['m\\ud83d', 'm\\ud83d', 'm\ufffd'],
    ['m\\ude00', 'm\\ude00', 'm\ufffd'],
    ['m\\ufffd', 'm\ufffd', 'm\ufffd'],
    ['\\ud83d\\ude00', '😀', '😀'],
  ])('keeps half a character in a form that every store keeps, and messageIds apart: %s', (given, messageId, kept) => {
    const call = draft(`{"type":"track","event":"${given}","userId":"${given}","messageId":"${given}"}`);
    expect(call).toMatchObject({ messageId, name: kept, userId: kept });
    expect(JSON.parse(call.text)).toMatchObject({ messageId, event: kept, userId: kept });
  });

  test('is a fixed point whatever the call holds', () => {
    const key = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', 'toJSON', '1', '007', '4294967295', 'all', 'ip', 'integrations'),
    );
    const tree = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
      object: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: 'binary' }),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        tie('object'),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
    })).object;
    const maybe = fc.option(tree, { nil: undefined });
    const call = fc.record({
      type: fc.constantFrom('track', 'identify', 'page', 'screen', 'group', 'alias'),
      userId: fc.oneof(
        fc.string({ minLength: 1, unit: 'binary' }),
        fc.double({ noDefaultInfinity: true, noNaN: true }),
      ),
      anonymousId: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
      event: fc.string({ minLength: 1, unit: 'binary' }).filter((event) => event.trim() !== ''),
      name: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
      groupId: fc.constant('g'),
      previousId: fc.constant('p'),
      properties: maybe,
      traits: maybe,
      context: maybe,
      extra: maybe,
      timestamp: fc.oneof(fc.string(), fc.integer(), fc.constant('2020-01-01T00:00:00Z')),
      sentAt: fc.oneof(fc.string(), fc.constant('2020-01-01T00:00:01Z')),
    });
    const batchContext = fc.option(tree, { nil: null });
    fc.assert(
      fc.property(call, batchContext, fc.boolean(), (given, context, fillIp) => {
        const parsed = JSON.parse(JSON.stringify(given)) as JsonObject;
        const parsedContext = JSON.parse(JSON.stringify(context)) as JsonObject | null;
        const inBatch = objectOrNull(parsedContext?.['integrations']);
        const result =
          inBatch === undefined ? notObject('integrations') : read(parsed, { context: parsedContext, fillIp });
        if (isRefusal(result)) {
          expect(result.code).toBe('integrations_not_object');
          return;
        }
        expect(JSON.stringify(JSON.parse(result.text))).toBe(result.text);
        expect(Buffer.from(result.text, 'utf8').toString('utf8')).toBe(result.text);
        if (result.unsent !== null) expect(JSON.parse(result.unsent)).toBeTypeOf('object');
      }),
    );
  });
});

describe('what routing and searching need', () => {
  test('stands beside the body', () => {
    expect(draft('{"type":"track","event":"E","userId":7,"integrations":{"all":false}}')).toMatchObject({
      messageId: 'generated',
      type: 'track',
      name: 'E',
      userId: '7',
      integrations: '{"All":false}',
      unsent: null,
    });
    expect(draft('{"type":"alias","previousId":"p","userId":"u"}')).toMatchObject({
      name: null,
      userId: 'u',
      integrations: null,
    });
  });

  test('what is not delivered is kept, the write key excepted', () => {
    const call =
      '{"type":"page","userId":"u","channel":"web","_metadata":{"a":1},"writeKey":"wk","properties":{},"traits":{},"__proto__":1,"event":null}';
    expect(draft(call).unsent).toBe('{"channel":"web","_metadata":{"a":1},"traits":{},"__proto__":1,"event":null}');
  });

  test('traits of an identify call are those of its context where it has none', () => {
    const context = { traits: { plan: 'pro' } };
    const traitsOf = (call: object): unknown =>
      JSON.parse(draft({ type: 'identify', userId: 'u', ...call }).text).traits;
    expect(traitsOf({ context })).toEqual({ plan: 'pro' });
    expect(traitsOf({ context, traits: null })).toEqual({ plan: 'pro' });
    expect(traitsOf({ context, traits: {} })).toEqual({});
    for (const traits of ['pro', null, ['pro']]) expect(traitsOf({ context: { traits } })).toEqual({});
    expect(JSON.parse(draft({ type: 'group', userId: 'u', groupId: 'g', context }).text).traits).toEqual({});
  });

  test.each(['page', 'screen'])('traits of a %s call are its properties where it has none', (type) => {
    const { text, unsent } = draft({ type, userId: 'u', properties: null, traits: { plan: 'pro' } });
    expect([JSON.parse(text), unsent]).toMatchObject([{ type, properties: { plan: 'pro' } }, null]);
    const both = draft({ type, userId: 'u', properties: { a: 1 }, traits: { plan: 'pro' } });
    expect([JSON.parse(both.text), both.unsent]).toMatchObject([{ properties: { a: 1 } }, '{"traits":{"plan":"pro"}}']);
    expect(read({ type, userId: 'u', traits: 'pro' })).toMatchObject({ code: 'traits_not_object' });
  });

  test('a timestamp beside originalTimestamp is kept, and so is a messageId of an odd kind', () => {
    const call = { type: 'page', userId: 'u', timestamp: 'T', originalTimestamp: 'O', messageId: [1] };
    expect(draft(call)).toMatchObject({ messageId: 'generated', unsent: '{"timestamp":"T","messageId":[1]}' });
    expect(draft(call).text).toContain('"originalTimestamp":"O"');
  });
});

describe('context and integrations', () => {
  const page = (more: object): JsonObject => ({ type: 'page', userId: 'u', ...more });
  const contextOf = (result: Draft): unknown => (JSON.parse(result.text) as { context: unknown }).context;

  test("the batch's context lies under the call's own, key by key", () => {
    const context = { library: { name: 'go' }, app: { name: 'shop' } };
    expect(contextOf(draft(page({}), { context }))).toEqual(context);
    expect(contextOf(draft(page({ context: { app: {} } }), { context }))).toEqual({ library: { name: 'go' }, app: {} });
  });

  test('a context is merged as text into what the merged object would give', () => {
    const key = fc.oneof(fc.constantFrom('a', 'b', '0', '7', '10', '__proto__', '1a', ''), fc.string());
    const object = fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }));
    fc.assert(
      fc.property(object, object, (batch, own) => {
        const [context, mine] = [batch, own].map((each) => JSON.parse(JSON.stringify(each)) as JsonObject);
        const batchFields = new BatchFields(context ?? null, [], null);
        expect(batchFields.contextUnder(mine ?? null)).toBe(JSON.stringify({ ...context, ...mine }));
      }),
    );
  });

  test('a hostile key in a context is data, merged or not', () => {
    const context = JSON.parse('{"__proto__":{"x":1},"a":1}') as JsonObject;
    const own = JSON.parse('{"__proto__":{"x":2}}') as JsonObject;
    expect(draft(page({}), { context }).text).toContain('"context":{"__proto__":{"x":1},"a":1}');
    expect(draft(page({ context: own }), { context }).text).toContain('"context":{"__proto__":{"x":2},"a":1}');
    expect(draft(page({ context: { b: 2 } }), { context }).text).toContain(
      '"context":{"__proto__":{"x":1},"a":1,"b":2}',
    );
  });

  test.each([
    ['not asked for', {}, { locale: 'en' }, undefined],
    ['a web source', { fillIp: true }, { locale: 'en' }, '203.0.113.7'],
    ['a web source, no context', { fillIp: true }, undefined, '203.0.113.7'],
    ['direct', {}, { direct: true }, '203.0.113.7'],
    ['direct in name only', {}, { direct: 'true' }, undefined],
    ['given', { fillIp: true }, { ip: '0.0.0.0' }, '0.0.0.0'],
    ['given as null', { fillIp: true }, { ip: null }, null],
    ['given by the batch', { fillIp: true, context: { ip: '::1' } }, {}, '::1'],
  ])('context.ip: %s', (_name, more, context, ip) => {
    expect((contextOf(draft(page({ context }), more)) as { ip?: unknown }).ip).toBe(ip);
  });

  test("a call's own integrations win over its batch's, and the top level over the context", () => {
    const result = draft(page({ integrations: { A: 1 }, context: { integrations: { A: 2, B: 2 } } }), {
      integrations: { A: 3, B: 3, C: 3 },
      context: { integrations: { A: 4, B: 4, C: 4, D: 4 } },
    });
    expect(JSON.parse(result.text)).toMatchObject({ integrations: { A: 1, B: 2, C: 3, D: 4 } });
    expect(JSON.parse(draft(page({}), { context: { integrations: { all: false } } }).text)).toMatchObject({
      integrations: { All: false },
    });
  });

  test("sentAt is the call's own, else the batch's", () => {
    const sentAt = '2026-11-21T11:00:00Z';
    const sent = (result: Draft): object => JSON.parse(result.text);
    expect(sent(draft(page({ timestamp: '2026-11-21T10:59:00Z' }), { sentAt }))).toMatchObject({
      sentAt: '2026-11-21T11:00:00Z',
      timestamp: '2026-11-21T11:59:00.000Z',
    });
    expect(
      sent(draft(page({ timestamp: '2026-11-21T10:59:00Z', sentAt: '2026-11-21T10:59:30Z' }), { sentAt })),
    ).toMatchObject({ sentAt: '2026-11-21T10:59:30Z', timestamp: '2026-11-21T11:59:30.000Z' });
  });
});

describe('refusals', () => {
  const ok = { type: 'track', event: 'E', userId: 'u' };

  test.each([
    ['call_not_object', [1]],
    ['call_not_object', null],
    ['call_not_object', '"text"'],
    ['invalid_type', { userId: 'u' }],
    ['invalid_type', { ...ok, type: 'Track' }],
    ['invalid_type', { ...ok, type: 'delete' }],
    ['invalid_type', { ...ok, type: ['track'] }],
    ['invalid_type', { ...ok, type: 'constructor' }],
    ['no_user_or_anonymous_id', { ...ok, userId: undefined }],
    ['no_user_or_anonymous_id', { ...ok, userId: '' }],
    ['no_user_or_anonymous_id', { ...ok, userId: null, anonymousId: '' }],
    ['no_user_or_anonymous_id', { ...ok, userId: {}, anonymousId: 'a' }],
    ['no_user_or_anonymous_id', { ...ok, anonymousId: true }],
    ['no_user_or_anonymous_id', { type: 'group', groupId: 'g' }],
    ['event_required', { ...ok, event: undefined }],
    ['event_required', { ...ok, event: '' }],
    ['event_required', { ...ok, event: ' \t\n' }],
    ['event_required', { ...ok, event: 5 }],
    ['group_id_required', { type: 'group', userId: 'u' }],
    ['group_id_required', { type: 'group', userId: 'u', groupId: [] }],
    ['previous_id_required', { type: 'alias', userId: 'u' }],
    ['previous_id_required', { type: 'alias', userId: 'u', previousId: false }],
    ['user_id_required', { type: 'alias', previousId: 'p' }],
    ['user_id_required', { type: 'alias', previousId: 'p', userId: {}, anonymousId: 'a' }],
    ['properties_not_object', { ...ok, properties: [] }],
    ['properties_not_object', { type: 'screen', userId: 'u', properties: 'x' }],
    ['traits_not_object', { type: 'identify', userId: 'u', traits: 1 }],
    ['traits_not_object', { type: 'group', userId: 'u', groupId: 'g', traits: 'x' }],
    ['context_not_object', { ...ok, context: 'x' }],
    ['integrations_not_object', { ...ok, integrations: [] }],
    ['integrations_not_object', { ...ok, context: { integrations: true } }],
    ['message_id_too_long', { ...ok, messageId: 'x'.repeat(101) }],
    ['message_id_too_long', { ...ok, messageId: '😀'.repeat(101) }],
    ['call_too_deep', { ...ok, properties: JSON.parse(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`) }],
    ['call_too_deep', { ...ok, extra: JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) }],
  ])('%s', (code, call) => {
    expect(read(call)).toMatchObject({ code, message: expect.stringMatching(/\w/) });
  });

  test.each([
    [
      'ids that are numbers',
      { ...ok, userId: 0, anonymousId: 1.5, messageId: 12 },
      '"anonymousId":"1.5","messageId":"12"',
    ],
    [
      'null for anything that may be left out',
      {
        ...ok,
        properties: null,
        context: null,
        integrations: null,
        messageId: null,
        timestamp: null,
        sentAt: null,
        anonymousId: null,
      },
      '"properties":{}',
    ],
    ['a messageId of 100 characters', { ...ok, messageId: '😀'.repeat(100) }, '😀'],
    ['an event with spaces at its ends', { ...ok, event: ' Bought ' }, '"event":" Bought "'],
    ['an empty messageId', { ...ok, messageId: '' }, '"messageId":"generated"'],
  ])('not for %s', (_name, call, part) => {
    expect(draft(call).text).toContain(part);
  });

  test('a path names the type, whatever the call says', () => {
    expect(draft({ type: 'page', event: 'E', userId: 'u' }, {}, 'track').type).toBe('track');
    expect(read(ok, {}, 'nonsense')).toMatchObject({ code: 'invalid_type' });
  });

  test('never throws: any JSON is a call or a refusal with a code', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.option(fc.constantFrom('track', 'page', 'alias', 'group'), { nil: null }),
        (call, type) => {
          const read = readCall(JSON.parse(JSON.stringify(call)), type, around());
          expect(isRefusal(read) ? read.code : read.messageId).toMatch(/./);
        },
      ),
    );
  });
});
