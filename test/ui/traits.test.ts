import { expect, test } from 'vitest';
import type {
  ComputedTrait,
  Destination,
  Page as List,
  PeopleStatus,
  Source,
  TraitDefinition,
} from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { receive } from '../system/kit/receiver.ts';
import { type Service, sharedService, startService } from '../system/kit/service.ts';
import { expectOpenWellMade, expectWellMade, openAsViewer, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

const HOSTILE = `<img src="x" onerror="document.title='taken'">`;

const REVENUE: TraitDefinition = { compute: { sum: 'total' }, event: { name: 'Order Completed' } };

/** Three people: ada ordered for 30 and 12.5, bob for 7, cy never did. */
async function people(of: Service): Promise<Source> {
  const source = await of.source();
  for (const [userId, total] of [
    ['ada', 30],
    ['ada', 12.5],
    ['bob', 7],
  ] as const) {
    await of.accept(source, { userId, event: 'Order Completed', properties: { total } });
  }
  await of.accept(source, { userId: 'cy', event: 'Product Viewed' });
  await eventually(
    () => of.must<PeopleStatus>('GET', '/api/profiles/status'),
    ({ persons, lag }) => persons >= 3 && lag === 0,
  );
  return source;
}

async function trait(of: Service, name: string, definition: TraitDefinition = REVENUE): Promise<ComputedTrait> {
  const { id } = await of.must<ComputedTrait>('POST', '/api/traits', { name, definition });
  return eventually(
    () => of.must<ComputedTrait>('GET', `/api/traits/${id}`),
    ({ state }) => state === 'live',
  );
}

test('a computed trait is put together, its values are seen while it is, and it is saved, told and changed', async () => {
  const own = await startService();
  const source = await people(own);
  const receiver = await receive();
  await own.must('POST', '/api/destinations', {
    name: 'CRM',
    type: 'Webhooks',
    settings: { webhooks: [{ url: receiver.url() }] },
  });
  const page = await browser.newPage({ width: 1440 });
  await openSignedIn(page, own, '/traits');
  await page.getByText('No computed trait yet').waitFor();
  await page.getByRole('link', { name: 'New computed trait' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Revenue last 90 days');
  const words = page.getByRole('group', { name: 'Computation' });
  await words.locator('input[aria-label="Event name"]').fill('Order Completed');
  const property = words.locator('input[aria-label="Property"]');
  await page.getByRole('button', { name: 'Create computed trait' }).click();
  await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe('Property');
  await page.getByText('Name the property').waitFor();
  const option = page.locator('[role="option"]:visible');
  await expect.poll(() => option.allInnerTexts()).toEqual(['total\n3 of 3']);
  expect(await axe(page)).toEqual([]);
  await property.press('ArrowDown');
  await property.press('Enter');
  expect(await property.inputValue()).toBe('total');
  await words.getByLabel('When').selectOption('in the last');
  expect(await words.getByLabel('How many').inputValue()).toBe('30');
  await words.getByLabel('How many').fill('90');
  const values = page.getByRole('list', { name: 'Values of some persons' });
  await values.getByText('42.5').waitFor();
  await values.getByText('7', { exact: true }).waitFor();
  expect(await values.getByRole('link').count()).toBe(2);
  await page.getByText('revenue_last_90days').waitFor();
  expect(await page.getByLabel('Key').inputValue()).toBe('revenue_last_90days');
  await words.getByLabel('Computation', { exact: true }).selectOption('the largest');
  await values.getByText('30', { exact: true }).waitFor();
  await page.getByLabel('Key').fill('best_order');
  await page.getByRole('combobox', { name: 'Its calls go to' }).click();
  await page.getByRole('option', { name: 'CRM' }).click();
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create computed trait' }).click();

  await page.getByRole('heading', { level: 1, name: 'Revenue last 90 days' }).waitFor();
  await page.getByRole('region', { name: 'What is computed' }).getByText('the largest total').waitFor();
  const [saved] = (await own.must<List<ComputedTrait>>('GET', '/api/traits')).items;
  expect(saved).toMatchObject({
    key: 'best_order',
    definition: { compute: { max: 'total' }, event: { name: 'Order Completed' }, during: { lastDays: 90 } },
  });
  const told = await receiver.waitFor(2);
  expect(told.map(({ message }) => message['traits'])).toContainEqual({ best_order: 30 });

  await own.accept(source, { userId: 'cy', event: 'Order Completed', properties: { total: 99 } });
  await page.getByRole('region', { name: 'Size', exact: true }).getByText('3', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Values' }).click();
  const row = page.getByRole('table', { name: 'persons with a value' }).getByRole('row', { name: /cy/ });
  await row.getByText('99').waitFor();
  await page.getByRole('link', { name: 'Sent' }).click();
  await page.getByRole('table', { name: 'Sent messages' }).getByRole('link', { name: 'cy' }).waitFor();

  await page.getByRole('link', { name: 'Edit' }).click();
  await words.getByLabel('Computation', { exact: true }).selectOption('the number');
  expect(await page.getByLabel('Key').isEditable()).toBe(false);
  await page.getByRole('button', { name: 'Save computed trait' }).click();
  await page.getByRole('region', { name: 'What is computed' }).getByText('the number of Order Completed').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Revenue last 90 days' }).waitFor();
  const changed = await own.must<ComputedTrait>('GET', `/api/traits/${saved?.id}`);
  expect(changed.definition.compute).toEqual({ count: true });
});

test('a key that is taken is refused at its field, and nothing that was entered is lost', async () => {
  await trait(service, 'Revenue');
  await service.accept(await service.source(), { userId: 'u', traits: { revenue: 12 } }, 'identify');
  await eventually(
    () => service.api('GET', '/api/people/u'),
    ({ status }) => status === 200,
  );
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, service, '/traits/new');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Revenue');
  const words = page.getByRole('group', { name: 'Computation' });
  await words.locator('input[aria-label="Property"]').fill('total');
  await words.locator('input[aria-label="Event name"]').fill('Order Completed');
  await page.getByText('Your calls send a trait revenue already').waitFor();
  await page.getByRole('button', { name: 'Create computed trait' }).click();
  await page.getByText('Not saved. One field is marked').waitFor();
  await page.getByText(/is the key of another audience or trait/).waitFor();
  expect(await page.getByLabel('Key').getAttribute('aria-invalid')).toBe('true');
  await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("data-path")')).toBe('key');
  expect(await words.locator('input[aria-label="Property"]').inputValue()).toBe('total');

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('dialog', { name: 'Leave the computed trait?' }).getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { level: 1, name: /Millrace|Overview/ }).waitFor();
});

test('a new computed trait that is as it began is left without a question', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/traits/new');
  const kind = page.getByLabel('Kind of event');
  await kind.selectOption('views of a page');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Stay here' }).click();
  await kind.selectOption('the event');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { level: 1, name: 'Computed traits' }).waitFor();
});

test('numbers that can not be read any more are not shown as new', async () => {
  await people(service);
  const { id } = await trait(service, 'Unread');
  const page = await browser.newPage({ mayLog: [/status of 500/] });
  await openSignedIn(page, service, `/traits/${id}`);
  await page.getByText('every change is followed as it happens').waitFor();
  const detail = 'Storage does not answer.';
  const body = JSON.stringify({ code: 'internal', title: 'Internal', status: 500, detail });
  await page.route(/api.(traits|watch)/, (route) =>
    route.fulfill({ status: 500, contentType: 'application/problem+json', body }),
  );
  await page.evaluate("dispatchEvent(new Event('offline'))");
  await page.getByRole('alert').getByText(detail).first().waitFor();
});

test('a destination is connected and disconnected, and the trait deleted by its name', async () => {
  const own = await startService();
  const { id } = await trait(own, 'Revenue');
  await own.must('POST', '/api/destinations', {
    name: 'CRM',
    type: 'Webhooks',
    settings: { webhooks: [{ url: 'http://127.0.0.1:9/' }] },
  });
  const connected = async (): Promise<number> =>
    (await own.must<ComputedTrait>('GET', `/api/traits/${id}`)).destinationIds.length;
  const page = await browser.newPage();
  await openSignedIn(page, own, `/traits/${id}`);
  await page.getByRole('combobox', { name: 'Connect a destination' }).click();
  await page.getByRole('option', { name: 'CRM' }).click();
  await page.getByRole('button', { name: 'Disconnect CRM' }).click();
  expect(await connected()).toBe(1);
  const dialog = page.getByRole('dialog', { name: 'Disconnect “CRM” from “Revenue”?' });
  await expectOpenWellMade(dialog, 'disconnect');
  await dialog.getByRole('button', { name: 'Disconnect' }).click();
  await expect.poll(connected).toBe(0);

  await page.getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete the computed trait “Revenue”?' });
  await question.getByLabel(/^Type/).fill('Revenue');
  await question.getByRole('button', { name: 'Delete the computed trait' }).click();
  await page.getByText('No computed trait yet').waitFor();
});

test('a page that is behind connects one destination, and brings back none that a colleague has disconnected', async () => {
  const { id, sourceId } = await trait(service, 'Followed');
  const [crm, mail] = await Promise.all(
    ['CRM', 'Mail'].map((name) =>
      service.must<Destination>('POST', '/api/destinations', {
        ...{ name, type: 'Webhooks', sourceIds: name === 'CRM' ? [sourceId] : [] },
        settings: { webhooks: [{ url: 'http://127.0.0.1:9/' }] },
      }),
    ),
  );
  const page = await browser.newPage();
  // What this page knows, it learned at its start.
  await page.addInitScript('window.EventSource = class extends EventTarget { close() {} }');
  await openSignedIn(page, service, `/traits/${id}`);
  await page.getByRole('button', { name: 'Disconnect CRM' }).waitFor();
  await service.must('PATCH', `/api/destinations/${crm?.id}`, { sourceIds: [] });
  await page.getByRole('combobox', { name: 'Connect a destination' }).click();
  await page.getByRole('option', { name: 'Mail' }).click();
  await page.getByRole('button', { name: 'Disconnect Mail' }).waitFor();
  expect((await service.must<ComputedTrait>('GET', `/api/traits/${id}`)).destinationIds).toEqual([mail?.id]);
});

test('a viewer looks and changes nothing', async () => {
  const { id } = await trait(service, 'Looked at');
  const page = await browser.newPage();
  await openAsViewer(page, service, `/traits/${id}`);
  await page.getByText('the sum').waitFor();
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  await page.goto(`${service.url}/traits/new`);
  await page.getByText('Only admins change computed traits').waitFor();
});

const PAGES = [
  { name: 'traits', path: '', shown: `T ${HOSTILE}` },
  { name: 'trait', path: '/ID', shown: 'Size, 30 days' },
  { name: 'trait-values', path: '/ID/values', shown: HOSTILE },
  { name: 'trait-sent', path: '/ID/sent', shown: 'user-1' },
  { name: 'trait-edit', path: '/ID/edit', shown: HOSTILE },
];

test('the pages of computed traits are well made', async () => {
  const own = await startService();
  const source = await own.source();
  await own.accept(source, { userId: 'user-1', event: 'Viewed', properties: { name: HOSTILE } });
  const { id } = await trait(own, `T ${HOSTILE}`, { compute: { uniqueList: 'name' }, event: { name: 'Viewed' } });
  await eventually(
    () => own.must<ComputedTrait>('GET', `/api/traits/${id}`),
    ({ size }) => size === 1,
  );
  for (const { name, path, shown } of PAGES) {
    await expectWellMade(browser, own, `/traits${path.replace('ID', id)}`, {
      name,
      ready: (page) => page.locator('main').getByText(shown).first().waitFor(),
    });
  }
});
