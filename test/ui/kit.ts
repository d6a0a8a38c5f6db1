import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Account, CreatedInvite, Role, Session } from '../../packages/server/src/admin/contract.ts';
import { axe, screenshot, type TestBrowser } from '../browser/browser.ts';
import { ADMIN_TOKEN, type Service } from '../system/kit/service.ts';

/** Signs the page in with the admin token, and opens the path. Resolves when its heading and its fonts are there, which change sizes. */
export async function openSignedIn(page: Page, service: Service, path = '/'): Promise<void> {
  const answer = await page.context().request.post(`${service.url}/api/session`, { data: { token: ADMIN_TOKEN } });
  expect(answer.status()).toBe(201);
  await page.goto(service.url + path);
  await page.locator('main h1').waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}

/**
 * Leads the page to the path as a link in it does: a page that is loaded anew takes six times the processor time. Resolves when the
 * heading is there and nothing is left of the page before.
 */
export async function lead(page: Page, path: string): Promise<void> {
  const between = '/between-two-pages';
  const nowhere = page.getByRole('main').getByText(between, { exact: true });
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(between)})`);
  await nowhere.waitFor();
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
  await nowhere.waitFor({ state: 'detached' });
  await page.locator('main h1').waitFor();
}

/** Of the accounts that `openAs` makes. */
export const PASSWORD = 'a mill wheel turns';

let accounts = 0;

/** Makes an account with an address of its own, signs the page in with it, and opens the path. */
export async function openAs(page: Page, service: Service, role: Role, path: string): Promise<Account> {
  accounts += 1;
  const invite = { email: `${role}-${accounts}@example.com`, role };
  const { link } = await service.must<CreatedInvite>('POST', '/api/invites', invite);
  const accepted = { secret: new URL(link, service.url).hash.slice(1), name: `The ${role}`, password: PASSWORD };
  const answer = await page.context().request.post(`${service.url}/api/invites/accept`, { data: accepted });
  expect(answer.status()).toBe(201);
  await page.goto(service.url + path);
  await page.locator('main h1').waitFor();
  const { account } = (await answer.json()) as Session;
  if (account === null) throw new Error('a session without an account');
  return account;
}

/** Signs the page in as someone who may look and not change, and opens the path. */
export function openAsViewer(page: Page, service: Service, path = '/'): Promise<Account> {
  return openAs(page, service, 'viewer', path);
}

/** Nothing of the page, and nothing of a dialog over it, lies beside its edge, once what floats has followed a change of width. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const beside = `Math.max(document.documentElement.scrollWidth - innerWidth,
    ...[...document.querySelectorAll('[role=dialog]')].map((dialog) => dialog.scrollWidth - dialog.clientWidth))`;
  await expect.poll(() => page.evaluate(beside)).toBeLessThanOrEqual(0);
}

/** No table, link or label of the page is cut off by its card, and no table breaks an ordinary word. */
async function expectNothingCut(page: Page): Promise<void> {
  const faults = `[...document.querySelectorAll('main table')].flatMap((table) => {
    const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
    const scrolls = getComputedStyle(table.parentElement).overflowX === 'auto';
    const isCut = !scrolls && table.getBoundingClientRect().width > table.parentElement.clientWidth + 1;
    const cut = isCut ? [table.ariaLabel + ' is cut'] : [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      for (const { 0: word, index } of text.data.matchAll(/(?<!\\S)\\p{L}{2,20}(?!\\S)/gu)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set(Array.from(range.getClientRects(), ({ top }) => top)).size > 1) cut.push(word);
      }
    }
    return cut;
  }).concat(Array.from(document.querySelectorAll('main :is(a, label)'), (link) => {
    const card = link.closest('.mantine-Card-root, .mantine-Alert-root');
    return card && link.getBoundingClientRect().right > card.getBoundingClientRect().right + 1 ? [link.innerText] : [];
  }).flat())`;
  await expect.poll(() => page.evaluate(faults)).toEqual([]);
}

/**
 * Opens the path, waits until it shows what it should, and looks at it: light and dark, as wide as a wall, as a desk, and as narrow as
 * a small phone; in light also as a tablet. Nothing may be wrong for axe, and nothing may lie beside the screen. Each look is a screenshot. A scheme
 * changes colours and nothing else: of dark, axe looks at these.
 */
export async function expectWellMade(
  browser: TestBrowser,
  service: Service,
  path: string,
  { name, ready }: { readonly name: string; readonly ready: (page: Page) => Promise<unknown> },
): Promise<void> {
  const page = await pageAt(browser, service, path);
  await look(page, { name, ready, widths: [2560, 1440, 960, 360], of: 'page' });
}

/** Waits for what is open over a page, looks at both like that, and leaves the page light and as large as it was. */
export async function expectOpenWellMade(
  open: Locator,
  name: string,
  widths: readonly number[] = [1440, 360],
): Promise<void> {
  const page = open.page();
  const size = page.viewportSize();
  await look(page, { name, ready: () => open.waitFor(), widths, of: 'screen' });
  await page.emulateMedia({ colorScheme: 'light' });
  if (size) await page.setViewportSize(size);
}

interface Look {
  readonly name: string;
  readonly ready: (page: Page) => Promise<unknown>;
  readonly widths: readonly number[];
  /** What is kept as a screenshot: what is open over a page covers the screen. */
  readonly of: 'page' | 'screen';
}

async function look(page: Page, { name, ready, widths, of }: Look): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    for (const width of widths) {
      // These differ from the others by the room they give: one look is enough, without axe.
      const isBetween = width === 2560 || width === 960;
      if (isBetween && colorScheme === 'dark') continue;
      // What is open has the same colours at each width.
      if (of === 'screen' && width !== widths[0] && colorScheme === 'dark') continue;
      await page.setViewportSize({ width, height: 900 });
      await ready(page);
      await settleColours(page);
      if (!isBetween) {
        expect(
          await axe(page, colorScheme === 'dark' ? 'colours' : undefined),
          `${name} in ${colorScheme}, ${width} wide`,
        ).toEqual([]);
      }
      await expectNoSidewaysScroll(page);
      await expectNothingCut(page);
      await screenshot(page, `${name}-${colorScheme}-${width}`, of);
    }
  }
}

const looking = new WeakMap<Service, Page>();

/** One page at the path for all looks at a service in a test. */
async function pageAt(browser: TestBrowser, service: Service, path: string): Promise<Page> {
  const known = looking.get(service);
  if (known === undefined || known.isClosed()) {
    const page = await browser.newPage({ width: 1440, height: 900 });
    looking.set(service, page);
    await openSignedIn(page, service, path);
    return page;
  }
  await known.emulateMedia({ colorScheme: 'light' });
  await known.setViewportSize({ width: 1440, height: 900 });
  await lead(known, path);
  return known;
}

/** Waits until no colour is on its way from one scheme to the other. */
async function settleColours(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  })()`);
}
