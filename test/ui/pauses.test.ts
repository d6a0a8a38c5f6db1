import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Delivery, Destination, Page as List, Source } from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import { type Service, sharedService, startService } from '../system/kit/service.ts';
import { expectWellMade, openAsViewer, openSignedIn } from './kit.ts';

const shared = sharedService();
const browser = openBrowser(shared);
const brief = sharedService({ MILLRACE_RETENTION: '12h' });

interface Case {
  readonly service: Service;
  readonly receiver: Receiver;
  readonly source: Source;
  readonly destination: Destination;
  readonly path: string;
  /** Sends so many calls. */
  readonly send: (number: number) => Promise<void>;
}

/** A destination of so many URLs, `/0` and those after it. */
async function world(urls = 1, settings: object = {}, service: Service = shared): Promise<Case> {
  const receiver = await receive(() => 200);
  const source = await service.source();
  const all = Array.from({ length: urls }, (_, i) => receiver.url(`/${i}`));
  const destination = await service.destination(source, all, { name: 'CRM', ...settings });
  const send = async (number: number): Promise<void> => {
    for (let i = 0; i < number; i++) await service.accept(source, { event: 'Order Completed' });
  };
  return { service, receiver, source, destination, send, path: `/destinations/${destination.id}` };
}

async function open({ service, path }: Pick<Case, 'service' | 'path'>, tab = ''): Promise<Page> {
  const page = await browser.newPage({ width: 1440, height: 1200 });
  await openSignedIn(page, service, path + tab);
  return page;
}

test('a destination is paused and resumed with one press; meanwhile its page says what it holds', async () => {
  const all = await world();
  const page = await open(all);
  await page.getByRole('button', { name: 'Pause CRM' }).click();
  const note = page.getByRole('alert').filter({ hasText: 'Paused since' });
  await note.getByText('No message is held').waitFor();
  await page.getByText('paused', { exact: true }).first().waitFor();
  await all.send(2);
  await note.getByText(/2 messages are held, the oldest since/).waitFor();
  await note.getByText(/The oldest is lost in \d+ days/).waitFor();
  await note.getByText(/Only a delete message may wait longer/).waitFor();
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'paused');
  expect(all.receiver.arrived).toBe(0);
  await page.getByRole('button', { name: 'Resume CRM' }).first().click();
  await note.waitFor({ state: 'detached' });
  expect(await all.service.settled(all.destination, 2)).toMatchObject({ processed: 2 });
  await page.getByRole('button', { name: 'Pause CRM' }).waitFor();
});

test('a pause that a colleague began meanwhile is not ended unseen, and no other change of theirs stands in the way', async () => {
  const all = await world();
  const act = (what: 'pause' | 'resume'): Promise<Destination> =>
    all.service.must('POST', `/api${all.path}/${what}`, {});
  await act('pause');
  const page = await browser.newPage({ mayLog: [/status of 412/] });
  // A page that is told nothing for some seconds.
  await page.route('**/api/watch?*', () => undefined);
  await openSignedIn(page, all.service, all.path);
  const resume = page.getByRole('button', { name: 'Resume CRM' }).first();
  await resume.waitFor();
  await act('resume');
  const { paused } = await act('pause');
  await resume.click();
  await page.getByText('Somebody else has paused or resumed it since.').waitFor();
  expect((await all.service.must<Destination>('GET', `/api${all.path}`)).paused?.since).toBe(paused?.since);

  await all.service.must('PATCH', `/api${all.path}`, { enabled: false });
  await all.service.must('PATCH', `/api${all.path}`, { enabled: true });
  await resume.click();
  await page.getByRole('button', { name: 'Pause CRM' }).waitFor();
});

test('what is held is discarded after a question, with its number beside the button, and another session sees the pause', async () => {
  const all = await world();
  const page = await open(all);
  await all.service.must('POST', `/api${all.path}/pause`, {});
  await all.send(3);
  await page.getByText(/^3 messages are held/).waitFor();
  const discard = page.getByRole('button', { name: 'Discard what it holds' });
  await discard.click();
  const dialog = page.getByRole('dialog', { name: 'Resume “CRM” without what it holds?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await discard.click();
  await screenshot(page, 'paused-discard');
  await dialog.getByRole('button', { name: 'Discard what it holds' }).click();
  await page.getByRole('button', { name: 'Pause CRM' }).waitFor();
  expect(await all.service.settled(all.destination, 3)).toMatchObject({ filtered: 3, processed: 0 });

  // One of them is put back by a replay, and the destination paused again.
  await all.service.must('POST', `/api${all.path}/pause`, {});
  const ask = { destinationId: all.destination.id, state: 'all' };
  await all.service.must('POST', '/api/replays', { ...ask, messages: [await newest(all)] });
  await page.getByRole('button', { name: 'Discard what it holds' }).click();
  await dialog.getByText('What a replay has put there and was not tried since is sent all the same').waitFor();
  await dialog.getByRole('button', { name: 'Discard what it holds' }).click();
  await all.receiver.waitFor(1);
  expect(await all.service.settled(all.destination, 3)).toMatchObject({ filtered: 2, processed: 1 });
});

/** The last delivery of a destination, as a replay takes it. */
async function newest({ service, destination }: Case): Promise<Pick<Delivery, 'messageId' | 'sourceId' | 'userId'>> {
  const { items } = await service.must<List<Delivery>>('GET', `/api/deliveries?destinationId=${destination.id}`);
  const [{ messageId, sourceId, userId }] = items as [Delivery];
  return { messageId, sourceId, userId };
}

test('what is lost within a day stands in red on its page, and in the overview first', async () => {
  const all = await world(1, {}, brief);
  await brief.must('POST', `/api${all.path}/pause`, {});
  await all.send(1);
  const page = await open(all);
  await page.getByText(/The oldest is lost in 11 hr\./).waitFor();
  await screenshot(page, 'paused-urgent');
  await page.getByRole('link', { name: 'Overview' }).first().click();
  const problems = page.getByRole('region', { name: 'What is wrong' });
  await problems.getByText('Paused; 1 message waits, and the oldest is lost within a day', { exact: true }).waitFor();
  await problems.getByText(/^Resume what is paused when its receiver is ready\. Begun /).waitFor();
  await problems.getByText('failing', { exact: true }).waitFor();
  await page.getByRole('table', { name: 'Destinations' }).getByText('paused', { exact: true }).waitFor();
  await screenshot(page, 'paused-overview');
});

test('one of several URLs is paused alone, also where it answers that it is gone; the whole stands still when each is', async () => {
  const all = await world(2);
  all.receiver.become(({ path }) => (path === '/1' ? 410 : 200));
  await all.send(1);
  const page = await open(all);
  const [first, second] = ['/0', '/1'].map((path) => all.receiver.url(path));
  const rows = page.getByRole('table', { name: 'URLs' }).locator('tbody tr');
  const errors = page.getByRole('region', { name: 'Errors of the last hour' });
  await errors.getByText('The endpoint says that it is gone for good.').waitFor();
  await errors.getByText('is not tried again at this URL, and fails where no other takes it.').waitFor();
  await errors.getByRole('button', { name: `Pause this URL ${second}` }).click();
  await rows.nth(1).getByText('paused', { exact: true }).waitFor();
  await rows
    .nth(1)
    .getByText(/^since/)
    .waitFor();
  expect(await errors.getByRole('button').count()).toBe(0);
  await all.send(1);
  await all.receiver.waitFor(2, '/0');
  expect(all.receiver.on('/1').length).toBe(1);
  await rows
    .nth(0)
    .getByRole('button', { name: `Pause ${first}` })
    .click();
  await page.getByText('Each of its URLs is paused.').waitFor();
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'paused-urls');
  await rows
    .nth(1)
    .getByRole('button', { name: `Resume ${second}` })
    .click();
  await page.getByText('Each of its URLs is paused.').waitFor({ state: 'detached' });

  // What a URL alone holds is let go of where it is resumed.
  await rows
    .nth(0)
    .getByRole('button', { name: `Discard ${first}` })
    .click();
  const dialog = page.getByRole('dialog', { name: `Resume “${first}” without what it holds?` });
  await screenshot(page, 'paused-url-discard');
  await dialog.getByRole('button', { name: 'Discard what it holds' }).click();
  await rows
    .nth(0)
    .getByRole('button', { name: `Pause ${first}` })
    .waitFor();
});

test('a policy is saved with its schedule shown before, departures marked, and what is wrong at its field', async () => {
  const service = await startService({
    MILLRACE_RETRY_WINDOW: '3h',
    MILLRACE_RETRY_BASE: '5s',
    MILLRACE_RETRY_CAP: '10m',
  });
  const all = await world(2, {}, service);
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, service, `${all.path}/settings`);
  const card = page.getByRole('region', { name: 'Pace and retries' });
  const schedule = card.getByRole('table', { name: 'When a message is tried again' });
  const window = card.getByLabel('Retry window');
  await card.getByPlaceholder('as the service: 3h').waitFor();
  await schedule.getByRole('row', { name: 'last 3 h' }).waitFor();
  await window.fill('1m');
  await schedule.getByRole('row', { name: '6 40 s to 1 min 20 s 1 min', exact: true }).waitFor();
  expect(await schedule.getByRole('row', { name: /last/ }).count()).toBe(0);
  expect(await card.getByText('departs').count()).toBe(0);
  await window.fill('12h');
  await schedule.getByRole('row', { name: 'last 12 h' }).waitFor();
  await card.getByText("departs from Segment's 4h").waitFor();
  await card.getByLabel('Timeout').fill('10s');
  await card.getByText("departs from Segment's 5s").waitFor();
  await window.fill('8d');
  await card.getByText('must be a duration from 1m to 7d').waitFor();
  await card.getByLabel('Most requests a second').fill('100');
  await card.getByLabel('Statuses that are tried again').pressSequentially('404,700,');
  await page.getByRole('radio', { name: 'All URLs have taken it' }).check();
  await page.getByRole('button', { name: 'Save settings' }).click();
  await card.getByText('must be at most 499').waitFor();
  await card.getByLabel('Statuses that are tried again').press('Backspace');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('8d');
  await window.fill('12h');
  await schedule.getByRole('row', { name: 'last 12 h' }).waitFor();
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'policy');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('The settings are saved.').waitFor();
  const read = (): Promise<Destination> => service.must('GET', `/api${all.path}`);
  expect(await read()).toMatchObject({
    policy: { ratePerSecond: 100, timeout: '10s', retryWindow: '12h', temporaryStatuses: [404] },
    success: 'all',
    departures: ['timeout', 'retryWindow'],
  });
  for (const label of ['Most requests a second', 'Timeout', 'Retry window']) await card.getByLabel(label).fill('');
  await card.getByRole('button', { name: 'Remove all statuses' }).click();
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect.poll(async () => (await read()).policy).toBe(null);
});

test('the order of users is chosen with its longest hold, and a replay can be for one URL', async () => {
  const all = await world(2);
  const page = await browser.newPage({ width: 1440, height: 1200, mayLog: [/status of 400/] });
  await openSignedIn(page, all.service, `${all.path}/settings`);
  const card = page.getByRole('region', { name: 'Order' });
  await card.getByText('In order, user by user').click();
  await card.getByLabel('Longest hold').fill('8d');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await card.getByText('must be a duration from 1s to 7d').waitFor();
  await card.getByLabel('Longest hold').fill('15m');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('The settings are saved.').waitFor();
  expect(await all.service.must('GET', `/api${all.path}`)).toMatchObject({ order: 'user', orderHold: '15m' });
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'order');
  await all.send(2);
  await page.goto(`${all.service.url}${all.path}/failed`);
  const replay = page.getByRole('region', { name: 'Send again' });
  await replay.getByRole('combobox', { name: 'Which' }).click();
  await page.getByRole('option', { name: 'Everything, in any state' }).click();
  await replay.getByRole('combobox', { name: 'Send to' }).click();
  await page.getByRole('option', { name: all.receiver.url('/1') }).click();
  await replay.getByRole('button', { name: 'Count them' }).click();
  await replay.getByRole('button', { name: 'Send 2 again' }).click();
  await all.receiver.waitFor(4, '/1');
  expect(all.receiver.on('/0')).toHaveLength(2);
});

test('the settings of pace and retries are well made', async () => {
  const all = await world(2, { policy: { timeout: '10s', retryWindow: '12h', permanentStatuses: [429] } });
  await expectWellMade(browser, all.service, `${all.path}/settings`, {
    name: 'destination-policy',
    ready: (page) => page.getByRole('row', { name: 'last 12 h' }).waitFor(),
  });
});

test('the page of a message says of each URL what it made of it, where all are asked for', async () => {
  const all = await world(3, { success: 'all' });
  all.receiver.become(({ path }) => ({ '/0': 200, '/1': 400 })[path] ?? 200);
  await all.service.must('POST', `/api${all.path}/pause`, { url: all.receiver.url('/2') });
  const messageId = await all.service.accept(all.source, { event: 'Order Completed' });
  await all.service.tracedAs(messageId, 'retrying');
  const page = await open({ service: all.service, path: `/messages/${messageId}` });
  const urls = page.getByRole('list', { name: 'By URL' }).getByRole('listitem');
  await urls.nth(0).getByText('took it').waitFor();
  await urls.nth(1).getByText('refused it').waitFor();
  await urls.nth(2).getByText('paused').waitFor();
  await page.getByText('Held: it goes out when what is paused is resumed.').waitFor();
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'message-by-url');
});

test('a destination that asks for all URLs and has one paused says what its messages wait for, and what to do', async () => {
  const all = await world(2, { name: 'Both', success: 'all' }, brief);
  await all.service.must('POST', `/api${all.path}/pause`, { url: all.receiver.url('/1') });
  await all.send(2);
  await all.receiver.waitFor(2, '/0');
  const page = await open(all);
  const note = page.getByRole('alert').filter({ hasText: '2 messages wait for a URL that is paused' });
  await note.getByText('What waits for a URL that is paused is held, and its window does not run.').waitFor();
  await note.getByText(/The oldest is lost in 11 hr\./).waitFor();
  await page.goto(all.service.url);
  const problem = page.getByRole('region', { name: 'What is wrong' }).getByRole('listitem').filter({ hasText: 'Both' });
  await problem.getByText('Resume what is paused when its receiver is ready.').waitFor();
  await problem.getByText(/and the oldest is lost within a day$/).waitFor();
  await problem.getByText('failing', { exact: true }).waitFor();
});

test('who may only look sees the pause and no button', async () => {
  const all = await world(2);
  await shared.must('POST', `/api${all.path}/pause`, {});
  const page = await browser.newPage();
  await openAsViewer(page, shared, all.path);
  await page.getByText('Paused since').waitFor();
  expect(await page.getByRole('button', { name: /Pause|Resume|Discard/ }).count()).toBe(0);
});

test('the page of a paused destination is well made', async () => {
  const all = await world(2);
  await all.service.must('POST', `/api${all.path}/pause`, { url: all.receiver.url('/1') });
  await all.service.must('POST', `/api${all.path}/pause`, {});
  await all.send(2);
  await expectWellMade(browser, all.service, all.path, {
    name: 'destination-paused',
    ready: (page) => page.getByText('2 messages are').waitFor(),
  });
});
