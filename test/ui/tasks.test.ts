import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Audience, Destination, DestinationOverview, Overview } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import { type Service, startService } from '../system/kit/service.ts';
import { openSignedIn } from './kit.ts';

/** What people come for, from the overview on, with no more clicks than it is worth. */

const browser = openBrowser();

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

interface World {
  readonly service: Service;
  readonly receiver: Receiver;
  readonly crm: Destination;
}

/** A shop whose events a destination refuses for good. */
async function shop(): Promise<World> {
  const service = await startService({ MILLRACE_DELIVERY_TIMEOUT: '200ms' }, { mayLogErrors: true });
  const receiver = await receive(({ path }) => (path === '/hangs' ? 'hang' : 401));
  const source = await service.source({ name: 'Web shop' });
  const crm = await service.destination(source, receiver.url('/refuses'), { name: 'CRM' });
  await service.destination(source, receiver.url('/hangs'), { name: 'Warehouse' });
  await service.accept(source, { userId: 'ada', traits: { email: 'ada@shop.example' } }, 'identify');
  await service.accept(source, { userId: 'ada', event: 'Order Completed', properties: { orderNumber: 123 } });
  await service.accept(source, { userId: 'bob', event: 'Order Completed', properties: { orderNumber: 99 } });
  await service.settled(crm, 3);
  // What is wrong stands above what is clicked: a page that is told of it later moves.
  await eventually(
    () => service.must<Overview>('GET', '/api/overview'),
    ({ problems }) => problems.length === 2,
  );
  return { service, receiver, crm };
}

async function destinationOnceItSays(
  { service }: World,
  id: string,
  reached: (overview: DestinationOverview) => boolean,
): Promise<void> {
  await eventually(() => service.must<DestinationOverview>('GET', `/api/destinations/${id}/overview`), reached);
}

test('the first delivery takes at most 12 clicks', async () => {
  const service = await startService();
  const receiver = await receive();
  const { page, click, type, clicks } = await handAt(service);
  await type(field(page, 'Name'), 'Web shop');
  await click(button(page, 'Create source'));
  await click(link(page, 'Set up a destination'));
  await type(field(page, 'Name'), 'CRM');
  await click(button(page, 'Continue'));
  await click(page.getByRole('checkbox', { name: 'Web shop' }));
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

test('order 123 is found by its number in at most 3', async () => {
  const { service } = await shop();
  const { page, click, search, clicks } = await handAt(service);
  await search('123');
  await click(page.getByRole('option').filter({ hasText: '"orderNumber":123' }));
  await heading(page, 'Order Completed').waitFor();
  await page.getByText('ada', { exact: true }).first().waitFor();
  expect(clicks()).toBeLessThanOrEqual(3);
});

test('why a destination fails is seen after at most 2, whether it refuses or hangs', async () => {
  const world = await shop();
  const { items } = await world.service.must<{ items: Destination[] }>('GET', '/api/destinations');
  const said = { CRM: 'Answered 401', Warehouse: 'No response headers came in time' };
  for (const { id, name } of items) {
    await destinationOnceItSays(world, id, ({ errors }) => errors.length > 0);
    const { page, click, clicks } = await handAt(world.service);
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
  const { service, receiver } = await shop();
  receiver.become(() => 200);
  const { page, click, clicks } = await handAt(service);
  await click(page.getByRole('table', { name: 'Destinations' }).getByRole('link', { name: 'CRM' }));
  await click(link(page, 'Send again what failed in the last hour'));
  const replay = page.getByRole('region', { name: 'Send again' });
  await click(replay.getByRole('button', { name: 'Count them' }));
  await click(replay.getByRole('button', { name: 'Send 3 again' }));
  await replay.getByText('Done: 3 delivered.').waitFor();
  expect(clicks()).toBeLessThanOrEqual(5);
});

test('a secret is replaced in at most 5', async () => {
  const { service, crm } = await shop();
  await service.must('PATCH', `/api/destinations/${crm.id}`, { settings: { sharedSecret: 'as it was before' } });
  const { page, click, clicks } = await handAt(service);
  await click(page.getByRole('table', { name: 'Destinations' }).getByRole('link', { name: 'CRM' }));
  await click(page.locator('main').getByRole('link', { name: 'Settings' }));
  const secret = page.getByRole('region', { name: 'Shared secret' });
  await click(secret.getByRole('button', { name: 'Generate' }));
  await click(button(page, 'Save settings'));
  await click(page.getByRole('dialog').getByRole('button', { name: 'Replace' }));
  await eventually(
    () => service.must<Destination>('GET', `/api/destinations/${crm.id}`),
    ({ revision }) => revision > crm.revision,
  );
  expect(clicks()).toBeLessThanOrEqual(5);
});

test('a URL is changed in at most 3', async () => {
  const { service, crm, receiver } = await shop();
  const { page, click, clicks } = await handAt(service);
  await click(page.getByRole('table', { name: 'Destinations' }).getByRole('link', { name: 'CRM' }));
  await click(page.getByRole('link', { name: `Change ${receiver.url('/refuses')}` }));
  const url = field(page, 'URL');
  await url.and(page.locator(':focus')).waitFor();
  await url.fill(receiver.url('/moved'));
  await click(button(page, 'Save settings'));
  await expect
    .poll(async () => (await service.must<Destination>('GET', `/api/destinations/${crm.id}`)).settings.webhooks[0]?.url)
    .toBe(receiver.url('/moved'));
  expect(clicks()).toBeLessThanOrEqual(3);
});

test('an audience is put into words in at most 12', async () => {
  const { service } = await shop();
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
  expect(items[0]?.definition).toEqual({ all: [orders] });
  expect(clicks()).toBeLessThanOrEqual(12);
});

test('why she is in an audience is answered after at most 3', async () => {
  const { service } = await shop();
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
  const { service, receiver } = await shop();
  receiver.become(() => 200);
  const { page, click, type, clicks } = await handAt(service);
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
