import { expect, test } from 'vitest';
import { openBrowser } from '../browser/browser.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedService } from '../system/kit/service.ts';
import { openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

test('what is typed to send again, and what is ticked, is there again on the way back from a message', async () => {
  const receiver = await receive(() => 400);
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  for (const event of ['Signed Up', 'Signed In']) await service.accept(source, { event });
  await service.settled(destination, 2);
  const page = await browser.newPage();
  await openSignedIn(page, service, `/destinations/${destination.id}/failed`);
  const replay = page.getByRole('region', { name: 'Send again' });
  await replay.getByLabel('Event').fill('Signed');
  await replay.getByLabel('User id').fill('ada');
  await replay.getByLabel('Per second').fill('7');
  const rows = page.getByRole('table', { name: 'Deliveries' });
  await rows.getByRole('checkbox').nth(1).check();
  await rows.getByRole('link').first().click();
  await page.waitForURL(/\/messages\//);
  await page.goBack();
  await page.getByRole('button', { name: 'Send 1 chosen again' }).waitFor();
  expect(await rows.getByRole('checkbox').nth(1).isChecked()).toBe(true);
  const values = ['Event', 'User id', 'Per second'].map((name) => replay.getByLabel(name).inputValue());
  expect(await Promise.all(values)).toEqual(['Signed', 'ada', '7']);
  expect(await replay.getByRole('combobox', { name: 'Which' }).inputValue()).toBe('What failed');
});

test('names and ids of thousands of characters take a few lines of a list and of a page', async () => {
  const receiver = await receive(() => 400);
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  const named = await service.accept(source, { event: 'E'.repeat(30_000) });
  const by = await service.accept(source, { event: 'Long', userId: 'Q'.repeat(30_000) });
  await service.settled(destination, 2);
  const page = await browser.newPage();
  await openSignedIn(page, service);
  for (const path of [
    '/messages',
    `/destinations/${destination.id}/deliveries`,
    `/destinations/${destination.id}/failed`,
  ]) {
    await page.goto(service.url + path);
    await page.getByText(/E{60}/).first().waitFor();
    await page.getByText(/Q{60}/).first().waitFor();
    expect([path, (await page.locator('main').innerText()).match(/E{100}|Q{100}/)]).toEqual([path, null]);
  }
  await page.goto(`${service.url}/messages/${named}`);
  expect((await page.locator('main h1').innerText()).length).toBeLessThan(100);
  await page.goto(`${service.url}/messages/${by}`);
  await page.locator('dl').getByRole('link', { name: /Q{60}/ }).waitFor();
  expect((await page.locator('dl').first().innerText()).match(/Q{100}/)).toBe(null);
});

test('of many groups of failed messages the largest are shown, and the others on request', async () => {
  const receiver = await receive(() => 400);
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  for (const event of Array.from({ length: 26 }, (_, i) => `Event ${i % 25}`)) await service.accept(source, { event });
  await service.settled(destination, 26);
  const page = await browser.newPage();
  await openSignedIn(page, service, `/destinations/${destination.id}/failed`);
  const groups = page.getByRole('region', { name: 'By error and event' });
  const rows = groups.locator('tbody tr');
  await rows.getByText('Event 0', { exact: true }).waitFor();
  expect(await rows.count()).toBe(20);
  await groups.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => rows.count()).toBe(25);
  expect(await groups.getByRole('button', { name: 'Show more' }).count()).toBe(0);
});

test('what was ticked is not ticked again where the tab is opened anew', async () => {
  const receiver = await receive(() => 400);
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  await service.accept(source);
  await service.settled(destination, 1);
  const page = await browser.newPage();
  await openSignedIn(page, service, `/destinations/${destination.id}/deliveries`);
  const tab = page.getByRole('link', { name: 'Failed', exact: true });
  await tab.click();
  await page.getByRole('checkbox', { name: /^Choose / }).check();
  await page.goBack();
  await tab.click();
  await page.getByRole('checkbox', { name: /^Choose / }).waitFor();
  expect(await page.getByRole('checkbox', { name: /^Choose / }).isChecked()).toBe(false);
});
