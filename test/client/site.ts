import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { bundle } from '../../packages/client/bundle.ts';
import { type Arrival, type Receiver, receive, type Script } from '../system/kit/receiver.ts';

const SRC = join(import.meta.dirname, '../../packages/client/src');

/** What a page includes with a script tag. */
const SCRIPT: string = await bundle(join(SRC, 'script.ts'), { format: 'iife' });

/**
 * A web site of its own origin, until the test is over. Its pages include the script-tag bundle, and their policy allows
 * this script and requests to these origins, nothing else.
 */
export async function serveSite(
  connectTo: readonly string[],
  scripts: Readonly<Record<string, string>> = {},
): Promise<Receiver> {
  const files: Readonly<Record<string, string>> = { '/millrace.js': SCRIPT, ...scripts };
  const tags = Object.keys(files).map((path) => `<script src="${path}"></script>`);
  const html = `<!doctype html><html lang="en"><title>Shop</title>${tags.join('')}</html>`;
  const policy = `default-src 'none'; script-src 'self'; connect-src ${connectTo.join(' ')}`;
  return receive(({ path }) => {
    const script = files[path];
    return script === undefined
      ? { status: 200, headers: { 'Content-Type': 'text/html', 'Content-Security-Policy': policy }, body: html }
      : { status: 200, headers: { 'Content-Type': 'text/javascript' }, body: script };
  });
}

/** A collection API that leaves nothing out: what it got is what was sent. */
export async function takeBatches(): Promise<Receiver> {
  return receive(batchScript(() => 200));
}

/** Answers preflights, and batches as told. */
export function batchScript(reply: (batch: Arrival) => number | 'reset' | Promise<number | 'reset'>): Script {
  const headers = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'authorization, content-type' };
  return async (arrival) => {
    if (arrival.method === 'OPTIONS') return { status: 204, headers };
    const status = await reply(arrival);
    return status === 'reset' ? status : { status, headers, body: JSON.stringify({ success: status === 200 }) };
  };
}

/** The messageIds that were sent, in order, one for each time. */
export function sentIds(collector: Receiver): string[] {
  return collector.arrivals
    .filter(({ method }) => method === 'POST')
    .flatMap(({ message }) => (message['batch'] as { messageId: string }[]).map(({ messageId }) => messageId));
}

/** Leaves as a user does who closes the tab. */
export async function closeTab(page: Page): Promise<void> {
  const closed = page.waitForEvent('close');
  await page.close({ runBeforeUnload: true });
  await closed;
}

/** Tells a page that it is hidden, or shown: headless ones are always shown. */
export async function show(page: Page, isShown: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { get: () => ${!isShown}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

/** The keys of what pages keep in storage, without their ids. */
export async function keptIn(page: Page): Promise<string[]> {
  const keys = await page.evaluate<string[]>('Object.keys(localStorage)');
  return keys.map((key) => key.split(':')[0] ?? '');
}

/** Opens the site in a page that has a client, as `client`. */
export async function visit(
  page: Page,
  site: Receiver,
  writeKey: string,
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  await page.goto(site.url());
  await page.evaluate(`globalThis.client = new Millrace(${JSON.stringify(writeKey)}, ${JSON.stringify(options)})`);
}

/** Makes track calls with the messageIds `<prefix>0` and up. */
export async function track(page: Page, count: number, prefix: string): Promise<string[]> {
  await page.evaluate(trackCode(count, prefix, 10));
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}

/** Code for a page: makes calls, each of about `bytes`. */
export function trackCode(count: number, prefix: string, bytes: number): string {
  return `for (let i = 0; i < ${count}; i++) {
    const properties = { filler: 'x'.repeat(${bytes}) };
    client.track({ event: 'Clicked', anonymousId: 'a1', messageId: ${JSON.stringify(prefix)} + i, properties });
  }`;
}
