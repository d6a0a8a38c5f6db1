import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Regulation, RegulationReport, Source } from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import { type Service, sharedService, startService } from '../system/kit/service.ts';
import { expectNoSidewaysScroll, expectWellMade, openAs, openAsViewer, openSignedIn } from './kit.ts';

const shared = sharedService();
const browser = openBrowser(shared);

const HOSTILE = `<img src="x" onerror="document.title='taken'">`;

interface World {
  readonly service: Service;
  readonly receiver: Receiver;
  readonly shop: Source;
}

/** A source with a destination that takes everything and one that refuses delete messages; the other's is off. */
async function world(of?: Service): Promise<World> {
  const service = of ?? (await startService());
  const receiver = await receive(({ path, message }) => (path === '/crm' && message['type'] === 'delete' ? 410 : 200));
  const shop = await service.source({ name: 'Web shop' });
  const app = await service.source({ name: 'Mobile app' });
  await service.destination(shop, receiver.url('/warehouse'), { name: 'Warehouse' });
  await service.destination(shop, receiver.url('/crm'), { name: 'CRM' });
  await service.destination(app, receiver.url('/mirror'), { name: 'Staging mirror', enabled: false });
  for (const userId of ['u1', 'u2', HOSTILE]) await service.accept(shop, { userId });
  return { service, receiver, shop };
}

async function regulate(service: Service, subjectIds: readonly string[], type = 'DELETE_ONLY'): Promise<Regulation> {
  const wish = { regulationType: type, subjectType: 'USER_ID', subjectIds };
  const { id } = await service.must<Regulation>('POST', '/api/regulations', wish);
  return eventually(
    () => service.must<Regulation>('GET', `/api/regulations/${id}`),
    ({ status }) => status === 'finished',
  );
}

function user(page: Page, id: string): ReturnType<Page['getByRole']> {
  return page.getByRole('region', { name: id, exact: true });
}

test('from a list of users to the receipts of each destination, and the report', async () => {
  const { service, receiver } = await world();
  const page = await browser.newPage();
  await openSignedIn(page, service, '/deletions');
  await page.getByText('No deletion was requested yet').waitFor();
  await page.getByRole('link', { name: 'New deletion' }).click();
  await page.getByRole('textbox', { name: 'User ids' }).fill(`u1\n${HOSTILE}\n\nu1\nnever-seen`);
  await page.getByText('3 users. 1 repetition left out.').waitFor();
  await page.getByRole('radio', { name: 'Delete and suppress' }).check();
  await page.getByText('2 destinations of 1 source are on now, 1 off:').waitFor();
  const told = page.getByRole('table', { name: 'Destinations of each source' }).locator('tbody tr');
  expect(await told.first().innerText()).toContain('Warehouse, CRM');
  expect(await told.last().innerText()).toContain('Off, not told: Staging mirror');

  await page.getByRole('button', { name: 'Delete 3 users…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete everything about 3 users?' });
  const confirm = dialog.getByRole('button', { name: 'Delete 3 users' });
  const unknown = dialog.getByRole('alert').filter({ hasText: 'No person and no event has this id' });
  await unknown.getByText('“never-seen”').waitFor();
  await screenshot(page, 'deletion-unknown-id');
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel('Type “delete 3 users” to go on').fill('delete 3 users');
  expect(await axe(page)).toEqual([]);
  await confirm.click();

  await page.getByRole('heading', { level: 1, name: 'Delete and suppress 3 users' }).waitFor();
  await page.getByText('finished, not all told').waitFor();
  await page.getByText('2 of 2 events removed.').waitFor();
  await page.getByText('Their bytes leave the files with the next compaction.').waitFor();
  await screenshot(page, 'deletion-to-compact');
  await page.getByRole('button', { name: 'Compact now' }).click();
  await page.getByText('No file has held their bytes since').waitFor();
  await screenshot(page, 'deletion-compacted');
  await user(page, 'never-seen').getByText('nothing was found').waitFor();
  const receipts = user(page, HOSTILE);
  await receipts.getByRole('link', { name: 'Warehouse' }).waitFor();
  await receipts.getByText('Every URL refused it for good.').waitFor();
  await receipts.getByText(receiver.url('/crm')).waitFor();
  expect(await receipts.getByText(/\b410\b/).count()).toBe(1);
  await page.getByText('2 delete messages failed').waitFor();
  // What a step says stays in its own column.
  const steps = page.getByRole('region', { name: 'What it does' }).getByRole('listitem');
  const [searched, removed] = [steps.nth(0).locator('time'), steps.nth(1)];
  const [moment, next] = await Promise.all([searched.boundingBox(), removed.boundingBox()]);
  expect((moment?.x ?? 0) + (moment?.width ?? 0)).toBeLessThan(next?.x ?? 0);
  await page.getByRole('link', { name: 'Show what failed' }).click();
  await user(page, 'never-seen').waitFor({ state: 'detached' });
  await user(page, 'u1').waitFor();

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download the report' }).click();
  const report = JSON.parse(readFileSync(await (await download).path(), 'utf8')) as RegulationReport;
  expect(report.subjects.map(({ userId }) => userId)).toEqual(['u1', HOSTILE, 'never-seen']);
  expect(report.regulation.notices).toEqual({ total: 2, ended: 2, delivered: 0, failed: 2, filtered: 0 });
});

test('an admin who is made a viewer has no button to compact after the first refusal', async () => {
  const { service } = await world(shared);
  const { id } = await regulate(service, ['u1']);
  const page = await browser.newPage({ mayLog: [/status of 403/] });
  const admin = await openAs(page, service, 'admin', `/deletions/${id}`);
  await page.getByRole('button', { name: 'Compact now' }).waitFor();
  await service.must('PATCH', `/api/accounts/${admin.id}`, { role: 'viewer' });
  await page.getByRole('button', { name: 'Compact now' }).click();
  await page.getByText('The compaction was not asked for').waitFor();
  await page.getByRole('button', { name: 'Compact now' }).waitFor({ state: 'detached' });
});

test('a deletion that goes on names the destination that holds it up, and why', async () => {
  const { service, shop } = await world(shared);
  const later = { status: 503, headers: { 'Retry-After': '600' } };
  const slow: Receiver = await receive(async ({ message, path }) => {
    if (message['type'] !== 'delete') return 200;
    if (path === '/held') return later;
    // The last answer is of the URL that takes it.
    await eventually(
      () => slow.on('/held').find((arrival) => arrival.message['type'] === 'delete')?.answeredAt,
      (answeredAt) => typeof answeredAt === 'number',
    );
    return 200;
  });
  const set = { name: 'Held up', success: 'all', policy: { retryWindow: '1h' } } as const;
  await service.destination(shop, [slow.url('/held'), slow.url('/takes')], set);
  await service.accept(shop, { userId: 'u9' });
  const wish = { regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['u9'] };
  const { id } = await service.must<Regulation>('POST', '/api/regulations', wish);
  const page = await browser.newPage();
  await openSignedIn(page, service, `/deletions/${id}`);
  const held = page.getByRole('list', { name: 'Destinations it waits for' });
  await held.getByRole('link', { name: 'Held up' }).waitFor();
  await held.getByText('it answered 503.').waitFor();
  expect(await held.getByRole('listitem').count()).toBe(1);
  // What the others made of it is there meanwhile.
  await page.getByText('1 delete message failed').waitFor();
  await page.getByRole('link', { name: 'Show what failed' }).click();
  await user(page, 'u9').getByText('Every URL refused it for good.').waitFor();
  await user(page, 'u9').getByText('told', { exact: true }).waitFor();
  await user(page, 'u9').getByRole('link', { name: 'Send it again from its message' }).waitFor();
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'deletion-held-up');
});

test('the question names other users that are reached, before anything happens', async () => {
  const { service, shop } = await world();
  await service.accept(shop, { userId: HOSTILE, previousId: 'u1' }, 'alias');
  const page = await browser.newPage();
  await openSignedIn(page, service, '/deletions/new');
  await eventually(
    () => service.api('GET', '/api/people/u1'),
    ({ text }) => text.includes('onerror'),
  );
  await page.getByRole('textbox', { name: 'User ids' }).fill('u1');
  await page.getByRole('button', { name: 'Delete 1 user…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete everything about 1 user?' });
  await dialog.getByText('It reaches 1 known person with 2 ids, and 3 events of 1 source.').waitFor();
  await dialog.getByText('Other users are reached too').waitFor();
  await dialog.getByText(`“u1” is also “${HOSTILE}”`).waitFor();
  await dialog.locator('bdi').getByText(`“${HOSTILE}”`).waitFor();
  await dialog.getByLabel('Type “delete 1 user and others” to go on').waitFor();
  expect(await axe(page)).toEqual([]);
  expect(await service.must('GET', '/api/regulations')).toMatchObject({ items: [] });
});

test('a failed delete message is sent again, and its receipt follows by itself', async () => {
  const { service, receiver } = await world();
  const regulation = await regulate(service, ['u1']);
  // A delete message that was taken is removed like the rest: its page, which looks every 2 s, may come to see that.
  const page = await browser.newPage({ mayLog: [/404 .*\/api\/messages\/del_/] });
  await openSignedIn(page, service, `/deletions/${regulation.id}`);
  await page.getByText('1 delete message failed').waitFor();
  const other = await page.context().newPage();
  await other.goto(`${service.url}/deletions/${regulation.id}`);
  receiver.become(() => 200);
  await other.getByRole('link', { name: 'Send it again from its message' }).click();
  await other.getByRole('region', { name: 'CRM', exact: true }).getByRole('button', { name: 'Send again' }).click();
  await page.getByText('1 delete message failed').waitFor({ state: 'detached' });
  await user(page, 'u1').getByText('2 requests').waitFor();
  expect(await user(page, 'u1').getByText('told', { exact: true }).count()).toBe(2);
});

test('a table is read from a file, and what is wrong is told with its line', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, shared, '/deletions/new');
  const choose = (name: string, text: string): Promise<void> =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await page.getByRole('button', { name: /^Delete/ }).click();
  await page.getByText('Name at least one user.').waitFor();
  await choose('users.csv', 'email,user_id\nann@example.com,u1\nbob@example.com,\neve@example.com,u2\n');
  await page.getByText('Line 3: There is no user id.').waitFor();
  await page.getByText('2 users.').waitFor();
  await page.getByRole('button', { name: 'Delete 2 users…' }).click();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('textbox', { name: 'User ids' }).fill('ann@example.com;u1\neve@example.com;u2');
  await page.getByText('Choose the column to count the users.').waitFor();
  await page.getByRole('combobox', { name: 'Column with the user ids' }).click();
  await page.getByRole('option', { name: 'Column 2: u1' }).click();
  await page.getByText('2 users.').waitFor();
  await choose('users.txt', Array.from({ length: 5_001 }, (_, i) => `u${i}`).join('\n'));
  await page.getByText('5,000 are the most for one request: split the list.').waitFor();
  await page.getByRole('button', { name: 'Delete 5,001 users…' }).click();
  await page.getByText('5,001 users are more than one request takes.').waitFor();
});

test('a suppression is found and lifted', async () => {
  const { service, shop } = await world();
  await regulate(service, ['u1', 'a/b', HOSTILE], 'SUPPRESS_WITH_DELETE');
  const page = await browser.newPage();
  await openSignedIn(page, service, '/deletions/suppressed');
  const rows = page.getByRole('table', { name: 'Suppressed users' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(3);
  await page.getByLabel('User id begins with').fill('a/');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole('button', { name: 'Lift the suppression of a/b' }).click();
  const dialog = page.getByRole('dialog', { name: 'Take calls of “a/b” again?' });
  await dialog.getByRole('button', { name: 'Lift the suppression' }).click();
  await page.getByText('No suppressed user fits').waitFor();
  await service.accept(shop, { userId: 'a/b' });
});

test('the record of a finished deletion is deleted by its name', async () => {
  const { service } = await world();
  const { id } = await regulate(service, ['nobody']);
  const page = await browser.newPage({ mayLog: [/status of 404/] });
  await openSignedIn(page, service, `/deletions/${id}`);
  await page.getByText('No destination was told: none that was on had a source that spoke of the user.').waitFor();
  await page.getByRole('button', { name: 'Delete the record' }).click();
  const dialog = page.getByRole('dialog', { name: `Delete the record ${id}?` });
  await dialog.getByLabel(/^Type/).fill(id);
  await dialog.getByRole('button', { name: 'Delete the record' }).click();
  await page.getByText('No deletion was requested yet').waitFor();
  await page.goto(`${service.url}/deletions/${id}`);
  await page.getByRole('heading', { name: 'There is no such deletion' }).waitFor();
});

test('a viewer sees everything and can change nothing', async () => {
  const { service } = await world();
  const { id } = await regulate(service, ['u1'], 'SUPPRESS_WITH_DELETE');
  const page = await browser.newPage();
  await openAsViewer(page, service, `/deletions/${id}`);
  await user(page, 'u1').getByRole('link', { name: 'Warehouse' }).waitFor();
  expect(await page.getByRole('button', { name: 'Delete the record' }).count()).toBe(0);
  await page.goto(`${service.url}/deletions`);
  await page.getByRole('link', { name: 'Delete and suppress 1 user' }).waitFor();
  expect(await page.getByRole('link', { name: 'New deletion' }).count()).toBe(0);
  await page.goto(`${service.url}/deletions/suppressed`);
  await page.getByRole('table', { name: 'Suppressed users' }).getByText('u1').waitFor();
  expect(await page.getByRole('button', { name: /^Lift/ }).count()).toBe(0);
  await page.goto(`${service.url}/deletions/new`);
  await page.getByText('Only admins may delete').waitFor();
});

test('the pages of deletion are well made', async () => {
  const { service } = await world();
  const { id } = await regulate(service, [HOSTILE, 'x'.repeat(500)], 'SUPPRESS_WITH_DELETE');
  const shows =
    (text: string) =>
    (page: Page): Promise<void> =>
      page.locator('main').getByText(text).first().waitFor();
  await expectWellMade(browser, service, '/deletions', { name: 'deletions', ready: shows('finished, not all told') });
  await expectWellMade(browser, service, '/deletions/new', { name: 'deletion-new', ready: shows('Off, not told') });
  await expectWellMade(browser, service, '/deletions/suppressed', { name: 'suppressed', ready: shows(HOSTILE) });
  await expectWellMade(browser, service, `/deletions/${id}`, { name: 'deletion', ready: shows('Every URL refused') });
  // Its page is closed before it.
  const other = await startService();
  const empty = await browser.newPage({ width: 360, height: 800 });
  await openSignedIn(empty, other, '/deletions/suppressed');
  await empty.getByText('No user is suppressed').waitFor();
  expect(await axe(empty)).toEqual([]);
  await expectNoSidewaysScroll(empty);
});
