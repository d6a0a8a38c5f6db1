import { gzipSync } from 'node:zlib';
import type { Locator, Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Audience } from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { sharedService } from '../system/kit/service.ts';
import { expectNoSidewaysScroll, expectOpenWellMade, expectWellMade, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

const FOCUSED = 'document.activeElement.outerHTML';

/** Opens the path, and answers what was asked for and the bytes of its scripts, compressed, once `ready`. */
async function loads(
  ready: (page: Page) => Promise<unknown>,
): Promise<{ asked: string[]; bytes: number; code: number }> {
  const page = await browser.newPage();
  const asked: string[] = [];
  const files: Promise<[path: string, size: number]>[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    asked.push(pathname);
    if (/^\/$|\.(js|css)$/.test(pathname))
      files.push(response.body().then((body) => [pathname, gzipSync(body).length]));
  });
  await openSignedIn(page, service);
  await ready(page);
  await expect.poll(() => asked).toContain('/api/watch');
  const sizes = await Promise.all(files);
  const bytes = (of: RegExp): number => sizes.reduce((sum, [path, size]) => sum + (of.test(path) ? size : 0), 0);
  return { asked, bytes: bytes(/./), code: bytes(/\.js$/) };
}

test('the first page takes at most 12 requests, each once, and 250 kB of HTML, code and style, compressed', async () => {
  const first = await loads((page) => page.getByRole('button', { name: 'Create source' }).waitFor());
  expect(first.code).toBeLessThanOrEqual(250_000);
  const source = await service.source();
  await service.destination(source, 'https://hooks.example.com/', { enabled: false });
  await service.accept(source);
  const { asked, bytes } = await loads((page) => page.locator('[role=img] canvas').waitFor());
  expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
  expect(asked.length).toBeLessThanOrEqual(12);
  expect(bytes).toBeGreaterThan(200_000);
  expect(bytes).toBeLessThanOrEqual(250_000);
});

test('the frame of the page is there before its code, in the scheme that was chosen', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/nowhere');
  await page.evaluate(() => localStorage.setItem('mantine-color-scheme-value', 'dark'));
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/first-.*\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await page.locator('.skeleton > header').waitFor();
  // Nothing is painted before the style is there; what is in the document may be.
  await expect.poll(() => page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  await screenshot(page, 'skeleton');
  held.resolve();
  await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
  expect(await page.locator('.skeleton').count()).toBe(0);
});

test('where the system chooses the colours, what is chosen, on or disabled is told from what is not', async () => {
  const source = await service.source();
  const { id } = await service.destination(source, 'https://hooks.example.com/', { enabled: false });
  const page = await browser.newPage();
  await page.emulateMedia({ forcedColors: 'active' });
  await openSignedIn(page, service, `/destinations/${id}`);
  const look = (selector: string): Promise<unknown> =>
    page.evaluate(`(({ color, backgroundColor }) => color + backgroundColor)(getComputedStyle(
      document.querySelector('${selector}')))`);
  await page.locator('.mantine-SegmentedControl-label[data-active]').first().waitFor();
  for (const [chosen, other] of [
    ['nav a[href="/destinations"] [data-active]', 'nav a[href="/sources"] span'],
    [`a[href="/destinations/${id}"][aria-current]`, `a[href="/destinations/${id}/settings"]`],
    ['.mantine-SegmentedControl-label[data-active]', '.mantine-SegmentedControl-label:not([data-active])'],
  ] as const) {
    expect(await look(chosen), chosen).not.toBe(await look(other));
  }
  const off = await look('.mantine-Switch-track');
  await page.getByRole('switch').press('Space');
  await page.locator(':checked + .mantine-Switch-track').waitFor();
  expect(await look('.mantine-Switch-track')).not.toBe(off);
  await page.goto(`${service.url}/audiences/new`);
  const not = page.getByRole('button', { name: /^Not:/ }).first();
  await not.waitFor();
  const isOff = await look('[aria-pressed]');
  await not.click();
  await page.locator('[aria-pressed=true]').waitFor();
  expect(await look('[aria-pressed=true]')).not.toBe(isOff);
  expect(await look('main button:disabled')).not.toBe(await look('main button:not(:disabled)'));
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

test('a hundred open incidents leave their link one line', async () => {
  const page = await browser.newPage({ width: 1440 });
  const items = Array.from({ length: 101 }, (_, i) => ({ id: `inc_${i}` }));
  const told = { path: '/api/incidents?state=open&limit=500', status: 200, body: { items, next: null } };
  const body = `event: answer\ndata: ${JSON.stringify(told)}\n\n`;
  await page.route('**/api/watch?*', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
  await page.route('**/api/incidents?*', (route) => route.fulfill({ json: told.body }));
  await openSignedIn(page, service, '/sources');
  const incidents = page.getByRole('link', { name: 'Incidents 101', exact: true });
  await incidents.waitFor();
  await screenshot(page, 'hundred-incidents', 'screen');
  const sources = page.getByRole('navigation').getByRole('link', { name: 'Sources', exact: true });
  expect((await incidents.boundingBox())?.height).toBe((await sources.boundingBox())?.height);
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
  await expectOpenWellMade(drawer, 'navigation', [360]);
  await drawer.getByRole('link', { name: 'Overview' }).click();
  await drawer.waitFor({ state: 'hidden' });
  await page.getByRole('heading', { level: 1, name: /Welcome|Overview/ }).waitFor();
});

test('the tab that is open is in sight, also on a screen that becomes small', async () => {
  const definition = { event: { name: 'Order Completed' } };
  const { id } = await service.must<Audience>('POST', '/api/audiences', { name: 'Tabs', definition });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/audiences/${id}/sent`);
  const tabs = page.getByRole('navigation', { name: 'Parts of the audience' });
  const isInSight = async (name: string): Promise<boolean> => {
    const box = await tabs.getByRole('link', { name }).boundingBox();
    return box !== null && box.x >= 0 && box.x + box.width <= 360;
  };
  await page.setViewportSize({ width: 360, height: 900 });
  await expect.poll(() => isInSight('Sent')).toBe(true);
  expect(await isInSight('Overview')).toBe(false);
  await tabs.getByRole('link', { name: 'Overview' }).press('Enter');
  await page.waitForURL(`**/audiences/${id}`);
  await expect.poll(() => isInSight('Overview')).toBe(true);
  await page.goBack();
  await expect.poll(() => isInSight('Sent')).toBe(true);
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
  await openSignedIn(page, service, '/glossary');
  await page.context().clearCookies();
  // What the page follows may find out first, and then the dialog is over its links.
  await page.evaluate("history.pushState(null, '', '/audiences'); dispatchEvent(new PopStateEvent('popstate'))");
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await page.goto(`${service.url}/?range=1`);
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  expect(new URL(page.url()).searchParams.get('next')).toBe('/?range=1');
});

const FORMS = [
  { path: '/catalog/webhooks/new', sent: 'Continue', wrong: 'Name' },
  { path: '/audiences/new', sent: 'Create audience', wrong: 'Name' },
  { path: '/deletions/new', sent: 'Delete…', wrong: 'User ids' },
  {
    path: '/settings/people',
    begin: async (page: Page) => {
      await page.getByRole('button', { name: 'Invite a person' }).first().click();
      await page.getByLabel('E-mail').fill('ada@');
      // The browser's own check would keep it from being sent.
      await page.evaluate('document.querySelector("form").noValidate = true');
    },
    sent: 'Make the link',
    wrong: 'E-mail',
  },
  {
    path: '/settings/file',
    begin: async (page: Page) => {
      await page.getByRole('tab', { name: 'Apply a file' }).click();
      await page.getByRole('textbox', { name: 'Settings file' }).fill('sources:\n  - type: desktop\n');
    },
    sent: 'Show what would change',
    wrong: 'Settings file',
  },
];

test.each(FORMS)('a form that is sent with what is wrong leads to the first field of it: $path', async (form) => {
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, service, form.path);
  await form.begin?.(page);
  await page.getByRole('button', { name: form.sent, exact: true }).click();
  const field = page.getByRole('textbox', { name: form.wrong });
  await field.and(page.locator('[aria-invalid="true"]:focus')).waitFor();
});

test('keys lead to places and list themselves, not while something is typed, and can be switched off', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/catalog');
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.getByRole('row', { name: 'g m Messages' }).waitFor();
  await expectOpenWellMade(list, 'shortcuts');
  // The list has the keys while it is open.
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  expect(new URL(page.url()).pathname).toBe('/sources');
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });

  await page.keyboard.press('/');
  const search = page.getByRole('dialog').getByRole('combobox');
  await search.pressSequentially('gd?/');
  expect(await search.inputValue()).toBe('gd?/');
  await page.keyboard.press('Escape');
  await search.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
  await list.getByRole('switch', { name: 'Keys without Ctrl' }).press('Space');
  await list.getByRole('row', { name: 'g m Messages' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
  await page.keyboard.press('?');
  await page.keyboard.press('/');
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.keyboard.press('Control+k');
  await search.waitFor();
  expect([new URL(page.url()).pathname, await page.getByRole('dialog').count()]).toEqual(['/sources', 1]);
});

test('a service that can not be reached is told on every page, and what is shown is asked for again when it can', async () => {
  // A browser may go on refusing code that it could not load: then the whole is loaded anew, once it can be.
  const mayLog = [/ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED|The service did not answer|dynamically imported/];
  const page = await browser.newPage({ mayLog });
  await openSignedIn(page, service, '/settings');
  const sign = page.getByRole('status').filter({ hasText: "The service can't be reached" });
  const refused = (route: Route): Promise<void> => route.abort('connectionrefused');
  await page.route('**/api/**', refused);
  await page.getByRole('link', { name: 'Account' }).click();
  await sign.waitFor();
  await expectOpenWellMade(sign, 'unreachable');
  await page.unroute('**/api/**', refused);
  await sign.waitFor({ state: 'detached' });
  await page.getByRole('table', { name: 'Sessions' }).getByText('this one').waitFor();

  // A page whose code is not there yet is shown as soon as it can be.
  await page.context().setOffline(true);
  await sign.waitFor();
  await page.getByRole('link', { name: 'Live debugger' }).click();
  await page.getByRole('heading', { level: 1, name: 'This page could not be shown' }).waitFor();
  await sign.waitFor();
  await page.context().setOffline(false);
  await sign.waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: 'Live debugger' }).waitFor();
});

test('with text twice as large in the browser, the top bar holds its buttons and a badge has large text', async () => {
  await service.source({ name: 'Large' });
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  await openSignedIn(page, service, '/sources');
  await page.getByRole('link', { name: 'Large' }).waitFor();
  const size = (): Promise<unknown> =>
    page.evaluate(`getComputedStyle(document.querySelector('main table [data-tone]')).fontSize`);
  expect(await size()).toBe('11px');
  const browserOf = await page.context().newCDPSession(page);
  await browserOf.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
  await expect.poll(size).toBe('22px');
  const outside = `[...document.querySelectorAll('header :is(a, button)')].filter((each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return top < 0 || bottom > document.querySelector('header').getBoundingClientRect().bottom;
  }).length`;
  expect(await page.evaluate(outside)).toBe(0);
});

test('with text twice as large in the browser, a chart and the rows of the live debugger have room for it', async () => {
  const source = await service.source();
  await service.destination(source, 'https://hooks.example.com/', { enabled: false });
  await service.accept(source);
  const page = await browser.newPage({ width: 1920, reducedMotion: 'reduce' });
  await openSignedIn(page, service);
  const heightOf = async (part: Locator): Promise<number> => (await part.boundingBox())?.height ?? 0;
  const [chart, row] = [page.locator('[role=img] canvas').first(), page.getByRole('option').first()];
  await chart.waitFor();
  const usual = await heightOf(chart);
  const browserOf = await page.context().newCDPSession(page);
  await browserOf.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
  await page.reload();
  await chart.waitFor();
  expect(await heightOf(chart)).toBeCloseTo(2 * usual);
  await screenshot(page, 'large-chart', 'screen');
  await page.goto(`${service.url}/live`);
  await row.waitFor();
  expect(await heightOf(row)).toBe(80);
  await screenshot(page, 'large-live', 'screen');
});

test('on paper a page is black on white, without what is pressed, and its tables are tables', async () => {
  const page = await browser.newPage({ width: 700, colorScheme: 'dark' });
  await openSignedIn(page, service, '/sources');
  await service.source({ name: 'On paper' });
  await page.getByRole('link', { name: 'On paper' }).waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false);
  expect(await page.getByRole('banner').isVisible()).toBe(false);
  expect(await page.getByRole('button').count()).toBe(0);
  const style = (of: string, name: string): Promise<unknown> =>
    page.evaluate(`getComputedStyle(document.querySelector('${of}')).${name}`);
  expect(await style('body', 'backgroundColor')).toBe('rgb(255, 255, 255)');
  expect(await style('main td a', 'color')).toBe('rgb(0, 0, 0)');
  const dot = `getComputedStyle(document.querySelector('main table [data-tone]'), '::before').backgroundColor`;
  expect(await page.evaluate(dot)).toMatch(/^rgb\(/);
  expect(await style('main table [data-tone]', 'backgroundColor')).toBe('rgba(0, 0, 0, 0)');
  expect([await style('main tr', 'display'), await style('main tr', 'breakInside')]).toEqual(['table-row', 'avoid']);
  await screenshot(page, 'print');
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
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNoSidewaysScroll(page);
  await page.getByRole('link', { name: words }).click();
  await page.waitForURL(service.url + list);
});

test('a path that leads nowhere says so, well made', async () => {
  await expectWellMade(browser, service, '/nowhere', {
    name: 'not-found',
    ready: (page) => page.getByRole('link', { name: 'To the overview' }).waitFor(),
  });
});
