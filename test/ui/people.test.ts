import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Audience, PeopleStatus, Person, Source } from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { sharedService } from '../system/kit/service.ts';
import { expectOpenWellMade, expectWellMade, openAsViewer, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

const HOSTILE = `<img src="x" onerror="document.title='taken'">`;

/** What calls say of a person, once it is taken in. */
async function person(source: Source, userId: string): Promise<Person> {
  const anonymousId = `device of ${userId}`.slice(0, 500);
  await service.accept(source, { userId, anonymousId, traits: { plan: 'pro', note: HOSTILE, visits: 12 } }, 'identify');
  await service.accept(source, { userId, groupId: 'acme', traits: { name: 'Acme Inc.' } }, 'group');
  const bought = { userId, event: 'Order Completed', properties: { total: 9.5, note: HOSTILE } };
  await service.accept(source, bought);
  const read = await eventually(
    () => service.api('GET', `/api/people/${encodeURIComponent(userId)}`),
    ({ status, text }) => status === 200 && (JSON.parse(text) as Person).events.length > 0,
  );
  return JSON.parse(read.text) as Person;
}

function row(page: Page, table: string, text: string): ReturnType<Page['locator']> {
  return page.getByRole('table', { name: table }).locator('tbody tr', { hasText: text });
}

test('a person is found by an id, and their page has what calls said', async () => {
  const source = await service.source();
  await person(source, 'u/1 ü😀');
  const audience = { name: 'On pro', definition: { trait: 'plan', is: { equals: 'pro' } } };
  await service.must('POST', '/api/audiences', audience);
  await eventually(
    () => service.must<Person>('GET', `/api/people/${encodeURIComponent('u/1 ü😀')}`),
    ({ audiences }) => audiences.length === 1,
  );
  const page = await browser.newPage();
  await openSignedIn(page, service, '/people');
  await page.getByLabel('Find a person').fill('device of u/1');
  await page.waitForURL(/text=device/);
  await page.getByRole('link', { name: 'u/1 ü😀' }).click();
  await page.getByRole('heading', { level: 1, name: 'u/1 ü😀' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'u/1 ü😀' }).waitFor();

  await row(page, 'Traits', 'note').getByText(HOSTILE).waitFor();
  expect(await row(page, 'Traits', 'visits').innerText()).toContain('12');
  expect(await row(page, 'Groups', 'acme').innerText()).toContain('name: Acme Inc.');
  const identities = page.getByRole('region', { name: 'Identities' });
  expect(await identities.locator('li').first().innerText()).toContain('the one that destinations are told');
  expect(await identities.locator('li').last().innerText()).toContain('anonymous id');
  await page.getByRole('region', { name: 'Audiences' }).getByRole('link', { name: 'On pro', exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Audience' }).click();
  await page.getByRole('option', { name: 'On pro' }).click();
  await page.getByRole('region', { name: 'Why', exact: true }).getByText('in', { exact: true }).waitFor();

  const event = row(page, 'Latest events', 'Order Completed');
  await event.locator('summary').click();
  await event.getByText('"total": 9.5').waitFor();
  // What comes now is seen without loading the page again.
  await service.accept(source, { userId: 'u/1 ü😀', event: 'Cart Updated' });
  await row(page, 'Latest events', 'Cart Updated').waitFor();
  await event.getByRole('link', { name: 'Order Completed' }).click();
  await page.getByRole('region', { name: 'Payload', exact: true }).waitFor();
});

test('the messages of a person are theirs, and of nobody whose id begins like it', async () => {
  const source = await service.source();
  for (const userId of ['own-2', 'own-20', 'own-2']) await service.accept(source, { userId });
  const page = await browser.newPage();
  await eventually(
    () => service.must<Person>('GET', '/api/people/own-20').catch(() => null),
    (person) => person !== null,
  );
  await openSignedIn(page, service, '/people/own-2');
  await page.getByRole('main').getByRole('link', { name: 'Messages', exact: true }).click();
  await page.waitForURL(/messages\?userId=own-2&match=exact$/);
  // The table has empty rows until the answer comes.
  const rows = page.getByRole('table', { name: 'Messages' }).locator('tbody tr').filter({ hasText: 'own-2' });
  await rows.nth(1).waitFor();
  expect(await rows.count()).toBe(2);
  // What is typed is looked for by its beginning, as the page says.
  await page.getByLabel('User id, exactly').fill('own');
  await page.keyboard.press('Enter');
  await rows.nth(2).waitFor();
  expect(await page.getByLabel('User id', { exact: true }).inputValue()).toBe('own');
});

test('who is opened while the search is still being typed stays open', async () => {
  const source = await service.source();
  await person(source, 'quick');
  const page = await browser.newPage();
  await openSignedIn(page, service, '/people');
  const link = page.getByRole('link', { name: 'quick', exact: true });
  await link.waitFor();
  // The code of the page to come takes long enough for the typing to rest meanwhile.
  let go = (): void => {};
  const rested = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route(/person-page.*\.js$/, async (route) => {
    await rested;
    await route.continue();
  });
  await page.clock.install();
  await page.getByLabel('Find a person').fill('qu');
  await link.click();
  await page.clock.runFor(1_000);
  go();
  await page.getByRole('heading', { level: 1, name: 'quick' }).waitFor();
});

test('a deletion begins with the ids that a person was told by', async () => {
  const source = await service.source();
  await person(source, 'old-name');
  await service.accept(source, { userId: 'new,name', previousId: 'old-name' }, 'alias');
  await eventually(
    () => service.must<Person>('GET', '/api/people/old-name'),
    ({ userId }) => userId === 'new,name',
  );
  const page = await browser.newPage();
  await openSignedIn(page, service, '/people/old-name');
  await page.getByRole('heading', { level: 1, name: 'new,name' }).waitFor();
  await page.getByRole('link', { name: 'Delete this person' }).click();
  await page.getByText('2 users.').waitFor();
  expect((await page.getByRole('textbox', { name: 'User ids' }).inputValue()).split('\n').sort()).toEqual([
    '"new,name"',
    'old-name',
  ]);
});

test('an id of 500 characters has a page; an id that no person has is explained', async () => {
  const source = await service.source();
  const long = `${HOSTILE}/`.repeat(20).slice(0, 500);
  await person(source, long);
  const page = await browser.newPage({ mayLog: [/status of 404/] });
  await openSignedIn(page, service, `/people/${encodeURIComponent(long)}`);
  await page.getByRole('region', { name: 'Identities' }).getByText(long, { exact: true }).waitFor();
  expect(await page.title()).toContain('onerror=');
  await page.goto(`${service.url}/people/${encodeURIComponent('nobody/at all')}`);
  await page.getByRole('heading', { name: 'There is no such person' }).waitFor();
  await page.getByRole('link', { name: 'Search for ids that begin alike' }).click();
  await page.waitForURL(/\/people\?text=nob$/);

  const definition = { trait: 'bio', is: { exists: true } };
  const { id } = await service.must<Audience>('POST', '/api/audiences', { name: 'With a bio', definition });
  await page.goto(`${service.url}/audiences/${id}/why?person=nobody`);
  await page.getByText('No call with this id has been taken in, or the person was deleted').waitFor();
});

test('a long trait takes no more room than a few lines', async () => {
  const source = await service.source();
  await service.accept(source, { userId: 'wordy', traits: { bio: 'long '.repeat(1_000) } }, 'identify');
  await eventually(
    () => service.api('GET', '/api/people/wordy'),
    ({ status }) => status === 200,
  );
  const page = await browser.newPage();
  await openSignedIn(page, service, '/people/wordy');
  const bio = row(page, 'Traits', 'bio');
  await bio.waitFor();
  expect((await bio.boundingBox())?.height).toBeLessThan(200);
  expect(await axe(page)).toEqual([]);
});

test('profiles are rebuilt after a question; a viewer can neither rebuild nor delete', async () => {
  const source = await service.source();
  await person(source, 'rebuilt');
  const page = await browser.newPage();
  await openSignedIn(page, service, '/people');
  const state = page.getByRole('region', { name: 'State of the profiles' });
  await state.getByRole('button', { name: 'Rebuild' }).click();
  const dialog = page.getByRole('dialog', { name: /^Rebuild the profiles of/ });
  await dialog.getByLabel(/^Type/).fill('rebuild');
  await expectOpenWellMade(dialog, 'rebuild');
  await dialog.getByRole('button', { name: 'Rebuild the profiles' }).click();
  await dialog.waitFor({ state: 'detached' });
  await eventually(
    () => service.must<PeopleStatus>('GET', '/api/profiles/status'),
    ({ rebuilding, lag }) => rebuilding === null && lag === 0,
  );
  await state.getByText('up to date').waitFor();

  const viewer = await browser.newPage();
  await openAsViewer(viewer, service, '/people/rebuilt');
  await row(viewer, 'Traits', 'plan').waitFor();
  expect(await viewer.getByText('Delete this person').count()).toBe(0);
  await viewer.goto(`${service.url}/people`);
  await viewer.getByRole('region', { name: 'State of the profiles' }).waitFor();
  expect(await viewer.getByRole('button', { name: 'Rebuild' }).count()).toBe(0);
});

test('while profiles are rebuilt, the page of an audience says that nothing is decided, and a preview that it counts a part', async () => {
  const definition = { event: { name: 'Order Completed' } };
  const { id } = await service.must<Audience>('POST', '/api/audiences', { name: 'Rebuilt', definition });
  const page = await browser.newPage();
  // The page is told nothing else.
  await page.route('**/api/watch?*', () => undefined);
  await page.route('**/api/profiles/status', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as PeopleStatus), rebuilding: 0.4 } });
  });
  await openSignedIn(page, service, `/audiences/${id}`);
  const state = page.getByRole('region', { name: 'State', exact: true });
  await state.getByText('40.0%').waitFor();
  expect(await state.innerText()).toContain('nothing is decided or sent until the log is read');
  expect(await page.getByRole('region', { name: 'Size', exact: true }).innerText()).toContain('–');
  await page.goto(`${service.url}/audiences/${id}/edit`);
  await page.getByText('only what is read of the log so far counts').waitFor();
});

test('an admin takes an id out of a person and joins it again; what a page could not join is seen', async () => {
  const [source, web] = [await service.source({ name: 'Shop server' }), await service.source({ type: 'web' })];
  for (const userId of ['joined-1', 'joined-2']) await person(source, userId);
  await service.accept(web, { userId: 'joined-1', previousId: 'joined-2' }, 'alias');
  const page = await browser.newPage();
  await openSignedIn(page, service, '/people/joined-1');
  const card = page.getByRole('region', { name: 'Identities' });
  const apart = card.getByRole('list', { name: 'Not joined' });
  await apart.getByRole('link', { name: 'joined-2' }).waitFor();
  expect(await apart.innerText()).toContain('only an alias of a server source joins two users');

  await card.getByRole('button', { name: 'Join another id…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Join another id' });
  await dialog.getByLabel('Id').fill(' joined-2');
  await dialog.getByText('It begins or ends with a space. No person has this id').waitFor();
  await dialog.getByLabel('Id').fill('joined-2');
  await dialog.getByText('No person has this id').waitFor({ state: 'detached' });
  await dialog.getByRole('combobox', { name: 'Server source' }).click();
  await page.getByRole('option', { name: 'Shop server' }).click();
  await expectOpenWellMade(dialog, 'join');
  await dialog.getByRole('button', { name: 'Join' }).click();
  await card.getByRole('button', { name: 'Take joined-2 out' }).waitFor();
  await apart.waitFor({ state: 'detached' });

  await card.getByRole('button', { name: 'Take joined-2 out' }).click();
  await expectOpenWellMade(page.getByRole('dialog'), 'take-out');
  await page.getByRole('dialog').getByRole('button', { name: 'Take it out' }).click();
  await card.getByRole('button', { name: 'Take joined-2 out' }).waitFor({ state: 'detached' });

  await service.accept(source, { userId: 'joined-1', previousId: 'joined-0' }, 'alias');
  await card.getByText('user id that an alias left behind').waitFor();
  await page.goto(`${service.url}/sources/${web.id}`);
  await page.getByText('ids it named that stayed apart').waitFor();
});

test('a person is found by e-mail address, name and any trait; what no person has is said with how to ask', async () => {
  const source = await service.source();
  const people: [string, object][] = [
    ['lee-1', { email: 'Lee@shop.example', name: 'Lee Unger', shoe: 44 }],
    ['lee-2', { email: 'kim@shop.example', name: 'Kim', shoe: '44' }],
    ['lee-3', { shoe: 45 }],
  ];
  for (const [userId, traits] of people) await service.accept(source, { userId, traits }, 'identify');
  await eventually(
    () => service.api('GET', '/api/people/lee-3'),
    ({ status }) => status === 200,
  );
  const page = await browser.newPage();
  await openSignedIn(page, service, '/people');
  const rows = page.getByRole('table', { name: 'People' }).locator('tbody tr');
  const find = async (text: string, shows: string, count: number): Promise<void> => {
    await page.getByLabel('Find a person').fill(text);
    await rows.getByText(shows).first().waitFor();
    await eventually(
      () => rows.count(),
      (shown) => shown === count,
    );
  };
  await find('lee@shop', 'email: Lee@shop.example', 1);
  await find('kim', 'name: Kim', 1);
  await find('shoe = 44', 'shoe: 44', 2);
  await page.getByText('All people were looked through.').first().waitFor();
  await find('shoe="44"', 'shoe: "44"', 1);
  await rows.getByRole('link', { name: 'lee-2', exact: true }).waitFor();
  await page.getByLabel('Find a person').fill('shoe = 46');
  await page.getByText('No person found').waitFor();
  await page.getByText('All people were looked through.').first().waitFor();
  await page.getByLabel('Find a person').fill('shoe = [46]');
  await page.getByText('Lists and objects are not found').waitFor();
  await page.getByLabel('Find a person').fill('nobody at all');
  await page.getByText('plan = pro').last().waitFor();
  expect(await axe(page)).toEqual([]);
});

test('more than a page of people by a trait is read on, and then when it is told', async () => {
  const source = await service.source();
  const batch = Array.from({ length: 70 }, (_, i) => ({
    type: 'identify',
    userId: `many-${i}`,
    traits: { herd: 'yes' },
  }));
  expect((await service.send(source, 'batch', { batch })).status).toBe(200);
  await eventually(
    () => service.api('GET', '/api/people/many-69'),
    ({ status }) => status === 200,
  );
  const page = await browser.newPage();
  await openSignedIn(page, service, `/people?text=${encodeURIComponent('herd=yes')}`);
  const links = page.getByRole('table', { name: 'People' }).getByRole('link', { name: /^many-/ });
  await page.getByRole('button', { name: 'Show more' }).waitFor();
  expect(await links.count()).toBe(50);
  await page
    .getByText(/^Looked through \d+(\.\d+)?% of all people\.$/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('All people were looked through.').first().waitFor();
  expect(await links.count()).toBe(70);
  await page.getByLabel('Find a person').fill('many-');
  await page.getByText('More people are found than are shown: type more.').first().waitFor();
});

test('the page of a person with 10,000 events shows fifty of them at a time, to the oldest', async () => {
  const source = await service.source();
  const at = (i: number): string => new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString();
  for (let from = 0; from < 10_000; from += 2_500) {
    const batch = Array.from({ length: 2_500 }, (_, i) => {
      const [event, timestamp] = [`E${from + i}`, at(from + i)];
      return { type: 'track', userId: 'busy', event, timestamp, properties: { total: i, note: HOSTILE } };
    });
    expect((await service.send(source, 'import', { batch })).status).toBe(200);
  }
  await eventually(
    () => service.api('GET', '/api/people/busy'),
    ({ status, text }) => status === 200 && (JSON.parse(text) as Person).events[0]?.name === 'E9999',
    60_000,
  );
  const page = await browser.newPage();
  await openSignedIn(page, service, '/people/busy');
  await row(page, 'Latest events', 'E9999').waitFor();
  const nodes = (): Promise<number> => page.evaluate("document.querySelectorAll('*').length");
  const [rows, before] = [page.locator('section[aria-labelledby="events"] tbody tr'), await nodes()];
  expect(await rows.count()).toBe(50);
  const older = page.getByRole('button', { name: 'Older' });
  await older.focus();
  for (const first of ['E9949', 'E9899', 'E9849']) {
    await page.keyboard.press('Enter');
    await row(page, 'Events', first).waitFor();
    expect(await rows.count()).toBe(50);
  }
  expect(await nodes()).toBeLessThan(before * 1.2);
  await page.getByText('Page 4, newest first').waitFor();
  await row(page, 'Events', 'E9820').locator('summary').click();
  await row(page, 'Events', 'E9820').getByText('"total": 2320').waitFor();
  expect(await axe(page)).toEqual([]);
  await page.getByRole('navigation', { name: 'Pages of events' }).scrollIntoViewIfNeeded();
  await screenshot(page, 'person-events');
  await page.getByRole('button', { name: 'Newer' }).click();
  await row(page, 'Events', 'E9899').waitFor();
  await page.getByRole('button', { name: 'Newest' }).click();
  await row(page, 'Latest events', 'E9999').waitFor();
  expect(await page.getByRole('button', { name: 'Newer' }).getAttribute('aria-disabled')).toBe('true');
});

test('the pages of people are well made', async () => {
  const source = await service.source();
  await person(source, `${HOSTILE} seen`);
  const path = `/people/${encodeURIComponent(`${HOSTILE} seen`)}`;
  const shows =
    (text: string) =>
    (page: Page): Promise<void> =>
      page.locator('main').getByText(text).first().waitFor();
  await expectWellMade(browser, service, '/people', { name: 'people', ready: shows(`${HOSTILE} seen`) });
  const none = `/people?text=${encodeURIComponent('plan = none')}`;
  await expectWellMade(browser, service, none, {
    name: 'people-trait',
    ready: shows('All people were looked through.'),
  });
  await expectWellMade(browser, service, path, { name: 'person', ready: shows('Latest events') });
});
