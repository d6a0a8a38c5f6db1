import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openBrowser } from '../browser/browser.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedService } from '../system/kit/service.ts';
import { openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

/** What has the focus, by its name or its text. */
function focused(page: Page): Promise<unknown> {
  return page.evaluate(`(({ tagName, ariaLabel, labels, innerText }) =>
    tagName + ' ' + (ariaLabel || labels?.[0]?.innerText || innerText))(document.activeElement)`);
}

async function expectFocus(page: Page, what: string | RegExp): Promise<void> {
  await expect.poll(() => focused(page)).toMatch(what);
}

async function open(path: string): Promise<Page> {
  const page = await browser.newPage();
  await openSignedIn(page, service, path);
  return page;
}

test('a dialog that closes leads back to what opened it, also where it is made anew each time', async () => {
  const page = await open('/settings/tokens');
  const search = page.getByRole('button', { name: 'Search everything' });
  await search.press('Enter');
  await expectFocus(page, 'INPUT Search everything');
  await page.keyboard.press('Escape');
  await expectFocus(page, 'BUTTON Search everything');
  await page.keyboard.press('?');
  await expectFocus(page, 'BUTTON Close');
  await page.keyboard.press('Escape');
  await expectFocus(page, 'BUTTON Search everything');
});

test('what takes the place of a form in its dialog takes the focus, and so does the heading of a list that loses a row', async () => {
  const page = await open('/settings/tokens');
  await page.getByRole('button', { name: 'New token' }).first().press('Enter');
  await page.getByRole('textbox', { name: 'Name' }).fill('Nightly export');
  await page.keyboard.press('Enter');
  await expectFocus(page, 'TEXTAREA Token “Nightly export”');
  // What is shown once does not go by a key that may be meant for something else.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Done' }).press('Enter');
  await expectFocus(page, 'BUTTON New token');
  await page.getByRole('button', { name: 'Revoke' }).press('Enter');
  await page.getByRole('button', { name: 'Revoke the token' }).press('Enter');
  await page.getByText('No API tokens yet').waitFor();
  await expectFocus(page, 'H1 API tokens');
});

test('a button that waits for the service keeps the focus, and what a menu adds leads back to it', async () => {
  const source = await service.source();
  const receiver = await receive(() => 200);
  const { id } = await service.destination(source, receiver.url(), { name: 'CRM' });
  const page = await open(`/destinations/${id}`);
  await page.getByRole('button', { name: 'Pause CRM' }).press('Enter');
  await page.getByText('Paused since').waitFor();
  await expectFocus(page, 'BUTTON Resume CRM');

  await page.goto(`${service.url}/settings/alerts`);
  await page.getByRole('button', { name: 'Add an address' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Webhook, signed' }).press('Enter');
  await expectFocus(page, 'BUTTON Add an address');
  await page.getByRole('button', { name: /^Remove the address/ }).press('Enter');
  await expectFocus(page, 'H2 Addresses');
});

test('a form that was saved or discarded keeps the focus at its end, and sends nothing then', async () => {
  const page = await open('/settings/alerts');
  const saved: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') saved.push(request.url());
  });
  const ends = page.getByRole('textbox', { name: 'An incident ends when' });
  await ends.fill('7m');
  await page.keyboard.press('Enter');
  await page.getByText('The alerts are saved.').waitFor();
  await ends.fill('8m');
  await page.getByRole('button', { name: 'Discard' }).press('Enter');
  await expectFocus(page, 'BUTTON Save alerts');
  expect(await ends.inputValue()).toBe('7m');
  await page.keyboard.press('Enter');
  await ends.press('Enter');
  await ends.fill('9m');
  await page.getByRole('button', { name: 'Save alerts' }).press('Enter');
  await page.getByRole('button', { name: 'Save alerts', disabled: true }).waitFor();
  await expectFocus(page, 'BUTTON Save alerts');
  expect(saved).toHaveLength(2);
});

test('back from a step that was refused, the step before it has the focus', async () => {
  const source = await service.source({ name: 'Back shop' });
  const page = await open('/catalog/webhooks/new');
  await page.getByRole('textbox', { name: 'Name' }).fill('CRM');
  const next = page.getByRole('button', { name: 'Continue' });
  await next.press('Enter');
  await page.getByRole('checkbox', { name: source.name }).check();
  await next.press('Enter');
  await expectFocus(page, 'H2 URLs');
  await next.press('Enter');
  await expectFocus(page, 'INPUT URL');
  await page.getByRole('button', { name: 'Back' }).press('Enter');
  await expectFocus(page, 'H2 Sources');
});

test('a press beside a field leaves it, and a press on another field goes there', async () => {
  await service.accept(await service.source(), { event: 'Order Completed' });
  const page = await open('/audiences/new');
  const event = page.locator('input[aria-label="Event name"]');
  await event.fill('Order');
  const suggestion = page.getByRole('option', { name: /^Order Completed/ });
  await suggestion.waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await suggestion.waitFor({ state: 'hidden' });
  await page.keyboard.insertText('nowhere');
  await event.click();
  await suggestion.waitFor();
  await page.getByRole('textbox', { name: 'Name', exact: true }).click();
  await page.keyboard.insertText('Buyers');
  expect(await event.inputValue()).toBe('Order');
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Buyers');
});

test('a field of a filter keeps the focus when Enter saves the form', async () => {
  const source = await service.source();
  const filter = { all: [{ field: 'properties.total', is: { atLeast: 100 } }] };
  const { id } = await service.destination(source, (await receive(() => 200)).url(), { name: 'CRM', filter });
  const page = await open(`/destinations/${id}/settings`);
  const value = page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value', { exact: true });
  await value.fill('200');
  await value.press('Enter');
  await page.getByText('The settings are saved.').waitFor();
  await expectFocus(page, 'INPUT Value');
});
