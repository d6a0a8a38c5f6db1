import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import type { Page as List, Source } from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedService, startService } from '../system/kit/service.ts';
import { expectNoSidewaysScroll, expectWellMade, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

const WIZARD = '/catalog/webhooks/new';

function next(page: Page): Promise<void> {
  return page.getByRole('button', { name: 'Continue' }).click();
}

function isAt(page: Page, step: string): Promise<void> {
  return page.getByRole('heading', { level: 2, name: step, exact: true }).waitFor();
}

/** Goes as far as the URLs. */
async function toUrls(page: Page, source: Source, name: string, at = service): Promise<void> {
  await openSignedIn(page, at, WIZARD);
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await next(page);
  // Several have this name: the newest is the last.
  await page.getByRole('checkbox', { name: source.name }).last().click();
  await next(page);
  await isAt(page, 'URLs');
}

test('the step of the URLs says what would be refused at the end, and only warns of a name that does not resolve', async () => {
  const guarded = await startService({ MILLRACE_ALLOW_PRIVATE_URLS: 'false' });
  const source = await guarded.source({ name: 'Guarded shop' });
  const page = await browser.newPage();
  await toUrls(page, source, 'Guarded', guarded);
  const url = page.getByRole('textbox', { name: 'URL' });
  await url.fill('http://10.1.2.3/hook');
  await next(page);
  await page.getByText('10.1.2.3 is not a public address').waitFor();
  expect(await url.getAttribute('aria-invalid')).toBe('true');
  await screenshot(page, 'wizard-refused-url');
  await url.fill('http://127.0.0.1:9/hook');
  await next(page);
  await page.getByText('127.0.0.1 is not a public address').waitFor();
  await page.getByRole('button', { name: 'Allow this machine' }).waitFor();
  await url.fill('https://nowhere.invalid/hook');
  await next(page);
  await isAt(page, 'Shared secret');
  await page.getByText(/nowhere\.invalid/).waitFor();
});

test('from the catalog to a destination that is on, delivers, and signs', async () => {
  const receiver = await receive(({ path }) => (path === '/hook' ? { status: 200, body: 'thank you' } : 404));
  const source = await service.source({ name: 'Wizard shop' });
  const page = await browser.newPage();
  await openSignedIn(page, service, '/catalog');
  await page.getByRole('link', { name: 'Set up Webhooks' }).click();
  await next(page);
  await page.getByText('Give it a name').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('CRM');
  await next(page);
  await isAt(page, 'Sources');
  await next(page);
  await page.getByText('Choose at least one source').waitFor();
  await page.getByRole('checkbox', { name: 'Wizard shop' }).click();

  // Another source, made on the way.
  await page.getByRole('button', { name: 'New source' }).click();
  await page.getByLabel('Name').fill('Made inline');
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.getByRole('checkbox', { name: 'Made inline', checked: true }).waitFor();
  await next(page);

  await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url('/hook'));
  await page.getByRole('button', { name: 'Add header' }).click();
  await page.getByLabel('Header 1 of URL, name').fill('X-Team');
  await page.getByLabel('Header 1 of URL, value').fill('growth');
  await page.getByRole('button', { name: 'Check URL' }).click();
  await page.getByText('thank you').waitFor();
  await next(page);

  await isAt(page, 'Shared secret');
  await page.getByRole('button', { name: 'Generate' }).first().click();
  const secret = await page.getByRole('textbox', { name: 'Shared secret' }).inputValue();
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  const standard = await page.getByLabel('Secret of Standard Webhooks').inputValue();
  for (const each of [secret, standard]) service.secrets.add(each);
  await screenshot(page, 'wizard-secrets');
  await next(page);

  await isAt(page, 'Switch on');
  expect(page.url()).not.toContain(secret);
  await page.getByText('Wizard shop, Made inline').waitFor();
  await page.getByRole('button', { name: 'Create and switch on' }).click();
  await page.getByRole('heading', { level: 1, name: 'CRM' }).waitFor();
  expect(await page.content()).not.toContain(secret);

  await service.accept(source, { event: 'After the wizard' });
  await receiver.until(() => receiver.arrivals.some(({ message }) => message['event'] === 'After the wizard'));
  const arrival = receiver.arrivals.find(({ message }) => message['event'] === 'After the wizard');
  expect(arrival?.headers).toMatchObject({
    'x-team': 'growth',
    'x-signature': expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  expect(new Webhook(standard).verify(arrival?.text ?? '', arrival?.headers as Record<string, string>)).toBeTruthy();
});

test('what was entered survives back and forward, and leaving asks first', async () => {
  const source = await service.source({ name: 'Kept shop' });
  const page = await browser.newPage();
  await toUrls(page, source, 'Kept');
  await page.getByRole('textbox', { name: 'URL' }).fill('https://hooks.example.com/kept');
  await page.goBack();
  await isAt(page, 'Sources');
  await page.goBack();
  await isAt(page, 'Destination');
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Kept');
  await page.goForward();
  await page.goForward();
  await isAt(page, 'URLs');
  expect(await page.getByRole('textbox', { name: 'URL' }).inputValue()).toBe('https://hooks.example.com/kept');

  await page.getByRole('navigation').getByRole('link', { name: 'Sources' }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without the destination?' });
  await dialog.waitFor();
  expect(await axe(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Stay here' }).click();
  await isAt(page, 'URLs');
  await page.getByRole('navigation').getByRole('link', { name: 'Sources' }).click();
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
});

test('a URL that nothing answers at is told at its field, in words', async () => {
  const source = await service.source({ name: 'Unlucky shop' });
  const page = await browser.newPage();
  await toUrls(page, source, 'Unlucky');
  await next(page);
  await page.getByText('Enter the URL that takes the calls').waitFor();
  await page.getByRole('textbox', { name: 'URL' }).fill('http://nowhere.invalid/hook');
  await page.getByRole('button', { name: 'Check URL' }).click();
  const steps = page.getByRole('list', { name: 'Check of URL' });
  await steps.getByRole('img', { name: 'failed' }).waitFor();
  await page
    .getByText(/^(nowhere\.invalid has no address|No name server gave an answer for nowhere\.invalid)/)
    .first()
    .waitFor();
  expect(await page.getByRole('textbox', { name: 'URL' }).getAttribute('aria-invalid')).toBe('true');
  expect(await axe(page)).toEqual([]);
});

test('what the service would refuse at the end is said at the URL step', async () => {
  const source = await service.source({ name: 'Refused shop' });
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await toUrls(page, source, 'Refused');
  await page.getByRole('textbox', { name: 'URL' }).fill('https://user:pass@hooks.example.com/');
  await next(page);
  await page.locator('[aria-invalid=true]').waitFor();
  await isAt(page, 'URLs');
  expect(await page.getByRole('textbox', { name: 'URL' }).getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('textbox', { name: 'URL' }).fill('https://203.0.112.9/hook');
  await next(page);
  await isAt(page, 'Shared secret');
});

test('the first run: source, destination, test event, and its arrival', async () => {
  const own = await startService();
  const receiver = await receive();
  const page = await browser.newPage({ width: 360 });
  await openSignedIn(page, own);
  await page.getByLabel('Name').fill('Web shop');
  await page.getByRole('button', { name: 'Create source' }).click();
  // The button stands beside a command of one line, and covers nothing of it.
  const command = await page.getByRole('region', { name: 'command that receives calls' }).boundingBox();
  const copy = await page.getByRole('button', { name: 'Copy the command that receives calls' }).boundingBox();
  expect(Number(command?.x) + Number(command?.width)).toBeLessThanOrEqual(Number(copy?.x));
  await page.getByRole('link', { name: 'Set up a destination' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('CRM');
  await next(page);
  // The only source is chosen.
  await page.getByRole('checkbox', { name: 'Web shop', checked: true }).waitFor();
  await next(page);
  await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url('/hook'));
  await next(page);
  await isAt(page, 'Shared secret');
  await next(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole('button', { name: 'Create and switch on' }).click();

  await page.getByRole('region', { name: 'curl command' }).waitFor();
  const [source] = (await own.must<List<Source>>('GET', '/api/sources')).items;
  if (source) own.secrets.add(source.writeKey);
  expect(await page.getByRole('region', { name: 'curl command' }).innerText()).toContain(source?.writeKey);
  await page.getByRole('button', { name: 'Send the test event' }).click();
  await page.getByText(/It has arrived at “CRM”/).waitFor();
  await page.getByRole('heading', { name: 'See it arrive (done)' }).waitFor();
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'first-run-arrived');
  expect((await receiver.waitFor(1))[0]?.message).toMatchObject({ event: 'Order Completed', userId: 'u1' });

  await page.getByRole('button', { name: 'To the overview' }).click();
  await page.getByRole('region', { name: 'Accepted' }).waitFor();
});

test('in the first run a call by curl is seen, and one that fails is told why', async () => {
  const own = await startService();
  const receiver = await receive(() => 400);
  const source = await own.source();
  await own.destination(source, receiver.url('/hook'), { name: 'Broken' });
  const page = await browser.newPage();
  await openSignedIn(page, own);
  await page.getByRole('button', { name: 'Send the test event' }).waitFor();
  await own.accept(source);
  await page.getByText('Every URL refused it for good.').waitFor();
  await page.getByText(/: 400 in [\d.]+ m?s/).waitFor();
});

test('catalog and wizard are well made', async () => {
  await service.source({ name: 'Some shop' });
  await expectWellMade(browser, service, '/catalog', {
    name: 'catalog',
    ready: (page) => page.getByRole('link', { name: 'Set up Webhooks' }).waitFor(),
  });
  await expectWellMade(browser, service, WIZARD, { name: 'wizard', ready: (page) => isAt(page, 'Destination') });
});

test('a service that is bound to this machine is allowed to send to it with one confirmed click', async () => {
  const service = await startService({ MILLRACE_ALLOW_PRIVATE_URLS: null });
  await service.source();
  await expectWellMade(browser, service, '/', {
    name: 'first-run-loopback',
    ready: (page) => page.getByText('Webhooks can’t go to this machine').waitFor(),
  });
  const page = await browser.newPage();
  await openSignedIn(page, service);
  await page.getByRole('button', { name: 'Allow this machine' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Allow this machine' }).click();
  await page.getByText('Webhooks may go to this machine').waitFor();
  expect(await service.must('GET', '/api/loopback')).toMatchObject({ allowed: true });
});
