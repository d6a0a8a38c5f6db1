import { describe, expect, test } from 'vitest';
import type { Attempt, Trace } from '../../packages/server/src/admin/contract.ts';
import { eventually } from './kit/eventually.ts';
import { type Reply, receive } from './kit/receiver.ts';
import { DEFAULTS, sharedService, startService } from './kit/service.ts';

const service = sharedService({ MILLRACE_DELIVERY_TIMEOUT: '300ms' });

function attemptsOf({ lanes }: Trace): Attempt[] {
  return lanes.flatMap(({ attempts }) => attempts);
}

/** One message whose first attempt is answered like this, and every later one 200. Answers what became of it. */
async function firstAnswered(
  reply: Reply,
  state: string,
): Promise<{ attempts: Attempt[]; trace: Trace; requests: number }> {
  const receiver = await receive(({ attempt, path }) => (attempt === 1 && path === '/hook' ? reply : 200));
  const source = await service.source();
  const destination = await service.destination(source, receiver.url('/hook'));
  const messageId = await service.accept(source);
  const trace = await service.tracedAs(messageId, state);
  await service.settled(destination, 1);
  return { attempts: attemptsOf(trace), trace, requests: receiver.arrived };
}

describe('contract 3: status', () => {
  test.each([200, 201, 202, 204, 226, 299])('%i is a success', async (status) => {
    const { attempts, requests } = await firstAnswered(status, 'processed');
    expect(requests).toBe(1);
    expect(attempts).toMatchObject([{ status, error: null }]);
  });

  test.each([500, 501, 502, 503, 504, 507, 599, 408, 425, 429])('%i is temporary: tried again', async (status) => {
    const { attempts, requests } = await firstAnswered(status, 'processed');
    expect(requests).toBe(2);
    expect(attempts).toMatchObject([{ status, error: null }, { status: 200 }]);
  });

  test.each([400, 401, 403, 404, 405, 409, 410, 413, 422, 451, 499])(
    '%i is permanent: failed after one attempt',
    async (status) => {
      const { attempts, trace, requests } = await firstAnswered(status, 'failed');
      expect(requests).toBe(1);
      expect(attempts).toMatchObject([{ status, error: null }]);
      expect(trace.lanes).toMatchObject([{ reason: 'rejected', nextAttemptAt: null }]);
    },
  );

  test.each([300, 301, 302, 303, 304, 307, 308])('%i is permanent: a redirect is never followed', async (status) => {
    const { attempts, requests } = await firstAnswered({ status, headers: { Location: '/elsewhere' } }, 'failed');
    expect(requests).toBe(1);
    expect(attempts).toMatchObject([{ status, error: null }]);
  });

  test('the status decides, whatever the body does', async () => {
    expect(await firstAnswered('head', 'processed')).toMatchObject({ requests: 1, attempts: [{ status: 200 }] });
    expect(await firstAnswered('endless', 'processed')).toMatchObject({ requests: 1, attempts: [{ status: 200 }] });
    expect(await firstAnswered({ status: 200, body: 'error' }, 'processed')).toMatchObject({ requests: 1 });
  });

  test('of the answer 1 KiB is kept for display', async () => {
    const body = 'ä'.repeat(5_000);
    const { attempts } = await firstAnswered({ status: 500, body }, 'processed');
    expect(attempts[0]?.answer).toBe('ä'.repeat(512));
    const { attempts: endless } = await firstAnswered('endless', 'processed');
    expect(endless[0]?.answer).toBe('endless '.repeat(128));
  });
});

describe('contract 3: no status', () => {
  test.each([
    ['hang', 'timeout'],
    ['reset', 'connection_reset'],
    ['close', 'connection_closed'],
    ['garbage', 'protocol_error'],
  ] as const)('%s is %s: tried again', async (reply, error) => {
    const { attempts, requests } = await firstAnswered(reply, 'processed');
    expect(requests).toBe(2);
    expect(attempts).toMatchObject([
      { status: null, error },
      { status: 200, error: null },
    ]);
    expect(attempts[0]?.detail).toMatch(/\w/);
  });

  test('refused is connection_refused: tried again until somebody listens', async () => {
    const gone = await receive();
    const { port } = gone;
    await gone.close();
    const source = await service.source();
    await service.destination(source, `http://127.0.0.1:${port}/hook`);
    const messageId = await service.accept(source);
    await eventually(
      () => service.trace(messageId),
      (trace) => attemptsOf(trace).length > 0,
    );
    await receive(200, { port });
    const trace = await service.tracedAs(messageId, 'processed');
    expect(attemptsOf(trace)[0]).toMatchObject({ status: null, error: 'connection_refused' });
  });

  test('a name that does not resolve is dns_failure: tried again', async () => {
    const source = await service.source();
    const destination = await service.destination(source, 'http://no-such-host.invalid/hook');
    const messageId = await service.accept(source);
    const trace = await eventually(
      () => service.trace(messageId),
      (read) => attemptsOf(read).length > 1,
    );
    expect(attemptsOf(trace)[0]).toMatchObject({ status: null, error: 'dns_failure' });
    expect((await service.status(destination)).urls[0]?.lastError).toContain('could not be resolved');
  });
});

describe('contract 3: Retry-After', () => {
  test.each([429, 503, 500])('%i with seconds: not before they are over', async (status) => {
    const receiver = await receive(({ attempt }) =>
      attempt === 1 ? { status, headers: { 'Retry-After': '1' } } : 200,
    );
    const source = await service.source();
    await service.destination(source, receiver.url());
    await service.accept(source);
    const [first, second] = await receiver.waitFor(2);
    expect(Number(second?.at) - Number(first?.answeredAt)).toBeGreaterThanOrEqual(990);
  });

  test('a date: not before it', async () => {
    let until = 0;
    const receiver = await receive(({ attempt }) => {
      if (attempt > 1) return 200;
      until = Math.floor(Date.now() / 1_000) * 1_000 + 2_000;
      return { status: 503, headers: { 'Retry-After': new Date(until).toUTCString() } };
    });
    const source = await service.source();
    await service.destination(source, receiver.url());
    await service.accept(source);
    const [, second] = await receiver.waitFor(2);
    expect(Number(second?.at)).toBeGreaterThanOrEqual(until - 10);
  });

  test('is honoured within the window: the last attempt is at its end', async () => {
    const receiver = await receive({ status: 500, headers: { 'Retry-After': '3600' } });
    const source = await service.source();
    await service.destination(source, receiver.url());
    const messageId = await service.accept(source);
    const trace = await service.tracedAs(messageId, 'failed');
    expect(trace.lanes).toMatchObject([{ reason: 'window_ended' }]);
    expect(attemptsOf(trace)).toHaveLength(2);
  });

  test.each(['-5', 'soon', '', '1e9', 'Thu, 01 Jan 1970 00:00:00 GMT'])('%j asks for no wait', async (value) => {
    const { requests } = await firstAnswered({ status: 503, headers: { 'Retry-After': value } }, 'processed');
    expect(requests).toBe(2);
  });
});

test('contract 3: an endpoint has 5 s to answer when nothing is set', async () => {
  const plain = await startService({ ...DEFAULTS, MILLRACE_LOG_LEVEL: 'debug' });
  const receiver = await receive(({ path }) => {
    if (path === '/hangs') return 'hang';
    return new Promise((resolve) => setTimeout(() => resolve(200), 4_000));
  });
  const source = await plain.source();
  const hanging = await plain.destination(source, receiver.url('/hangs'));
  await plain.destination(source, receiver.url('/slow'));
  const messageId = await plain.accept(source);
  const [hung] = await receiver.waitFor(1, '/hangs');
  const closedAt = await hung?.closed;
  expect(Number(closedAt) - Number(hung?.at)).toBeGreaterThanOrEqual(4_900);
  const { lanes } = await eventually(
    () => plain.trace(messageId),
    (trace) => trace.lanes.every(({ attempts }) => attempts.length === 1),
  );
  const [timedOut, slow] = lanes.toSorted(
    (a, b) => Number(b.destinationId === hanging.id) - Number(a.destinationId === hanging.id),
  );
  expect(timedOut).toMatchObject({ state: 'retrying', attempts: [{ status: null, error: 'timeout' }] });
  expect(timedOut?.attempts[0]?.ms).toBeGreaterThanOrEqual(4_990);
  // Decisions 5: the first retry is 2.5 to 5 s after it.
  const wait = Date.parse(timedOut?.nextAttemptAt ?? '') - Date.parse(timedOut?.updatedAt ?? '');
  expect(wait).toBeGreaterThanOrEqual(2_490);
  expect(wait).toBeLessThanOrEqual(5_010);
  expect(slow).toMatchObject({ state: 'processed', attempts: [{ status: 200 }] });
});
