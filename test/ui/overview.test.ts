import { rmSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { BackupList } from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { removeFolder, temporaryFolder } from '../system/kit/leaks.ts';
import { Receiver, receive } from '../system/kit/receiver.ts';
import { Service, sharedService, startService } from '../system/kit/service.ts';
import { expectWellMade, openSignedIn } from './kit.ts';

/** For tests that only look: its first destination works, its second doesn't, and three events have gone to each. */
const busy = sharedService();
const browser = openBrowser(busy);
/** Nothing is there before the first of the tests. */
const fresh = sharedService();

/** Without a space at which it could be broken. */
const LONG = `Fraud scoring ${'W'.repeat(150)}`;
const HOSTILE = `<img src="x" onerror="document.title='taken'">`;

beforeAll(async () => {
  const receiver = new Receiver(({ path }) => (path === '/broken' ? 400 : 200));
  await receiver.listen();
  const source = await busy.source({ name: `Shop ${HOSTILE}` });
  const good = await busy.destination(source, receiver.url('/works'), { name: `CRM ${HOSTILE}` });
  const bad = await busy.destination(source, receiver.url('/broken'), { name: LONG });
  for (const event of ['One', 'Two', HOSTILE]) await busy.accept(source, { event });
  await busy.settled(good, 3);
  await busy.settled(bad, 3);
  await receiver.close();
});

function card(page: Page, label: string, value: string, exact = true): Promise<void> {
  return page.getByRole('region', { name: label }).getByText(value, { exact }).waitFor();
}

/** Writes down what is drawn as a text, and how far below the top of its canvas. */
const NOTE_TEXTS = `
  window.texts = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    window.texts.push([text, this.getTransform().transformPoint({ x, y }).y / devicePixelRatio]);
    return draw.call(this, text, x, y, ...rest);
  };
`;

/** Puts the pointer on the moment that counts something: the last one, or the first if a new moment has begun since. */
async function pointAtWhatCounts(page: Page, chart: Locator): Promise<void> {
  const plot = chart.locator('.u-over');
  await plot.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(x + width - 2, y + height / 2);
  await chart.getByText(/ UTC$/).waitFor();
  if ((await chart.getByText(/: [1-9]/).count()) === 0) await page.mouse.move(x + 2, y + height / 2);
}

test('before there is anything to see, the way to the first delivery', async () => {
  await expectWellMade(browser, fresh, '/', {
    name: 'first-run',
    ready: (page) => page.getByRole('heading', { level: 1, name: 'Welcome to Millrace' }).waitFor(),
  });
});

test('real numbers, what needs attention first, and hostile names as text', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, busy);
  await card(page, 'Accepted', '3');
  await card(page, 'Delivered', '3');
  await card(page, 'Failed', '3');
  await card(page, 'Delivered', '50.0% of attempts succeeded', false);
  await card(page, 'Waiting', 'oldest: nothing waits');
  const rows = page.getByRole('table', { name: 'Destinations' }).locator('tbody tr');
  await rows.first().getByText('failing').waitFor();
  expect(await rows.nth(0).innerText()).toContain('Fraud scoring');
  expect(await rows.nth(1).innerText()).toContain(`CRM ${HOSTILE}`);
  expect(await page.getByRole('table', { name: 'Sources' }).innerText()).toContain(`Shop ${HOSTILE}`);
  expect(await page.title()).toBe('Overview · Millrace');
});

test('the time that is chosen is the one that is shown, and a year of six digits is none', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, busy);
  const chosen = page.getByRole('radiogroup', { name: 'Time range' }).locator('input:checked');
  await page.getByText('Custom', { exact: true }).click();
  await page.getByLabel('From').fill('2020-01-01T00:00');
  const to = page.getByLabel('To', { exact: true });
  const before = await to.inputValue();
  await to.fill('202000-01-02T00:00');
  expect(await to.inputValue()).toBe(before);
  await to.fill('');
  await page.getByText('Give a date and a time').waitFor();
  expect(await page.getByRole('button', { name: 'Show' }).isDisabled()).toBe(true);
  await to.fill('2019-12-31T00:00');
  await page.getByText('Must be later than the beginning').waitFor();
  expect(await page.getByRole('button', { name: 'Show' }).isDisabled()).toBe(true);
  await to.press('Home');
  await to.pressSequentially('120220201200AM');
  expect(await to.inputValue()).toBe('2020-12-02T00:00');
  await page.getByLabel('To', { exact: true }).fill('2020-12-01T00:00');
  await page.getByText('At most 299 days before the end').waitFor();
  expect(await page.getByRole('button', { name: 'Show' }).isDisabled()).toBe(true);
  await page.getByLabel('To', { exact: true }).fill('2020-01-02T00:00');
  await page.getByRole('button', { name: 'Show' }).click();
  await card(page, 'Accepted', '0');
  await page.getByRole('navigation').getByRole('link', { name: 'Overview', exact: true }).click();
  await card(page, 'Accepted', '3');
  expect(await chosen.inputValue()).toBe('1h');
  expect(await page.getByLabel('From').count()).toBe(0);
});

test('a time in the address that is longer than charts can show hides nothing else', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, busy, '/?from=2020-01-01T00:00:00.000Z&to=2021-01-01T00:00:00.000Z');
  await card(page, 'Accepted', '0');
  expect(await page.getByLabel('From').inputValue()).toBe('2020-03-08T00:00');
});

test('a time that the service refuses is told, without an empty list of what is wrong', async () => {
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, busy, '/?from=2026-02-01&to=2026-01-01');
  await page.getByText('must be later than from').first().waitFor();
  expect(await page.getByRole('region', { name: 'What is wrong' }).count()).toBe(0);
});

test.each([360, 1280])(
  'a page of %d px that opens with a time between two moments has the room for them before their code is there',
  async (width) => {
    const page = await browser.newPage({ width });
    const asked = Promise.withResolvers<void>();
    await page.route('**/custom-range*', async (route) => {
      await asked.promise;
      await route.continue();
    });
    await openSignedIn(page, busy, '/?from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z');
    const below = page.getByRole('heading', { name: 'What is wrong' });
    const before = await below.boundingBox();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    asked.resolve();
    await page.getByLabel('From').waitFor();
    expect(await below.boundingBox()).toEqual(before);
  },
);

test('what is wrong comes first, with its cause and the way to mend it; then nothing is, and what was looked at', async () => {
  const service = await startService({ MILLRACE_RETRY_WINDOW: '1h' });
  const receiver = await receive(({ path }) => (path === '/broken' ? { status: 404, body: 'gone' } : 200));
  const source = await service.source({ name: 'Shop' });
  const good = await service.destination(source, receiver.url('/works'), { name: 'CRM' });
  const page = await browser.newPage();
  await service.accept(source, { event: 'One' });
  await service.settled(good, 1);
  await openSignedIn(page, service);
  const wrong = page.getByRole('region', { name: 'What is wrong' });
  await wrong.getByText('Nothing is wrong').waitFor();
  await wrong
    .getByText(/^Checked .*: 1 destination, refused calls of 1 source and of unknown write keys, .*storage/)
    .waitFor();

  // Live: without a reload, by the one stream of the page.
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const bad = await service.destination(source, receiver.url('/broken'), { name: 'Fraud scoring' });
  await service.accept(source, { event: 'Two' });
  await service.settled(bad, 1);
  await card(page, 'Delivered', '2');
  expect(asked.filter((path) => path === '/api/overview')).toEqual([]);
  const fraud = wrong.getByRole('listitem').filter({ hasText: 'Nothing was delivered in the last 5 minutes' });
  await fraud.getByText(/Answered 404: 1 attempt in the last hour\. .*path/).waitFor();
  await service.must('POST', '/api/replays', { destinationId: bad.id, state: 'failed' });
  const again = wrong.getByRole('listitem').filter({ hasText: 'The newest replay ended: 1 failed again, 0 delivered' });
  await again.waitFor();
  const authorization = `Basic ${btoa(`${source.writeKey}:`)}`;
  const headers = { authorization, 'content-type': 'application/json' };
  await fetch(`${service.url}/v1/track`, { method: 'POST', headers, body: '{"event":"","userId":"u"}' });
  const refused = wrong.getByRole('listitem').filter({ hasText: "of the last hour's calls were refused: 1" });
  await refused.getByText('Their code: event_required').waitFor();
  expect(await wrong.getByText('Nothing is wrong').count()).toBe(0);
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'overview-wrong');

  await again.getByRole('link', { name: 'Fraud scoring' }).click();
  await page.getByRole('region', { name: 'Failed messages' }).waitFor();
  await page.goBack();
  await refused.getByRole('link', { name: 'Shop' }).click();
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
  await page.goBack();
  await fraud.getByRole('link', { name: 'Fraud scoring' }).click();
  await page.getByRole('region', { name: 'Errors of the last hour' }).waitFor();
  await page.goBack();

  // One more that failed is tried again when it is replayed: that replay is not over.
  await service.accept(source, { event: 'Three' });
  await service.settled(bad, 2);
  receiver.become(({ message }) => (message['event'] === 'Two' ? 404 : 503));
  await service.must('POST', '/api/replays', { destinationId: bad.id, state: 'failed' });
  await wrong.getByText('The newest replay has not ended: 1 failed again, 0 delivered, 1 still waiting').waitFor();
});

test('the chosen time stands in the address', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, busy, '/?range=24h');
  await page.getByRole('img', { name: /^Deliveries, last 24 hours/ }).waitFor();
  await page.getByText('7 d').click();
  await page.getByRole('img', { name: /^Deliveries, last 7 days/ }).waitFor();
  expect(new URL(page.url()).search).toBe('?range=7d');
  await page.reload();
  await page.getByRole('img', { name: /^Deliveries, last 7 days/ }).waitFor();
});

test('the chart is there for those who do not see it, as words and as a table', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, busy);
  await card(page, 'Delivered', '3');
  await page.getByText('7 d').click();
  const chart = page.getByRole('region', { name: 'Deliveries, last 7 days' });
  await chart.getByRole('img', { name: /^Deliveries, last 7 days: delivered: at most 3/ }).waitFor();
  await chart.getByText('per 2 hours', { exact: true }).waitFor();
  // Each colour has its name; under the pointer its own number, not that of the areas below it too.
  await chart.getByText('failed', { exact: true }).waitFor();
  await pointAtWhatCounts(page, chart);
  await chart.getByText('delivered: 3', { exact: true }).waitFor();
  await chart.getByText('failed: 3', { exact: true }).waitFor();
  expect(await chart.locator('.u-legend').count()).toBe(0);
  await page.getByRole('button', { name: 'As a table' }).click();
  const row = page.getByRole('region', { name: 'Deliveries, last 7 days, as a table' }).locator('tbody tr');
  expect(await row.filter({ hasText: /[1-9]$/ }).innerText()).toMatch(/UTC\s+3\s+\d+\s+3$/);
});

test('a chart of one event counts by whole numbers, and has its 1 at 1', async () => {
  const source = await fresh.source();
  await fresh.accept(source);
  const page = await browser.newPage();
  await page.addInitScript(NOTE_TEXTS);
  await openSignedIn(page, fresh, `/sources/${source.id}`);
  const chart = page.getByRole('region', { name: 'Calls accepted, last hour' });
  await chart.getByText('per minute', { exact: true }).waitFor();
  await chart.getByRole('img', { name: 'Calls accepted, last hour: accepted: at most 1' }).waitFor();
  await pointAtWhatCounts(page, chart);
  await chart.getByText('accepted: 1', { exact: true }).waitFor();
  const noted = await page.evaluate<[text: string, y: number][]>('window.texts');
  const heights = new Map(noted.filter(([text]) => /^[\d.,]+$/.test(text)));
  expect([...heights.keys()].sort()).toEqual(['0', '1']);
  const [point, canvas] = await Promise.all([
    chart.locator('.u-cursor-pt').boundingBox(),
    chart.locator('canvas').boundingBox(),
  ]);
  const middle = (point?.y ?? Number.NaN) + (point?.height ?? Number.NaN) / 2 - (canvas?.y ?? Number.NaN);
  expect(Math.abs(middle - (heights.get('1') ?? Number.NaN))).toBeLessThan(2);
});

test('the latency of a single minute is a point of its chart', async () => {
  const source = await fresh.source();
  const receiver = await receive(() => 200);
  const destination = await fresh.destination(source, receiver.url());
  await fresh.accept(source);
  await fresh.settled(destination, 1);
  const page = await browser.newPage();
  await page.addInitScript(`
    const draw = Path2D.prototype.arc;
    Path2D.prototype.arc = function (...circle) {
      window.points = (window.points ?? 0) + 1;
      return draw.apply(this, circle);
    };
  `);
  await openSignedIn(page, fresh, `/destinations/${destination.id}`);
  await page.getByRole('img', { name: /^Latency, last hour: p50: at most \d/ }).waitFor();
  await page.waitForFunction('window.points >= 2');
});

test('while the service does not answer, the page says so, and goes on when it does', async () => {
  const page = await browser.newPage({ mayLog: [/ERR_INTERNET_DISCONNECTED/] });
  await openSignedIn(page, busy);
  await card(page, 'Delivered', '3');
  await page.context().setOffline(true);
  const alert = page.getByRole('alert').getByText('The service did not answer.');
  await alert.waitFor();
  await card(page, 'Delivered', '3');
  await page.context().setOffline(false);
  await alert.waitFor({ state: 'hidden' });
});

test('the overview is well made', async () => {
  await expectWellMade(browser, busy, '/', {
    name: 'overview',
    ready: async (page) => {
      await card(page, 'Delivered', '3');
      await page.locator('[role=img] canvas').waitFor();
    },
  });
});

test('events that are gone are told on the overview until an admin takes note', async () => {
  const service = await startService({}, { mayLogErrors: true });
  const source = await service.source();
  const receiver = await receive();
  await service.destination(source, receiver.url());
  await service.accept(source);
  await receiver.waitFor(1);
  await service.stop();
  rmSync(service.file('people.db'));
  const going = new Service({}, { dataDir: service.dataDir, args: ['--accept-loss'], mayLogErrors: true });
  onTestFinished(() => going.close());
  await going.start();
  await expectWellMade(browser, going, '/', {
    name: 'overview-loss',
    ready: (page) => page.getByText('Data is missing').waitFor(),
  });
  const page = await browser.newPage();
  await openSignedIn(page, going);
  const alert = page.getByRole('alert').filter({ hasText: 'what was in people.db' });
  await alert.getByRole('button', { name: 'I have taken note' }).click();
  await alert.waitFor({ state: 'hidden' });
  expect(await going.must('GET', '/api/losses')).toMatchObject({ items: [{ notedAt: expect.any(String) }] });
});

test('the age of the last backup is told where the service makes backups, and nowhere else', async () => {
  const directory = temporaryFolder();
  onTestFinished(() => removeFolder(directory));
  const service = await startService({ MILLRACE_BACKUP_DIR: directory });
  const source = await service.source();
  const receiver = await receive();
  await service.destination(source, receiver.url());
  await service.accept(source);
  await receiver.waitFor(1);
  const page = await browser.newPage();
  await openSignedIn(page, service);
  await page.getByText('Last backup: none yet.').waitFor();
  await service.must('POST', '/api/backups', {});
  await eventually(
    () => service.must<BackupList>('GET', '/api/backups'),
    ({ items }) => items[0]?.state === 'complete',
  );
  await page.reload();
  await page.getByText(/^Last backup: (now|\d+ (sec|min)\. ago)/).waitFor();
  // An open page would complain of the stop.
  await page.close();
  await service.stop();
  await service.start({ MILLRACE_BACKUP_DIR: null });
  const without = await browser.newPage();
  await openSignedIn(without, service);
  await card(without, 'Accepted', '1');
  expect(await without.getByText('Last backup').count()).toBe(0);
});
