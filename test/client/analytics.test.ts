import { describe, expect, test } from 'vitest';
import { openBrowser } from '../browser/browser.ts';
import { sharedService } from '../system/kit/service.ts';
import { loaded, named, openShop, script, stockSnippet } from './analytics-site.ts';
import { closeTab } from './site.ts';

const browser = openBrowser();
const service = sharedService();

const OFFLINE = [/ERR_INTERNET_DISCONNECTED/];

/** Loads when the page says so. */
const LATER = { load: false, page: false };

test('the stock snippet, with nothing but the host changed: every method arrives', async () => {
  const shop = await openShop(service);
  const page = await browser.newPage();
  await shop.visit(page);
  await loaded(page);
  await page.evaluate(`
    analytics.identify('u1', { plan: 'pro' });
    analytics.track('Ordered', { total: 27.5 }, { timestamp: '2026-01-02T03:04:05.678Z', messageId: 'order-1' });
    analytics.screen('Main', { tab: 2 });
    analytics.group('g1', { seats: 5 });
    analytics.alias('u2', 'u1');
    analytics.page('Docs', 'Start', { of: 'page' });
  `);
  const messages = await shop.messages(7);
  const who = { anonymousId: await page.evaluate('analytics.user().anonymousId()') };
  expect(messages.find(({ type, name }) => type === 'page' && name === undefined)).toMatchObject(who);
  expect(named(messages, 'identify')).toMatchObject({ ...who, userId: 'u1', traits: { plan: 'pro' } });
  expect(named(messages, 'Ordered')).toMatchObject({ ...who, userId: 'u1', properties: { total: 27.5 } });
  expect(named(messages, 'Ordered')).toMatchObject({ messageId: 'order-1' });
  expect(Date.parse(String(named(messages, 'Ordered')['timestamp']))).toBeCloseTo(Date.UTC(2026, 0, 2, 3, 4, 5), -4);
  expect(named(messages, 'Main')).toMatchObject({ ...who, type: 'screen', properties: { tab: 2 } });
  expect(named(messages, 'group')).toMatchObject({ ...who, userId: 'u1', groupId: 'g1', traits: { seats: 5 } });
  expect(named(messages, 'alias')).toMatchObject({ 'User ID': 'u2', 'Previous ID': 'u1' });
  const properties = { of: 'page', category: 'Docs', name: 'Start', title: 'Shop', path: '/' };
  expect(named(messages, 'Start')).toMatchObject({ category: 'Docs', properties });
});

test('the first page view comes after what was queued to set up', async () => {
  const shop = await openShop(service, {
    head: (_, { writeKey }) => script(stockSnippet(service.url, writeKey, LATER)),
  });
  const page = await browser.newPage();
  await shop.visit(page);
  await page.evaluate(`
    analytics.addSourceMiddleware(({ payload, next }) => {
      payload.obj.properties.seen = true;
      next(payload);
    });
    analytics.setAnonymousId('a1');
    analytics.load('${shop.source.writeKey}', { initialPageview: true });
  `);
  expect((await shop.messages(1))[0]).toMatchObject({ type: 'page', anonymousId: 'a1', properties: { seen: true } });
});

test('what is queued before loading is called in order, of the page as it was; setting up comes first', async () => {
  const shop = await openShop(service, {
    head: (_, { writeKey }) => script(stockSnippet(service.url, writeKey, LATER)),
  });
  const page = await browser.newPage();
  await shop.visit(page, '/first?a=1#part');
  await page.evaluate(`
    analytics.identify('u1');
    analytics.track('Early');
    analytics.setAnonymousId('a1');
    analytics.ready(() => { globalThis.isReady = [analytics.initialized, analytics.user().id()] });
    const kept = analytics;
    history.pushState(null, '', '/second');
    document.title = 'Second';
    analytics.load('${shop.source.writeKey}');
    globalThis.kept = kept;
  `);
  await loaded(page);
  await page.waitForFunction('globalThis.isReady');
  expect(await page.evaluate('isReady')).toEqual([true, 'u1']);
  await page.evaluate(`kept.track('By the stub'); kept.push(['track', 'By the array'])`);
  const messages = await shop.messages(4);
  const early = named(messages, 'Early');
  expect(early).toMatchObject({ userId: 'u1', anonymousId: 'a1', context: { page: { title: 'Shop' } } });
  expect(early['context']).toMatchObject({
    page: { url: shop.site.url('/first?a=1'), path: '/first', search: '?a=1' },
  });
  expect(named(messages, 'By the array')['context']).toMatchObject({ page: { path: '/second', title: 'Second' } });
  expect(named(messages, 'By the stub')).toMatchObject({ anonymousId: 'a1' });
});

test('calls say where they were made, and the campaign that led there', async () => {
  const canonical = '<link rel="canonical" href="/shoes">';
  const shop = await openShop(service, {
    head: (_, { writeKey }) => canonical + script(stockSnippet(service.url, writeKey)),
  });
  const page = await browser.newPage();
  const search = '?utm_source=news&utm_campaign=fall+sale&utm_content=%C3%A9&id=7';
  await page.goto(shop.site.url('/before'));
  await page.evaluate(`location.href = '/shoes/red${search}#top'`);
  await page.waitForURL('**/shoes/red*');
  await loaded(page);
  await page.evaluate(`analytics.track('Seen'); analytics.page({ title: 'Own', url: 'https://own.example/' })`);
  const messages = await shop.messages(4);
  const here = {
    path: '/shoes',
    url: `${shop.site.url('/shoes')}${search}`,
    referrer: shop.site.url('/before'),
    search,
    title: 'Shop',
  };
  const { context } = named(messages, 'Seen') as { readonly context: Readonly<Record<string, unknown>> };
  expect(context).toMatchObject({
    page: here,
    campaign: { source: 'news', name: 'fall sale', content: 'é' },
    locale: 'en-US',
    timezone: 'UTC',
    library: { name: '@millrace/client' },
  });
  expect(context['userAgent']).toContain('Chrome');
  const own = { ...here, title: 'Own', url: 'https://own.example/' };
  const [last] = messages.filter(({ properties }) => (properties as { readonly title?: string })?.title === 'Own');
  expect(last).toMatchObject({ properties: own, context: { page: own } });
});

test('elements named as properties of the document take neither calls away nor the script', async () => {
  const shop = await openShop(service, {
    head: (_, { writeKey }) => script(stockSnippet(service.url, writeKey, LATER)),
  });
  const page = await browser.newPage();
  await shop.visit(page);
  await page.evaluate(`
    document.body.innerHTML = '<form name="title"></form><img name="referrer"><img name="hidden"><form name="cookie"></form>';
    analytics.page('Queued');
    document.body.innerHTML += '<img name="currentScript" src="${service.url}/analytics.js/v1/other/analytics.min.js">';
    const kept = { type: 'track', event: 'Kept', anonymousId: 'a1', messageId: 'kept-1' };
    localStorage.setItem('millrace:${shop.source.writeKey}:1', JSON.stringify(kept));
    analytics.load('${shop.source.writeKey}');
  `);
  await loaded(page);
  await page.evaluate(`analytics.page('Loaded')`);
  const messages = await shop.messages(3);
  expect(named(messages, 'Kept')).toMatchObject({ messageId: 'kept-1' });
  for (const name of ['Queued', 'Loaded']) {
    const { context } = named(messages, name);
    expect(context).toMatchObject({ page: { path: '/', title: '', referrer: '' } });
  }
});

test('consent, and whatever belongs to the context, is set for a call or for all', async () => {
  const consent = { categoryPreferences: { advertising: false } };
  const load = { context: { consent, app: 'web' }, integrations: { 'Segment.io': { apiHost: 'x' }, Other: false } };
  const shop = await openShop(service, {
    head: (_, { writeKey }) => script(stockSnippet(service.url, writeKey, { load })),
  });
  const page = await browser.newPage();
  await shop.visit(page);
  await loaded(page);
  await page.evaluate(`
    analytics.track('Own', {}, { context: { consent: { categoryPreferences: { advertising: true } } }, ip: '192.0.2.1' });
    analytics.track('To one', {}, { integrations: { Webhooks: true, Other: true } });
  `);
  const messages = await shop.messages(3);
  expect(named(messages, 'page')).toMatchObject({
    context: { consent, app: 'web' },
    integrations: { 'Segment.io': true, Other: false },
  });
  const own = { consent: { categoryPreferences: { advertising: true } }, app: 'web', ip: '192.0.2.1' };
  expect(named(messages, 'Own')['context']).toMatchObject(own);
  expect(named(messages, 'To one')['integrations']).toMatchObject({ Webhooks: true, Other: true });
});

describe('nothing is lost', () => {
  test('when the tab is closed right after the call', async () => {
    const shop = await openShop(service);
    const page = await browser.newPage();
    await shop.visit(page);
    await loaded(page);
    await page.evaluate(`addEventListener('pagehide', () => analytics.track('Left'))`);
    await closeTab(page);
    expect(named(await shop.messages(2), 'Left')).toMatchObject({ context: { page: { path: '/' } } });
  });

  test('while there is no network', async () => {
    const shop = await openShop(service);
    const page = await browser.newPage({ mayLog: OFFLINE });
    await shop.visit(page);
    await loaded(page);
    await page.context().setOffline(true);
    await page.evaluate(`analytics.track('Offline')`);
    await page.context().setOffline(false);
    expect(named(await shop.messages(2), 'Offline')).toMatchObject({ type: 'track' });
  });
});

test('a second load of the script, and a second snippet, change nothing', async () => {
  const shop = await openShop(service, {
    head: (_, { writeKey }) => script(stockSnippet(service.url, writeKey, { page: { name: 'First' } })),
  });
  const page = await browser.newPage();
  await shop.visit(page);
  await loaded(page);
  await page.evaluate(`globalThis.first = analytics`);
  const src = `${service.url}/analytics.js/v1/${shop.source.writeKey}/analytics.min.js`;
  await page.addScriptTag({ url: src });
  await page.addScriptTag({ content: stockSnippet(service.url, shop.source.writeKey, { page: { name: 'Second' } }) });
  expect(await page.evaluate(`analytics === first`)).toBe(true);
  await page.evaluate(`analytics.track('Once')`);
  expect((await shop.messages(2)).map(({ event, name }) => event ?? name)).toEqual(['First', 'Once']);
});

test('a page whose policy allows no inline script loads it beside a file of its own', async () => {
  const shop = await openShop(service, {
    head: (_, { writeKey }) =>
      `<script src="${service.url}/analytics.js/v1/${writeKey}/analytics.min.js"></script><script src="/own.js"></script>`,
    headers: () => ({
      'Content-Security-Policy': `default-src 'none'; script-src 'self' ${service.url}; connect-src ${service.url}`,
    }),
    files: { '/own.js': `analytics.page('Strict')` },
  });
  const page = await browser.newPage();
  await shop.visit(page);
  expect(named(await shop.messages(1), 'Strict')).toMatchObject({ type: 'page' });
});
