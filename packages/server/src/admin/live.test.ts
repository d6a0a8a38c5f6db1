import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveEvent } from './contract.ts';
import { openWorld, TOKEN, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Opens the stream and waits until it watches. */
async function watch(
  query = '',
  headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
): Promise<{ answer: Response; until(mark: string): Promise<string>; leave(): void }> {
  const leaving = new AbortController();
  const answer = await fetch(`${world.origin}/api/events/live${query}`, { headers, signal: leaving.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (mark: string): Promise<string> => {
    while (!text.includes(mark)) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`the stream ended before ${mark}: ${text}`);
      text += value;
    }
    return text;
  };
  await until(': watching');
  return { answer, until, leave: () => leaving.abort() };
}

test('what is accepted is seen as it comes, filtered', async () => {
  const { id: source } = await world.source();
  const { answer, until, leave } = await watch(`?sourceId=${source}&text=ORDER&event=Order&type=track&userId=u`);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  await world.accept('src_other', ['hidden']);
  const [entry] = await world.accept(source, ['shown']);
  const text = await until('"matched":1');
  const [data] = [...text.matchAll(/^event: event\ndata: (.*)$/gm)].map(
    ([, json]) => JSON.parse(json ?? '') as LiveEvent,
  );
  expect(data).toMatchObject({ messageId: 'shown', sourceId: source, type: 'track', event: 'Order', userId: 'u' });
  expect(data?.body).toBe(new TextDecoder().decode(entry?.body));
  expect(text).not.toContain('hidden');
  leave();
});

test('a wrong filter and a caller without a token are refused', async () => {
  expect((await fetch(`${world.origin}/api/events/live`)).status).toBe(401);
  for (const [query, path] of [
    ['type=tracks', 'type'],
    ['text=', 'text'],
    [`text=${'x'.repeat(201)}`, 'text'],
    ['colour=red', 'colour'],
  ]) {
    expect(world.wrongPaths(await world.get(`/api/events/live?${query}`)), query).toEqual([path]);
  }
});

test('the sixth stream of one caller is refused, with the time to wait', async () => {
  const watching = await Promise.all(Array.from({ length: 5 }, () => watch()));
  const refused = await world.get('/api/events/live');
  expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded' } });
  expect(refused.headers.get('retry-after')).toBe('10');
  for (const { leave } of watching) leave();
});

test('a close of the server ends the streams, and waits for none', async () => {
  const other = await openWorld();
  const headers = { authorization: `Bearer ${TOKEN}` };
  const answer = await fetch(`${other.origin}/api/events/live`, { headers });
  const text = answer.text();
  await other.close();
  expect(await text).toMatch(/^: watching\n\n/);
});

test('a stream ends when its account gets another role', async () => {
  const invite = await world.call('POST', '/api/invites', { email: 'viewer@example.com', role: 'viewer' });
  const secret = String(invite.body['link']).replace('/invite#', '');
  const accepted = await fetch(`${world.origin}/api/invites/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret, name: 'A viewer', password: 'correct horse battery' }),
  });
  expect(accepted.status).toBe(201);
  const cookie = accepted.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const { account } = (await accepted.json()) as { readonly account: { readonly id: string } };
  const { until } = await watch('', { cookie });
  await until('event: sampled');
  expect((await world.call('PATCH', `/api/accounts/${account.id}`, { role: 'observer' })).status).toBe(200);
  await expect(until('never said')).rejects.toThrow('the stream ended');
});

test('a stream ends with the session or the token it was opened with', async () => {
  const signedIn = await world.call('POST', '/api/session', { token: TOKEN });
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const { id, token } = (await world.call('POST', '/api/tokens', { name: 'CI', role: 'viewer' })).body;
  const byCookie = await watch('', { cookie });
  const byToken = await watch('', { authorization: `Bearer ${token}` });
  const staying = await watch();
  const headers = { cookie, 'x-csrf-token': String(signedIn.body['csrfToken']) };
  expect((await fetch(`${world.origin}/api/session`, { method: 'DELETE', headers })).status).toBe(204);
  expect((await world.call('DELETE', `/api/tokens/${id}`)).status).toBe(204);
  for (const { until } of [byCookie, byToken]) await expect(until('never said')).rejects.toThrow('the stream ended');
  await staying.until('event: sampled');
  staying.leave();
});
