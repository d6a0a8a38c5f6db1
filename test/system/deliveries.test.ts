import { describe, expect, test } from 'vitest';
import type { Delivery, Page, TestResult } from '../../packages/server/src/admin/contract.ts';
import { addUp } from './kit/admin.ts';
import { eventually } from './kit/eventually.ts';
import { receive } from './kit/receiver.ts';
import { sharedService, startService } from './kit/service.ts';

const service = sharedService({ MILLRACE_RETRY_WINDOW: '300ms' });

describe('contract 12: deliveries', () => {
  test('newest first, filtered by destination, state, event, user and time, a page at a time', async () => {
    const receiver = await receive(({ message }) => (message['event'] === 'Bad' ? 400 : 200));
    const source = await service.source();
    const destination = await service.destination(source, receiver.url(), {
      trackFilter: { mode: 'deny', events: ['Denied'] },
    });
    const other = await service.destination(source, receiver.url('/other'));
    const events = ['Good', 'Bad', 'Denied', 'Good', 'Bad', 'Good', 'Good'];
    const ids: string[] = [];
    for (const [n, event] of events.entries()) {
      ids.push(await service.accept(source, { event, userId: `user ${n % 2}`, messageId: `d${n}-${destination.id}` }));
    }
    await service.settled(destination, 7);
    await service.settled(other, 7);
    const list = async (query: Record<string, string>): Promise<string[]> =>
      (await service.deliveries({ destinationId: destination.id, ...query })).items.map(({ messageId }) => messageId);
    const those = (...places: number[]): (string | undefined)[] => places.map((place) => ids[place]);

    expect(await list({})).toEqual(those(6, 5, 4, 3, 2, 1, 0));
    expect(await list({ state: 'processed' })).toEqual(those(6, 5, 3, 0));
    expect(await list({ state: 'failed' })).toEqual(those(4, 1));
    expect(await list({ state: 'filtered' })).toEqual(those(2));
    expect(await list({ state: 'retrying' })).toEqual([]);
    expect(await list({ event: 'Good' })).toEqual(those(6, 5, 3, 0));
    expect(await list({ event: 'good' })).toEqual([]);
    expect(await list({ userId: 'user 1' })).toEqual(those(5, 3, 1));
    expect(await list({ userId: 'user 1', event: 'Good', state: 'processed' })).toEqual(those(5, 3));
    const { items } = await service.deliveries({ destinationId: destination.id });
    const third = items.find(({ messageId }) => messageId === ids[3])?.receivedAt ?? '';
    expect((await list({ from: third })).includes(ids[3] ?? '')).toBe(true);
    expect((await list({ to: third })).includes(ids[3] ?? '')).toBe(false);
    expect(await list({ from: '2001-01-01', to: '2001-01-02' })).toEqual([]);

    const paged: Delivery[] = [];
    let next: string | null = null;
    do {
      const query: Record<string, string> = {
        destinationId: destination.id,
        limit: '2',
        ...(next === null ? {} : { cursor: next }),
      };
      const page: Page<Delivery> = await service.deliveries(query);
      expect(page.items.length).toBeLessThanOrEqual(2);
      paged.push(...page.items);
      ({ next } = page);
    } while (next !== null);
    expect(paged).toEqual(items);
    expect(items[6]).toMatchObject({
      destinationId: destination.id,
      sourceId: source.id,
      type: 'track',
      event: 'Good',
      userId: 'user 0',
      state: 'processed',
      reason: null,
      rounds: 1,
      attempts: [{ url: receiver.url(), status: 200, error: null, ms: expect.any(Number) }],
      receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      nextAttemptAt: null,
    });
  });

  test.each(['state=waiting', 'state=x', 'from=yesterday', 'limit=0', 'limit=x', 'cursor=x', 'nonsense=1'])(
    'refuses %s',
    async (query) => {
      expect(await service.refused('GET', `/api/deliveries?${query}`)).toMatchObject({
        status: 400,
        code: 'invalid_input',
      });
    },
  );

  test('a destination that is not there', async () => {
    expect(await service.refused('GET', '/api/destinations/nobody/counts')).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });
});

describe('contract 12: the trace of one message', () => {
  test('shows the event as received and as sent, each attempt with its answer, and the next attempt’s time', async () => {
    const receiver = await receive(({ attempt }) =>
      attempt === 1 ? { status: 500, headers: { 'Retry-After': '1' }, body: 'not now' } : 200,
    );
    const source = await service.source();
    const destination = await service.destination(source, receiver.url(), {
      name: 'Named',
      policy: { retryWindow: '1m' },
    });
    const messageId = await service.accept(source, {
      properties: { a: 1 },
      context: { locale: 'de' },
      messageId: 'a/b c?d',
    });
    const trace = await service.tracedAs(messageId, 'retrying');
    const [arrival] = receiver.arrivals;
    expect(trace).toMatchObject({ messageId, sourceId: source.id, type: 'track', event: 'Tested', userId: 'u1' });
    expect(trace.sent).toBe(arrival?.text);
    expect(trace.received).toMatchObject({
      type: 'track',
      event: 'Tested',
      userId: 'u1',
      properties: { a: 1 },
      context: { locale: 'de' },
      messageId,
    });
    const [lane] = trace.lanes;
    expect(lane).toMatchObject({ destinationId: destination.id, destinationName: 'Named', reason: null, rounds: 1 });
    expect(lane?.attempts).toMatchObject([{ url: receiver.url(), status: 500, error: null, answer: 'not now' }]);
    expect(Date.parse(lane?.nextAttemptAt ?? '')).toBeGreaterThanOrEqual(Number(arrival?.at) + 1_000);
    expect((await service.tracedAs(messageId, 'processed')).lanes[0]).toMatchObject({ nextAttemptAt: null, rounds: 2 });
  });

  test('of one that is not there is 404', async () => {
    expect(await service.refused('GET', '/api/messages/nobody')).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('contract 12: a test message', () => {
  test('is one real message to each URL, answered with what was sent and what came back, never retried, counted apart', async () => {
    const receiver = await receive(({ path }) => ({ status: path === '/bad' ? 503 : 201, body: `from ${path}` }));
    const source = await service.source();
    const destination = await service.destination(source, [], {
      settings: {
        webhooks: [{ url: receiver.url('/good'), headers: { 'X-Team': 'growth' } }, { url: receiver.url('/bad') }],
        sharedSecret: 'a secret for the test message',
      },
    });
    const event = { type: 'track', event: 'Order Completed', userId: 'u1', properties: { total: 27.5 } };
    const result = await service.must<TestResult>('POST', `/api/destinations/${destination.id}/test`, { event });
    const [good] = receiver.on('/good');
    expect(result.body).toBe(good?.text);
    expect(good?.message).toMatchObject({ version: 1, ...event, messageId: result.messageId });
    expect(result.urls).toMatchObject([
      {
        url: receiver.url('/good'),
        status: 201,
        class: 'success',
        answer: 'from /good',
        headers: { 'X-Team': 'growth', 'X-Signature': good?.headers['x-signature'] },
      },
      { url: receiver.url('/bad'), status: 503, class: 'temporary', answer: 'from /bad' },
    ]);
    expect(good?.headers).toMatchObject({
      'x-team': 'growth',
      'content-type': 'application/json',
      'user-agent': 'Millrace/1.0',
    });
    await service.must('POST', `/api/destinations/${destination.id}/test`, {});
    // An ordinary message comes after it, through a retry round; the test messages are still where they were.
    await service.accept(source);
    await service.settled(destination, 1);
    expect(receiver.on('/bad')).toHaveLength(3);
    expect(addUp(await service.counts(destination))).toMatchObject({ accepted: 1, processed: 1 });
    expect(result.urls.every(({ headers }) => !JSON.stringify(headers).includes('a secret'))).toBe(true);
  });

  test('of an accepted event is the request of its delivery, to the byte, and says what the destination leaves out', async () => {
    const receiver = await receive();
    const source = await service.source();
    const webhooks = [{ url: receiver.url() }];
    const settings = { webhooks, sharedSecret: 'a secret for the test message' };
    const destination = await service.destination(source, [], { settings });
    const messageId = await service.accept(source, { event: 'Order Completed', properties: { total: 27.5 } });
    await service.settled(destination, 1);
    const path = `/api/destinations/${destination.id}`;
    await service.must('PATCH', path, { trackFilter: { mode: 'deny', events: ['Order Completed'] } });
    const result = await service.must<TestResult>('POST', `${path}/test`, {
      message: { messageId, sourceId: source.id },
    });
    const [delivered, tested] = receiver.arrivals;
    expect(tested?.text).toBe(delivered?.text);
    expect(tested?.headers).toEqual(delivered?.headers);
    expect(result).toMatchObject({ messageId, body: delivered?.text, filtered: 'track_filter' });
    expect(await service.counts(destination)).toMatchObject({ accepted: 1, processed: 1 });
    expect((await service.trace(messageId)).lanes[0]?.attempts).toHaveLength(1);
  });

  test('that is wrong is refused', async () => {
    const destination = await service.destination(await service.source(), 'http://127.0.0.1:9/');
    const path = `/api/destinations/${destination.id}/test`;
    expect(await service.refused('POST', path, { event: { type: 'track' } })).toMatchObject({ status: 400 });
    expect(await service.refused('POST', path, { event: 7 })).toMatchObject({ status: 400, code: 'invalid_input' });
    expect(await service.refused('POST', '/api/destinations/nobody/test', {})).toMatchObject({ status: 404 });
    const refused = await service.must<TestResult>('POST', path, {});
    expect(refused.urls).toMatchObject([{ status: null, error: 'connection_refused', class: 'temporary' }]);
  });
});

test('contract 12: the counts add up whenever they are read, under load', async () => {
  const EVENTS = 3_000;
  const own = await startService({ MILLRACE_LOG_LEVEL: 'warn', MILLRACE_RETRY_WINDOW: '300ms' });
  let n = 0;
  const statuses = [200, 200, 500, 200, 404, 200, 503, 200];
  const receiver = await receive(() => statuses[n++ % statuses.length] ?? 200, { keep: false });
  const source = await own.source();
  const one = await own.destination(source, receiver.url('/one'), { trackFilter: { mode: 'deny', events: ['E7'] } });
  const two = await own.destination(source, [receiver.url('/two'), receiver.url('/three')]);
  const batch = (from: number): object => ({
    batch: Array.from({ length: 100 }, (_, i) => ({ type: 'track', event: `E${(from + i) % 10}`, userId: 'u' })),
  });
  let sending = true;
  const load = (async () => {
    for (let from = 0; from < EVENTS; from += 100)
      expect(await own.send(source, 'batch', batch(from))).toMatchObject({ status: 200 });
    sending = false;
  })();
  let samples = 0;
  while (sending) {
    addUp(await own.counts(one));
    addUp(await own.counts(two));
    samples += 2;
  }
  await load;
  expect(samples).toBeGreaterThan(3);
  // One of four requests fails, so each endpoint is felt for: on a machine that does other things too this takes its time.
  const [first, second] = [await own.settled(one, EVENTS, 60_000), await own.settled(two, EVENTS, 60_000)];
  expect(first.filtered).toBe(EVENTS / 10);
  expect(second).toMatchObject({ filtered: 0 });
  const failed = await eventually(
    () => own.deliveries({ destinationId: one.id, state: 'failed', limit: '1' }),
    () => true,
  );
  expect(failed.items).toHaveLength(1);
});
