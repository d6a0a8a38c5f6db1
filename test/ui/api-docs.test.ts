import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Page as ListPage, Source } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { sharedService } from '../system/kit/service.ts';
import { expectWellMade, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

function tryIt(page: Page) {
  return page.getByRole('region', { name: 'Try it' });
}

test('an operation is found by its words, and its address can be shared', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/api-docs');
  await page.getByRole('searchbox', { name: 'Search the operations' }).fill('source CREATE');
  const operations = page.getByRole('navigation', { name: 'Operations' });
  await operations.getByRole('link', { name: 'POST Create a source' }).click();
  await page.getByRole('heading', { level: 2, name: 'Create a source' }).waitFor();
  expect(page.url()).toContain('operation=createSource');
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Create a source');
  expect(await page.title()).toBe('Create a source · API docs · Millrace');
  await page.getByRole('searchbox').fill('no such thing');
  await page.getByText('No operation has these words.').waitFor();
});

test.each(['', '?operation=createDestination', '?operation=getHealth'])(
  'words in backticks are shown as code: %s',
  async (of) => {
    const page = await browser.newPage();
    await openSignedIn(page, service, `/api-docs${of}`);
    await page.locator('main code').first().waitFor();
    expect(await page.locator('main').innerText()).not.toContain('`');
  },
);

test('a schema opens as deep as it goes', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/api-docs?operation=createDestination');
  const body = page.getByRole('region', { name: 'Body', exact: true });
  await body.getByRole('button', { name: 'Fields of settings' }).click();
  await body.getByRole('button', { name: 'Fields of webhooks' }).click();
  await body.getByText('url', { exact: true }).waitFor();
});

test('a call that reads is made at once, with the session', async () => {
  const source = await service.source({ name: 'Seen by the docs' });
  const page = await browser.newPage();
  await openSignedIn(page, service, '/api-docs?operation=getSource');
  const region = tryIt(page);
  await region.getByText('Fill in id first.').waitFor();
  await region.getByLabel('id *').fill(source.id);
  await page.getByRole('region', { name: 'curl command' }).getByText(`/api/sources/${source.id}`).waitFor();
  await region.getByRole('button', { name: 'Send' }).click();
  await region.getByText('200 OK').waitFor();
  await region.getByText('content-type: application/json').waitFor();
  await region.getByText('"Seen by the docs"').waitFor();
});

test('a call that changes something asks first, and is made with the CSRF token', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/api-docs?operation=createSource');
  const region = tryIt(page);
  await region.getByLabel('Body').fill('{"name":"Made by the docs","type":"web"}');
  await region.getByRole('button', { name: 'Send' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send POST /api/sources?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const made = async (): Promise<string[]> =>
    (await service.must<ListPage<Source>>('GET', '/api/sources')).items.map(({ name }) => name);
  expect(await made()).not.toContain('Made by the docs');
  await region.getByRole('button', { name: 'Send' }).click();
  await dialog.getByRole('button', { name: 'Send POST' }).click();
  await region.getByText('201 Created').waitFor();
  expect(await made()).toContain('Made by the docs');
});

test('a refusal is shown as it came', async () => {
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, service, '/api-docs?operation=createSource');
  const region = tryIt(page);
  await region.getByLabel('Body').fill('{"name":');
  await region.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Send POST' }).click();
  await region.getByText('400 Bad Request').waitFor();
  await region.getByText('"detail"').waitFor();
});

test('the collection API is there too, with the write key of a source', async () => {
  const source = await service.source({ name: 'Collector' });
  const page = await browser.newPage();
  await openSignedIn(page, service, '/api-docs?operation=collect_track');
  const region = tryIt(page);
  await region.getByRole('combobox', { name: 'Write key of' }).click();
  await page.getByRole('option', { name: 'Collector' }).click();
  await region.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Send POST' }).click();
  await region.getByText('200 OK').waitFor();
  const totals = await service.must<{ accepted: number }>('GET', `/api/sources/${source.id}/totals`);
  expect(totals.accepted).toBe(1);
});

test('of a stream the first seconds are shown', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/api-docs?operation=watchEvents');
  await tryIt(page).getByRole('button', { name: 'Send' }).click();
  await tryIt(page).getByText('This is the beginning; the answer goes on.').waitFor();
});

test('an operation that is not there is told apart from the others', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/api-docs?operation=<b>gone</b>');
  await page.getByText('There is no operation “<b>gone</b>”').waitFor();
});

test('the API docs are well made', async () => {
  await expectWellMade(browser, service, '/api-docs', {
    name: 'api-docs',
    ready: (page) => page.getByRole('heading', { name: 'Who calls' }).waitFor(),
  });
});

test('an operation is well made', async () => {
  await expectWellMade(browser, service, '/api-docs?operation=createSource', {
    name: 'api-docs-operation',
    ready: (page) => page.getByRole('heading', { name: 'Create a source' }).waitFor(),
  });
});
