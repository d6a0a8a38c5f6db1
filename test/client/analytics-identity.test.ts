import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openBrowser } from '../browser/browser.ts';
import { sharedService } from '../system/kit/service.ts';
import { loaded, named, openShop, script, stockSnippet } from './analytics-site.ts';

const browser = openBrowser();
const service = sharedService();

const IDENTITY = `({
  id: analytics.user().id(), anonymousId: analytics.user().anonymousId(), traits: analytics.user().traits(),
  group: analytics.group().id(), groupTraits: analytics.group().traits(),
})`;

/** A page of a site that makes no calls of its own. */
async function open(): Promise<{ readonly page: Page; visit(host?: string): Promise<void> }> {
  const shop = await openShop(service, {
    head: (_, { writeKey }) => script(stockSnippet(service.url, writeKey, { page: false })),
  });
  const page = await browser.newPage();
  return {
    page,
    async visit(host) {
      await shop.visit(page, '/', host);
      await loaded(page);
    },
  };
}

const NO_STORAGE = `Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden') } });`;
const NO_COOKIES = `Object.defineProperty(document, 'cookie', { get() { throw new Error('forbidden') } });`;

describe('an identity survives the page', () => {
  test.each([
    ['in cookies and in localStorage', ''],
    ['in cookies, where localStorage is forbidden', NO_STORAGE],
    ['in localStorage, where cookies are forbidden', NO_COOKIES],
  ])('%s', async (_, before) => {
    const { page, visit } = await open();
    await page.addInitScript(before);
    await visit();
    await page.evaluate(`analytics.identify('ü 1', { plan: 'pro' }); analytics.group('g1', { seats: 5 })`);
    const first = await page.evaluate<{ traits: object; groupTraits: object; anonymousId: string }>(IDENTITY);
    expect(first).toMatchObject({ id: 'ü 1', traits: { plan: 'pro' }, group: 'g1', groupTraits: { seats: 5 } });
    expect(first.anonymousId).toMatch(/^[\da-f-]{36}$/);
    await page.reload();
    await loaded(page);
    // Traits are too large for cookies.
    const kept = before === NO_STORAGE ? { ...first, traits: {}, groupTraits: {} } : first;
    expect(await page.evaluate(IDENTITY)).toEqual(kept);
  });

  test('without traits that would leave no room for the calls after them', async () => {
    const { page, visit } = await open();
    await visit();
    await page.evaluate(
      `analytics.identify('u1', { plan: 'pro' }); analytics.identify('u1', { cart: 'x'.repeat(33000) })`,
    );
    expect(await page.evaluate(IDENTITY)).toMatchObject({ id: 'u1', traits: { plan: 'pro' } });
    expect(await page.evaluate(`Object.keys(analytics.user().traits())`)).toEqual(['plan']);
  });

  test('under the names and in the form of analytics.js, for a year', async () => {
    const { page, visit } = await open();
    await visit();
    await page.evaluate(`analytics.identify('u1', { plan: 'pro' })`);
    const [id, anonymousId] = await page.evaluate<string[]>(`[analytics.user().id(), analytics.user().anonymousId()]`);
    const stored = await page.evaluate<Record<string, string>>('({ ...localStorage })');
    expect(stored).toMatchObject({
      ajs_user_id: JSON.stringify(id),
      ajs_anonymous_id: JSON.stringify(anonymousId),
      ajs_user_traits: '{"plan":"pro"}',
    });
    const cookies = new Map((await page.context().cookies()).map((cookie) => [cookie.name, cookie]));
    expect([...cookies.keys()].toSorted()).toEqual(['ajs_anonymous_id', 'ajs_user_id']);
    expect(cookies.get('ajs_user_id')).toMatchObject({ value: id, sameSite: 'Lax', path: '/', secure: false });
    const days = ((cookies.get('ajs_anonymous_id')?.expires ?? 0) - Date.now() / 1_000) / 86_400;
    expect(Math.round(days)).toBe(365);
  });

  test('from one host of a site to another, which has an older one of its own', async () => {
    const { page, visit } = await open();
    await visit('www.shop.localhost');
    await page.evaluate(`analytics.identify('u1')`);
    await visit('shop.localhost');
    expect(await page.evaluate('analytics.user().id()')).toBe('u1');
    const [cookie] = await page.context().cookies();
    expect(cookie?.domain).toBe('.shop.localhost');
    await page.evaluate(`analytics.identify('u2')`);
    await visit('www.shop.localhost');
    expect(await page.evaluate('analytics.user().id()')).toBe('u2');
  });

  test('where the cookies are gone, from localStorage', async () => {
    const { page, visit } = await open();
    await visit();
    await page.evaluate(`analytics.identify('u1', { plan: 'pro' }); analytics.group('g1', { seats: 5 })`);
    const first = await page.evaluate(IDENTITY);
    await page.context().clearCookies();
    await visit();
    expect(await page.evaluate(IDENTITY)).toEqual(first);
    await visit();
    expect(await page.evaluate(IDENTITY)).toEqual(first);
  });

  test('not where both are forbidden; the page itself has it all the same', async () => {
    const { page, visit } = await open();
    await page.addInitScript(NO_STORAGE + NO_COOKIES);
    await visit();
    await page.evaluate(`analytics.identify('u1', { plan: 'pro' })`);
    const first = await page.evaluate<{ anonymousId: string }>(IDENTITY);
    expect(first).toMatchObject({ id: 'u1', traits: { plan: 'pro' } });
    expect(await page.evaluate<{ anonymousId: string }>(IDENTITY)).toEqual(first);
  });
});

describe('who is who', () => {
  test('traits add up for a user; another user begins with none, and with another anonymous id', async () => {
    const { page, visit } = await open();
    await visit();
    const ids = await page.evaluate<string[]>(`
      globalThis.ids = [analytics.user().anonymousId()];
      analytics.identify({ age: 7 });
      analytics.identify('u1', { plan: 'pro' });
      analytics.identify(null, { plan: 'team' });
      ids.push(analytics.user().anonymousId());
      globalThis.before = analytics.user().traits();
      analytics.identify(42, { city: 'Ulm' });
      ids.push(analytics.user().anonymousId());
      ids`);
    expect(await page.evaluate('before')).toEqual({ age: 7, plan: 'team' });
    expect(await page.evaluate(IDENTITY)).toMatchObject({ id: '42', traits: { city: 'Ulm' } });
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test('reset forgets the user, the traits and the group, and the anonymous id is another', async () => {
    const { page, visit } = await open();
    await visit();
    await page.evaluate(`analytics.identify('u1', { a: 1 }); analytics.group('g1', { b: 2 })`);
    const before = await page.evaluate<{ anonymousId: string }>(IDENTITY);
    await page.evaluate('analytics.reset()');
    await page.reload();
    await loaded(page);
    const after = await page.evaluate<{ anonymousId: string }>(IDENTITY);
    expect(after).toMatchObject({ id: null, traits: {}, group: null, groupTraits: {} });
    expect(after.anonymousId).not.toBe(before.anonymousId);
  });

  test('reset on one host of a site holds on another: on the next page, and on one that is open', async () => {
    const { page, visit } = await open();
    for (const host of ['blog.shop.localhost', 'www.shop.localhost']) {
      await visit(host);
      await page.evaluate(`analytics.identify('u1', { a: 1 }); analytics.group('g1', { b: 2 })`);
    }
    const blog = await page.context().newPage();
    await blog.goto(page.url().replace('www', 'blog'));
    await loaded(blog);
    expect(await blog.evaluate(IDENTITY)).toMatchObject({ id: 'u1', traits: { a: 1 }, group: 'g1' });
    await page.evaluate('analytics.reset()');
    const after = await page.evaluate(IDENTITY);
    expect(after).toMatchObject({ id: null, traits: {}, group: null, groupTraits: {} });
    expect(await blog.evaluate(IDENTITY)).toEqual(after);
    await visit('blog.shop.localhost');
    expect(await page.evaluate(IDENTITY)).toEqual(after);
    await visit('www.shop.localhost');
    expect(await page.evaluate(IDENTITY)).toEqual(after);
  });

  test('an id that is removed on one host of a site is removed on the others', async () => {
    const { page, visit } = await open();
    for (const host of ['blog.shop.localhost', 'www.shop.localhost']) {
      await visit(host);
      await page.evaluate(`analytics.identify('u1'); analytics.group('g1')`);
    }
    await page.evaluate('analytics.user().id(null); analytics.group().id(null)');
    const after = await page.evaluate(IDENTITY);
    await visit('blog.shop.localhost');
    expect(await page.evaluate(IDENTITY)).toEqual(after);
  });

  test('reset forgets the user beside a cookie of the host alone, on the next page too', async () => {
    const { page, visit } = await open();
    await visit('www.shop.localhost');
    await page.evaluate(`analytics.identify('u1', { a: 1 })`);
    // Another script has set it.
    await page.evaluate(`document.cookie = 'ajs_user_id=u2;path=/'; analytics.reset()`);
    expect(await page.evaluate(IDENTITY)).toMatchObject({ id: null, traits: {} });
    await visit('www.shop.localhost');
    expect(await page.evaluate(IDENTITY)).toMatchObject({ id: null, traits: {} });
  });

  test('a visitor whom the first analytics.js knew by no id has none', async () => {
    const { page, visit } = await open();
    await visit();
    await page.evaluate(
      `analytics.reset(); document.cookie = 'ajs_user_id=null;path=/'; document.cookie = 'ajs_group_id="g1";path=/'`,
    );
    await visit();
    expect(await page.evaluate(IDENTITY)).toMatchObject({ id: null, group: 'g1' });
  });

  test('what a listener throws keeps reset from nothing', async () => {
    const { page, visit } = await open();
    await visit();
    const id = await page.evaluate(`analytics.identify('u1'); analytics.on('reset', () => { throw new Error('no'); });
      analytics.reset(); analytics.user().id()`);
    expect(id).toBe(null);
  });

  test('ids are set by hand, and by the options of a call', async () => {
    const { page, visit } = await open();
    await visit();
    const set = await page.evaluate(`[analytics.setAnonymousId('a1'), analytics.user().id('u1')]`);
    expect(set).toEqual(['a1', 'u1']);
    await page.evaluate(`analytics.track('Known', {}, { anonymousId: 'a2' })`);
    expect(await page.evaluate(IDENTITY)).toMatchObject({ id: 'u1', anonymousId: 'a2' });
    await page.evaluate(
      `analytics.user().id(null); analytics.user().anonymousId(null); analytics.user().traits({ a: 1 })`,
    );
    const now = await page.evaluate<{ anonymousId: string }>(IDENTITY);
    expect(now).toMatchObject({ id: null, traits: { a: 1 } });
    expect(now.anonymousId).not.toBe('a2');
  });

  test('an alias without the former id speaks of the anonymous one', async () => {
    const shop = await openShop(service);
    const page = await browser.newPage();
    await shop.visit(page);
    await loaded(page);
    const anonymousId = await page.evaluate(`analytics.alias('u9'); analytics.user().anonymousId()`);
    const alias = named(await shop.messages(2), 'alias');
    expect(alias).toMatchObject({ 'User ID': 'u9', 'Previous ID': anonymousId });
  });
});
