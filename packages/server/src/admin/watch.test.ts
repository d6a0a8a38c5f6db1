import { afterAll, beforeAll, expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { systemClock } from '../core/clock.ts';
import { GOOD, openWorld, TOKEN, type World } from './test-server.ts';
import { watchAnswers } from './watch.ts';

/** Added to the time of sessions, milliseconds. */
let ahead = 0;
let world: World;
beforeAll(async () => {
  world = await openWorld({ ...systemClock, now: () => Date.now() + ahead });
});
afterAll(() => world.close());

const authorization = `Bearer ${TOKEN}`;

interface Told {
  readonly path: string;
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Opens a watch; `next` answers what it tells next, null at its end. */
async function watch(
  paths: readonly string[],
  headers: Record<string, string> = { authorization },
): Promise<{ answer: Response; next(): Promise<Told | null>; leave(): void }> {
  const leaving = new AbortController();
  const query = new URLSearchParams(paths.map((path): [string, string] => ['path', path]));
  const answer = await fetch(`${world.origin}/api/watch?${query}`, { headers, signal: leaving.signal });
  let reader: ReadableStreamDefaultReader<string> | undefined;
  let text = '';
  const next = async (): Promise<Told | null> => {
    for (;;) {
      const [whole, data] = /event: answer\ndata: (.*)\n\n/.exec(text) ?? [];
      if (whole !== undefined && data !== undefined) {
        text = text.slice(text.indexOf(whole) + whole.length);
        return JSON.parse(data) as Told;
      }
      reader ??= answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return null;
      text += value;
    }
  };
  return { answer, next, leave: () => leaving.abort() };
}

test('tells what each path answers, then only what is another', async () => {
  const made = await world.call('POST', '/api/destinations', { ...GOOD, name: 'Before' });
  const id = String(made.body['id']);
  const watching = await watch([`/api/destinations/${id}`, '/api/sources?limit=5', '/api/destinations/dst_none']);
  expect(watching.answer.headers.get('content-type')).toContain('text/event-stream');
  expect(await watching.next()).toMatchObject({
    path: `/api/destinations/${id}`,
    status: 200,
    body: { name: 'Before' },
  });
  expect(await watching.next()).toMatchObject({ path: '/api/sources?limit=5', status: 200, body: { items: [] } });
  expect(await watching.next()).toMatchObject({ status: 404, body: { code: 'not_found' } });
  await world.call('PATCH', `/api/destinations/${id}`, { name: 'After' });
  expect(await watching.next()).toMatchObject({
    path: `/api/destinations/${id}`,
    status: 200,
    body: { name: 'After' },
  });
  watching.leave();
});

test('an answer begins before anything is known: a service that stops then fails no request', () => {
  const ask = (): Promise<never> => new Promise(() => undefined);
  const stream = watchAnswers({ clock: new HandClock(), paths: ['/api/overview'], ask, report: () => undefined });
  expect(String(stream.read())).toBe(': watching\n\n');
  stream.destroy();
});

test('is no use of the session: a page that is only left open does not extend it', async () => {
  const signedIn = await world.call('POST', '/api/session', { token: TOKEN });
  const [cookie = ''] = signedIn.headers.getSetCookie().map((set) => set.split(';')[0] ?? '');
  ahead = 2 * 60 * 60 * 1000;
  const watching = await watch(['/api/overview'], { cookie });
  expect(await watching.next()).toMatchObject({ status: 200 });
  const live = await fetch(`${world.origin}/api/events/live`, { headers: { cookie } });
  const used = await fetch(`${world.origin}/api/overview`, { headers: { cookie } });
  const renewed = [watching.answer, live, used].map(({ headers }) => headers.getSetCookie().length);
  expect(renewed).toEqual([0, 0, 1]);
  watching.leave();
  await live.body?.cancel();
  ahead = 0;
});

test('refuses what is no GET that answers JSON, and too much', async () => {
  for (const path of [
    '/api/events/live',
    '/api/watch?path=/api/overview',
    '/v1/track',
    'http://203.0.112.9/api/overview',
    '/api/nothing',
    String.raw`/api/sources/x\..\..\watch?path=/api/overview`,
    String.raw`/api/sources/x\..\..\..\metrics`,
    '/api/sources/%2e%2e',
    '/api/sources/..',
  ]) {
    const { answer } = await watch(['/api/overview', path]);
    expect([path, answer.status]).toEqual([path, 400]);
    expect(await answer.text()).toContain('path[1]');
  }
  const { answer } = await watch(Array.from({ length: 17 }, () => '/api/overview'));
  expect(answer.status).toBe(400);
});

test('asks as the caller: what an observer may not see is refused to it there too', async () => {
  const { body } = await world.call('POST', '/api/tokens', { name: 'wallboard', role: 'observer' });
  const watching = await watch(['/api/overview', '/api/events'], { authorization: `Bearer ${String(body['token'])}` });
  expect(await watching.next()).toMatchObject({ path: '/api/overview', status: 200 });
  expect(await watching.next()).toMatchObject({ path: '/api/events', status: 403, body: { code: 'forbidden' } });
  await world.call('DELETE', `/api/tokens/${String(body['id'])}`);
  expect(await watching.next()).toBeNull();
});

test('a caller has ten at most, and their places again when they are left', async () => {
  const open = await Promise.all(Array.from({ length: 10 }, () => watch(['/api/overview'])));
  await Promise.all(open.map(({ next }) => next()));
  const { answer } = await watch(['/api/overview']);
  expect(answer.status).toBe(503);
  for (const { leave } of open) leave();
  for (;;) {
    const again = await watch(['/api/overview']);
    again.leave();
    if (again.answer.status === 200) break;
  }
});

test('ends where what it has told is not read, before it asks for more', async () => {
  const asked: string[] = [];
  const stream = watchAnswers({
    clock: new HandClock(),
    paths: ['/a', '/b', '/c', '/d'],
    async ask(path) {
      asked.push(path);
      return { status: 200, body: JSON.stringify('x'.repeat(3 * 1024 * 1024)) };
    },
    report: (error) => expect(error).toBeUndefined(),
  });
  await new Promise((resolve) => stream.once('close', resolve));
  expect(asked).toEqual(['/a', '/b']);
});
