import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Event } from '../core/event.ts';
import { Fault } from '../core/fault.ts';
import type { Source } from '../core/source.ts';
import { Rejections } from '../observe/rejections.ts';
import {
  type Collect,
  type CollectAnswer,
  type CollectorNeeds,
  type CollectRequest,
  createCollector,
} from './collector.ts';
import { SOURCE } from './test-server.ts';

const SERVER: Source = { ...SOURCE, writeKey: 'wk' };
const SOURCES = new Map<string, Source>([
  ['wk', SERVER],
  ['wk_web', { ...SERVER, id: 's2', type: 'web', writeKey: 'wk_web' }],
  ['wk_own', { ...SERVER, id: 's4', writeKey: 'wk_own', sentBy: 'aud_1' }],
  ['wk_off', { ...SERVER, id: 's3', enabled: false, writeKey: 'wk_off' }],
]);

let appended: Event[];
let meter: string[];
let rejections: Rejections;
let append: (events: readonly Event[]) => Promise<{ duplicates: readonly number[] }>;
let collect: Collect;

beforeEach(() => {
  appended = [];
  meter = [];
  rejections = new Rejections();
  append = async (events) => {
    appended.push(...events);
    return { duplicates: [] };
  };
  collect = createCollector(needs());
});

function needs(): CollectorNeeds {
  return {
    suppressed: new Set(),
    append: (events) => append(events),
    findSource: (key) => SOURCES.get(key),
    clock: { now: () => Date.UTC(2026, 10, 21, 12) },
    rejections,
    meter: {
      accepted: (source, events) => meter.push(`accepted ${source} ${events}`),
      duplicates: (source, events) => meter.push(`duplicates ${source} ${events}`),
      rejected: (source, code) => meter.push(`rejected ${source} ${code}`),
    },
  };
}

function request(kind: string, body: unknown, more: Partial<CollectRequest> = {}): CollectRequest {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { kind, body: bytes, encoding: undefined, writeKey: 'wk', ip: '203.0.113.7', ...more };
}

async function refusal(promise: Promise<CollectAnswer>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof Fault) return error.code;
      throw error;
    },
  );
}

const track = (more: object = {}): object => ({ type: 'track', event: 'E', userId: 'u', ...more });
/** A track call whose compact JSON is exactly `bytes` long. */
const sized = (bytes: number): object => {
  const bare = track({ properties: { p: '' } });
  return track({ properties: { p: 'x'.repeat(bytes - JSON.stringify(bare).length) } });
};

describe('a single call', () => {
  test('becomes one event', async () => {
    const answer = await collect(
      request('track', track({ messageId: 'm', channel: 'x', integrations: { All: false }, timestamp: '2026-11-20' })),
    );
    expect(answer).toEqual({ sourceId: 's1', accepted: 1, duplicates: 0, rejected: [] });
    expect(appended).toHaveLength(1);
    const { body, ...event } = appended[0] as Event;
    expect(event).toEqual({
      sourceId: 's1',
      messageId: 'm',
      type: 'track',
      name: 'E',
      userId: 'u',
      anonymousId: null,
      receivedAt: Date.UTC(2026, 10, 21, 12),
      timestamp: Date.UTC(2026, 10, 20),
      integrations: '{"All":false}',
      unsent: '{"channel":"x"}',
    });
    expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({
      type: 'track',
      messageId: 'm',
      timestamp: '2026-11-20T00:00:00.000Z',
    });
    expect(meter).toEqual(['accepted s1 1']);
  });

  test('of an audience is new whenever it is sent, and says when it was decided', async () => {
    const timestamp = '2026-11-20T00:00:00.000Z';
    await collect(request('track', track({ timestamp }), { writeKey: 'wk_own' }));
    const [event] = appended;
    expect(event?.timestamp).toBe(event?.receivedAt);
    expect(JSON.parse(Buffer.from(event?.body ?? []).toString())).toMatchObject({ timestamp });
  });

  test('is answered only after the append', async () => {
    const gate = Promise.withResolvers<{ duplicates: readonly number[] }>();
    append = () => gate.promise;
    let answered = false;
    const done = collect(request('track', track())).then(() => {
      answered = true;
    });
    await new Promise(setImmediate);
    expect(answered).toBe(false);
    gate.resolve({ duplicates: [] });
    await done;
    expect(answered).toBe(true);
  });

  test('may have 32,768 bytes and not one more', async () => {
    expect(await refusal(collect(request('track', sized(32_768))))).toBe('none');
    expect(await refusal(collect(request('track', sized(32_769))))).toBe('call_too_large');
  });

  test('gets an id of its own when it brings none', async () => {
    await collect(request('batch', { batch: [track(), track()] }));
    const ids = appended.map(({ messageId }) => messageId);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(2);
  });

  test('has its address filled in for a web source', async () => {
    await collect(request('track', track(), { writeKey: 'wk_web' }));
    expect(JSON.parse(Buffer.from(appended[0]?.body ?? []).toString())).toMatchObject({
      context: { ip: '203.0.113.7' },
    });
  });
});

describe('the write key', () => {
  test.each([
    ['wk', {}, 'none'],
    [null, { writeKey: 'wk' }, 'none'],
    ['wk', { writeKey: 'nope' }, 'none'],
    ['nope', { writeKey: 'wk' }, 'unknown_write_key'],
    [null, { writeKey: 'nope' }, 'unknown_write_key'],
    [null, { writeKey: '__proto__' }, 'unknown_write_key'],
    [null, { writeKey: 5 }, 'missing_write_key'],
    [null, {}, 'missing_write_key'],
  ])('%s in the head and %j in the body: %s', async (writeKey, more, code) => {
    expect(await refusal(collect(request('track', track(more), { writeKey })))).toBe(code);
    expect(await refusal(collect(request('batch', { ...more, batch: [track()] }, { writeKey })))).toBe(code);
  });

  test('a refusal without a source is counted, and kept under none', async () => {
    await refusal(collect(request('track', track(), { writeKey: 'nope' })));
    expect(meter).toEqual(['rejected null unknown_write_key']);
  });
});

describe('a batch', () => {
  test('loses only its bad calls', async () => {
    const batch = [track(), { type: 'track' }, track({ messageId: 'm2' }), 7, track({ messageId: 'x'.repeat(101) })];
    const answer = await collect(request('batch', { batch }));
    expect(answer.accepted).toBe(2);
    expect(answer.rejected.map(({ index, code }) => [index, code])).toEqual([
      [1, 'no_user_or_anonymous_id'],
      [3, 'call_not_object'],
      [4, 'message_id_too_long'],
    ]);
    expect(appended).toHaveLength(2);
    expect(meter.filter((line) => line.startsWith('rejected'))).toHaveLength(3);
    expect(rejections.recent('s1').map(({ part }) => part.slice(0, 20))).toEqual([
      '{"type":"track","eve',
      '7',
      '{"type":"track"}',
    ]);
  });

  test('shows nothing of a call that names a suppressed user and is refused for another reason; of a long call it shows the ids first', async () => {
    collect = createCollector({ ...needs(), suppressed: new Set(['gone']) });
    const long = { type: 'track', properties: { email: 'e'.repeat(2_000) } };
    const batch = [
      { ...long, userId: 'gone' },
      { ...long, anonymousId: 'browser' },
      { type: 'identify', previousId: 'gone', traits: 5 },
    ];
    await collect(request('batch', { batch }));
    const [third, second, first] = rejections.recent('s1').map(({ part }) => part);
    expect([first, third]).toEqual(['', '']);
    expect(second).toMatch(/^\{"anonymousId":"browser", "type":"track","properties":\{"email":"eee/);
    await expect(collect(request('track', { userId: 'gone', properties: {} }))).rejects.toMatchObject({
      code: 'event_required',
    });
    await expect(collect(request('track', { properties: long.properties, userId: 'here' }))).rejects.toThrow();
    await expect(collect(request('batch', { batch, context: 5 }))).rejects.toThrow();
    await expect(collect(request('batch', { batch: [{ ...long, userId: 'here' }], context: 5 }))).rejects.toThrow();
    const [whole, hidden, single, gone] = rejections.recent('s1').map(({ part }) => part);
    expect([gone, hidden, whole]).toEqual(['', '', '{"batch":"(1 calls)","context":5}']);
    expect(single).toMatch(/^\{"userId":"here", "properties":/);
  });

  test('writes out nothing to be shown that holds more than a call may', async () => {
    const many = Object.fromEntries(Array.from({ length: 16_385 }, (_, i) => [`k${i}`, 0]));
    const sentAt = '2026-11-20T09:30:00Z';
    await collect(request('batch', { batch: [{ userId: 'u', type: 'track', ...many }] }));
    await expect(collect(request('batch', { batch: [track()], sentAt, integrations: many }))).rejects.toThrow();
    await expect(collect(request('batch', many))).rejects.toThrow();
    const notShown = '"(too large, or nested too deeply, to be shown)"';
    const outline = `{"batch":"(1 calls)","sentAt":"${sentAt}","integrations":"(an object)"}`;
    expect(rejections.recent('s1').map(({ part }) => part)).toEqual([notShown, outline, notShown]);
  });

  test('with nothing but bad calls appends nothing', async () => {
    append = () => Promise.reject(new Error('not to be called'));
    expect(await collect(request('batch', { batch: [1, 2] }))).toMatchObject({
      accepted: 0,
      rejected: [{ index: 0 }, { index: 1 }],
    });
  });

  test('has every body intact, whatever its alphabet', async () => {
    const texts = ['plain', 'Ünï', '✓ 漢字', '😀', 'plain again'];
    await collect(request('batch', { batch: texts.map((event) => track({ event })) }));
    expect(appended.map(({ name }) => name)).toEqual(texts);
    expect(appended.map(({ body }) => (JSON.parse(Buffer.from(body).toString()) as { event: string }).event)).toEqual(
      texts,
    );
    const notBlank = fc.string({ minLength: 1, unit: 'binary' }).filter((event) => event.trim() !== '');
    await fc.assert(
      fc.asyncProperty(fc.array(notBlank, { minLength: 1, maxLength: 20 }), async (events) => {
        appended = [];
        await collect(request('batch', { batch: events.map((event) => track({ event })) }));
        expect(
          appended.map(({ body }) => (JSON.parse(Buffer.from(body).toString()) as { event: string }).event),
        ).toEqual(events);
      }),
    );
  });

  test('counts duplicates apart', async () => {
    append = async () => ({ duplicates: [1] });
    const answer = await collect(request('batch', { batch: [track(), track(), track()] }));
    expect(answer).toMatchObject({ accepted: 2, duplicates: 1 });
    expect(meter).toEqual(['accepted s1 2', 'duplicates s1 1']);
  });

  test('of very many integrations is refused whole', async () => {
    const integrations = Object.fromEntries(Array.from({ length: 4_097 }, (_, i) => [`i${i}`, true]));
    for (const fields of [{ integrations }, { context: { integrations } }]) {
      expect(await refusal(collect(request('batch', { ...fields, batch: [track()] })))).toBe('too_large');
    }
    const { i0: _, ...fewer } = integrations;
    const { rejected } = await collect(request('batch', { integrations: fewer, batch: [track()] }));
    expect(rejected.map(({ code }) => code)).toEqual(['call_too_large']);
  });

  test('of a source that is switched off is refused whole', async () => {
    const batch = { batch: [track(), track()] };
    expect(await refusal(collect(request('batch', batch, { writeKey: 'wk_off' })))).toBe('source_disabled');
    expect(await refusal(collect(request('batch', { ...batch, writeKey: 'wk_off' }, { writeKey: null })))).toBe(
      'source_disabled',
    );
    expect(await refusal(collect(request('track', track(), { writeKey: 'wk_off' })))).toBe('source_disabled');
  });

  test.each([
    ['{}', 'empty_batch'],
    ['{"batch":[]}', 'empty_batch'],
    ['{"batch":{}}', 'empty_batch'],
    ['[]', 'empty_batch'],
    ['null', 'empty_batch'],
    ['{"batch":[}', 'invalid_json'],
    ['', 'invalid_json'],
    ['{"batch":[1],"context":[]}', 'context_not_object'],
    ['{"batch":[1],"integrations":5}', 'integrations_not_object'],
    ['{"batch":[1],"context":{"integrations":5}}', 'integrations_not_object'],
  ])('%s is refused whole: %s', async (body, code) => {
    expect(await refusal(collect(request('batch', body)))).toBe(code);
    expect(meter).toEqual([`rejected s1 ${code}`]);
    expect(rejections.recent('s1')).toMatchObject([{ code, part: body, at: Date.UTC(2026, 10, 21, 12) }]);
  });

  test('may have 2,500 calls and not one more', async () => {
    const of = (calls: number): object => ({ batch: Array.from({ length: calls }, () => track()) });
    expect(await collect(request('batch', of(2500)))).toMatchObject({ accepted: 2500, rejected: [] });
    expect(await refusal(collect(request('batch', of(2501))))).toBe('too_large');
  });

  test('may have 512,000 bytes and not one more', async () => {
    const of = (bytes: number): string => JSON.stringify({ batch: [track()] }).padEnd(bytes, ' ');
    expect(await refusal(collect(request('batch', of(512_000))))).toBe('none');
    expect(await refusal(collect(request('batch', of(512_001))))).toBe('too_large');
    expect(await refusal(collect(request('batch', '', { body: null })))).toBe('too_large');
  });

  test('may hold calls of 32,768 bytes of compact JSON and not one more', async () => {
    const spaced = JSON.stringify({ batch: [sized(32_768), sized(32_769), sized(32_767)] }, null, 4);
    expect((await collect(request('batch', spaced))).rejected).toMatchObject([{ index: 1, code: 'call_too_large' }]);
  });

  test('measures a call by its bytes and by all of it, what is not delivered too', async () => {
    const cases = [
      // Half of a surrogate pair is six bytes of the call, and one character of what is delivered.
      { ...track(), event: '\ud83d'.repeat(6_000) },
      track({ properties: { p: '漢'.repeat(10_950) } }),
      track({ channel: 'x'.repeat(33_000) }),
      track({ writeKey: 'x'.repeat(33_000) }),
      track({ writeKey: ['x'.repeat(33_000)] }),
      track({ integrations: { all: 'x'.repeat(33_000), All: true } }),
      track({ properties: { p: '漢'.repeat(10_800) } }),
    ];
    const answer = await collect(request('batch', { batch: cases }));
    expect(answer.rejected.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('measures any call as its compact JSON', async () => {
    const filler = fc.tuple(fc.integer({ min: 10_000, max: 34_000 }), fc.constantFrom('x', 'é', '漢', '"', '\u2028'));
    const field = fc.constantFrom(
      'properties',
      'context',
      'channel',
      'traits',
      'integrations',
      'timestamp',
      'anonymousId',
    );
    await fc.assert(
      fc.asyncProperty(filler, field, async ([length, unit], name) => {
        const text = unit.repeat(length / Buffer.byteLength(JSON.stringify(unit).slice(1, -1)));
        const isText = ['channel', 'timestamp', 'anonymousId'].includes(name);
        const call = track({ [name]: isText ? text : { [text]: true } });
        const answer = await collect(request('batch', { batch: [call] }));
        expect(answer.rejected.length === 0).toBe(Buffer.byteLength(JSON.stringify(call)) <= 32_768);
      }),
    );
  });

  test('can not be blown up by what it says for all its calls', async () => {
    const batch = Array.from({ length: 2000 }, () => ({ type: 'page', userId: 'u' }));
    expect(await refusal(collect(request('batch', { batch, context: { x: 'x'.repeat(400_000) } })))).toBe('too_large');
    expect(await refusal(collect(request('batch', { batch, sentAt: 'x'.repeat(400_000) })))).toBe('too_large');
    expect(appended).toEqual([]);
  });
});

const page = (more: object = {}): object => ({ type: 'page', userId: 'u', ...more });

describe('what a batch says for all its calls', () => {
  const wide = (keys: number): object => Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i]));

  test('is part of each call: the limit of a call holds for both together', async () => {
    const context = { note: 'x'.repeat(20_000) };
    const [small, large] = [page(), page({ properties: { note: 'x'.repeat(20_000) } })];
    const answer = await collect(request('batch', { batch: [small, large], context }));
    expect(answer).toMatchObject({ accepted: 1, rejected: [{ index: 1, code: 'call_too_large' }] });
    const [batched] = (await collect(request('batch', { batch: [small], context: { note: 'x'.repeat(32_768) } })))
      .rejected;
    expect(batched).toMatchObject({ code: 'call_too_large', message: expect.stringContaining('What its batch says') });
    const own = { context: { note: 'mine' }, properties: { note: 'x'.repeat(20_000) } };
    expect(await collect(request('batch', { batch: [page(own)], context }))).toMatchObject({ accepted: 1 });
  });

  test('is merged into no call that is refused anyway', async () => {
    const batch = Array.from({ length: 400 }, () => page({ messageId: 'm'.repeat(101) }));
    const answer = await collect(request('batch', { batch, context: wide(10_000) }));
    expect(answer.rejected.map(({ code }) => code)).toEqual(batch.map(() => 'message_id_too_long'));
  });

  test('is charged before it is merged, for calls that turn out too large as well', async () => {
    const batch = Array.from({ length: 400 }, () => page({ context: { k0: 1 } }));
    expect(await refusal(collect(request('batch', { batch, context: wide(20_000) })))).toBe('too_large');
    expect(await refusal(collect(request('batch', { batch, integrations: wide(20_000) })))).toBe('too_large');
    const overlapping = Array.from({ length: 2_400 }, () => page({ context: { k0: 1 } }));
    expect(await refusal(collect(request('batch', { batch: overlapping, context: wide(150) })))).toBe('too_large');
  });

  test('has a depth', async () => {
    const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const batch = (levels: number): string => `{"batch":[{"type":"page","userId":"u"}],"context":${nested(levels)}}`;
    expect(await collect(request('batch', batch(127)))).toMatchObject({ accepted: 1 });
    expect(await refusal(collect(request('batch', batch(128))))).toBe('call_too_deep');
    const sentAt = batch(8_000).replace('context', 'sentAt');
    expect(await refusal(collect(request('batch', sentAt)))).toBe('call_too_deep');
  });
});

test('a batch that waits for its turn is judged by the settings of then', async () => {
  const of = (key: string) => SOURCES.get(key);
  let isOn = true;
  const enabled = (key: string) => {
    const source = of(key);
    return source && { ...source, enabled: isOn };
  };
  collect = createCollector({ ...needs(), findSource: enabled });
  const large = { batch: Array.from({ length: 1_000 }, () => track()) };
  const answers = [1, 2, 3].map(() => refusal(collect(request('batch', large))));
  await Promise.resolve();
  isOn = false;
  expect(await Promise.all(answers)).toEqual(['none', 'source_disabled', 'source_disabled']);
});

test('numbers that grow when they are written out have a bound', async () => {
  const call = (count: number): object => page({ properties: { n: Array.from({ length: count }, () => 1e20) } });
  const given = (count: number): string => JSON.stringify(call(count)).replaceAll('100000000000000000000', '1e20');
  expect(await collect(request('page', given(4_000)))).toMatchObject({ accepted: 1 });
  expect(await refusal(collect(request('page', given(6_000))))).toBe('call_too_large');
});

test.each([
  [128, 'taken'],
  [129, 'call_too_deep'],
])('%d levels of objects and arrays: %s', async (levels, outcome) => {
  const inner = levels - 2;
  const call = `{"userId":"u","properties":{"a":${'['.repeat(inner)}${']'.repeat(inner)}}}`;
  const answer = collect(request('page', call));
  if (outcome === 'taken') expect(await answer).toMatchObject({ accepted: 1 });
  else expect(await refusal(answer)).toBe(outcome);
});

test('what is kept of a refused request has no write key in it', async () => {
  const key = 'wk_web';
  const more = { writeKey: key };
  await refusal(collect(request('batch', `{"writeKey":"${key}","batch":[],"note":"${key}"}`, more)));
  await refusal(collect(request('batch', `{"writeKey" : "another-key`, more)));
  await refusal(collect(request('batch', `{"writeKey":${key}"}`, more)));
  await collect(request('batch', { batch: [{ type: 'track', context: { writeKey: 'another-key' } }] }, more));
  const last = rejections.recent('s2');
  expect(last.map(({ code }) => code)).toEqual([
    'no_user_or_anonymous_id',
    'invalid_json',
    'invalid_json',
    'empty_batch',
  ]);
  expect(JSON.stringify(last)).toContain('••••');
  expect(JSON.stringify(last)).not.toMatch(/wk_we|another/);
});

describe('storage', () => {
  test.each(['overloaded', 'storage_full', 'storage_unavailable'] as const)('%s reaches the caller', async (code) => {
    append = () => Promise.reject(new Fault(code, 'later', { retryAfter: 3 }));
    const body = { batch: [track(), 1] };
    await expect(collect(request('batch', body))).rejects.toMatchObject({ code, retryAfter: 3 });
    expect(meter).toEqual([`rejected s1 ${code}`]);
    expect(rejections.recent('s1')).toMatchObject([{ code, part: JSON.stringify(body) }]);
  });

  test('what is no fault is no rejection', async () => {
    append = () => Promise.reject(new TypeError('a bug'));
    await expect(collect(request('track', track()))).rejects.toThrow('a bug');
    expect(meter).toEqual([]);
  });
});

test('deep nesting is refused, not fatal', async () => {
  const deep = `{"type":"track","event":"E","userId":"u","properties":${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}}`;
  const answer = await collect(request('batch', `{"batch":[${deep},{"type":"page","userId":"u"}]}`));
  expect(answer).toMatchObject({ accepted: 1, rejected: [{ index: 0, code: 'call_too_deep' }] });
});

test.each([
  ['as they are', (body: Buffer) => body],
  ['as gzip, of a few bytes', (body: Buffer) => gzipSync(body)],
])('batches that come at the same moment are read in turns, and a single call between them: %s', async (_, pack) => {
  const call = { type: 'track', userId: 'u1', event: 'Bought' };
  const batch = (messageId: string) => ({
    batch: [{ ...call, messageId, properties: { text: 'x'.repeat(10_000) } }],
  });
  const ids = (): string[] => appended.map(({ messageId }) => messageId);
  const answers = [
    collect({ ...request('batch', ''), body: pack(Buffer.from(JSON.stringify(batch('first')))) }),
    collect({ ...request('batch', ''), body: pack(Buffer.from(JSON.stringify(batch('second')))) }),
    collect(request('track', { ...call, messageId: 'single' })),
  ];
  // All that this turn of the event loop does.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(ids()).toEqual(['first', 'single']);
  await Promise.all(answers);
  expect(ids()).toEqual(['first', 'single', 'second']);
});

test('a quota counts all that is stored of a call, what is not delivered too', async () => {
  const charged: number[] = [];
  const admission = { check: () => undefined, charge: ({ bytes }: { bytes: number }) => charged.push(bytes) };
  await createCollector({ ...needs(), admission })(request('track', { ...track(), junk: 'é'.repeat(10_000) }));
  expect(charged[0]).toBeGreaterThan(20_000);
});
