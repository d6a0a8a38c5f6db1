import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { openBrowser } from '../browser/browser.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedService, startService } from '../system/kit/service.ts';
import { openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

/** Holds the calls of a path back, until it is told to let them through. */
async function hold(
  page: Page,
  path: string | RegExp,
): Promise<{ readonly held: Route[]; readonly release: () => Promise<void> }> {
  const held: Route[] = [];
  await page.route(path, (route) => void held.push(route));
  const release = async (): Promise<void> => {
    await Promise.all(held.splice(0).map((route) => route.continue()));
  };
  return { held, release };
}

test('a plan that comes after the file was changed is not shown: it is of another file', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/settings/file');
  await page.getByRole('tab', { name: 'Apply a file' }).click();
  const file = page.getByRole('textbox', { name: 'Settings file' });
  const plans = await hold(page, '**/api/settings-file/plan');
  const wish = (name: string): string => `sources:\n  - name: ${name}\n    type: web\n`;
  await file.fill(wish('Planned shop'));
  const ask = page.getByRole('button', { name: 'Show what would change' });
  await ask.click();
  await expect.poll(() => plans.held.length).toBe(1);
  await file.fill(wish('Other shop'));
  const answered = page.waitForResponse('**/api/settings-file/plan');
  await plans.release();
  await (await answered).finished();
  const planned = page.getByRole('heading', { name: 'What would change: 1 change' });
  await ask.click();
  await expect.poll(() => plans.held.length).toBe(1);
  expect(await planned.count()).toBe(0);
  await plans.release();
  await planned.waitFor();
  const diff = page.getByRole('region', { name: 'The set-up before and after' });
  expect(await diff.innerText()).toContain('Other shop');
});

test('a request that no answer comes to, while the service answers others, is given up and sent again', async () => {
  const page = await browser.newPage();
  // Once, a minute is a second.
  await page.addInitScript(`{
    const after = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => after(ms === 60_000 && globalThis.isHeld ? 1_000 : ms);
  }`);
  await openSignedIn(page, service, '/settings');
  const calls = await hold(page, /\/api\/audit\b/);
  await page.evaluate('void (globalThis.isHeld = true)');
  await page.getByRole('link', { name: 'Audit log' }).click();
  await expect.poll(() => calls.held.length).toBe(1);
  await page.evaluate('void (globalThis.isHeld = false)');
  await page.unroute(/\/api\/audit\b/);
  await page.getByRole('table', { name: 'Audit log' }).getByRole('row').nth(1).waitFor();
  expect(calls.held).toHaveLength(1);
});

test('what rules would have made of the last day is gone when they are changed', async () => {
  const source = await service.source();
  const receiver = await receive(() => 200);
  const { id } = await service.destination(source, receiver.url(), { name: 'CRM' });
  await service.accept(source, { event: 'Seen' });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/destinations/${id}/settings`);
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByRole('button', { name: 'Try it on the last day' }).click();
  await preview.getByText(/would go out/).waitFor();
  await page.getByRole('button', { name: 'Add field' }).click();
  await preview.getByText(/would go out/).waitFor({ state: 'detached' });
});

test('a session is ended once, however often its button is pressed', async () => {
  const other = await browser.newPage();
  await openSignedIn(other, service, '/');
  const page = await browser.newPage();
  await openSignedIn(page, service, '/settings/account');
  const ends = await hold(page, '**/api/sessions/*');
  await page.getByRole('button', { name: 'End', exact: true }).first().dblclick({ delay: 50 });
  await expect.poll(() => ends.held.length).toBeGreaterThan(0);
  expect(ends.held).toHaveLength(1);
  await ends.release();
});

test('a form is sent once, however fast its button is pressed, and while its dialog closes', async () => {
  await service.must('POST', '/api/invites', { email: 'ada@example.com', role: 'viewer' });
  const page = await browser.newPage({ reducedMotion: 'no-preference' });
  await openSignedIn(page, service, '/settings/people');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.method());
  });
  const changes = await hold(page, '**/api/invites/*');
  await page.getByRole('button', { name: 'Revoke' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke the invite' });
  const button = dialog.getByRole('button', { name: 'Revoke the invite' });
  await button.dblclick();
  await expect.poll(() => changes.held.length).toBeGreaterThan(0);
  const { x, y } = (await button.boundingBox()) ?? { x: 0, y: 0 };
  // Clicked in the page: the moment in which the dialog closes may be over before a command from here arrives.
  await page.evaluate(`void (globalThis.clicked = new Promise((resolve) => {
    const button = document.querySelector('[role=dialog] button[data-loading]');
    new MutationObserver(() => {
      if (button.hasAttribute('data-loading')) return;
      document.elementFromPoint(${x + 9}, ${y + 9}).click();
      resolve(button.isConnected);
    }).observe(button, { attributes: true });
  }))`);
  await changes.release();
  expect(await page.evaluate('clicked')).toBe(true);
  await dialog.waitFor({ state: 'detached' });
  expect(sent).toEqual(['DELETE']);

  await page.getByRole('button', { name: 'Invite a person' }).first().click();
  const invite = page.getByRole('dialog', { name: 'Invite a person' });
  await invite.getByLabel('E-mail').fill('bob@example.com');
  await invite.getByRole('button', { name: 'Make the link' }).dblclick();
  await invite.getByRole('textbox', { name: 'Link' }).waitFor();
  expect(sent).toEqual(['DELETE', 'POST']);
});

test('a dialog stays open while its own call is on its way, and closes while a call of the page is', async () => {
  const source = await service.source();
  const { id } = await service.destination(source, (await receive(() => 200)).url(), { name: 'CRM' });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/destinations/${id}/settings`);
  const [tests, changes] = [await hold(page, '**/test'), await hold(page, `**/api/destinations/${id}`)];
  await page.getByRole('button', { name: 'Send a test message' }).click();
  await expect.poll(() => tests.held.length).toBe(1);
  const dialog = page.getByRole('dialog', { name: 'Delete the destination' });
  const ask = page.getByRole('button', { name: 'Delete this destination' });
  await ask.click();
  await dialog.getByRole('textbox').press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await ask.click();
  await dialog.getByRole('textbox').fill('CRM');
  await page.keyboard.press('Enter');
  await expect.poll(() => changes.held.map((route) => route.request().method())).toContain('DELETE');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Delete the destination', disabled: true }).waitFor();
  await changes.release();
  await page.getByText('“CRM” is deleted.').waitFor();
  await tests.release();
});

test('a save is over although a request of the page hangs', async () => {
  const source = await service.source();
  const { id } = await service.destination(source, (await receive(() => 200)).url(), { name: 'Desk' });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/destinations/${id}/settings`);
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('Front desk');
  const sources = await hold(page, '**/api/sources*');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  expect(sources.held.length).toBeGreaterThan(0);
  await sources.release();
});

test('a dialog that can not be loaded while the service is stopped says so, and what was typed stays', async () => {
  const mayLog = [/ERR_CONNECTION_REFUSED/, /ERR_INTERNET_DISCONNECTED/];
  const page = await browser.newPage({ mayLog });
  await openSignedIn(page, service, '/settings/alerts');
  const ends = page.getByRole('textbox', { name: 'An incident ends when' });
  await ends.fill('17m');
  await page.context().setOffline(true);
  await page.getByText("The service can't be reached").waitFor();
  await page.keyboard.press('Control+k');
  await page.getByText('A part of the page could not be loaded').waitFor();
  expect(await ends.inputValue()).toBe('17m');
});

test('a service that hangs is told, what waits for it is given up, and is asked again when the service goes on', async () => {
  const hanging = await startService();
  const source = await hanging.source();
  const seen = await hanging.destination(source, 'https://hooks.example.com/', { name: 'Seen' });
  const { id } = await hanging.destination(source, 'https://hooks.example.com/', { name: 'CRM' });
  const page = await browser.newPage({ mayLog: [/The service did not answer/] });
  await openSignedIn(page, hanging, `/destinations/${seen.id}`);
  await page.getByRole('link', { name: 'Destinations' }).first().click();
  const link = page.getByRole('link', { name: 'CRM' });
  await link.waitFor();
  const givenUp = page.waitForEvent('requestfailed', (request) => request.url().includes(id));
  hanging.signal('SIGSTOP');
  await link.click();
  const sign = page.getByText("The service can't be reached");
  await sign.waitFor();
  await givenUp;
  hanging.signal('SIGCONT');
  await sign.waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: 'CRM' }).waitFor();

  // The first request of a page was sent before the page's code was there. It is given up as well.
  const calls = await hold(page, '**/api/**');
  await page.reload({ waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  expect(calls.held.length).toBeGreaterThan(0);
  await page.unroute('**/api/**');
  await page.getByRole('heading', { level: 1, name: 'CRM' }).waitFor();
});

test('what could not be read is not said to be nothing', async () => {
  const source = await service.source();
  await service.accept(source, { event: 'Seen', userId: 'unread' });
  const page = await browser.newPage({ mayLog: [/status of 500/] });
  for (const [path, at, told, untold] of [
    ['/api/destinations', '/catalog', 'Something went wrong.', 'None set up yet'],
    ['/api/events/live', '/live', 'The stream ended', 'Nothing was accepted yet'],
    ['/api/suppressions', '/people/unread', 'suppression unknown', 'suppressed'],
    [
      `/api/sources/${source.id}/totals`,
      `/sources/${source.id}`,
      'Whether events arrive could not be read',
      'Looking for events…',
    ],
  ] as const) {
    // Without the stream of changes, which would bring the answer all the same.
    const fails = ({ pathname }: URL): boolean => [path, '/api/watch'].includes(pathname);
    const problem = { status: 500, title: 'Internal Server Error', code: 'internal', detail: 'Something went wrong.' };
    await page.route(fails, (route) => route.fulfill({ ...problem, json: problem }));
    await openSignedIn(page, service, at);
    await page.getByText(told).first().waitFor();
    expect(await page.getByText(untold).count()).toBe(0);
    await page.unroute(fails);
  }
});

test('an error stays on the page while what failed is asked again', async () => {
  const page = await browser.newPage({ mayLog: [/503/, /watch/] });
  await openSignedIn(page, service, '/settings');
  // Without the stream of changes the page asks by itself.
  await page.route('**/api/watch*', (route) => route.abort());
  const said = page.getByRole('alert').filter({ hasText: 'The storage does not answer' });
  const shown: boolean[] = [];
  const problem = { title: 'No', status: 503, code: 'storage_unavailable', detail: 'The storage does not answer.' };
  await page.route('**/api/overview*', async (route) => {
    shown.push(await said.isVisible());
    await route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) });
  });
  await page.goto(`${service.url}/`);
  await said.waitFor();
  const before = shown.length;
  await expect.poll(() => shown.length).toBeGreaterThan(before + 3);
  expect(shown.slice(before)).not.toContain(false);
});

test('a live size that failed can be asked for again', async () => {
  const page = await browser.newPage({ mayLog: [/status of 500/] });
  await openSignedIn(page, service, '/audiences/new');
  const path = '**/api/audiences/preview';
  const problem = { status: 500, title: 'Internal Server Error', code: 'internal', detail: 'Something went wrong.' };
  await page.route(path, (route) => route.fulfill({ ...problem, json: problem }));
  await page.locator('input[aria-label="Event name"]').fill('Order Completed');
  const size = page.getByRole('region', { name: 'Live size' });
  const retry = size.getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  await page.unroute(path);
  await retry.click();
  await size.getByText(/^\d+ of \d+ persons$/).waitFor();
  expect(await retry.count()).toBe(0);
});
