import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { axe, openBrowser } from '../browser/browser.ts';
import { sharedService } from '../system/kit/service.ts';
import { expectWellMade, openSignedIn } from './kit.ts';

const browser = openBrowser();
const service = sharedService();

const FOCUSED = 'document.activeElement.outerHTML';

test('the first page takes at most 250 kB of JavaScript, compressed', async () => {
  const page = await browser.newPage();
  const scripts: Promise<number>[] = [];
  page.on('response', (response) => {
    if (/\.js$/.test(new URL(response.url()).pathname)) {
      scripts.push(response.body().then((body) => gzipSync(body).length));
    }
  });
  await openSignedIn(page, service);
  await page.waitForLoadState('networkidle');
  const total = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(50_000);
  expect(total).toBeLessThanOrEqual(250_000);
});

test('the first Tab leads past the navigation', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service);
  await page.keyboard.press('Tab');
  expect(await page.evaluate(FOCUSED)).toContain('Skip to the page');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
});

test('after a change of page the focus and the title are those of the new page', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/nowhere');
  expect(await page.title()).toBe('There is no such page · Millrace');
  await page.getByRole('link', { name: 'To the overview' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: /Welcome|Overview/ }).waitFor();
  await expect.poll(() => page.evaluate(FOCUSED)).toMatch(/^<h1.*(Welcome|Overview)/);
  expect(await page.title()).toBe('Overview · Millrace');
});

test('on a small screen the navigation is a drawer, closed by Escape and by going somewhere', async () => {
  const page = await browser.newPage({ width: 360 });
  await openSignedIn(page, service, '/nowhere');
  const open = page.getByRole('button', { name: 'Open the navigation' });
  await open.press('Enter');
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('link', { name: 'Overview' }).waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'hidden' });
  await expect.poll(() => page.evaluate(FOCUSED)).toContain('Open the navigation');
  await open.click();
  await drawer.getByRole('link', { name: 'Overview' }).click();
  await drawer.waitFor({ state: 'hidden' });
  await page.getByRole('heading', { level: 1, name: /Welcome|Overview/ }).waitFor();
});

test('the chosen colours stay, from the first paint on', async () => {
  const page = await browser.newPage({ colorScheme: 'light' });
  await openSignedIn(page, service);
  await page.getByRole('button', { name: /^Colours/ }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  const scheme = 'document.documentElement.dataset.mantineColorScheme';
  await expect.poll(() => page.evaluate(scheme)).toBe('dark');
  await page.reload({ waitUntil: 'commit' });
  await page.locator('body').waitFor({ state: 'attached' });
  expect(await page.evaluate(scheme)).toBe('dark');
});

test('a session that ends opens a sign-in over the page, and without a page leads there and back', async () => {
  const page = await browser.newPage({ mayLog: [/status of 401/] });
  await openSignedIn(page, service, '/?range=1');
  await page.context().clearCookies();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  expect(new URL(page.url()).searchParams.get('next')).toBe('/?range=1');
});

test.each([
  ['source', '/sources/src_gone', 'All sources', '/sources'],
  ['destination', '/destinations/dst_gone/settings', 'All destinations', '/destinations'],
  ['audience', '/audiences/aud_gone', 'All audiences', '/audiences'],
  ['audience', '/audiences/aud_gone/edit', 'All audiences', '/audiences'],
  ['computed trait', '/traits/trt_gone', 'All computed traits', '/traits'],
  ['message', '/messages/msg_gone', 'All messages', '/messages'],
  ['person', '/people/nobody_gone', 'All people', '/people'],
  ['deletion', '/deletions/reg_gone', 'All deletions', '/deletions'],
])('a %s that is not there (%s) is answered by one page: what, and the ways on', async (what, path, words, list) => {
  const page = await browser.newPage({ mayLog: [/status of 404/] });
  await openSignedIn(page, service, path);
  await page.getByRole('heading', { level: 1, name: `There is no such ${what}` }).waitFor();
  await page
    .locator('main code')
    .getByText(/_gone$/)
    .waitFor();
  await expect.poll(() => page.evaluate(FOCUSED)).toMatch(/^<h1.*There is no such/);
  expect(await axe(page)).toEqual([]);
  await page.getByRole('link', { name: words }).click();
  await page.waitForURL(service.url + list);
});

test('a path that leads nowhere says so, well made', async () => {
  await expectWellMade(browser, service, '/nowhere', {
    name: 'not-found',
    ready: (page) => page.getByRole('link', { name: 'To the overview' }).waitFor(),
  });
});
