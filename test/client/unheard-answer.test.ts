import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openBrowser } from '../browser/browser.ts';
import type { Receiver } from '../system/kit/receiver.ts';
import { batchScript, closeTab, keptIn, sentIds, serveSite, show, takeBatches, track, visit } from './site.ts';

const browser = openBrowser();

const FAILURES = [/Failed to load resource/];

/** A message as an earlier page keeps it, without its messageId. */
const KEPT = { type: 'track', event: 'Kept', userId: 'u1', timestamp: '2026-01-01' };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface World {
  readonly collector: Receiver;
  /** A tab that has a client; `page.context().newPage()` is another tab. */
  readonly page: Page;
  readonly site: Receiver;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Nothing is sent before it must be. */
async function world(): Promise<World> {
  const collector = await takeBatches();
  const endpoint = new URL(collector.url()).origin;
  const site = await serveSite([endpoint]);
  const options = { endpoint, flushAt: 1_000, flushAfter: 600_000 };
  const page = await browser.newPage({ mayLog: FAILURES });
  await visit(page, site, 'key', options);
  return { collector, page, site, options };
}

/** A tab of the same site, so many milliseconds later. */
async function laterTab(page: Page, ms: number): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.addInitScript(`{ const { now } = Date; Date.now = () => now() + ${ms}; }`);
  return tab;
}

/** Closes the tab with messages in it; their request is answered so, when no page hears it. */
async function closeUnheard({ collector, page }: World, prefix: string, reply: 503 | 'reset' = 503): Promise<string[]> {
  const gone = page.waitForEvent('close');
  collector.become(batchScript(() => gone.then(() => reply)));
  const ids = await track(page, 3, prefix);
  await closeTab(page);
  await collector.until(() => collector.arrivals.some(({ answeredAt }) => answeredAt !== null), 'its request');
  collector.become(batchScript(() => 200));
  return ids;
}

test('a client that is closed takes nothing more of what an earlier page had kept: the next page sends it', async () => {
  const { collector, page, site, options } = await world();
  const kept = { ...KEPT, messageId: 'kept' };
  await page.evaluate(`(async () => {
    const { promise, resolve } = Promise.withResolvers();
    const held = new Promise((isHeld) => {
      globalThis.other = navigator.locks.request('millrace-claim:key', () => (isHeld(), promise));
    });
    await held;
    localStorage.setItem('millrace:key:1', ${JSON.stringify(JSON.stringify(kept))});
    dispatchEvent(new Event('pageshow'));
    await client.close();
    resolve();
    await other;
    // What waited for the lock has had it by then.
    await navigator.locks.request('millrace-claim:key', () => {});
  })()`);
  expect(await keptIn(page)).toEqual(['millrace']);
  expect(sentIds(collector)).toEqual([]);
  await visit(await page.context().newPage(), site, 'key', options);
  await collector.until(() => sentIds(collector).length === 1, 'what was kept');
  expect(sentIds(collector)).toEqual(['kept']);
});

/** Stores lots as earlier pages do, of so many messages. Returns the messageIds. */
async function keepLots(page: Page, counts: readonly number[]): Promise<string[]> {
  const lots = counts.map((count, lot) => Array.from({ length: count }, (_, i) => `lot-${lot}-${i}`));
  const texts = lots.map((ids) => ids.map((messageId) => JSON.stringify({ ...KEPT, messageId })).join('\n'));
  await page.evaluate(`${JSON.stringify(texts)}.forEach((text, i) => localStorage.setItem('millrace:key:' + i, text))`);
  return lots.flat();
}

test.each(['drop-oldest', 'reject'])(
  'what was kept waits for room in the queue and is sent whole, %s',
  async (onOverflow) => {
    const { collector, page, site, options } = await world();
    const next = await page.context().newPage();
    await next.goto(site.url());
    const ids = await keepLots(page, [2, 2, 2, 7]);
    await next.evaluate(`lost = []; client = new Millrace('key', {
    ...${JSON.stringify({ ...options, maxQueue: 3, onOverflow })},
    onError: ({ code }, { messageId }) => lost.push(code + ' ' + messageId),
  })`);
    await collector.until(() => sentIds(collector).length >= ids.length, 'all of them');
    await next.evaluate('client.close()');
    expect(sentIds(collector).toSorted()).toEqual(ids);
    expect(await next.evaluate('lost')).toEqual([]);
    expect(await keptIn(next)).toEqual([]);
  },
);

test('what was kept under another write key is left to a client that has it', async () => {
  const { collector, page, site, options } = await world();
  const next = await page.context().newPage();
  await next.goto(site.url());
  const ids = await keepLots(page, [2]);
  await next.evaluate(`client = new Millrace('new', ${JSON.stringify(options)}); 0`);
  const own = await track(next, 1, 'own-');
  await next.evaluate('client.flush()');
  await next.evaluate(`old = new Millrace('key', ${JSON.stringify(options)}); 0`);
  await collector.until(() => sentIds(collector).length > ids.length, 'what was kept');
  const keys = collector.arrivals.flatMap(({ headers: { authorization } }) => (authorization ? [authorization] : []));
  expect(sentIds(collector)).toEqual([...own, ...ids]);
  expect(keys.map((basic) => atob(basic.slice('Basic '.length)))).toEqual(['new:', 'key:']);
});

test('what was kept is sent where storage is full and the browser has no locks', async () => {
  const { collector, page, site, options } = await world();
  const next = await page.context().newPage();
  await next.addInitScript('delete Navigator.prototype.locks');
  const warnings: string[] = [];
  next.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
  await next.goto(site.url());
  const ids = await keepLots(page, [3]);
  await next.evaluate(`for (let size = 1e6; size >= 1; size /= 10) {
    for (let i = 0; i < 20; i++) try { localStorage.setItem('f' + size + i, 'x'.repeat(size)); } catch { break; }
  }`);
  await next.evaluate(`client = new Millrace('key', ${JSON.stringify(options)}); 0`);
  await collector.until(() => sentIds(collector).length >= ids.length, 'what was kept');
  expect(sentIds(collector)).toEqual(ids);
  expect(await next.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('millrace'))`)).toEqual([]);
  expect(warnings).toEqual([]);
});

describe('a request whose page ends before the answer', () => {
  test.each([503, 'reset'] as const)('and which fails (%s) is sent again at the next visit', async (reply) => {
    const first = await world();
    const { collector, page, site, options } = first;
    const next = await laterTab(page, MINUTE);
    const ids = await closeUnheard(first, 'unheard-', reply);
    const before = sentIds(collector).length;
    await visit(next, site, 'key', options);
    await collector.until(() => sentIds(collector).length >= before + ids.length, 'the copy');
    await next.evaluate('client.close()');
    expect(sentIds(collector).slice(before)).toEqual(ids);
    expect(await keptIn(next)).toEqual([]);
  });

  test.each([
    ['with locks', ''],
    ['without', 'delete Navigator.prototype.locks'],
  ])('is sent again by one of several tabs, %s', async (_, before) => {
    const first = await world();
    const { collector, page, site, options } = first;
    await page.context().addInitScript(before);
    const tabs = [await laterTab(page, MINUTE), await laterTab(page, MINUTE), await laterTab(page, MINUTE)];
    for (const tab of tabs) await tab.goto(site.url());
    const ids = await closeUnheard(first, 'once-');
    const sent = sentIds(collector).length;
    await Promise.all(tabs.map((tab) => visit(tab, site, 'key', options)));
    await collector.until(() => sentIds(collector).length >= sent + ids.length, 'the copy');
    await Promise.all(tabs.map((tab) => tab.evaluate('client.close()')));
    expect(sentIds(collector).slice(sent)).toEqual(ids);
  });

  test('is left to it for as long as the request may take', async () => {
    const first = await world();
    const { collector, page, site, options } = first;
    const next = await page.context().newPage();
    const ids = await closeUnheard(first, 'young-');
    await next.goto(site.url());
    // All that may be taken is taken at once, so once this has come the copy was passed over.
    const marker = { ...KEPT, messageId: 'marker' };
    await next.evaluate(`localStorage.setItem('millrace:key:1', ${JSON.stringify(JSON.stringify(marker))})`);
    await visit(next, site, 'key', { ...options, timeout: HOUR });
    await collector.until(() => sentIds(collector).includes('marker'), 'the marker');
    expect(sentIds(collector)).toEqual([...ids, 'marker']);
    expect(await keptIn(next)).toEqual(['millrace-sent']);
    // What is still on its way when the page goes would be sent again too.
    await next.evaluate('client.flush()');
    // The tab looks again when the time has come.
    await next.goto('about:blank');
    await visit(next, site, 'key', { ...options, timeout: 1_000 });
    await collector.until(() => sentIds(collector).length > ids.length + 1, 'the copy');
    expect(sentIds(collector).slice(ids.length + 1)).toEqual(ids);
  });

  test('is reported, not sent, once the service could take it for new', async () => {
    const first = await world();
    const { collector, page, site, options } = first;
    const next = await laterTab(page, 23 * HOUR);
    const ids = await closeUnheard(first, 'old-');
    const before = collector.arrived;
    await next.goto(site.url());
    const reports = await next.evaluate(`new Promise((resolve) => {
      const reports = [];
      globalThis.client = new Millrace('key', {
        ...${JSON.stringify(options)},
        onError: ({ code }, { messageId }) => reports.push([code, messageId]) === 3 && resolve(reports),
      });
    })`);
    expect(reports).toEqual(ids.map((id) => ['unconfirmed', id]));
    expect(await next.evaluate('client.close()')).toEqual({ delivered: 0, failed: 0 });
    expect(collector.arrived).toBe(before);
    expect(await keptIn(next)).toEqual([]);
  });
});

describe('a page that is hidden and lives on', () => {
  test('takes the copy away when the request has arrived', async () => {
    const { collector, page } = await world();
    const ids = await track(page, 3, 'heard-');
    await show(page, false);
    await expect.poll(() => keptIn(page)).toEqual([]);
    await show(page, true);
    expect(await page.evaluate('client.close()')).toEqual({ delivered: 0, failed: 0 });
    expect(sentIds(collector)).toEqual(ids);
  });

  test('keeps what was not taken, and sends it when it is shown again', async () => {
    const { collector, page } = await world();
    collector.become(batchScript(() => 503));
    const ids = await track(page, 3, 'again-');
    await show(page, false);
    await expect.poll(() => keptIn(page)).toEqual(['millrace']);
    collector.become(batchScript(() => 200));
    await show(page, true);
    await collector.until(() => sentIds(collector).length >= 2 * ids.length, 'the second time');
    expect(sentIds(collector)).toEqual([...ids, ...ids]);
    expect(await keptIn(page)).toEqual([]);
  });
});
