import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { CreatedInvite } from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { ADMIN_TOKEN, sharedService, startService } from '../system/kit/service.ts';
import { expectNoSidewaysScroll, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

const PASSWORD = 'input[type=password]';

/** Chromium logs every answer that is a refusal. */
const mayLog = [/status of 40[14]/];

async function typeToken(page: Page, token: string): Promise<void> {
  await page.locator(PASSWORD).fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('the admin token leads to where one wanted to go, in a cookie that no script can read', async () => {
  const page = await browser.newPage({ mayLog });
  await page.goto(`${service.url}/nowhere?tab=2`);
  await typeToken(page, ADMIN_TOKEN);
  await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
  expect(page.url()).toBe(`${service.url}/nowhere?tab=2`);
  expect(await page.context().cookies()).toEqual([
    expect.objectContaining({
      name: `millrace_session_${new URL(service.url).port}`,
      httpOnly: true,
      sameSite: 'Strict',
    }),
  ]);
  expect(await page.evaluate('document.cookie')).toBe('');
});

test.each(['https://evil.example', '//evil.example', '/%09/evil.example', 'javascript:alert(1)'])(
  'a sign-in that is to lead to %s leads to the overview',
  async (next) => {
    const page = await browser.newPage({ mayLog });
    await page.goto(`${service.url}/sign-in?next=${next}`);
    await typeToken(page, ADMIN_TOKEN);
    await page.locator('nav').first().waitFor();
    expect(page.url()).toBe(`${service.url}/`);
  },
);

test('a wrong token is told, and the way in stays open', async () => {
  const page = await browser.newPage({ mayLog });
  await page.goto(service.url);
  await typeToken(page, 'not the token');
  await page.getByRole('alert').waitFor();
  expect(await axe(page)).toEqual([]);
  await typeToken(page, ADMIN_TOKEN);
  await page.locator('nav').first().waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
});

test('the mark of a button that waits stands in its middle, with motion and without', async () => {
  for (const reducedMotion of ['reduce', 'no-preference'] as const) {
    const page = await browser.newPage({ reducedMotion });
    await page.goto(`${service.url}/sign-in`);
    await page.locator('input[type=password]').fill(ADMIN_TOKEN);
    await page.route('**/api/session', () => undefined);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const aside = `[...document.querySelectorAll('.mantine-Button-loader')].flatMap((mark) => {
      const [a, b] = [mark.getBoundingClientRect(), mark.closest('button').getBoundingClientRect()];
      return [a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2].map((by) => Math.abs(by) < 2);
    })`;
    await expect.poll(() => page.evaluate(aside)).toEqual([true, true]);
  }
});

test('a sign-in that is not answered says so, and can be tried again', async () => {
  const page = await browser.newPage({ mayLog: [/ERR_/] });
  await page.goto(`${service.url}/sign-in`);
  await page.route('**/api/session', () => undefined);
  await typeToken(page, ADMIN_TOKEN);
  await page.getByRole('alert').getByText('The service did not answer.').waitFor();
  await screenshot(page, 'sign-in-hangs');
  await page.unroute('**/api/session');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account' }).waitFor();
  expect(page.url()).toBe(`${service.url}/`);
});

test('the link of the first start signs in once, and leaves no trace in the address', async () => {
  const own = await startService({ MILLRACE_ADMIN_TOKEN: null });
  const link = /http:\S+\/sign-in#link=\S+/.exec(own.stdout)?.[0] ?? '';
  const page = await browser.newPage({ mayLog });
  await page.goto(link);
  await page.getByRole('button', { name: 'Account' }).waitFor();
  expect(page.url()).toBe(`${own.url}/`);

  const other = await browser.newPage({ mayLog });
  await other.goto(link);
  await other.getByRole('alert').waitFor();
  expect(other.url()).toBe(`${own.url}/sign-in`);
});

test('who tries too often is told when to try again', async () => {
  const own = await startService();
  const page = await browser.newPage({ mayLog: [/status of 4(01|29)/] });
  for (let tries = 0, status = 401; status === 401; tries += 1) {
    expect(tries).toBeLessThan(50);
    const answer = await page.context().request.post(`${own.url}/api/session`, { data: { token: 'guessed' } });
    status = answer.status();
  }
  await page.goto(own.url);
  await typeToken(page, 'guessed again');
  await page.getByText(/Try again in [\d.]+ (s|min)\./).waitFor();
});

test('signing out ends the session', async () => {
  const page = await browser.newPage({ mayLog });
  await openSignedIn(page, service);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await page.goto(service.url);
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
});

test('an invited person chooses a password, is in, and signs in with it again', async () => {
  const invite = await service.must<CreatedInvite>('POST', '/api/invites', {
    email: 'ada@example.com',
    role: 'viewer',
  });
  const page = await browser.newPage({ mayLog: [/status of 40[0149]/] });
  await page.goto(service.url + invite.link);
  await page.getByLabel('Your name').fill('Ada <b>Lovelace</b>');
  await page.locator(PASSWORD).fill('a mill wheel turns');
  expect(await axe(page)).toEqual([]);
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByText('Ada <b>Lovelace</b>').waitFor();
  await page.getByText('ada@example.com · viewer').waitFor();

  const again = await browser.newPage({ mayLog });
  await again.goto(service.url);
  await again.getByText('E-mail').click();
  await again.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com');
  await again.locator(PASSWORD).fill('a mill wheel turns');
  await again.getByRole('button', { name: 'Sign in' }).click();
  await again.getByRole('button', { name: 'Account' }).waitFor();

  const late = await browser.newPage({ mayLog });
  await late.goto(service.url + invite.link);
  await late.getByRole('heading', { name: "This invite can't be used" }).waitFor();
});

test.each(['light', 'dark'] as const)('the way in is well made in %s, on a small phone too', async (colorScheme) => {
  const page = await browser.newPage({ mayLog, colorScheme, width: 360 });
  await page.goto(`${service.url}/sign-in`);
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  expect(await axe(page)).toEqual([]);
  await expectNoSidewaysScroll(page);
  await screenshot(page, `sign-in-${colorScheme}-360`);
});
