import { describe, expect, test } from 'vitest';
import type { SearchPage } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import type { Answer } from '../system/kit/http.ts';
import { receive } from '../system/kit/receiver.ts';
import { openSignedIn } from '../ui/kit.ts';
import { sharedServers, sharedTwo } from './cluster.ts';
import { needNats } from './nats.ts';

describe.skipIf(!(await needNats()))('a page that one of two nodes answers', () => {
  const browser = openBrowser();
  const nodes = sharedTwo(sharedServers());

  test('says where the admin token of a cluster is', async () => {
    const [node] = nodes();
    const page = await browser.newPage({ mayLog: [/status of 401/] });
    await page.goto(`${node.url}/sign-in`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const where = /^With the MILLRACE_ADMIN_TOKEN that was set\. Where none was, the first start printed one;/;
    expect(await page.getByText(where).count()).toBe(1);
  });

  test('searches the log page by page', async () => {
    const [node] = nodes();
    const source = await node.source();
    const ids = ['p0', 'p1', 'p2'];
    for (const messageId of ids) await node.send(source, 'track', { event: 'Looked for', userId: 'u', messageId });
    const found: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const query = new URLSearchParams({ q: 'Looked for', limit: '1', ...(cursor !== null && { cursor }) });
      const { status, text } = await node.api('GET', `/api/search?${query}`);
      expect(status, text).toBe(200);
      const { items, next } = JSON.parse(text) as SearchPage;
      found.push(...items.map(({ id }) => id));
      if (next === null) break;
      cursor = next;
    }
    expect(found).toEqual(ids.toReversed());
  });

  test('counts what the other one accepts', async () => {
    const [one, two] = nodes();
    const receiver = await receive(200);
    const source = await one.source();
    const destination = await one.destination(source, receiver.url());
    await one.accept(source);
    await one.settled(destination, 1);
    const known = (): Promise<Answer> => two.api('GET', `/api/destinations/${destination.id}`);
    await eventually(known, ({ status }) => status === 200);
    const page = await browser.newPage();
    await openSignedIn(page, two);
    const accepted = page.getByRole('region', { name: 'Accepted' });
    // The rate is that of the last seconds: so events come until it is seen.
    const seen = async (): Promise<string> => {
      await one.accept(source);
      return accepted.innerText();
    };
    await eventually(seen, (text) => /[1-9][\d,.]*\/s now/.test(text));
  });

  test('shows what the other one refuses', async () => {
    const [one, two] = nodes();
    const source = await one.source();
    const page = await browser.newPage();
    await openSignedIn(page, two, `/live?sourceId=${source.id}`);
    await page.getByText('Waiting for events').waitFor();
    expect((await one.send(source, 'track', { userId: 'u' })).status).toBe(400);
    await page.getByText('event_required').first().waitFor();
  });
});
