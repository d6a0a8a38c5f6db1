import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { freePort } from '../../bench/redis.ts';
import type { Source, SourceTotals } from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { receive } from '../system/kit/receiver.ts';
import { type Service, sharedService, startService } from '../system/kit/service.ts';
import { expectNoSidewaysScroll, expectWellMade, openAsViewer, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

const HOSTILE = `<img src="x" onerror="document.title='taken'">`;

interface Chosen {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

function file(name: string, lines: readonly unknown[]): Chosen {
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  return { name, mimeType: '', buffer: name.endsWith('.gz') ? gzipSync(text) : Buffer.from(text) };
}

const order = (number: number, more: object = {}): object => ({
  type: 'track',
  userId: `u${number}`,
  event: 'Order Completed',
  timestamp: '2020-02-03T04:05:06.000Z',
  ...more,
});

/** Of so many, in six requests, a limit takes 2,500 at once: more are to come when something happens to the import. */
const LINES = 4_000;
const LONG = { properties: { note: 'x'.repeat(600) } };

const orders = (count: number): object[] => Array.from({ length: count }, (_, number) => order(number, LONG));

async function openImport(page: Page, on: Service, source: Source): Promise<void> {
  await openSignedIn(page, on, `/sources/${source.id}/import`);
  await page.getByRole('button', { name: /Choose (a|the) file/ }).waitFor();
}

function choose(page: Page, chosen: Chosen): Promise<void> {
  return page.getByLabel('File to import').setInputFiles(chosen);
}

async function begin(page: Page, chosen: Chosen): Promise<void> {
  await choose(page, chosen);
  await page.getByRole('button', { name: `Import ${chosen.name}` }).click();
}

/** The first lines are done, and more are to come. */
async function underWay(page: Page): Promise<void> {
  await page.getByText(/^[1-9][\d,]* lines read: /).waitFor();
  expect(await page.getByRole('button', { name: 'Pause' }).isVisible()).toBe(true);
}

/** So few calls a second that an import is not over before something happens to it. */
const SLOW = { quota: { eventsPerSecond: 40, bytesPerSecond: null, eventsPerDay: null } };
const FAST = { quota: { eventsPerSecond: null, bytesPerSecond: null, eventsPerDay: null } };

test('what is refused is shown by line and reason, and can be downloaded; the end does not say more than is true', async () => {
  const receiver = await receive();
  const source = await service.source({ type: 'server' });
  const destination = await service.destination(source, receiver.url());
  const page = await browser.newPage({ width: 1440 });
  await openImport(page, service, source);
  await begin(
    page,
    file('history.ndjson', [
      order(1, { messageId: 'mine' }),
      `not JSON ${HOSTILE}`,
      '',
      { type: 'track', userId: 'u2', event: 'Without a time' },
      { type: 'track', userId: 'x' },
      order(3, { properties: { long: 'x'.repeat(33_000) } }),
      '[1]',
    ]),
  );
  await page.getByText('history.ndjson: read to its end').waitFor();
  await page.getByText('7 lines read: 2 accepted, 4 refused, 1 empty.').waitFor();
  await page.getByText('4 calls were refused').waitFor();
  await page.getByText('1 call had no timestamp').waitFor();
  const rows = page.getByRole('table', { name: 'Refused lines' }).locator('tbody tr');
  expect(await rows.locator('td:first-child').allInnerTexts()).toEqual(['2', '5', '6', '7']);
  expect(await rows.locator('code').allInnerTexts()).toContain('event_required');
  expect(await page.title()).toBe('Web shop · Millrace');
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'import-refused');

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download all 4' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe('history.ndjson.rejected.ndjson');
  const lines = readFileSync(await saved.path(), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { line: 2, code: 'invalid_json', call: `not JSON ${HOSTILE}` },
    { line: 5, code: 'event_required', call: { type: 'track', userId: 'x' } },
    { line: 6, code: 'call_too_large' },
    { line: 7, code: 'call_not_object', call: [1] },
  ]);
  expect(await service.settled(destination, 2)).toMatchObject({ processed: 2 });
  expect(receiver.arrivals.map(({ message }) => message['timestamp'])).toContain('2020-02-03T04:05:06.000Z');

  await page.getByRole('button', { name: 'Import another file' }).click();
  await begin(page, file('list.json', ['[{"type": "track"}]']));
  await page.getByText('list.json is a JSON array; an import takes NDJSON').waitFor();
  await begin(page, file('mended.ndjson', [order(2)]));
  await page.getByText('Every call was accepted').waitFor();
  await page.getByText('1 line read: 1 accepted, 0 refused.').waitFor();
});

test('signing out removes what the browser has of imports', async () => {
  const source = await service.source({ type: 'server' });
  const page = await browser.newPage();
  await openImport(page, service, source);
  await begin(page, file('history.ndjson', ['not JSON']));
  await page.getByText('history.ndjson: read to its end').waitFor();
  await page.getByRole('button', { name: 'Import another file' }).click();
  const question = page.getByRole('dialog', { name: 'Forget the refused lines of “history.ndjson”?' });
  await question.getByText('1 line of it was refused.').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Download it' }).waitFor();
  const databases = (): Promise<unknown[]> => page.evaluate<unknown[]>('indexedDB.databases()');
  expect(await databases()).toHaveLength(1);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect.poll(databases).toEqual([]);
  await openImport(page, service, source);
});

test('after a reload it goes on where it was, in the same file only', async () => {
  const source = await service.source({ type: 'server' });
  const path = `/api/sources/${source.id}`;
  await service.must('PATCH', path, SLOW);
  const page = await browser.newPage({ mayLog: [/status of (403|429)/] });
  await openImport(page, service, source);
  const history = file('history.ndjson.gz', orders(LINES));
  await begin(page, history);
  await underWay(page);
  await page.getByText('Nothing is taken now').waitFor();
  await service.must('PATCH', path, { enabled: false });
  await page.getByText(/^Stopped before line/).waitFor();
  await page.getByText('403 source_disabled').waitFor();
  expect(await axe(page)).toEqual([]);

  await service.must('PATCH', path, { enabled: true, ...FAST });
  await page.reload();
  await page.getByText(/^history\.ndjson\.gz: begun, and not at its end, \d+%$/).waitFor();
  await choose(page, file('other.ndjson', orders(3).toReversed()));
  await page.getByText('“other.ndjson” is not the file whose import was begun').waitFor();
  await choose(page, file('changed.ndjson.gz', [...orders(1), ...orders(LINES).toReversed()]));
  await page.getByText('“changed.ndjson.gz” is not the file whose import was begun').waitFor();
  expect(await axe(page)).toEqual([]);
  await choose(page, history);
  await page.getByText('Every call was accepted').waitFor();
  await page.getByText('4,000 lines read: 4,000 accepted, 0 refused.').waitFor();
  expect(await service.must<SourceTotals>('GET', `${path}/totals`)).toMatchObject({ accepted: LINES, duplicates: 0 });
});

test('leaving the page asks first; paused, it goes on', async () => {
  const source = await service.source({ type: 'server' });
  await service.must('PATCH', `/api/sources/${source.id}`, SLOW);
  const page = await browser.newPage({ mayLog: [/status of 429/] });
  await openImport(page, service, source);
  await begin(page, file('history.ndjson', orders(LINES)));
  await underWay(page);
  await page.getByRole('link', { name: 'Connect', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause the import?' });
  expect(await axe(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Stay here' }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText(/^history\.ndjson: paused, \d+%$/).waitFor();
  await service.must('PATCH', `/api/sources/${source.id}`, FAST);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('4,000 lines read: 4,000 accepted, 0 refused.').waitFor();
});

test('a service that is killed in the middle and started again gets the rest, and nothing twice', async () => {
  const own = await startService({}, { args: ['--port', `${await freePort()}`] });
  const receiver = await receive();
  const source = await own.source({ type: 'server' });
  const destination = await own.destination(source, receiver.url());
  await own.must('PATCH', `/api/sources/${source.id}`, SLOW);
  const page = await browser.newPage({
    mayLog: [/status of (429|5\d\d)/, /ERR_(CONNECTION|EMPTY_RESPONSE|INCOMPLETE_CHUNKED)/],
  });
  await openImport(page, own, source);
  await begin(page, file('history.ndjson', orders(LINES)));
  await underWay(page);
  await own.kill();
  await page.getByText('The service did not answer. It is tried again by itself').waitFor();
  await own.start();
  await own.must('PATCH', `/api/sources/${source.id}`, FAST);
  await page.getByText('4,000 lines read: 4,000 accepted, 0 refused.').waitFor({ timeout: 60_000 });
  await page.getByText('Every call was accepted').waitFor();
  expect(await own.settled(destination, LINES, 60_000)).toMatchObject({ accepted: LINES, processed: LINES });
  expect(new Set(receiver.arrivals.map(({ message }) => message['userId'])).size).toBe(LINES);
});

test('a second tab that goes on with the same import ends the first', async () => {
  const source = await service.source({ type: 'server' });
  await service.must('PATCH', `/api/sources/${source.id}`, SLOW);
  const page = await browser.newPage({ mayLog: [/status of 429/] });
  await openImport(page, service, source);
  const history = file('history.ndjson', orders(LINES));
  await begin(page, history);
  await underWay(page);
  const tab = await page.context().newPage();
  await openImport(tab, service, source);
  await choose(tab, history);
  await service.must('PATCH', `/api/sources/${source.id}`, FAST);
  const others = [page, tab].map((each) => each.getByText('Another tab goes on with this import').waitFor());
  await Promise.any(others);
  await Promise.any([page, tab].map((each) => each.getByText('4,000 accepted, 0 refused.').waitFor()));
  expect(await service.must<SourceTotals>('GET', `/api/sources/${source.id}/totals`)).toMatchObject({
    accepted: LINES,
  });
});

test('who may not change the source is told so', async () => {
  const source = await service.source({ type: 'server' });
  const page = await browser.newPage();
  await openAsViewer(page, service, `/sources/${source.id}/import`);
  await page.getByText('Only admins import files').waitFor();
  expect(await page.getByRole('link', { name: 'Import', exact: true }).count()).toBe(0);
  await expectNoSidewaysScroll(page);
});

test('the page is well made', async () => {
  const source = await service.source({ name: `Shop ${HOSTILE}`, type: 'web' });
  const change = { enabled: false, allowedOrigins: ['https://shop.example.com'] };
  await service.must('PATCH', `/api/sources/${source.id}`, change);
  await expectWellMade(browser, service, `/sources/${source.id}/import`, {
    name: 'source-import',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Choose a file' }).waitFor();
      await page.getByText('This page may not send to this source').waitFor();
    },
  });
});
