import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type {
  AlertSettings,
  Audience,
  CreatedInvite,
  Page as List,
  ListedSession,
} from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { ADMIN_TOKEN, sharedService } from '../system/kit/service.ts';
import { openAsViewer, openSignedIn, PASSWORD } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

/** Ends the sessions of all pages, as a colleague does who revokes them. */
async function endSessions(): Promise<void> {
  const { items } = await service.must<List<ListedSession>>('GET', '/api/sessions');
  for (const { id } of items) await service.must('DELETE', `/api/sessions/${id}`);
}

async function signInOver(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.locator('input[type=password]').fill(ADMIN_TOKEN);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('who signs out of a session that has ended is signed out, and told nothing else', async () => {
  const page = await browser.newPage({ mayLog: [/status of 401/] });
  await openSignedIn(page, service, '/glossary');
  await page.getByRole('button', { name: 'Account' }).click();
  // A page that is not asked meanwhile does not know yet.
  await endSessions();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  expect(await page.getByText('You are still signed in').count()).toBe(0);
});

async function signInBeside(page: Page): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(`${service.url}/sign-in`);
  await other.locator('input[type=password]').fill(ADMIN_TOKEN);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByRole('button', { name: 'Account' }).waitFor();
  return other;
}

test('what a page asks by itself, an hour after it was last used, is no use of the session', async () => {
  const source = await service.source();
  const { id } = await service.destination(source, 'https://hooks.example.com/', { enabled: false });
  const page = await browser.newPage({ mayLog: [/./] });
  await page.clock.install();
  await openSignedIn(page, service, `/destinations/${id}/failed`);
  const isWatching = async (): Promise<boolean> => {
    const asked = page.waitForRequest(/\/failed$/);
    await page.clock.runFor(30_000);
    return 'x-millrace-watching' in (await asked).headers();
  };
  expect(await isWatching()).toBe(false);
  await page.clock.fastForward(3_600_000);
  expect(await isWatching()).toBe(true);
  await page.keyboard.press('Shift');
  expect(await isWatching()).toBe(false);
});

test('a sign-in in another tab ends the question for one in this tab, and what waited for it is done', async () => {
  const page = await browser.newPage({ mayLog: [/status of 401/] });
  await openSignedIn(page, service, '/settings/alerts');
  await page.getByRole('textbox', { name: 'An incident ends when' }).fill('19m');
  await endSessions();
  await page.getByRole('button', { name: 'Save alerts' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await signInBeside(page);
  await dialog.waitFor({ state: 'detached' });
  await eventually(
    () => service.must<AlertSettings>('GET', '/api/alerts'),
    ({ endsAfter }) => endsAfter === '19m',
  );
});

test('the address of who was signed in stands in the form, and the password is next', async () => {
  const page = await browser.newPage({ mayLog: [/status of 401/] });
  const { email } = await openAsViewer(page, service, '/glossary');
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Sources', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect.poll(() => dialog.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe(email);
  // A dialog takes the focus in a timer.
  await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
  expect(await page.evaluate('document.activeElement.type')).toBe('password');
  await page.keyboard.insertText(PASSWORD);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
});

test('a tab saves by the session that the same user has opened in another tab', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/settings/alerts');
  await signInBeside(page);
  await page.getByRole('textbox', { name: 'An incident ends when' }).fill('20m');
  await page.getByRole('button', { name: 'Save alerts' }).click();
  await page.getByText('The alerts are saved.').waitFor();
});

test('a tab is loaded again as the other user who signs in in another tab', async () => {
  const page = await browser.newPage();
  const { email } = await openAsViewer(page, service, '/glossary');
  const account = page.getByRole('button', { name: 'Account' });
  await account.click();
  await page.getByText(`${email} · viewer`).waitFor();
  await signInBeside(page);
  await account.and(page.locator('[aria-expanded=false]')).click();
  await page.getByText('Admin token').waitFor();
  expect(await page.getByText(`${email} · viewer`).count()).toBe(0);
});

test('a live page whose session has ended is signed in over, and goes on', async () => {
  const page = await browser.newPage({ mayLog: [/status of 401/] });
  await openSignedIn(page, service, '/live');
  await page.getByText('live', { exact: true }).waitFor();
  await endSessions();
  await signInOver(page);
  await page.getByText('live', { exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/live');
});

test('a file of members waits for the session that has ended', async () => {
  const definition = { event: { name: 'Order Completed' } };
  const { id } = await service.must<Audience>('POST', '/api/audiences', { name: 'Ordered', definition });
  await eventually(
    () => service.must<Audience>('GET', `/api/audiences/${id}`),
    ({ state }) => state === 'live',
  );
  const page = await browser.newPage({ mayLog: [/status of 401/] });
  await openSignedIn(page, service, `/audiences/${id}/members`);
  await page.getByRole('button', { name: 'Export' }).click();
  const item = page.getByRole('menuitem', { name: 'CSV' });
  await item.waitFor();
  await endSessions();
  await item.click();
  const file = page.waitForEvent('download');
  await signInOver(page);
  expect(await (await file).failure()).toBeNull();
});

test('an admin who is made a viewer over a half filled form is told why it is not saved', async () => {
  const { link } = await service.must<CreatedInvite>('POST', '/api/invites', { email: 'v@example.com', role: 'admin' });
  const secret = new URL(link, service.url).hash.slice(1);
  const page = await browser.newPage({ mayLog: [/status of 403/] });
  const data = { secret, name: 'Vera', password: 'a mill wheel turns' };
  await page.context().request.post(`${service.url}/api/invites/accept`, { data });
  await page.goto(`${service.url}/settings/alerts`);
  const ends = page.getByRole('textbox', { name: 'An incident ends when' });
  await ends.fill('18m');
  const { items } = await service.must<List<{ id: string; email: string }>>('GET', '/api/accounts');
  const own = items.find(({ email }) => email === 'v@example.com');
  await service.must('PATCH', `/api/accounts/${own?.id}`, { role: 'viewer' });
  await page.getByRole('button', { name: 'Save alerts' }).click();
  await expect.poll(() => ends.isDisabled()).toBe(true);
  expect(await ends.inputValue()).toBe('18m');
  await page.getByText('Ask an admin to do it, or to give you a role that may.').waitFor();
});
