import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { axe, openBrowser, screenshot } from './browser.ts';
import { watch } from './watch.ts';

const browser = openBrowser();

/** Answers this page at every path; answers the server and its address. */
async function open(html: string): Promise<{ server: Server; url: string }> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').setHeader('cross-origin-opener-policy', 'same-origin').end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function close(server: Server): Promise<void> {
  return new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Serves this page at every path, until the test is over; answers its address. */
async function serve(html: string): Promise<string> {
  const { server, url } = await open(html);
  onTestFinished(() => close(server));
  return `${url}/`;
}

test('a page is as wide, as dark and as still as asked', async () => {
  const url = await serve('<!doctype html><title>Local</title><input aria-label="Name">');
  const page = await browser.newPage({ width: 360, height: 640, colorScheme: 'dark', timezoneId: 'Asia/Tokyo' });
  await page.goto(url);
  await page.getByLabel('Name').fill('typed');
  const seen = await page.evaluate(`[
    innerWidth, innerHeight, matchMedia('(prefers-color-scheme: dark)').matches,
    matchMedia('(prefers-reduced-motion: reduce)').matches, Intl.DateTimeFormat().resolvedOptions().timeZone,
    document.querySelector('input').value,
  ]`);
  expect(seen).toEqual([360, 640, true, true, 'Asia/Tokyo', 'typed']);
});

test('pages share no storage, tabs do', async () => {
  const url = await serve('<!doctype html><title>Local</title>');
  const [one, other] = [await browser.newPage(), await browser.newPage()];
  const tab = await one.context().newPage();
  for (const page of [one, other, tab]) await page.goto(url);
  await one.evaluate(`localStorage.setItem('k', 'v')`);
  expect(await tab.evaluate(`localStorage.getItem('k')`)).toBe('v');
  expect(await other.evaluate(`localStorage.getItem('k')`)).toBeNull();
});

test('axe says what is wrong, and where', async () => {
  const url = await serve(
    '<!doctype html><html lang="en"><title>Local</title><main><h1>Title</h1><img src="data:,"></main>',
  );
  const page = await browser.newPage();
  await page.goto(url);
  expect(await axe(page)).toEqual([expect.stringMatching(/^image-alt: .*: img: Fix any/)]);
  await page.evaluate(`document.querySelector('img').alt = 'A mill'`);
  expect(await axe(page)).toEqual([]);
});

test('requests to other hosts, console errors and thrown errors are complaints, in every tab', async () => {
  const url = await serve('<!doctype html><title>Local</title>');
  const context = await (await browser.newPage()).context().browser()?.newContext();
  if (!context) throw new Error('a page without a browser');
  onTestFinished(() => context.close());
  const complaints = watch(context, [/ERR_/]);
  await context.newPage();
  const page = await context.newPage();
  await page.goto(url);
  expect(complaints).toEqual([]);
  await page.evaluate(`Promise.allSettled([fetch('https://example.com/a'), fetch('http://192.0.2.1/b'), fetch('/c')])`);
  await page.evaluate(`{
    console.error('shouted');
    console.warn('said');
    new WebSocket('ws://example.com/d');
    setTimeout(() => { throw new Error('thrown') });
  }`);
  await expect.poll(() => complaints.length).toBe(5);
  expect(complaints.toSorted()).toEqual([
    'asked another host: GET http://192.0.2.1/b',
    'asked another host: GET https://example.com/a',
    'asked another host: ws://example.com/d',
    expect.stringContaining('console error: shouted'),
    expect.stringContaining('page error: Error: thrown'),
  ]);
});

describe('with MILLRACE_SCREENSHOTS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-screenshots-'));
  beforeAll(() => void vi.stubEnv('MILLRACE_SCREENSHOTS', folder));
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const painting = openBrowser();

  test('a screenshot is kept there, and shows the page', async () => {
    const page = await painting.newPage();
    await page.goto(await serve('<!doctype html><title>Local</title><body style="background: rgb(1, 2, 3)">'));
    await screenshot(page, 'kept');
    const png = readFileSync(join(folder, 'kept.png'), 'base64');
    const pixel = await page.evaluate(`(async () => {
      const picture = new Image();
      picture.src = 'data:image/png;base64,${png}';
      await picture.decode();
      const canvas = document.createElement('canvas').getContext('2d');
      canvas.drawImage(picture, 0, 0);
      return [...canvas.getImageData(9, 9, 1, 1).data];
    })()`);
    expect(pixel).toEqual([1, 2, 3, 255]);
  });
});

describe('pages of a service that tests share', () => {
  const service = { url: '' };
  let server: Server;
  beforeAll(async () => {
    ({ server, url: service.url } = await open('<!doctype html><title>Shared</title>'));
  });
  afterAll(() => close(server));
  const kept = openBrowser(service);
  const left: BrowserContext[] = [];

  const FOUND = `(async () => [
    globalThis.changed, document.title, document.cookie, localStorage.length, sessionStorage.length, (await indexedDB.databases()).length,
    navigator.onLine, (await navigator.permissions.query({ name: 'clipboard-read' })).state, innerWidth,
    matchMedia('(prefers-color-scheme: dark)').matches, Date.now() < 1_000,
  ])()`;

  test('a test leaves behind what it can', async () => {
    const page = await kept.newPage({ width: 500 });
    left.push(page.context());
    await page.addInitScript(`globalThis.changed = true`);
    await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.context().grantPermissions(['clipboard-read']);
    await page.goto(service.url);
    await page.evaluate(`(async () => {
      document.cookie = 'k=v';
      localStorage.setItem('k', 'v');
      sessionStorage.setItem('k', 'v');
      await new Promise((resolve) => { indexedDB.open('k').onsuccess = resolve; });
    })()`);
    await page.context().addCookies([{ name: 'k', value: 'v', domain: 'localhost', path: '/' }]);
    await page.context().setOffline(true);
    expect(await page.evaluate(FOUND)).toEqual([true, '', 'k=v', 1, 1, 1, false, 'granted', 500, true, false]);
  });

  test('the next has its context and finds nothing of it; its clock goes to none', async () => {
    const page = await kept.newPage();
    expect(left).toContain(page.context());
    expect(await page.context().cookies()).toEqual([]);
    await page.goto(service.url);
    expect(await page.evaluate(FOUND)).toEqual([undefined, 'Shared', '', 0, 0, 0, true, 'prompt', 1280, false, false]);
    await page.clock.setSystemTime(0);
    expect(await page.evaluate('Date.now() < 1_000')).toBe(true);
  });

  test('who follows a clock that was set has another context', async () => {
    const page = await kept.newPage();
    expect(left).not.toContain(page.context());
    expect(await page.evaluate('Date.now() < 1_000')).toBe(false);
  });
});
