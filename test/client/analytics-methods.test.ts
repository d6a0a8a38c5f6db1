import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openBrowser } from '../browser/browser.ts';
import { sharedService } from '../system/kit/service.ts';
import { loaded, type Message, named, openShop, type Shop, script, stockSnippet } from './analytics-site.ts';
import { show } from './site.ts';

const browser = openBrowser();
const service = sharedService();

async function open(): Promise<{ readonly page: Page; readonly shop: Shop; readonly warnings: string[] }> {
  const shop = await openShop(service);
  const page = await browser.newPage();
  const warnings: string[] = [];
  page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
  await shop.visit(page);
  await loaded(page);
  return { page, shop, warnings };
}

test('a call tells its callback, its promise and the listeners', async () => {
  const { page } = await open();
  const told = await page.evaluate(`(async () => {
    const told = [];
    analytics.on('track', (...args) => told.push(['on', ...args]));
    analytics.once('track', () => told.push('once'));
    const off = () => told.push('off');
    analytics.on('track', off).off('track', off);
    analytics.on('reset', () => told.push('reset'));
    const { track } = analytics;
    const { event } = await track('First', { a: 1 }, { ip: '192.0.2.1' }, (ctx) => told.push(ctx.event.event));
    await track('Second');
    analytics.reset();
    return [event.type, event.messageId.length, ...told];
  })()`);
  expect(told).toEqual([
    'track',
    36,
    ['on', 'First', { a: 1 }, { ip: '192.0.2.1' }],
    'once',
    'First',
    ['on', 'Second', {}, {}],
    'reset',
  ]);
});

test('middleware sees every call before it is sent, changes it and drops it', async () => {
  const { page, shop } = await open();
  await page.evaluate(`
    analytics.addSourceMiddleware(({ payload, next }) => {
      if (payload.obj.event === 'Dropped') return next(null);
      payload.obj.context.consent = { categoryPreferences: { ads: false } };
      next(payload);
    });
    analytics.addSourceMiddleware(({ payload, next }) => setTimeout(() => {
      payload.obj.properties = { card: '…' };
      next(payload);
    }));
    analytics.track('Dropped');
    analytics.track('Changed', { card: '4242' });
    analytics.page('Changed page');
  `);
  const messages = await shop.messages(3);
  const changed = { context: { consent: { categoryPreferences: { ads: false } } }, properties: { card: '…' } };
  expect(named(messages, 'Changed')).toMatchObject(changed);
  expect(named(messages, 'Changed page')).toMatchObject(changed);
});

test('a middleware that is no function is refused, and takes no call past the next one', async () => {
  const { page, shop, warnings } = await open();
  await page.evaluate(`
    analytics.addSourceMiddleware(undefined);
    analytics.addSourceMiddleware({});
    analytics.addSourceMiddleware(({ payload, next }) => next(payload.obj.event === 'Dropped' ? null : payload));
    analytics.track('Dropped');
    analytics.track('Last');
  `);
  const messages = await shop.messages(2);
  expect(messages.flatMap(({ event = [] }) => event)).toEqual(['Last']);
  const refused = 'millrace: addSourceMiddleware needs a function';
  expect(warnings).toEqual([refused, refused]);
});

test('clicks on links and submissions of forms are tracked, and the page that follows takes nothing away', async () => {
  const { page, shop } = await open();
  await page.evaluate(`
    document.body.innerHTML = '<a href="/next" id="link">Next</a><form action="/sent"><button>Send</button></form>';
    analytics.trackLink(document.querySelectorAll('a'), 'Clicked', (element) => ({ id: element.id }));
    analytics.trackForm(document.querySelector('form'), (element) => 'Sent ' + element.tagName);
  `);
  await page.getByRole('link').click();
  await page.waitForURL('**/next');
  await loaded(page);
  await page.evaluate(`
    document.body.innerHTML = '<form action="/sent"><button>Send</button></form>';
    analytics.trackSubmit([document.querySelector('form')], 'Sent');
    analytics.pageview('/made-up');
  `);
  await page.getByRole('button').click();
  await page.waitForURL('**/sent*');
  const messages = await shop.messages(6);
  expect(named(messages, 'Clicked')).toMatchObject({ properties: { id: 'link' } });
  named(messages, 'Sent');
  expect(messages.map(({ properties }) => (properties as Message)['path'])).toContain('/made-up');
});

test('what is no element is passed over, and the elements beside it are tracked', async () => {
  const { page, shop } = await open();
  await page.evaluate(`
    document.body.innerHTML = '<button>Buy</button>';
    analytics.trackLink('#a', 'E');
    analytics.trackForm('form', 'E');
    analytics.trackClick([null, document.querySelector('button')], 'Clicked');
  `);
  await page.getByRole('button').click();
  expect(named(await shop.messages(2), 'Clicked')).toMatchObject({ type: 'track' });
});

test('a timestamp may be a Date, milliseconds, and text that Date reads', async () => {
  const { page, shop, warnings } = await open();
  await page.evaluate(`
    const at = Date.UTC(2026, 1, 3, 4, 5, 6, 7);
    analytics.track('Date', {}, { timestamp: new Date(at) });
    analytics.track('Milliseconds', {}, { timestamp: at });
    analytics.track('ISO', {}, { timestamp: '2026-2-03T04:05:06.007Z' });
    analytics.track('RFC', {}, { timestamp: 'Tue, 03 Feb 2026 04:05:06.007 GMT' });
    analytics.track('None', {}, { timestamp: 'yesterday' });
  `);
  const messages = await shop.messages(5);
  for (const name of ['Date', 'Milliseconds', 'ISO', 'RFC']) {
    expect(named(messages, name)['timestamp']).toMatch(/^2026-02-03T04:05:/);
  }
  expect(warnings).toEqual([expect.stringContaining('"timestamp" must be a Date or ISO 8601 text')]);
});

test('a method without effect says so once, and a call that can not be right says why; no page throws', async () => {
  const { page, shop, warnings } = await open();
  await page.evaluate(`(async () => {
    await analytics.register({ name: 'plugin' });
    await analytics.register({ name: 'plugin' });
    analytics.debug(true);
    analytics.addDestinationMiddleware('X', () => {});
    analytics.addIntegrationMiddleware(() => {});
    analytics.load('again');
    await analytics.track();
    await analytics.track('Too large', { text: 'x'.repeat(40_000) });
    await analytics.track('Fine');
  })()`);
  named(await shop.messages(2), 'Fine');
  expect(warnings).toEqual([
    'millrace: register has no effect',
    'millrace: debug has no effect',
    'millrace: addDestinationMiddleware has no effect',
    'millrace: addIntegrationMiddleware has no effect',
    'millrace: not sent: MillraceError: track: "event" is missing.',
    expect.stringContaining('millrace: not sent: MillraceError: track: 40'),
  ]);
});

test('traits that no call can carry are told of and not kept; a page without a title is one without a name', async () => {
  const { page, shop, warnings } = await open();
  await page.evaluate(`
    analytics.identify('u1', { plan: 'pro' });
    analytics.identify('u1', { total: 1n });
    analytics.identify('u1', { tags: new Map() });
    analytics.identify('u1', { city: 'Ulm' });
    analytics.user().traits({ total: 1n });
    const circle = {};
    circle.self = circle;
    analytics.user().traits(circle);
    analytics.identify('u1');
    analytics.user().traits(null);
    analytics.page('');
    analytics.page('Docs', '');
    analytics.track('Last');
  `);
  const messages = await shop.messages(6);
  named(messages, 'Last');
  const said = messages.flatMap(({ type, traits }) => (type === 'identify' ? [traits] : []));
  expect(said).toEqual([{ plan: 'pro' }, { plan: 'pro', city: 'Ulm' }]);
  expect(
    messages.flatMap(({ type, name = null, category = null }) => (type === 'page' ? [[category, name]] : [])),
  ).toEqual(
    expect.arrayContaining([
      [null, null],
      ['Docs', null],
    ]),
  );
  expect(warnings).toEqual([
    'millrace: not sent: MillraceError: identify: "traits".total is a BigInt.',
    'millrace: not sent: MillraceError: identify: "traits".tags is no JSON but Map.',
    'millrace: not sent: MillraceError: identify: "traits".self.self is circular or too deep.',
  ]);
});

describe('a page that wants', () => {
  const IDENTIFIED = `analytics.identify('u1'); [analytics.user().id(), document.cookie, localStorage.ajs_user_id]`;

  test.each([
    ['by a word', `analytics.load(KEY, { disable: true })`],
    ['by a function', `analytics.load(KEY, { disable: () => true })`],
  ])('nothing sent has it so, %s', async (_, load) => {
    const shop = await openShop(service, {
      head: (__, { writeKey }) =>
        script(`${stockSnippet(service.url, writeKey, { load: false })};${load.replace('KEY', `'${writeKey}'`)}`),
    });
    const page = await browser.newPage();
    const posts: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
    await shop.visit(page);
    await loaded(page);
    expect(await page.evaluate(IDENTIFIED)).toEqual(['u1', '', undefined]);
    // A page that is hidden sends what it has at once.
    await show(page, false);
    await service.accept(shop.source, { event: 'Fence' });
    expect((await shop.messages(1)).map(({ event }) => event)).toEqual(['Fence']);
    expect(posts).toEqual([]);
  });

  test('no identity kept has it so', async () => {
    const load = { disableClientPersistence: true };
    const shop = await openShop(service, {
      head: (_, { writeKey }) => script(stockSnippet(service.url, writeKey, { load })),
    });
    const page = await browser.newPage();
    await shop.visit(page);
    await loaded(page);
    expect(await page.evaluate(IDENTIFIED)).toEqual(['u1', '', undefined]);
    expect(named(await shop.messages(2), 'identify')).toMatchObject({ userId: 'u1' });
  });
});
