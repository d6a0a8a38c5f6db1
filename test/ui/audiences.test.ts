import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type {
  Audience,
  Condition,
  Page as List,
  PeopleStatus,
  Source,
} from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { receive } from '../system/kit/receiver.ts';
import { type Service, sharedService, startService } from '../system/kit/service.ts';
import { expectNoSidewaysScroll, expectOpenWellMade, expectWellMade, openAsViewer, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);
/** With twelve people, and what its tests add to them, in their order. */
const populated = sharedService();
let source: Source;

beforeAll(async () => {
  source = await people(populated);
});

const HOSTILE = `<img src="x" onerror="document.title='taken'">`;

const ORDERED: Condition = { event: { name: 'Order Completed' } };

/** Twelve people: all ordered, the pros among them are 0, 3, 6 and 9, and ordered for 10 times their number. */
async function people(of: Service): Promise<Source> {
  const source = await of.source();
  for (let i = 0; i < 12; i += 1) {
    const userId = `user-${i}`;
    await of.accept(source, { userId, traits: { plan: i % 3 === 0 ? 'pro' : 'free' } }, 'identify');
    await of.accept(source, { userId, event: 'Order Completed', properties: { total: i * 10 } });
  }
  await eventually(
    () => of.must<PeopleStatus>('GET', '/api/profiles/status'),
    ({ persons, lag }) => persons >= 12 && lag === 0,
  );
  return source;
}

async function audience(of: Service, name: string, definition: Condition = ORDERED): Promise<Audience> {
  const { id } = await of.must<Audience>('POST', '/api/audiences', { name, definition });
  return eventually(
    () => of.must<Audience>('GET', `/api/audiences/${id}`),
    ({ state }) => state === 'live',
  );
}

function condition(page: Page, number: string): Locator {
  return page.getByRole('group', { name: `Condition ${number}`, exact: true });
}

/** What is typed into; its list of proposals has the same name. */
function field(within: Locator, label: string): Locator {
  return within.locator(`input[aria-label="${label}"]`);
}

/** What has the focus, by its label. */
function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement?.getAttribute("aria-label")');
}

const liveSize = (page: Page): Locator => page.getByRole('region', { name: 'Live size' });

/** The first of the file: nothing is there yet. */
test('nothing yet: the list explains itself', async () => {
  const page = await browser.newPage({ mayLog: [/status of 404/] });
  await openSignedIn(page, service, '/audiences');
  await page.getByText('No audience yet').waitFor();
  expect(await axe(page)).toEqual([]);
});

test('fields suggest what calls said, with how often, and by keyboard alone', async () => {
  const member = { userId: 'user-1', groupId: 'acme', traits: { seats: 5 } };
  await populated.accept(source, member, 'group');
  await populated.accept(source, { userId: 'user-1', event: 'Joined', properties: { is: true, code: '7' } });
  await eventually(
    () => populated.must<PeopleStatus>('GET', '/api/profiles/status'),
    ({ lag }) => lag === 0,
  );
  const page = await browser.newPage({ width: 1440 });
  await openSignedIn(page, populated, '/audiences/new');
  const options = page.locator('[role="option"]:visible');
  const first = condition(page, '1');
  await field(first, 'Event name').focus();
  await options.first().waitFor();
  expect(await options.allInnerTexts()).toEqual(['Order Completed\n12 in 7 days', 'Joined\n1 in 7 days']);
  await page.getByText('By how often in the last 7 days').waitFor();
  expect(await axe(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 900 });
  await options.first().waitFor();
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('ArrowDown');
  expect(await namedBy(field(first, 'Event name'), 'aria-activedescendant')).toBe('Order Completed\n12 in 7 days');
  await page.keyboard.press('Enter');
  expect(await field(first, 'Event name').inputValue()).toBe('Order Completed');

  await first.getByRole('button', { name: 'where' }).press('Enter');
  await field(first, 'Property').focus();
  await page.getByText('In the newest 12 of these events').waitFor();
  expect(await options.allInnerTexts()).toEqual(['total\n12 of 12']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await field(first, 'Value').focus();
  await page.keyboard.type('11');
  await expect.poll(() => options.allInnerTexts()).toEqual(['110\n1 of 12']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await first.getByLabel('Type of value').inputValue()).toBe('number');
  await liveSize(page).getByText('8.3% of 12 persons').waitFor();

  // A value that leaves nothing to type into, and a text that looks like a number.
  await field(first, 'Event name').fill('Joined');
  await field(first, 'Property').fill('is');
  await field(first, 'Value').fill('');
  await expect.poll(() => options.allInnerTexts()).toEqual(['true\n1 of 1']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('Type of value');
  expect(await first.getByLabel('Type of value').inputValue()).toBe('true');
  await first.getByLabel('Type of value').selectOption('text');
  await field(first, 'Property').fill('code');
  await field(first, 'Value').focus();
  await expect.poll(() => options.allInnerTexts()).toEqual(['“7”\n1 of 1']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await first.getByLabel('Type of value').inputValue()).toBe('text');
  await liveSize(page).getByText('8.3% of 12 persons').waitFor();

  await first.getByLabel('Kind of condition').selectOption('trait');
  await field(first, 'Trait').focus();
  await expect.poll(() => options.allInnerTexts()).toEqual(['plan\n12 of 12']);
  await field(first, 'Trait').fill('plan');
  await field(first, 'Value').focus();
  await expect.poll(() => options.allInnerTexts()).toEqual(['free\n8 of 12', 'pro\n4 of 12']);
  await page.getByText('In the newest 12 persons with traits').waitFor();
  await first.getByLabel('Test').selectOption('is at least');
  await field(first, 'Value').focus();
  await expect.poll(() => options.count()).toBe(0);
  await first.getByLabel('Kind of condition').selectOption('group trait');
  await field(first, 'Trait').fill('');
  await expect.poll(() => options.allInnerTexts()).toEqual(['seats\n1 of 1']);
});

test('an audience of three conditions is put together, counted while it is, saved, followed and explained', async () => {
  const receiver = await receive();
  await populated.must('POST', '/api/destinations', {
    name: 'CRM',
    type: 'Webhooks',
    settings: { webhooks: [{ url: receiver.url() }] },
  });
  const page = await browser.newPage({ width: 1440 });
  await openSignedIn(page, populated, '/audiences');
  await page.getByRole('link', { name: 'New audience' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Pro customers last 30 days');

  await field(condition(page, '1'), 'Event name').fill('Order Completed');
  await condition(page, '1').getByRole('button', { name: 'where' }).click();
  const where = condition(page, '1').getByRole('group', { name: 'Property 1' });
  await field(where, 'Property').fill('total');
  await where.getByLabel('Test').selectOption('is at least');
  await where.getByLabel('Value').fill('30');
  await liveSize(page).getByText('75.0% of 12 persons').waitFor();

  await page.getByRole('button', { name: 'Add condition' }).click();
  await condition(page, '2').getByLabel('Kind of condition').selectOption('trait');
  await field(condition(page, '2'), 'Trait').fill('plan');
  await condition(page, '2').getByLabel('Value', { exact: true }).fill('pro');
  await liveSize(page).getByText('25.0% of 12 persons').waitFor();
  expect(await liveSize(page).getByRole('link').allInnerTexts()).toEqual(['user-3', 'user-6', 'user-9']);
  await page.getByText('pro_customers_last_30days').waitFor();

  await page.getByRole('button', { name: 'Add condition' }).click();
  await condition(page, '3').getByRole('button', { name: 'Not: turn condition 3 into its opposite' }).click();
  await field(condition(page, '3'), 'Event name').fill('Refunded');
  await page.getByRole('combobox', { name: 'Its calls go to' }).click();
  await page.getByRole('option', { name: 'CRM' }).click();
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create audience' }).click();

  await page.getByRole('heading', { level: 1, name: 'Pro customers last 30 days' }).waitFor();
  await page.getByRole('region', { name: 'Size', exact: true }).getByText('3', { exact: true }).waitFor();
  await page.getByRole('img', { name: 'Size, 30 days: members: at most 3' }).waitFor();
  const [saved] = (await populated.must<List<Audience>>('GET', '/api/audiences')).items;
  expect(saved?.key).toBe('pro_customers_last_30days');
  expect(saved?.definition).toEqual({
    all: [
      { event: { name: 'Order Completed', where: [{ property: 'total', is: { atLeast: 30 } }] } },
      { trait: 'plan', is: { equals: 'pro' } },
      { not: { event: { name: 'Refunded' } } },
    ],
  });
  const [first] = await receiver.waitFor(3);
  expect(first?.message['traits']).toEqual({ pro_customers_last_30days: true });

  await page.getByRole('link', { name: 'Members' }).click();
  const members = page.getByRole('table', { name: 'members' });
  await members.getByRole('link', { name: 'user-6', exact: true }).waitFor();
  await members
    .getByRole('row', { name: /user-6/ })
    .getByRole('link', { name: 'why in?' })
    .click();
  const why = page.getByRole('region', { name: 'Why' });
  await why.getByText('in', { exact: true }).waitFor();
  await why.getByText('1 event counts').waitFor();

  await populated.accept(source, { userId: 'user-6', event: 'Refunded' });
  await why.getByText('out', { exact: true }).waitFor();
  expect(await axe(page)).toEqual([]);
  await page.getByRole('link', { name: 'Sent' }).click();
  await page.getByRole('table', { name: 'Sent messages' }).getByRole('link', { name: 'identify' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'identify' }).waitFor();
});

test('members are listed with since when, found by name, and taken along as a file', async () => {
  const { id } = await audience(populated, 'Ordered');
  const traits = { name: '=1+1', email: 'Last@shop.example' };
  await populated.accept(source, { userId: 'last-one', anonymousId: 'device-9', traits }, 'identify');
  await populated.accept(source, { userId: 'last-one', event: 'Order Completed' });
  await eventually(
    () => populated.must<Audience>('GET', `/api/audiences/${id}`),
    ({ size }) => size === 13,
  );
  const page = await browser.newPage();
  await openSignedIn(page, populated, `/audiences/${id}/members`);
  const rows = page.getByRole('table', { name: 'members' }).locator('tbody tr');
  await rows.getByText('Last@shop.example').waitFor();
  expect(await rows.count()).toBe(13);
  const newest = (await rows.first().innerText()).replaceAll(/\s+/g, ' ');
  expect(newest).toMatch(/^last-one device-9 =1\+1 Last@shop\.example .*\d{4}.*why in\?$/);
  await page.getByLabel('Find one of them').fill('last@');
  await page.waitForURL(/members\?text=last/);
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel('Find one of them').fill('user-1');
  await rows.getByRole('link', { name: 'user-11' }).waitFor();
  expect(await rows.count()).toBe(3);
  await page.getByLabel('Find one of them').fill('nobody');
  await page.getByText('No person found').waitFor();
  await page.getByLabel('Find one of them').fill('');
  await rows.nth(12).waitFor();

  const taken = async (format: string): Promise<string> => {
    await page.getByRole('button', { name: 'Export' }).press('Enter');
    const item = page.getByRole('menuitem', { name: format });
    await item.waitFor();
    expect(await axe(page)).toEqual([]);
    await screenshot(page, 'audience-members-export');
    const [file] = await Promise.all([page.waitForEvent('download'), item.press('Enter')]);
    expect(file.suggestedFilename()).toMatch(new RegExp(`^ordered-members-.*\\.${format.toLowerCase()}$`));
    return readFileSync(await file.path(), 'utf8');
  };
  const csv = await taken('CSV');
  expect(csv.split('\r\n')).toHaveLength(15);
  expect(csv).toContain(",Last@shop.example,'=1+1,");
  const lines = (await taken('NDJSON')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).userId)).toContain('last-one');
  await page.goto(`${populated.url}/settings/audit`);
  await page.getByText('exported the members of the audience').first().waitFor();
});

test('conditions are moved, copied, grouped and removed by keyboard, and the focus stays with them', async () => {
  const own = await audience(service, 'Moved', {
    all: [ORDERED, { trait: 'plan', is: { equals: 'pro' } }, { any: [{ groupTrait: 'seats', is: { atLeast: 5 } }] }],
  });
  const page = await browser.newPage({ width: 1440 });
  await openSignedIn(page, service, `/audiences/${own.id}/edit`);
  await page.getByRole('button', { name: 'Move condition 1 down' }).press('Enter');
  await expect.poll(() => focused(page)).toBe('Move condition 2 down');
  await page.keyboard.press('Enter');
  await field(condition(page, '2.1'), 'Event name').waitFor();
  await page.getByRole('button', { name: 'Duplicate condition 2.1' }).press('Enter');
  await field(condition(page, '2.2'), 'Event name').waitFor();
  await page.getByRole('button', { name: 'Remove condition 2.1' }).press('Enter');
  await page.getByLabel('How group 2 is joined').selectOption('all of these');
  await page.getByRole('button', { name: 'Save audience' }).click();
  await page.getByRole('heading', { level: 1, name: 'Moved' }).waitFor();
  const saved = await service.must<Audience>('GET', `/api/audiences/${own.id}`);
  expect(saved.definition).toEqual({
    all: [{ trait: 'plan', is: { equals: 'pro' } }, { all: [ORDERED, { groupTrait: 'seats', is: { atLeast: 5 } }] }],
  });
});

/** The element that an attribute of a field names: what a screen reader reads with it. */
async function namedBy(field: Locator, attribute: string): Promise<string> {
  return field
    .page()
    .locator(`[id="${await field.getAttribute(attribute)}"]`)
    .innerText();
}

const described = (field: Locator): Promise<string> => namedBy(field, 'aria-describedby');

test('what is wrong stands at its field: blanks when it is saved, the rest at once', async () => {
  const page = await browser.newPage({ mayLog: [/status of 400/], width: 1440 });
  await openSignedIn(page, service, '/audiences/new');
  const create = page.getByRole('button', { name: 'Create audience' });
  await page.getByRole('button', { name: 'Add condition' }).click();
  await condition(page, '2').getByLabel('Kind of condition').selectOption('trait');
  await create.click();
  await page.getByText('Not saved. 4 fields are marked').waitFor();
  expect(await page.getByRole('alert').innerText()).toContain('4 fields');
  await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("data-path")')).toBe('name');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Wrong');
  await create.press('Enter');
  await page.getByText('Not saved. 3 fields are marked').waitFor();
  await expect.poll(() => focused(page)).toBe('Event name');
  const event = field(condition(page, '1'), 'Event name');
  expect(await described(event)).toBe('Name the event');
  expect(await described(field(condition(page, '2'), 'Trait'))).toBe('Name the trait');
  const value = field(condition(page, '2'), 'Value');
  expect(await described(value)).toBe('Give a value, or choose “empty text”');
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'audience-gaps-1440');
  await page.setViewportSize({ width: 360, height: 900 });
  await expectNoSidewaysScroll(page);
  await screenshot(page, 'audience-gaps-360');
  await page.setViewportSize({ width: 1440, height: 900 });
  await event.fill('Order Completed');
  expect(await event.getAttribute('aria-invalid')).toBeNull();
  await field(condition(page, '2'), 'Trait').fill('plan');
  await condition(page, '2').getByLabel('Type of value').selectOption('empty text');
  await page.getByText('Not saved').waitFor({ state: 'hidden' });

  await condition(page, '1').getByLabel('When').selectOption('in the last');
  const days = condition(page, '1').getByLabel('How many');
  expect(await days.inputValue()).toBe('30');
  await days.fill('soon');
  expect(await described(days)).toBe('Must be a number');
  await days.fill('999999');
  await condition(page, '1')
    .getByText(/^Must be a whole number of days/)
    .waitFor();
  expect(await days.getAttribute('aria-invalid')).toBe('true');
  expect(await described(days)).toMatch(/^Must be a whole number of days/);
  await liveSize(page).getByText('One thing is wrong: see the marked place.').waitFor();
  await create.click();
  await expect.poll(() => focused(page)).toBe('How many');
  expect(await axe(page)).toEqual([]);

  await condition(page, '1').getByLabel('When').selectOption('between');
  await condition(page, '1').getByLabel('From').fill('2026-02-01T00:00');
  const to = condition(page, '1').getByLabel('To', { exact: true });
  await to.fill('2026-02-01T00:00');
  expect(await described(to)).toBe('Must be later than the beginning');
  await create.click();
  await expect.poll(() => focused(page)).toBe('To');
  await to.press('Home');
  await to.pressSequentially('030120261200AM');
  expect(await to.inputValue()).toBe('2026-03-01T00:00');
  await condition(page, '1').getByLabel('How often').selectOption('at least');
  expect(await condition(page, '1').getByLabel('Times').inputValue()).toBe('2');
  await create.click();
  await page.getByRole('heading', { level: 1, name: 'Wrong' }).waitFor();
  const { items } = await service.must<List<Audience>>('GET', '/api/audiences?limit=500');
  expect(items.find(({ name }) => name === 'Wrong')?.definition).toMatchObject({
    all: [{ count: { atLeast: 2 } }, { trait: 'plan', is: { equals: '' } }],
  });
});

test('a group without a condition, and a definition that is refused as a whole, take the focus too', async () => {
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, service, '/audiences/new');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Empty');
  await page.getByRole('button', { name: 'Remove condition 1' }).click();
  await page.getByRole('button', { name: 'Create audience' }).click();
  await expect
    .poll(() => page.evaluate('document.activeElement?.textContent'))
    .toBe('Add a condition, or remove the group');
  await page.getByText('JSON', { exact: true }).click();
  const json = page.getByLabel('Definition as JSON');
  await json.fill('{"event": {"name": ""}}');
  await page.getByText('event.name:').waitFor();
  await page.getByRole('button', { name: 'Create audience' }).click();
  await expect.poll(() => focused(page)).toBe('Definition as JSON');
  expect(await axe(page)).toEqual([]);
});

test('the JSON is the same as the sentences, and what sentences can not say stays in it', async () => {
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, service, '/audiences/new');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('By JSON');
  await field(condition(page, '1'), 'Event name').fill('Order Completed');
  await page.getByText('JSON', { exact: true }).click();
  const json = page.getByLabel('Definition as JSON');
  expect(JSON.parse(await json.inputValue())).toEqual({ all: [ORDERED] });
  await json.fill('{"all": [');
  await page.getByText('This is no JSON.').waitFor();
  await liveSize(page).getByText('Correct the JSON').waitFor();
  await json.fill('""');
  await page.getByRole('button', { name: 'Create audience' }).click();
  await page.getByText('Must be a condition').waitFor();
  await json.fill('{"all": [{"event": {"name": "Order Completed"}, "during": {"lastWeeks": 2}}]}');
  await page.getByText('all.0.during:').waitFor();
  await page.getByText('Sentences', { exact: true }).click();
  await page.getByText('This JSON can’t be shown as sentences.').waitFor();
  await page.getByText('JSON', { exact: true }).click();
  await json.fill('{"not": {"any": [{"trait": "plan", "is": {"in": ["pro", 1, null]}}]}}');
  await page.getByText('Sentences', { exact: true }).click();
  expect(await field(condition(page, '1'), 'Trait').inputValue()).toBe('plan');
  expect(await condition(page, '1').getByLabel('Value 2', { exact: true }).inputValue()).toBe('1');
  expect(await page.getByRole('button', { name: 'Not: turn the whole' }).getAttribute('aria-pressed')).toBe('true');
  await page.getByRole('button', { name: 'Create audience' }).click();
  await page.getByRole('heading', { level: 1, name: 'By JSON' }).waitFor();
});

test('a sync says how many calls it makes, and an audience that others ask about is not deleted', async () => {
  const own = await audience(service, 'Asked about');
  await audience(service, 'Asker', { audience: own.id });
  const page = await browser.newPage({ mayLog: [/status of 409/] });
  await openSignedIn(page, service, `/audiences/${own.id}`);
  await page.getByRole('button', { name: 'Sync again' }).click();
  const sync = page.getByRole('dialog', { name: 'Sync “Asked about” again?' });
  await sync.getByText(`each of the members who has a user id: ${own.size} at most`).waitFor();
  await expectOpenWellMade(sync, 'sync');
  await sync.getByRole('button', { name: 'Send the calls' }).click();
  await sync.waitFor({ state: 'hidden' });

  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete the audience “Asked about”?' });
  await dialog.getByLabel(/^Type/).fill('Asked about');
  await dialog.getByRole('button', { name: 'Delete the audience' }).click();
  await dialog.getByText(/part of the definition of "Asker"/).waitFor();
  await expectOpenWellMade(dialog, 'delete-audience-refused');
});

test('its source stands apart, and is neither switched nor set up', async () => {
  const own = await audience(service, 'With a source');
  const page = await browser.newPage();
  await openSignedIn(page, service, '/sources');
  const table = page.getByRole('table', { name: 'Sent by this service' });
  await table.getByRole('link', { name: 'With a source' }).click();
  await page.getByRole('heading', { level: 1, name: 'With a source' }).waitFor();
  expect(await page.getByRole('switch').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(1);
  await page.goto(`${service.url}/sources/${own.sourceId}/settings`);
  await page.getByText('Nothing to set up here').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'an audience' }).first().click();
  await page.getByRole('region', { name: 'Who is in' }).waitFor();
});

test('a viewer looks and changes nothing', async () => {
  const { id } = await audience(service, 'Looked at');
  const page = await browser.newPage();
  await openAsViewer(page, service, `/audiences/${id}`);
  await page.getByRole('region', { name: 'Who is in' }).getByText('Order Completed', { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
  for (const name of ['Sync again', 'Delete']) expect(await page.getByRole('button', { name }).count()).toBe(0);
  expect(await page.getByLabel('Connect a destination').count()).toBe(0);
  await page.goto(`${service.url}/audiences/${id}/edit`);
  await page.getByText('Only admins change audiences').waitFor();
});

const PAGES = [
  { name: 'audiences', path: '', shown: `A ${HOSTILE}` },
  { name: 'audience', path: '/ID', shown: 'Size, 30 days' },
  { name: 'audience-edit', path: '/ID/edit', shown: '100%' },
  { name: 'audience-members', path: '/ID/members', shown: 'Find one of them' },
  { name: 'audience-sent', path: '/ID/sent', shown: 'user-1' },
  { name: 'audience-why', path: '/ID/why?person=user-1', shown: 'All of these' },
];

test('the pages of audiences are well made', async () => {
  const own = await startService();
  const source = await own.source();
  await own.accept(source, { userId: 'user-1', event: HOSTILE });
  const { id } = await audience(own, `A ${HOSTILE}`, {
    all: [
      { event: { name: HOSTILE } },
      { not: { trait: 'plan', is: { equals: HOSTILE } } },
      { any: [{ event: { type: 'page' }, count: { exactly: 0 }, during: { from: '2026-01-01' } }, ORDERED] },
    ],
  });
  for (const { name, path, shown } of PAGES) {
    await expectWellMade(browser, own, `/audiences${path.replace('ID', id)}`, {
      name,
      ready: (page) => page.locator('main').getByText(shown).first().waitFor(),
    });
  }
});

test('a name that turns the direction of writing around turns nothing but itself', async () => {
  const turned = '\u202eevil';
  const { id } = await audience(service, 'Turned', { trait: turned, is: { contains: 'b' } });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/audiences/${id}`);
  const sentence = page.getByRole('region', { name: 'Who is in' });
  await sentence.getByText('contains').first().waitFor();
  const marks = await sentence.locator('strong').all();
  const [name, value] = await Promise.all(marks.map((mark) => mark.boundingBox()));
  expect(name?.x ?? 0).toBeLessThan(value?.x ?? 0);
});
