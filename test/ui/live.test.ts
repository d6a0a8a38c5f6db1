import { expect, test } from 'vitest';
import { freePort } from '../../bench/redis.ts';
import type { Source } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { type Service, sharedService, startService } from '../system/kit/service.ts';
import { expectWellMade, openSignedIn } from './kit.ts';

/** Its tests filter by a source of their own, or send nothing. */
const shared = sharedService();
const browser = openBrowser(shared);

const HOSTILE = `<img src="x" onerror="document.title='taken'">`;

async function accept(service: Service, source: Source, ...events: readonly string[]): Promise<void> {
  for (const event of events) await service.accept(source, { event, properties: { for: event } });
}

/** The first of the file: nothing is there yet. */
test('the empty live debugger is well made', async () => {
  await shared.source();
  await expectWellMade(browser, shared, '/live', {
    name: 'live-empty',
    ready: (page) => page.getByText('Waiting for events').waitFor(),
  });
});

test('what is accepted appears, newest on top; the chosen one is shown whole and leads to its message', async () => {
  const service = await startService();
  const source = await service.source({ name: `Shop ${HOSTILE}` });
  const page = await browser.newPage({ width: 1440 });
  await openSignedIn(page, service, '/live');
  await page.getByText('Waiting for events').waitFor();
  await page.getByRole('region', { name: 'command that sends an event' }).getByText(source.writeKey).waitFor();
  await accept(service, source, 'First', HOSTILE);
  const rows = page.getByRole('option');
  await rows.nth(1).waitFor();
  expect(await rows.nth(0).innerText()).toContain(HOSTILE);
  expect(await rows.nth(0).innerText()).toContain(`Shop ${HOSTILE}`);
  expect(await rows.nth(1).innerText()).toContain('First');

  await page.getByRole('listbox').focus();
  await page.keyboard.press('ArrowDown');
  const detail = page.getByRole('region', { name: 'The chosen event' });
  await detail.getByRole('heading', { name: HOSTILE }).waitFor();
  await page.keyboard.press('ArrowDown');
  await detail.getByRole('heading', { name: 'First' }).waitFor();
  await detail.getByText('Raw').click();
  await detail.getByText('"properties":{"for":"First"}').waitFor();
  expect(await detail.getByRole('link', { name: 'What became of it' }).getAttribute('href')).toMatch(
    /^\/messages\/.+position=\d+$/,
  );
  expect(await page.title()).toBe('Live debugger · Millrace');
});

test('the service filters, and the filter is in the address', async () => {
  const source = await shared.source();
  const page = await browser.newPage();
  await openSignedIn(page, shared, `/live?text=needle&sourceId=${source.id}`);
  await page.getByText('Waiting for events').waitFor();
  expect(await page.getByLabel('Text in the body').inputValue()).toBe('needle');
  await accept(shared, source, 'Hay', 'Needle');
  await page.getByRole('option').getByText('Needle').waitFor();
  expect(await page.getByRole('option').count()).toBe(1);

  const asked = page.waitForRequest((request) => request.url().includes('event=Order'));
  await page.getByLabel('Event name').fill('Order');
  await asked;
  await expect.poll(() => new URL(page.url()).search).toContain('event=Order');
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect.poll(() => new URL(page.url()).search).toBe('');
});

test('two fields that are typed into one after the other both filter, and the fields say what the address says', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, shared, '/live');
  await page.getByLabel('Event name').fill('Order');
  await page.getByLabel('User id').fill('u1');
  await expect.poll(() => new URL(page.url()).search).toBe('?event=Order&userId=u1');
  await page.getByRole('link', { name: 'Live debugger' }).click();
  await expect.poll(() => page.getByLabel('Event name').inputValue()).toBe('');
  expect(await page.getByLabel('User id').inputValue()).toBe('');
  expect(new URL(page.url()).search).toBe('');
});

test('it begins with what came before, keeps it over filters and Back, and shows what was refused', async () => {
  const service = await startService();
  const source = await service.source();
  await accept(service, source, 'Before', 'Other');
  await service.send(source, 'track', { userId: 'u1' });
  const page = await browser.newPage({ width: 1440, mayLog: [/ERR_FAILED/] });
  await openSignedIn(page, service, '/live');
  const rows = page.getByRole('option');
  await rows.nth(2).waitFor();
  expect(await rows.nth(0).innerText()).toContain('event_required');
  expect(await rows.nth(1).innerText()).toContain('Other');
  expect(await rows.nth(2).innerText()).toContain('Before');
  await page.getByLabel('Event name').fill('Before');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect.poll(() => rows.count()).toBe(3);
  await rows.nth(0).click();
  await page
    .getByRole('region', { name: 'The chosen event' })
    .getByRole('link', { name: 'Rejected calls of this source' })
    .click();
  await page.getByRole('table', { name: 'Rejected calls' }).waitFor();
  // What is there again was kept by the page: the stream is no longer let through.
  await page.route('**/api/events/live*', (route) => route.abort());
  await page.goBack();
  await rows.nth(2).waitFor();
  await page.unroute('**/api/events/live*');
  await accept(service, source, 'After');
  await rows.nth(3).waitFor();
  expect(await rows.count()).toBe(4);
});

test('a pause keeps what came, counts what comes, and goes on with it', async () => {
  const source = await shared.source();
  const page = await browser.newPage();
  await openSignedIn(page, shared, `/live?sourceId=${source.id}`);
  await page.getByText('Waiting for events').waitFor();
  await accept(shared, source, 'Before');
  await page.getByRole('option').getByText('Before').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await accept(shared, source, 'During', 'During again');
  await page.getByText('2 came since').waitFor();
  expect(await page.getByRole('option').count()).toBe(1);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('option').nth(2).waitFor();
});

test('scrolled down it stays where it is, and says how much came above', async () => {
  const source = await shared.source();
  const page = await browser.newPage();
  await openSignedIn(page, shared, `/live?sourceId=${source.id}`);
  await page.getByText('Waiting for events').waitFor();
  await accept(shared, source, ...Array.from({ length: 40 }, (_, i) => `Event ${i}`));
  await page.getByRole('option').nth(39).waitFor();
  const list = page.getByRole('listbox');
  const middle = list.getByText('Event 15', { exact: true });
  await middle.scrollIntoViewIfNeeded();
  const before = await middle.boundingBox();
  await accept(shared, source, 'Newer', 'Newest');
  await page.getByRole('button', { name: '2 newer' }).waitFor();
  expect(await middle.boundingBox()).toEqual(before);
  await page.getByRole('button', { name: '2 newer' }).click();
  await expect.poll(() => page.evaluate('document.querySelector("[role=listbox]").scrollTop')).toBe(0);
});

test('of thousands a second it shows a sample, says so, and keeps no more than 500 rows', async () => {
  const service = await startService({ MILLRACE_LOG_LEVEL: 'info' });
  const source = await service.source();
  const page = await browser.newPage();
  await openSignedIn(page, service, '/live');
  await page.getByText('Waiting for events').waitFor();
  const batch = Array.from({ length: 2_500 }, (_, i) => ({ type: 'track', userId: 'u', event: `Flood ${i}` }));
  const body = JSON.stringify({ batch });
  const said = page.getByText(/Showing 50 of [\d,]{5,}\/s, an even sample/).waitFor();
  const flood = { isOver: false };
  const sending = (async () => {
    while (!flood.isOver) expect((await service.send(source, 'batch', body)).status).toBe(200);
  })();
  const shown = page.getByRole('option').nth(100).waitFor({ state: 'attached' });
  await Promise.all([said, shown]).finally(() => {
    flood.isOver = true;
  });
  await sending;
  expect(await page.getByRole('option').count()).toBeLessThanOrEqual(500);
});

test('while the stream is gone the page says so, and goes on when it is back', async () => {
  const service = await startService({}, { args: ['--port', `${await freePort()}`] });
  const source = await service.source();
  const page = await browser.newPage({ mayLog: [/ERR_/] });
  await openSignedIn(page, service, '/live');
  await page.getByText('live', { exact: true }).waitFor();
  await service.kill();
  await page.getByText('disconnected').waitFor();
  await service.start();
  await page.getByText('live', { exact: true }).waitFor();
  await accept(service, source, 'Back');
  await page.getByRole('option').getByText('Back').waitFor();
});

test('a filter that the service refuses is told with the reason, and is not asked for again', async () => {
  await shared.source();
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, shared, `/live?text=${'x'.repeat(300)}`);
  await page.getByText('The service refuses this filter: text').waitFor();
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.getByText('live', { exact: true }).waitFor();
});

test('the live debugger is well made, with an event chosen', async () => {
  const source = await shared.source();
  await expectWellMade(browser, shared, `/live?sourceId=${source.id}`, {
    name: 'live',
    ready: async (page) => {
      await page.getByText('live', { exact: true }).waitFor();
      if ((await page.getByRole('option').count()) === 0) {
        await accept(shared, source, 'Order Completed', 'Signed Up', HOSTILE);
        await shared.send(source, 'track', { userId: 'u1' });
        await page.getByRole('option').nth(3).waitFor();
      }
      // Beside the list where there is room, in a drawer where there is none.
      if ((await page.getByRole('region', { name: 'The chosen event' }).count()) === 0) {
        await page.getByRole('option').nth(1).click();
      }
      await page.getByRole('region', { name: 'The chosen event' }).getByText('messageId').first().waitFor();
    },
  });
});
