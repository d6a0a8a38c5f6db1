import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, TOKEN, type World } from './test-server.ts';

let here: World;
let beside: World;
beforeAll(async () => {
  [here, beside] = await Promise.all([openWorld(), openWorld()]);
});
afterAll(() => Promise.all([here.close(), beside.close()]));

/** A browser: it sends the cookies of a host to every port of the host. */
class Browser {
  readonly cookies = new Map<string, string>();
  readonly #csrf = new Map<World, string>();

  async send(method: string, path: string, world: World, body?: object): Promise<number> {
    const answer = await fetch(world.origin + path, {
      method,
      headers: {
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-csrf-token': this.#csrf.get(world) ?? '',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (set.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    if (answer.status === 201) this.#csrf.set(world, ((await answer.json()) as { csrfToken: string }).csrfToken);
    return answer.status;
  }

  signIn(world: World): Promise<number> {
    return this.send('POST', '/api/session', world, { token: TOKEN });
  }

  /** Renames the cookie of a service. */
  rename(world: World, name: string): void {
    const own = `millrace_session_${new URL(world.origin).port}`;
    this.cookies.set(name, this.cookies.get(own) ?? '');
    this.cookies.delete(own);
  }

  session(world: World): Promise<number> {
    return this.send('GET', '/api/session', world);
  }
}

test('services on one host keep their sessions, and one that knows none ends none', async () => {
  const browser = new Browser();
  await browser.signIn(here);
  expect(await browser.session(beside)).toBe(401);
  expect(await browser.session(here)).toBe(200);
  await browser.signIn(beside);
  expect(await browser.session(here)).toBe(200);
  expect(await browser.send('DELETE', '/api/session', here)).toBe(204);
  expect(await browser.session(here)).toBe(401);
  expect(await browser.session(beside)).toBe(200);
});

test('a session under another name is taken: of an earlier version, or of another port of the service', async () => {
  const browser = new Browser();
  await browser.signIn(here);
  for (const name of ['millrace_session', 'millrace_session_1']) {
    browser.rename(here, name);
    expect(await browser.session(here)).toBe(200);
  }
});

test('signing out leaves no session of the service open that the browser has under another name', async () => {
  const browser = new Browser();
  await browser.signIn(here);
  browser.rename(here, 'millrace_session');
  await browser.signIn(here);
  expect(await browser.send('DELETE', '/api/session', here)).toBe(204);
  expect(browser.cookies.has('millrace_session')).toBe(true);
  expect(await browser.session(here)).toBe(401);
});

test('only so many cookies of a request are looked up', async () => {
  const browser = new Browser();
  await browser.signIn(here);
  browser.rename(here, 'millrace_session_last');
  const secret = browser.cookies.get('millrace_session_last') ?? '';
  browser.cookies.clear();
  for (const place of [1, 2, 3, 4]) browser.cookies.set(`millrace_session_${place}`, 'x'.repeat(43));
  browser.cookies.set('millrace_session_last', secret);
  expect(await browser.session(here)).toBe(401);
});

test('a sign-in ends the session of a cookie that it does not replace', async () => {
  const browser = new Browser();
  await browser.signIn(here);
  browser.rename(here, 'millrace_session');
  expect(await browser.session(here)).toBe(200);
  await browser.signIn(here);
  browser.cookies.delete(`millrace_session_${new URL(here.origin).port}`);
  expect(await browser.session(here)).toBe(401);
});
