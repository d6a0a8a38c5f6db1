import type { Page, Request } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Audience, Destination, Source } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { Receiver } from '../system/kit/receiver.ts';
import { sharedService } from '../system/kit/service.ts';
import { lead, openAs, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

let source: Source;
let destination: Destination;
let audience: Audience;

/** Something of each kind that has a page. */
beforeAll(async () => {
  const receiver = new Receiver(({ path }) => (path === '/refuses' ? 404 : 200));
  await receiver.listen();
  source = await service.source({ name: 'Web shop', type: 'web' });
  destination = await service.destination(source, receiver.url(), { name: 'Warehouse' });
  const refusing = await service.destination(source, receiver.url('/refuses'), { name: 'Refusing' });
  const definition = { trait: 'plan', is: { equals: 'pro' } };
  audience = await service.must<Audience>('POST', '/api/audiences', { name: 'Pros', definition });
  const counted = { name: 'Times seen', definition: { compute: { count: true }, event: { name: 'Seen' } } };
  await service.must('POST', '/api/traits', counted);
  await service.accept(source, { event: 'Seen', userId: 'a-person' });
  await service.settled(destination, 1);
  await service.settled(refusing, 1);
  await receiver.close();
});

/** Answers what resolves when the page has the whole answer to all that it asked for, streams aside, and asks for nothing more. */
function answers(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let asked = 0;
  page.on('request', (request) => {
    asked++;
    open.add(request);
  });
  page.on('response', (response) => {
    if (response.headers()['content-type'] === 'text/event-stream') open.delete(response.request());
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  return async () => {
    // What an answer leads to begins a moment later.
    let [before, quiet] = [-1, 0];
    const isDone = async (): Promise<boolean> => {
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      quiet = open.size === 0 && asked === before ? quiet + 1 : 0;
      before = asked;
      return quiet === 5;
    };
    await expect.poll(isDone).toBe(true);
  };
}

/** Follows every link of the overview, at which the page is, and of what they lead to; answers the paths. `look` sees each page once it is there. */
async function follow(page: Page, look: (path: string) => Promise<void>): Promise<string[]> {
  const answered = answers(page);
  const [seen, left] = [new Set<string>(), ['/']];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    await lead(page, path);
    await answered();
    await look(path);
    const links = await page.evaluate(
      `[...document.querySelectorAll('a[href^="/"]')].map((a) => a.getAttribute('href'))`,
    );
    // The API's pages are hundreds, and made of one document.
    for (const href of links as string[]) {
      const at = href.split(/[?#]/, 1)[0] ?? '';
      if (!at.startsWith('/docs') && !at.startsWith('/api')) left.push(at);
    }
  }
  return [...seen];
}

test('an observer is led to no page, and to no part of one, that they may not see', async () => {
  // A page that asks for what is refused logs that, which fails the test.
  const page = await browser.newPage();
  await openAs(page, service, 'observer', '/');
  const paths = await follow(page, async (path) => {
    expect([path, await page.getByText('forbidden', { exact: true }).count()]).toEqual([path, 0]);
    expect([path, (await page.locator('main').innerText()).includes('a-person')]).toEqual([path, false]);
  });
  expect(paths).toEqual(expect.arrayContaining([`/sources/${source.id}`, `/destinations/${destination.id}`]));
});

test.each([
  ...['/live', '/messages/m-1', '/people', '/deletions/new', '/settings/alerts', '/settings/audit'],
  ...['/destinations/$/failed', '/audiences/$/members'],
])('an observer whom a link leads to %s is told who may see it, and nothing is asked for', async (path) => {
  const page = await browser.newPage();
  const id = path.startsWith('/audiences') ? audience.id : destination.id;
  await openAs(page, service, 'observer', path.replace('$', id));
  await page.getByText('Ask an admin to make you a viewer.').waitFor();
  await page.waitForLoadState('networkidle');
});

test('every page opens in a browser whose language is no tag', async () => {
  const page = await browser.newPage();
  await page.addInitScript(
    "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })",
  );
  await openSignedIn(page, service);
  // What throws fails the test.
  const paths = await follow(page, async () => undefined);
  expect(paths.length).toBeGreaterThan(25);
});
