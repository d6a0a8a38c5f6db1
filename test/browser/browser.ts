import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { LAUNCH_MS, launchChromium, PAGE_DEFAULTS } from './launch.ts';
import { lastCalls, unwatch, watch } from './watch.ts';

export interface PageOptions extends Pick<BrowserContextOptions, 'colorScheme' | 'reducedMotion' | 'timezoneId'> {
  /** CSS pixels; 1280. */
  readonly width?: number;
  /** CSS pixels; 800. */
  readonly height?: number;
  /** Console errors that the test provokes; any other fails it. */
  readonly mayLog?: readonly RegExp[];
}

/** What a page waits for that never comes fails its test with Playwright's words, before the test's own time is up. */
const TIMEOUT_MS = 20_000;

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** An empty context, and a page of it in the process that has read the scripts of the interface. */
interface Kept {
  readonly context: BrowserContext;
  readonly opener: Page;
}

/** One headless Chromium for all tests of a file. */
export class TestBrowser {
  readonly #shared: { readonly url: string } | undefined;
  readonly #kept: Kept[] = [];
  #browser: Browser | null = null;

  constructor(shared?: { readonly url: string }) {
    this.#shared = shared;
  }

  /** False where there is no browser, and none could be installed. */
  async open(): Promise<boolean> {
    this.#browser = await launchChromium({ isSeen: screenshots() !== '' });
    return this.#browser !== null;
  }

  async close(): Promise<void> {
    await this.#browser?.close();
  }

  /**
   * An empty page until the test is over, with storage and cookies of its own; `page.context().newPage()` opens another
   * tab beside it. The test fails when one of them asks another host than this machine, writes an error to the console,
   * throws or crashes. Light, without motion and in UTC unless the options say otherwise.
   */
  async newPage({ width = 1280, height = 800, mayLog = [], ...options }: PageOptions = {}): Promise<Page> {
    const kept = this.#shared && Object.keys(options).length === 0 ? await this.#keptFor(this.#shared.url) : null;
    const context = kept?.context ?? (await this.#newContext({ ...options, viewport: { width, height } }));
    const complaints = watch(context, mayLog);
    const calls = lastCalls(context);
    onTestFinished(async ({ task }) => {
      const failed = task.result?.state === 'fail';
      if (failed) {
        for (const page of context.pages()) console.error(`${page.url()} says:\n${await said(page)}`);
        console.error(`and was last told:\n${calls()}`);
      }
      if (kept === null || failed || !(await this.#keep(kept))) await context.close();
      if (complaints.length > 0) throw new Error(`the page did what no page may:\n${complaints.join('\n')}`);
    });
    if (kept === null) return context.newPage();
    const page = await openedBy(kept.opener);
    await page.setViewportSize({ width, height });
    return page;
  }

  async #newContext(options: BrowserContextOptions): Promise<BrowserContext> {
    if (this.#browser === null) throw new Error('The browser is not open: call openBrowser() at the top of the file');
    const context = await this.#browser.newContext({ ...PAGE_DEFAULTS, ...options });
    context.setDefaultTimeout(TIMEOUT_MS);
    return context;
  }

  async #keptFor(url: string): Promise<Kept> {
    const kept = this.#kept.pop();
    if (kept !== undefined) return kept;
    const context = await this.#newContext({});
    const opener = await context.newPage();
    // A file with the headers of the interface's pages: by these, Chromium gives a page a process of its own or its opener's.
    await opener.goto(`${url}/early.js`);
    return { context, opener };
  }

  /**
   * Makes the context what a new one is. False when it can't be: a clock that a test has set stays, and a service that was
   * restarted has another address.
   */
  async #keep({ context, opener }: Kept): Promise<boolean> {
    for (const page of context.pages()) if (page !== opener) await page.close();
    const { origin } = new URL(opener.url());
    if (this.#shared?.url !== origin || !(await opener.evaluate('/native code/.test(Date.now)'))) return false;
    unwatch(context);
    await context.setOffline(false);
    await context.clearPermissions();
    await context.clearCookies();
    const session = await context.newCDPSession(opener);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
    this.#kept.push({ context, opener });
    return true;
  }
}

/**
 * A browser for all tests of the file, or of the `describe` this is called in; they are skipped where there is none. A page of
 * the service that the tests share opens in the process of a page before: a new one would read and compile all scripts again.
 */
export function openBrowser(shared?: { readonly url: string }): TestBrowser {
  const browser = new TestBrowser(shared);
  let isOpen = false;
  beforeAll(async () => {
    isOpen = await browser.open();
  }, LAUNCH_MS + TIMEOUT_MS);
  afterAll(() => browser.close());
  beforeEach(({ skip }) => skip(!isOpen, 'no browser'));
  return browser;
}

/** An empty page in the same process. */
async function openedBy(opener: Page): Promise<Page> {
  const [page] = await Promise.all([opener.waitForEvent('popup'), opener.evaluate(`void open('about:blank')`)]);
  return page;
}

/** What axe finds wrong on the page as it is now, a line for each element; empty when all is well. `colours` asks for its rules of these alone. */
export async function axe(page: Page, only?: 'colours'): Promise<string[]> {
  // A page keeps it until it is left: reading half a megabyte of script costs more than most looks.
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(AXE);
  const options: RunOptions = {
    // Of what is well nothing is asked: to name each such element takes longer than the rules.
    resultTypes: ['violations'],
    ...(only === 'colours' && { runOnly: ['cat.color'], rules: { 'color-contrast-enhanced': { enabled: false } } }),
  };
  const found = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return (found as AxeResults['violations']).flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${oneLine(failureSummary)}`),
  );
}

/** The whole page, or what is on the screen, as `<name>.png` in the folder MILLRACE_SCREENSHOTS names; without it none is taken. */
export async function screenshot(page: Page, name: string, of: 'page' | 'screen' = 'page'): Promise<void> {
  const folder = screenshots();
  if (folder === '') return;
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: of === 'page', animations: 'disabled' });
}

/** The folder that keeps the screenshots; empty where none is taken. */
function screenshots(): string {
  return process.env['MILLRACE_SCREENSHOTS'] ?? '';
}

/** A page's text, for who reads why a test failed. */
async function said(page: Page): Promise<string> {
  const text = page.locator('body').innerText({ timeout: 1_000 });
  return text.catch((error: Error) => `nothing (${error.message})`);
}

function oneLine(text = ''): string {
  return text.replace(/\s+/g, ' ').trim();
}
