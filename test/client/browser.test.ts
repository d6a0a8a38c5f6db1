import { describe, expect, test } from 'vitest';
import type { Destination, Source } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import { sharedService } from '../system/kit/service.ts';
import { closeTab, keptIn, sentIds, serveSite, show, takeBatches, track, trackCode, visit } from './site.ts';

const browser = openBrowser();
const service = sharedService();

const OFFLINE = [/ERR_INTERNET_DISCONNECTED/];

interface World {
  readonly source: Source;
  readonly destination: Destination;
  readonly receiver: Receiver;
  readonly site: Receiver;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The whole way: a site, the service, an endpoint. Nothing is sent before it must be. */
async function world(): Promise<World> {
  const source = await service.source({ type: 'web' });
  const receiver = await receive();
  const destination = await service.destination(source, receiver.url());
  const site = await serveSite([service.url]);
  return {
    source,
    destination,
    receiver,
    site,
    options: { endpoint: service.url, flushAt: 1_000, flushAfter: 600_000 },
  };
}

function idsOf(receiver: Receiver): string[] {
  return receiver.arrivals.map(({ message }) => String(message['messageId']));
}

test('a script tag under a strict policy sends all six calls to another origin', async () => {
  const { source, receiver, site, options } = await world();
  const page = await browser.newPage();
  await visit(page, site, source.writeKey, options);
  const counts = await page.evaluate(`
    client.identify({ userId: 'u1', traits: { plan: 'pro' } });
    client.track({ userId: 'u1', event: 'Clicked', properties: { 'größe': 1 } });
    client.page({ userId: 'u1', name: 'Home', traits: { url: location.href } });
    client.screen({ userId: 'u1', name: 'Main' });
    client.group({ userId: 'u1', groupId: 'g1' });
    client.alias({ userId: 'u1', previousId: 'a1' });
    client.close();
  `);
  expect(counts).toEqual({ delivered: 6, failed: 0 });
  const arrivals = await receiver.waitFor(6);
  const types = arrivals.map(({ message }) => message['type']);
  expect(types.toSorted()).toEqual(['alias', 'group', 'identify', 'page', 'screen', 'track']);
});

describe('a page that goes', () => {
  test('delivers what was queued when its tab is closed', async () => {
    const { source, receiver, site, options } = await world();
    const page = await browser.newPage();
    await visit(page, site, source.writeKey, options);
    const ids = await track(page, 5, 'closed-');
    await closeTab(page);
    await receiver.waitFor(5);
    expect(idsOf(receiver).toSorted()).toEqual(ids);
  });

  test('delivers it when the user goes to another page, or turns away from it', async () => {
    const { source, receiver, site, options } = await world();
    const page = await browser.newPage();
    await visit(page, site, source.writeKey, options);
    const left = await track(page, 2, 'left-');
    await page.goto('about:blank');
    await receiver.waitFor(2);
    await visit(page, site, source.writeKey, options);
    const hidden = await track(page, 2, 'hidden-');
    await show(page, false);
    await receiver.waitFor(4);
    expect(idsOf(receiver).toSorted()).toEqual([...hidden, ...left]);
  });

  test('sends what a browser lets outlive it, keeps the rest, and the next page sends that', async () => {
    const { source, destination, receiver, site, options } = await world();
    const first = await browser.newPage();
    const second = await first.context().newPage();
    // What is queued in the last moment is queued whole: nothing of it has been sent before.
    const ids = Array.from({ length: 200 }, (_, i) => `large-${i}`);
    await first.addInitScript(`addEventListener('pagehide', () => { ${trackCode(200, 'large-', 1_000)} })`);
    await visit(first, site, source.writeKey, options);
    await closeTab(first);
    // One body, at least half as large as it may be, and no larger.
    await receiver.waitFor(32);
    const { accepted } = await service.counts(destination);
    expect(accepted).toBeLessThan(64);

    await visit(second, site, source.writeKey, options);
    await receiver.waitFor(200);
    await expect.poll(() => keptIn(second)).not.toContain('millrace');
    expect(idsOf(receiver).toSorted()).toEqual(ids.toSorted());
  });
});

describe('a time without network', () => {
  test('holds messages up, and they are delivered once it is over', async () => {
    const { source, receiver, site, options } = await world();
    const page = await browser.newPage({ mayLog: OFFLINE });
    await visit(page, site, source.writeKey, options);
    await page.context().setOffline(true);
    const ids = await track(page, 3, 'offline-');
    await page.evaluate('void (globalThis.flushed = client.flush())');
    await page.context().setOffline(false);
    expect(await page.evaluate('flushed')).toEqual({ delivered: 3, failed: 0 });
    await receiver.waitFor(3);
    expect(idsOf(receiver).toSorted()).toEqual(ids);
  });

  test('that lasts longer than the page: the next visit sends what was kept', async () => {
    const { source, receiver, site, options } = await world();
    const first = await browser.newPage({ mayLog: OFFLINE });
    const context = first.context();
    await visit(first, site, source.writeKey, options);
    await context.setOffline(true);
    const ids = await track(first, 3, 'kept-');
    await closeTab(first);
    await context.setOffline(false);
    expect(receiver.arrived).toBe(0);
    await visit(await context.newPage(), site, source.writeKey, options);
    await receiver.waitFor(3);
    expect(idsOf(receiver).toSorted()).toEqual(ids);
  });
});

describe('several tabs of one site', () => {
  test.each([
    ['with locks', ''],
    [
      'without what a page over plain http lacks',
      `delete Navigator.prototype.locks; delete Crypto.prototype.randomUUID;
       if (navigator.locks || crypto.randomUUID) throw new Error('still there')`,
    ],
  ])('send what was kept once, %s', async (_, before) => {
    const collector = await takeBatches();
    const site = await serveSite([new URL(collector.url()).origin]);
    const options = { endpoint: new URL(collector.url()).origin, flushAt: 1_000, flushAfter: 600_000 };
    const first = await browser.newPage({ mayLog: OFFLINE });
    const context = first.context();
    await context.addInitScript(before);
    await visit(first, site, 'key', options);
    const tabs = [await context.newPage(), await context.newPage(), await context.newPage()];
    for (const tab of tabs) {
      await tab.goto(site.url());
      const begin = `client = new Millrace('key', ${JSON.stringify(options)})`;
      await tab.evaluate(`new BroadcastChannel('tabs').onmessage = () => { ${begin}; }; 0`);
    }
    await context.setOffline(true);
    // Each time the page is hidden it keeps what it has: much for the others to take.
    const ids: string[] = [];
    for (let lot = 0; lot < 20; lot++) {
      ids.push(...(await track(first, 5, `once-${lot}-`)));
      await show(first, false);
    }
    await context.setOffline(false);

    // All begin at the same moment.
    await first.evaluate(`new BroadcastChannel('tabs').postMessage('begin')`);
    await closeTab(first);
    await collector.until(() => sentIds(collector).length >= ids.length, 'what was kept');
    // Each tab has taken what it would take when it has been asked to send all.
    await Promise.all(tabs.map((tab) => tab.evaluate('client.close()')));
    expect(sentIds(collector).toSorted()).toEqual(ids.toSorted());
    expect(await tabs[0]?.evaluate('localStorage.length')).toBe(0);
  });
});

test('a web worker, which has no page, sends what it is asked to', async () => {
  const { source, receiver, options } = await world();
  const code = `
    importScripts('/millrace.js');
    const client = new Millrace(${JSON.stringify(source.writeKey)}, ${JSON.stringify(options)});
    client.track({ userId: 'u1', event: 'Worked' });
    client.close().then(postMessage);`;
  // The page includes every file of the site, this one to no effect.
  const site = await serveSite([], { '/worker.js': `if (!('document' in globalThis)) {${code}}` });
  const page = await browser.newPage();
  await page.goto(site.url());
  const counts = await page.evaluate(`new Promise((resolve, reject) => {
    const worker = new Worker('/worker.js');
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  })`);
  expect(counts).toEqual({ delivered: 1, failed: 0 });
  await receiver.waitFor(1);
});

test(`localStorage.debug = 'analytics' shows what it does`, async () => {
  const { source, site, options } = await world();
  const page = await browser.newPage();
  const lines: string[] = [];
  page.on('console', (message) => lines.push(message.text()));
  await page.goto(site.url());
  await page.evaluate(`localStorage.setItem('debug', 'analytics')`);
  await visit(page, site, source.writeKey, options);
  await track(page, 1, 'debugged-');
  await page.evaluate('client.close()');
  await expect.poll(() => lines.join('\n')).toMatch(/queued .*debugged-0[\s\S]*sending 1 messages/);
});
