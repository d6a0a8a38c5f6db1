import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Audience, ComputedTrait, PeopleStatus, Source } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { type Service, sharedService, startService } from '../system/kit/service.ts';
import { expectOpenWellMade, expectWellMade, openSignedIn } from './kit.ts';

/** For tests that only look. */
const service = sharedService();
const browser = openBrowser(service);

/** A shop with a customer and two orders, of which one call was refused. The message is the first order. */
async function makeShop(of: Service): Promise<{ source: Source; messageId: string }> {
  const source = await of.source({ name: 'Web shop' });
  const traits = { email: 'Ada@shop.example', name: 'Ada Lovelace' };
  await of.accept(source, { userId: 'u-1', traits }, 'identify');
  const order = { event: 'Order Completed', userId: 'u-1' };
  const messageId = await of.accept(source, { ...order, properties: { orderNumber: 123 } });
  await of.accept(source, { ...order, properties: { orderNumber: 9 } });
  await of.send(source, 'track', { userId: 'u-1', properties: { orderNumber: 12345 } });
  await eventually(
    () => of.must<PeopleStatus>('GET', '/api/profiles/status'),
    ({ persons, lag }) => persons === 1 && lag === 0,
  );
  return { source, messageId };
}

let messageId: string;

beforeAll(async () => {
  ({ messageId } = await makeShop(service));
});

const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });
const field = (page: Page) => page.getByRole('combobox', { name: 'Search everything' });

test('an order is found by its number in three steps, from any page', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/settings');
  await page.keyboard.press('Control+K');
  await field(page).fill('123');
  const order = page.getByRole('group', { name: 'Messages' }).getByRole('option', { name: 'Order Completed' });
  await order.getByText('"orderNumber":123').waitFor();
  expect(await order.locator('mark').innerText()).toBe('123');
  await page.getByRole('group', { name: 'Refused calls' }).getByRole('option').click();
  await page.getByRole('heading', { name: 'Rejected calls' }).waitFor();
  await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(0);
  await page.keyboard.press('Control+K');
  await field(page).fill('123');
  await order.click();
  await page.waitForURL(new RegExp(`/messages/${messageId}`));
  await page.getByRole('heading', { level: 1, name: 'Order Completed' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('what is found later moves no row that the pointer is on', async () => {
  const own = await startService();
  const source = await own.source();
  for (const order of [77, 'x77', 770]) await own.accept(source, { event: `Order ${order}`, properties: { order } });
  const page = await browser.newPage();
  await openSignedIn(page, own);
  // As if the word stood only below many events. Its piece comes when it is released.
  const released = Promise.withResolvers<void>();
  await page.route(/\/api\/search\?.*match=word/, async (route) => {
    const url = route.request().url();
    const isFirst = !url.includes('cursor=');
    if (!isFirst) await released.promise;
    const first = { items: [], next: 'more', searchedTo: null, searchedEvents: 100_000 };
    await (isFirst ? route.fulfill({ json: first }) : route.continue({ url: url.replace(/&cursor=[^&]*/, '') }));
  });
  await page.keyboard.press('Control+K');
  await field(page).fill('77');
  const rows = page.getByRole('group', { name: 'Messages' }).getByRole('option');
  const names = async () => (await rows.allInnerTexts()).map((row) => /Order \w+/.exec(row)?.[0]);
  await expect.poll(names).toEqual(['Order 770', 'Order x77', 'Order 77']);
  await rows.nth(1).hover();
  released.resolve();
  await page.getByText('all there are').first().waitFor();
  expect(await names()).toEqual(['Order 770', 'Order x77', 'Order 77']);
  await field(page).hover();
  await expect.poll(names).toEqual(['Order 77', 'Order 770', 'Order x77']);
});

test('a message that is found by its user or its event is told apart by its id, and that is called so', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service);
  await page.keyboard.press('Control+K');
  for (const text of ['u-1', 'Order Completed']) {
    await field(page).fill(text);
    await option(page, 'Order Completed')
      .filter({ hasText: `message id: ${messageId}` })
      .waitFor();
  }
});

test('Enter right after the last letter opens what is found first', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service);
  await page.keyboard.press('Control+K');
  await field(page).waitFor();
  await page.keyboard.type(messageId);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/messages/${messageId}`));
});

test('a search that is refused does not say that there is nothing', async () => {
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, service);
  await page.keyboard.press('Control+K');
  await field(page).fill('a\u0007');
  const dialog = page.getByRole('dialog', { name: 'Search' });
  await dialog.getByText('The search stopped: q: must not be blank, and must have no control characters').waitFor();
  expect(await dialog.getByRole('status').innerText()).toBe('0 found.');
});

test('a text that is too long is not cut: nothing is looked for until it is shorter', async () => {
  const page = await browser.newPage();
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/search') asked.push(searchParams.get('q') ?? '');
  });
  await openSignedIn(page, service);
  await page.keyboard.press('Control+K');
  await field(page).fill(messageId.padEnd(201, '-'));
  await expectOpenWellMade(
    page.getByText('A search takes at most 200 characters: shorten the text.'),
    'search-too-long',
  );
  await field(page).fill(messageId);
  await option(page, 'Order Completed').waitFor();
  // For the word, and for longer words.
  expect(asked).toEqual([messageId, messageId]);
});

test('people, pages and settings are found too, with the keys alone', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service);
  await page.keyboard.press('/');
  await field(page).fill('ada@');
  await option(page, /Ada@shop.example/).waitFor();
  await page.getByText('Looked through 3 events – all there are.').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/people\/u-1$/);

  await page.keyboard.press('Control+K');
  await field(page).fill('web shop');
  await option(page, 'Web shop').waitFor();
  await field(page).fill('settings');
  await option(page, 'Settings › API tokens').waitFor();
  const chosen = page.locator('[role=option][aria-selected=true]');
  const first = await chosen.innerText();
  await page.keyboard.press('ArrowDown');
  const second = await chosen.innerText();
  expect(second).not.toBe(first);
  expect(await field(page).getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'));
  await page.keyboard.press('ArrowUp');
  expect(await chosen.innerText()).toBe(first);
  await field(page).fill('nowhere at all');
  await page.getByText('Nothing has this text. Pages, destinations, sources').waitFor();
  await expectOpenWellMade(page.getByRole('dialog'), 'search-nothing');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(page.url()).toMatch(/people\/u-1$/);
});

test('an audience and a computed trait are found by a part of their names, and opened', async () => {
  const event = { name: 'Order Completed' };
  const audience = await service.must<Audience>('POST', '/api/audiences', { name: 'Regulars', definition: { event } });
  const definition = { compute: { count: true }, event };
  const trait = await service.must<ComputedTrait>('POST', '/api/traits', { name: 'Times ordered', definition });
  const page = await browser.newPage();
  await openSignedIn(page, service);
  for (const [text, group, name, path] of [
    ['regul', 'Audiences', 'Regulars', `/audiences/${audience.id}`],
    ['times ord', 'Computed traits', 'Times ordered', `/traits/${trait.id}`],
  ] as const) {
    await page.keyboard.press('Control+K');
    await field(page).fill(text);
    await page.getByRole('group', { name: group }).getByRole('option', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
  }
});

test('a search goes on by itself to the oldest event, and stops when it is closed', async () => {
  const own = await startService();
  const { source } = await makeShop(own);
  const batch = Array.from({ length: 60 }, (_, i) => ({ type: 'track', userId: `u-${i}`, event: 'Paged' }));
  for (let i = 0; i < 4; i++) await own.send(source, 'batch', { batch });
  const page = await browser.newPage();
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/search')) asked++;
  });
  await openSignedIn(page, own);
  await page.getByRole('button', { name: 'Search everything' }).click();
  await field(page).fill('Paged');
  const further = page.getByRole('button', { name: 'Look further back' });
  await further.waitFor();
  const paused = asked;
  await further.click();
  await further.waitFor();
  expect(asked).toBeGreaterThan(paused);
  await further.click();
  await page.getByText('Looked through 243 events – all there are.').waitFor();
  await page.getByText('240 found – all there are.', { exact: true }).waitFor();
  expect(await option(page, 'Paged').count()).toBe(240);
  const before = asked;
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(asked).toBe(before);
});

test('the search is well made', async () => {
  await expectWellMade(browser, service, '/', {
    name: 'search',
    ready: async (page) => {
      if (!(await page.getByRole('dialog').isVisible())) {
        await page.keyboard.press('Control+K');
        await field(page).fill('123');
      }
      await option(page, /Order Completed/).waitFor();
      await page
        .getByText(/all there are/)
        .first()
        .waitFor();
    },
  });
});
