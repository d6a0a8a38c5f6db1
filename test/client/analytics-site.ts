import snippet from '@segment/snippet';
import type { Page } from 'playwright-core';
import type { Source } from '../../packages/server/src/admin/contract.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import type { Service } from '../system/kit/service.ts';

export type Message = Readonly<Record<string, unknown>>;

/** The whole way: a source, an endpoint that takes its calls, and a site whose pages have `head` in their head. */
export interface Shop {
  readonly source: Source;
  readonly receiver: Receiver;
  readonly site: Receiver;
  /** Opens a page of the site, by its path. */
  visit(page: Page, path?: string, host?: string): Promise<void>;
  /** The messages that were delivered, once there are as many. */
  messages(count: number): Promise<Message[]>;
}

export interface ShopOptions {
  /** HTML; default: the stock snippet, which loads the script. */
  readonly head?: (service: Service, source: Source) => string;
  readonly headers?: (service: Service) => Readonly<Record<string, string>>;
  /** Files of the site. */
  readonly files?: Readonly<Record<string, string>>;
}

export async function openShop(service: Service, options: ShopOptions = {}): Promise<Shop> {
  const source = await service.source({ type: 'web' });
  const receiver = await receive();
  await service.destination(source, receiver.url());
  const head = options.head?.(service, source) ?? script(stockSnippet(service.url, source.writeKey));
  const html = `<!doctype html><html lang="en"><head><title>Shop</title>${head}</head><body><h1>Shop</h1></body></html>`;
  const site = await receive(({ path }) => {
    const file = options.files?.[path];
    const type = file === undefined ? 'text/html' : 'text/javascript';
    return { status: 200, headers: { 'Content-Type': type, ...options.headers?.(service) }, body: file ?? html };
  });
  return {
    source,
    receiver,
    site,
    async visit(page, path = '/', host) {
      await page.goto(site.url(path, host));
    },
    async messages(count) {
      return (await receiver.waitFor(count)).map(({ message }) => message);
    },
  };
}

/** Segment's own snippet for a page, with nothing changed but the host. It queues a call of `page`. */
export function stockSnippet(origin: string, writeKey: string, more: Readonly<Record<string, unknown>> = {}): string {
  const host = 'host.invalid';
  return snippet.min({ host, apiKey: writeKey, ...more }).replaceAll(`https://${host}`, origin);
}

export function script(code: string): string {
  return `<script>${code}</script>`;
}

/** Resolves in the page once the script has taken over. */
export async function loaded(page: Page): Promise<void> {
  await page.waitForFunction('window.analytics?.initialized === true');
}

/** Of a name that only one message has, as its type, its event or its name. */
export function named(messages: readonly Message[], name: string): Message {
  const found = messages.filter(({ type, event, name: ownName }) => [type, event, ownName].includes(name));
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} messages are called ${name}`);
  return found[0];
}
