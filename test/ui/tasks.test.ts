import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Audience, Destination, DestinationOverview, Overview } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { Receiver, receive, type Script } from '../system/kit/receiver.ts';
import { type Service, sharedService, startService } from '../system/kit/service.ts';
import { openSignedIn } from './kit.ts';

/** What people come for, from the overview on, with no more clicks than it is worth. */

const HASTY = { MILLRACE_DELIVERY_TIMEOUT: '200ms' };

/** For tests after which its events are as they were. */
const service = sharedService(HASTY, { mayLogErrors: true });
const browser = openBrowser(service);

/** A page whose clicks and shortcuts are counted. A field that has the focus already needs no click. */
interface Hand {
  readonly page: Page;
  readonly click: (target: Locator) => Promise<void>;
  readonly type: (target: Locator, text: string) => Promise<void>;
  readonly choose: (target: Locator, option: string) => Promise<void>;
  readonly search: (text: string) => Promise<void>;
  readonly clicks: () => number;
}

async function handAt(service: Service): Promise<Hand> {
  const page = await browser.newPage({ width: 1440, height: 900 });
  await openSignedIn(page, service);
  let clicks = 0;
  const click = async (target: Locator): Promise<void> => {
    clicks += 1;
    await target.click();
  };
  return {
    page,
    click,
    type: async (target, text) => {
      await target.waitFor();
      if ((await target.and(page.locator(':focus')).count()) === 0) await click(target);
      await page.keyboard.insertText(text);
    },
    choose: async (target, option) => {
      clicks += 2;
      await target.selectOption(option);
    },
    search: async (text) => {
      clicks += 1;
      await page.keyboard.press('Control+K');
      await page.locator('[role=combobox]:focus').waitFor();
      await page.keyboard.insertText(text);
    },
    clicks: () => clicks,
  };
}

const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name });
const link = (page: Page, name: string): Locator => page.getByRole('link', { name, exact: true });
const field = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
const inNavigation = (page: Page, name: string): Locator => link(page, name).locator('visible=true').first();
const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name });

const REFUSES: Script = ({ path }) => (path === '/hangs' ? 'hang' : 401);

/** A shop whose events are refused for good by one destination, which this answers, and are not answered by the other. */
async function makeShop(of: Service, receiver: Receiver): Promise<Destination> {
  const source = await of.source({ name: 'Web shop' });
  const crm = await of.destination(source, receiver.url('/refuses'), { name: 'CRM' });
  const warehouse = await of.destination(source, receiver.url('/hangs'), { name: 'Warehouse' });
  await of.accept(source, { userId: 'ada', traits: { email: 'ada@shop.example' } }, 'identify');
  await of.accept(source, { userId: 'ada', event: 'Order Completed', properties: { orderNumber: 123 } });
  await of.accept(source, { userId: 'bob', event: 'Order Completed', properties: { orderNumber: 99 } });
  for (const each of [crm, warehouse]) await of.settled(each, 3);
  // What is wrong stands above what is clicked: a page that is told of it later moves.
  await eventually(
    () => of.must<Overview>('GET', '/api/overview'),
    ({ problems }) => problems.length === 2,
  );
  return crm;
}

const refusing = new Receiver(REFUSES);
let crm: Destination;

beforeAll(async () => {
  await refusing.listen();
  crm = await makeShop(service, refusing);
});
afterAll(() => refusing.close());

/** For a test that changes what became of them. From now on its receiver takes everything. */
async function ownShop(): Promise<Service> {
  const own = await startService(HASTY, { mayLogErrors: true });
  const receiver = await receive(REFUSES);
  await makeShop(own, receiver);
  receiver.become(() => 200);
  return own;
}

test('the first delivery takes at most 12 clicks', async () => {
  const own = await startService();
  const receiver = await receive();
  const { page, click, type, clicks } = await handAt(own);
  await type(field(page, 'Name'), 'Web shop');
  await click(button(page, 'Create source'));
  await click(link(page, 'Set up a destination'));
  await type(field(page, 'Name'), 'CRM');
  await click(button(page, 'Continue'));
  await page.getByRole('checkbox', { name: 'Web shop', checked: true }).waitFor();
  await click(button(page, 'Continue'));
  await type(field(page, 'URL'), receiver.url('/hook'));
  await click(button(page, 'Continue'));
  await page.getByRole('heading', { level: 2, name: 'Shared secret' }).waitFor();
  await click(button(page, 'Continue'));
  await click(button(page, 'Create and switch on'));
  await click(button(page, 'Send the test event'));
  await page.getByText(/It has arrived at “CRM”/).waitFor();
  expect(receiver.arrivals).toHaveLength(1);
  expect(clicks()).toBeLessThanOrEqual(12);
});

test('order 123 is found by its number in at most 3, below thousands of newer events with longer numbers', async () => {
  const own = await startService();
  const source = await own.source();
  const order = { userId: 'ada', event: 'Order Completed', properties: { orderNumber: 123 } };
  await own.accept(source, order);
  for (let i = 0; i < 4000; i += 500) {
    const numbers = Array.from(
      { length: 500 },
      (_, j) => [`0123${i + j}`, 12_300_000 + i + j, `ORD-123-${i + j}`][j % 3],
    );
    const batch = numbers.map((orderNumber) => ({
      type: 'track',
      event: 'Viewed',
      userId: 'bob',
      properties: { orderNumber },
    }));
    await own.send(source, 'batch', { batch });
  }
  const { page, click, search, clicks } = await handAt(own);
  await search('123');
  await click(page.getByRole('option').first().filter({ hasText: '"orderNumber":123' }));
  await heading(page, 'Order Completed').waitFor();
  await page.getByText('ada', { exact: true }).first().waitFor();
  expect(clicks()).toBeLessThanOrEqual(3);
});

test('why a destination fails is seen after at most 2, whether it refuses or hangs', async () => {
  const { items } = await service.must<{ items: Destination[] }>('GET', '/api/destinations');
  const said = { CRM: 'Answered 401', Warehouse: 'No response headers came in time' };
  for (const { id, name } of items) {
    await eventually(
      () => service.must<DestinationOverview>('GET', `/api/destinations/${id}/overview`),
      ({ errors }) => errors.length > 0,
    );
    const { page, click, clicks } = await handAt(service);
    await click(page.getByRole('table', { name: 'Destinations' }).getByRole('link', { name }));
    const errors = page.getByRole('region', { name: 'Errors of the last hour' });
    await errors
      .getByText(said[name as keyof typeof said])
      .first()
      .waitFor();
    expect(clicks()).toBeLessThanOrEqual(2);
  }
});

test('what failed in the last hour is sent again in at most 5', async () => {
  const own = await ownShop();
  const { page, click, clicks } = await handAt(own);
  await click(page.getByRole('table', { name: 'Destinations' }).getByRole('link', { name: 'CRM' }));
  await click(link(page, 'Send again what failed in the last hour'));
  const replay = page.getByRole('region', { name: 'Send again' });
  await click(replay.getByRole('button', { name: 'Count them' }));
  await click(replay.getByRole('button', { name: 'Send 3 again' }));
  await replay.getByText('Done: 3 delivered.').waitFor();
  expect(clicks()).toBeLessThanOrEqual(5);
});

test('a secret is replaced in at most 5', async () => {
  const before = { settings: { sharedSecret: 'as it was before' } };
  const { revision } = await service.must<Destination>('PATCH', `/api/destinations/${crm.id}`, before);
  const { page, click, clicks } = await handAt(service);
  await click(page.getByRole('table', { name: 'Destinations' }).getByRole('link', { name: 'CRM' }));
  await click(page.locator('main').getByRole('link', { name: 'Settings' }));
  const secret = page.getByRole('region', { name: 'Shared secret' });
  await click(secret.getByRole('button', { name: 'Generate' }));
  await click(button(page, 'Save settings'));
  await click(page.getByRole('dialog').getByRole('button', { name: 'Replace' }));
  await eventually(
    () => service.must<Destination>('GET', `/api/destinations/${crm.id}`),
    (replaced) => replaced.revision > revision,
  );
  expect(clicks()).toBeLessThanOrEqual(5);
});

test('a URL is changed in at most 3', async () => {
  const { page, click, clicks } = await handAt(service);
  await click(page.getByRole('table', { name: 'Destinations' }).getByRole('link', { name: 'CRM' }));
  await click(page.getByRole('link', { name: `Change ${refusing.url('/refuses')}` }));
  const url = field(page, 'URL');
  await url.and(page.locator(':focus')).waitFor();
  await url.fill(refusing.url('/moved'));
  await click(button(page, 'Save settings'));
  await expect
    .poll(async () => (await service.must<Destination>('GET', `/api/destinations/${crm.id}`)).settings.webhooks[0]?.url)
    .toBe(refusing.url('/moved'));
  expect(clicks()).toBeLessThanOrEqual(3);
});

test('an audience is put into words in at most 12', async () => {
  const { page, click, type, choose, clicks } = await handAt(service);
  await click(inNavigation(page, 'Audiences'));
  await click(link(page, 'New audience'));
  await type(field(page, 'Name'), 'Big orders');
  await type(page.locator('input[aria-label="Event name"]'), 'Order Completed');
  await click(button(page, 'where'));
  await type(page.locator('input[aria-label="Property"]'), 'orderNumber');
  await choose(page.getByLabel('Test'), 'is at least');
  await type(page.locator('input[aria-label="Value"]'), '100');
  await click(button(page, 'Create audience'));
  await heading(page, 'Big orders').waitFor();
  const { items } = await service.must<{ items: Audience[] }>('GET', '/api/audiences');
  const orders = { event: { name: 'Order Completed', where: [{ property: 'orderNumber', is: { atLeast: 100 } }] } };
  expect(items.find(({ name }) => name === 'Big orders')?.definition).toEqual({ all: [orders] });
  expect(clicks()).toBeLessThanOrEqual(12);
});

test('why she is in an audience is answered after at most 3', async () => {
  const definition = { event: { name: 'Order Completed' } };
  const { id } = await service.must<Audience>('POST', '/api/audiences', { name: 'Buyers', definition });
  await eventually(
    () => service.must<Audience>('GET', `/api/audiences/${id}`),
    ({ state }) => state === 'live',
  );
  const { page, click, search, clicks } = await handAt(service);
  await search('ada@');
  await click(page.getByRole('option', { name: /ada@shop/ }).first());
  await click(page.getByRole('link', { name: 'Why in Buyers?' }));
  const why = page.getByRole('region', { name: 'Why' });
  await why.getByText('1 event counts').waitFor();
  expect(clicks()).toBeLessThanOrEqual(3);
});

test('a person is deleted, with the report of it, in at most 8', async () => {
  const own = await ownShop();
  const { page, click, type, clicks } = await handAt(own);
  await click(inNavigation(page, 'Deletion'));
  await click(link(page, 'New deletion'));
  await type(field(page, 'User ids'), 'ada');
  await click(button(page, 'Delete 1 user…'));
  const dialog = page.getByRole('dialog');
  await type(dialog.getByRole('textbox'), 'delete 1 user');
  await click(dialog.getByRole('button', { name: 'Delete 1 user' }));
  await page
    .getByText(/^finished/)
    .first()
    .waitFor();
  const download = page.waitForEvent('download');
  await click(link(page, 'Download the report'));
  expect((await download).suggestedFilename()).toMatch(/\.json$/);
  expect(clicks()).toBeLessThanOrEqual(8);
});
