import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Source } from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { need } from '../needs.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import { DEFAULTS, type Service, sharedService, startService } from '../system/kit/service.ts';
import { expectWellMade, openAsViewer, openSignedIn } from './kit.ts';

const shared = sharedService();
const browser = openBrowser(shared);
/** With the retry schedule of the defaults. */
const patient = sharedService(DEFAULTS);

const HOSTILE = `it's <img src="x" onerror="document.title='taken'"> $(id)`;

interface World {
  readonly service: Service;
  readonly receiver: Receiver;
  readonly source: Source;
  readonly messageId: string;
  /** Of the message's page. */
  readonly path: string;
}

/** One message at three destinations: one takes it, one refuses it for good, and one's filter leaves it out. */
async function world(service: Service = shared): Promise<World> {
  const receiver = await receive(({ path }) => (path === '/broken' ? { status: 400, body: HOSTILE } : 200));
  const source = await service.source({ name: 'Web shop' });
  const settings = {
    webhooks: [{ url: receiver.url('/works'), headers: { 'X-Note': "it's $HOME" } }],
    sharedSecret: 'a shared secret of the test',
  };
  const good = await service.destination(source, [], { name: 'CRM', settings });
  const bad = await service.destination(source, receiver.url('/broken'), { name: 'Fraud scoring' });
  const trackFilter = { mode: 'allow' as const, events: ['Other'] };
  const picky = await service.destination(source, receiver.url('/picky'), { name: 'Picky', trackFilter });
  const messageId = await service.accept(source, { event: HOSTILE, userId: '77', properties: { note: HOSTILE } });
  for (const destination of [good, bad, picky]) await service.settled(destination, 1);
  return { service, receiver, source, messageId, path: `/messages/${messageId}?source=${source.id}` };
}

function lane(page: Page, name: string): ReturnType<Page['getByRole']> {
  return page.getByRole('region', { name, exact: true });
}

test('an event is found by its user or its messageId, and followed to its destinations', async () => {
  const { service, messageId } = await world(await startService());
  const page = await browser.newPage();
  await openSignedIn(page, service, '/messages');
  // An id of digits stays what it is, in the address too.
  await page.getByLabel('User id').fill('77');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.waitForURL(/userId=77$/);
  await page.reload();
  expect(await page.getByLabel('User id').inputValue()).toBe('77');
  const row = page.getByRole('table', { name: 'Messages' }).locator('tbody tr');
  await row.getByText('partly', { exact: true }).waitFor();
  expect(await row.innerText()).toMatch(/\d{4}.*\d\d:\d\d:\d\d\.\d{3} \S+/);
  await page.getByLabel('User id').fill('7');
  await page.getByLabel('Event').fill("IT'S <img");
  await page.keyboard.press('Enter');
  await page.waitForURL(/userId=7&/);
  await row.getByText('partly', { exact: true }).waitFor();
  await page.getByLabel('Event').fill('');
  await page.getByLabel('User id').fill('12');
  await page.keyboard.press('Enter');
  await page.getByText('No message fits').waitFor();
  // Who searches by the keyboard goes on where they are.
  await page.keyboard.press('3');
  expect(await page.getByLabel('User id').inputValue()).toBe('123');
  await page.getByLabel('User id').fill('');
  await page.getByLabel('messageId').fill(` ${messageId} `);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.waitForURL(/messageId=/);
  // Anywhere in the row.
  await row.filter({ hasText: messageId }).click();
  await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();

  const heads = page.locator('summary');
  expect(await heads.first().innerText()).toContain('Fraud scoring');
  await lane(page, 'CRM').getByText('processed').waitFor();
  await lane(page, 'Fraud scoring').getByText('Every URL refused it for good.').waitFor();
  await lane(page, 'Picky').getByText("The destination's track filter left the event's name out.").waitFor();
  const attempt = lane(page, 'Fraud scoring').getByRole('table', { name: 'Attempts' }).locator('tbody tr');
  expect(await attempt.innerText()).toContain('400');
  const response = lane(page, 'Fraud scoring').getByRole('region', { name: 'Response', exact: true });
  await response.getByText('Status 400').waitFor();
  await response.getByText('First byte').waitFor();
  await response.getByText('Connect', { exact: true }).waitFor();
  await response.getByText(/^date: /).waitFor();
  await response.getByText(HOSTILE).waitFor();
  await lane(page, 'Fraud scoring').getByRole('region', { name: 'request headers' }).getByText('POST http').waitFor();
  await lane(page, 'CRM').locator('summary').click();
  await lane(page, 'CRM').getByRole('img', { name: 'Time line of 1 attempt to 1 URL' }).waitFor();
  // Of a URL that is too long the end is shown, and on paper an attempt has its colour.
  const hidden = `[...document.querySelectorAll('[role=img] span[title]:not([data-tone])')].filter((label) => {
    const text = document.createRange();
    text.selectNodeContents(label);
    return text.getBoundingClientRect().right > label.getBoundingClientRect().right + 1;
  }).length`;
  expect(await page.evaluate(hidden)).toBe(0);
  await page.emulateMedia({ media: 'print' });
  const colour = `getComputedStyle(document.querySelector('[role=img] [data-tone=good]')).backgroundColor`;
  expect(await page.evaluate(colour)).toBe('rgb(18, 184, 134)');
  await page.emulateMedia({ media: 'screen' });
  const payload = page.getByRole('region', { name: 'Payload', exact: true });
  await payload.getByText('Received', { exact: true }).click();
  await payload
    .getByText(/"originalTimestamp"|"userId"/)
    .first()
    .waitFor();
});

test('pages and screens are listed by their names, and between two moments', async () => {
  const source = await shared.source();
  await shared.send(source, 'page', { userId: 'u1', name: 'Price list' });
  const page = await browser.newPage();
  await openSignedIn(page, shared, '/messages?event=price');
  const row = page.getByRole('table', { name: 'Messages' }).locator('tbody tr');
  await row.getByRole('link', { name: 'Price list' }).waitFor();
  await row.getByText('no destination', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Received' }).click();
  await page.getByRole('option', { name: 'Between…' }).click();
  await page.getByLabel('From').fill('2020-01-01T00:00');
  await page.getByLabel('To', { exact: true }).fill('2020-01-02T00:00');
  await page.keyboard.press('Enter');
  await page.getByText('No message fits').waitFor();
  expect(new URL(page.url()).searchParams.get('from')).toBe('2020-01-01T00:00:00.000Z');
  expect(await page.getByLabel('Event').inputValue()).toBe('price');

  // The way back leads to the time before, and the fields say so.
  await page.getByLabel('To', { exact: true }).fill('2020-03-04T00:00');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL(/to=2020-03-04/);
  await page.goBack();
  await expect.poll(() => page.getByLabel('To', { exact: true }).inputValue()).toBe('2020-01-02T00:00');
  await page.goBack();
  await row.getByRole('link', { name: 'Price list' }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Received' }).inputValue()).toBe('Any time');
});

test('a copied command sends the same request, and the verifier gets body and signature', async ({ skip }) => {
  skip(!(await need('curl')), 'no curl');
  const { service, receiver, path } = await world();
  const page = await browser.newPage();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openSignedIn(page, service, path);
  const [delivered] = await receiver.waitFor(1, '/works');
  await lane(page, 'CRM').locator('summary').click();
  await lane(page, 'CRM').getByRole('button', { name: 'Copy as curl' }).click();
  await lane(page, 'CRM').getByRole('button', { name: 'Copied' }).waitFor();
  const command = await page.evaluate<string>('navigator.clipboard.readText()');
  await promisify(execFile)('sh', ['-c', command]);
  const [, again] = await receiver.waitFor(2, '/works');
  expect(again?.text).toBe(delivered?.text);
  for (const name of ['content-type', 'user-agent', 'x-note', 'x-signature']) {
    expect([name, again?.headers[name]]).toEqual([name, delivered?.headers[name]]);
  }
  await lane(page, 'CRM').getByRole('link', { name: 'Verify signature' }).click();
  await page.waitForURL(`${service.url}/verify`);
});

test('a failed message is sent again and seen to arrive', async () => {
  const { service, receiver, path } = await world();
  const page = await browser.newPage();
  await openSignedIn(page, service, path);
  await lane(page, 'Fraud scoring').getByText('failed', { exact: true }).waitFor();
  receiver.become(() => 200);
  await lane(page, 'Fraud scoring').getByRole('button', { name: 'Send again' }).click();
  await lane(page, 'Fraud scoring').getByText('processed', { exact: true }).waitFor();
  await page.getByText('It goes to “Fraud scoring” again.').waitFor();
});

test('what is being retried says when, and cannot be sent again; changed settings are told', async () => {
  const receiver = await receive({ status: 503, headers: { 'Retry-After': '600' } });
  const source = await patient.source();
  const destination = await patient.destination(source, receiver.url('/busy'), { name: 'Busy' });
  const messageId = await patient.accept(source);
  await patient.tracedAs(messageId, 'retrying');
  await patient.must('PATCH', `/api/destinations/${destination.id}`, {
    settings: { webhooks: [{ url: receiver.url('/busy'), headers: { 'X-New': '1' } }] },
  });
  const page = await browser.newPage();
  await openSignedIn(page, patient, `/messages/${messageId}`);
  await lane(page, 'Busy')
    .getByText(/Next attempt|It was due/)
    .waitFor();
  expect(await lane(page, 'Busy').getByRole('button', { name: 'Send again' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await lane(page, 'Busy').getByText('The destination was changed since the last attempt').waitFor();
});

test('a message whose retry window ended says so with every attempt, in the list of what failed and on its page', async () => {
  const receiver = await receive(({ attempt }) => (attempt === 1 ? 500 : 503));
  const source = await shared.source();
  const destination = await shared.destination(source, receiver.url('/down'), { name: 'Down' });
  const messageId = await shared.accept(source);
  const { lanes } = await shared.tracedAs(messageId, 'failed');
  const made = receiver.arrived;
  expect(lanes[0]?.attempts).toHaveLength(made);
  expect(made).toBeGreaterThan(2);
  const page = await browser.newPage();
  await openSignedIn(page, shared, `/destinations/${destination.id}/failed`);
  const row = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
  await row.getByText('Its retry window ended before a URL').waitFor();
  await row.getByText(`${made} attempts: 1 × 500, ${made - 1} × 503. Last answer: 503`, { exact: true }).waitFor();
  await row.getByRole('link').click();
  await lane(page, 'Down').getByText('Its retry window ended before a URL').waitFor();
  const attempts = lane(page, 'Down').getByRole('table', { name: 'Attempts' }).locator('tbody tr');
  expect(await attempts.getByText('503', { exact: true }).count()).toBe(made - 1);
  expect(await attempts.first().innerText()).toContain('500');
});

test('a next attempt is held while its destination is paused; one whose time has come is due, and never some time ago', async () => {
  const receiver = await receive({ status: 503, headers: { 'Retry-After': '600' } });
  const source = await patient.source();
  const destination = await patient.destination(source, receiver.url('/busy'), { name: 'Busy' });
  const messageId = await patient.accept(source);
  await patient.tracedAs(messageId, 'retrying');
  const page = await browser.newPage();
  await openSignedIn(page, patient, `/destinations/${destination.id}/deliveries`);
  const row = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
  await row.getByText(/^next attempt in \d+ min\./).waitFor();
  await patient.must('POST', `/api/destinations/${destination.id}/pause`, {});
  await page.reload();
  await row.getByText('Held: it goes out when what is paused is resumed.').waitFor();
  await patient.must('POST', `/api/destinations/${destination.id}/resume`, {});
  // Pages go by the service's clock, which its answers tell.
  const isTold = ({ pathname }: URL): boolean => pathname.startsWith('/api/') && pathname !== '/api/watch';
  await page.route(isTold, async (route) => {
    const response = await route.fetch();
    const date = new Date(Date.now() + 20 * 60_000).toUTCString();
    await route.fulfill({ response, headers: { ...response.headers(), date } });
  });
  await page.reload();
  await row.getByText('next attempt as soon as it has its turn').waitFor();
  await row.getByRole('link').click();
  await lane(page, 'Busy')
    .getByText(/It was due .* ago.*, and goes out when the destination has room\.$/)
    .waitFor();
  // What is on its way through the route ends before its page does.
  await page.unrouteAll({ behavior: 'wait' });
});

test('ids and code are shown letter by letter', async () => {
  const receiver = await receive(400);
  const source = await shared.source();
  const destination = await shared.destination(source, receiver.url(), { name: 'CRM' });
  await shared.accept(source, { messageId: '1x2' });
  await shared.settled(destination, 1);
  const page = await browser.newPage();
  await openSignedIn(page, shared, '/messages?messageId=1x2');
  await page.getByRole('table', { name: 'Messages' }).getByText('1x2').waitFor();
  expect(await joined(page)).toEqual([]);
  await page.goto(`${shared.url}/messages/1x2`);
  await page.locator('main code').first().waitFor();
  await page.getByText('1x2').first().waitFor();
  expect(await joined(page)).toEqual([]);
});

/** Elements whose letters a font may join to other signs: `1x2` to `1×2`, `->` to an arrow. */
function joined(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('body, body *')]
    .filter((element) => {
      const { fontVariantLigatures, fontFeatureSettings } = getComputedStyle(element);
      return fontVariantLigatures !== 'none' || fontFeatureSettings !== '"calt" 0';
    })
    .map(({ outerHTML }) => outerHTML)`);
}

test('a URL that was edited has one line, and its attempt the URL as it was', async () => {
  const receiver = await receive({ status: 503, headers: { 'Retry-After': '600' } });
  const source = await patient.source();
  const destination = await patient.destination(source, receiver.url('/before'), { name: 'Moved' });
  const messageId = await patient.accept(source);
  await patient.tracedAs(messageId, 'retrying');
  const webhooks = [{ id: destination.settings.webhooks[0]?.id, url: receiver.url('/after') }];
  await patient.must('PATCH', `/api/destinations/${destination.id}`, { settings: { webhooks } });
  const page = await browser.newPage();
  await openSignedIn(page, patient, `/messages/${messageId}`);
  const moved = lane(page, 'Moved');
  await moved.getByRole('img', { name: 'Time line of 1 attempt to 1 URL' }).waitFor();
  await moved.getByTitle(receiver.url('/after'), { exact: true }).waitFor();
  await moved.getByRole('table', { name: 'Attempts' }).getByText(receiver.url('/before')).waitFor();
  expect(await moved.getByRole('region', { name: 'request headers' }).textContent()).toContain(
    `POST ${receiver.url('/before')}`,
  );
  await moved.getByText('The destination was changed since the last attempt').waitFor();
  await screenshot(page, 'message-edited-url');
});

test('of three messages with one messageId each has its own row, result and page', async () => {
  const receiver = await receive(400);
  const source = await shared.source();
  const destination = await shared.destination(source, receiver.url(), { name: 'CRM' });
  for (const whose of [{ anonymousId: 'anonA' }, { anonymousId: 'anonB' }, { userId: 'userC' }]) {
    await shared.send(source, 'track', { ...whose, event: 'Shared', messageId: 'shared1' });
  }
  await shared.settled(destination, 3);
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, shared, '/messages?messageId=shared1');
  const rows = page.getByRole('table', { name: 'Messages' }).locator('tbody tr');
  await rows.nth(2).waitFor();
  await rows.nth(2).getByRole('link').click();
  const payload = page.getByRole('region', { name: 'Payload', exact: true });
  await payload.getByText('"anonA"').waitFor();
  await page.getByText('2 other messages with this one').waitFor();

  await page.goto(`${shared.url}/messages/shared1?position=abc`);
  await page.getByText('position: must be a whole number').waitFor();
  expect(await page.getByText('must be a whole number').count()).toBe(1);

  // Where a link tells no position.
  await page.goto(`${shared.url}/messages/shared1`);
  await page.getByText('2 other messages with this one').waitFor();
  await page.getByRole('link', { name: 'list them all' }).click();
  await rows.nth(2).waitFor();
  // What does not fit goes.
  await page.getByLabel('User id').fill('userC');
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.count()).toBe(1);
  await rows.getByText('userC').waitFor();

  await page.keyboard.press('Control+K');
  await page.getByRole('combobox', { name: 'Search everything' }).fill('shared1');
  const found = page.getByRole('group', { name: 'Messages' }).getByRole('option');
  await expect.poll(() => found.count()).toBe(3);
  await page.keyboard.press('Escape');

  await page.goto(`${shared.url}/destinations/${destination.id}/failed`);
  const failed = page.getByRole('table', { name: 'Deliveries' });
  const ticks = failed.getByRole('checkbox');
  await ticks.nth(2).waitFor();
  await ticks.nth(1).check();
  expect(await failed.getByRole('checkbox', { checked: true }).count()).toBe(1);
  await page.getByRole('button', { name: 'Send 1 chosen again' }).click();
  const [, , , again] = await receiver.waitFor(4);
  expect(again?.message).toMatchObject({ anonymousId: 'anonB' });
});

test('a message that is not there is explained, and a viewer cannot send again', async () => {
  const { service, path } = await world();
  const page = await browser.newPage({ mayLog: [/status of 404/] });
  await openAsViewer(page, service, path);
  await lane(page, 'CRM').getByText('processed').waitFor();
  expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  await page.goto(`${service.url}/messages/${encodeURIComponent('no/such id')}`);
  await page.getByRole('heading', { name: 'There is no such message' }).waitFor();
  const why = await page.locator('main').innerText();
  expect(why).toContain('or a deletion has removed it. Look for its messageId.');
});

test('the list of messages is well made', async () => {
  const { service } = await world();
  const ready = (page: Page): Promise<void> => page.getByText(HOSTILE).first().waitFor();
  await expectWellMade(browser, service, '/messages?type=track', { name: 'messages', ready });
});

test('the page of a message is well made', async () => {
  const { service, path } = await world();
  await expectWellMade(browser, service, path, { name: 'message', ready: (page) => lane(page, 'CRM').waitFor() });
});

test('of hundreds of rows those that can be seen are made, and all are reached, and printed', async () => {
  const service = await startService();
  const source = await service.source();
  const batch = Array.from({ length: 130 }, (_, i) => ({ type: 'track', userId: 'u', event: `Event ${i}` }));
  for (let i = 0; i < 3; i += 1) await service.send(source, 'batch', { batch });
  const page = await browser.newPage();
  await openSignedIn(page, service, '/messages');
  await page.evaluate(`{
    window.most = 0;
    const look = () => (window.most = Math.max(window.most, document.querySelectorAll('tbody tr').length));
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  }`);
  const table = page.getByRole('table', { name: 'Messages' });
  const rows = table.locator('tbody tr:not([aria-hidden])');
  const more = page.getByRole('button', { name: 'Show more' });
  await more.waitFor();
  while (await more.isVisible()) {
    const before = (await table.boundingBox())?.height ?? 0;
    await more.click();
    await expect.poll(async () => (await table.boundingBox())?.height).toBeGreaterThan(before);
  }
  await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('391');
  expect(await rows.count()).toBeLessThan(80);
  expect(await page.evaluate('window.most')).toBe(200);
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  const last = table.locator('tr[aria-rowindex="391"]');
  await expect.poll(async () => (await last.boundingBox())?.y).toBeLessThan(800);
  await page.evaluate('scrollTo(0, 0)');
  await table.locator('tr[aria-rowindex="2"]').waitFor();
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'messages-long');
  await page.emulateMedia({ media: 'print' });
  await expect.poll(() => rows.count()).toBe(390);
});
