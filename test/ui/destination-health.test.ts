import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type {
  Delivery,
  Destination,
  DestinationOverview,
  Overview,
  Replay,
  ReplayPreview,
  Source,
} from '../../packages/server/src/admin/contract.ts';
import { openBrowser, screenshot } from '../browser/browser.ts';
import { need } from '../needs.ts';
import { Certificates } from '../system/kit/certificates.ts';
import { eventually } from '../system/kit/eventually.ts';
import { removeFolder, temporaryFolder } from '../system/kit/leaks.ts';
import { type Receiver, type ReceiverOptions, receive, type Script } from '../system/kit/receiver.ts';
import { type Service, sharedService, startService } from '../system/kit/service.ts';
import { expectWellMade, openSignedIn } from './kit.ts';

const shared = sharedService({}, { mayLogErrors: true });
const browser = openBrowser(shared);

interface Case {
  readonly service: Service;
  readonly receiver: Receiver;
  readonly source: Source;
  readonly destination: Destination;
}

/** A destination whose endpoint does as it is told, and some events for it. */
async function world(
  script: Script,
  events: number,
  service: Service = shared,
  options: ReceiverOptions = {},
): Promise<Case> {
  const receiver = await receive(script, options);
  const source = await service.source();
  const destination = await service.destination(source, receiver.url('/hook'), { name: 'CRM' });
  for (let i = 0; i < events; i++) await service.accept(source, { event: 'Order Completed' });
  return { service, receiver, source, destination };
}

/** What the API says, once it says so. */
function overviewOf(
  { service, destination }: Case,
  reached: (overview: DestinationOverview) => boolean,
): Promise<DestinationOverview> {
  return eventually(
    () => service.must<DestinationOverview>('GET', `/api/destinations/${destination.id}/overview`),
    reached,
  );
}

async function look({ service, destination }: Case, name: string): Promise<Page> {
  const page = await browser.newPage({ width: 1440, height: 1200 });
  await openSignedIn(page, service, `/destinations/${destination.id}`);
  await page.getByText('Adds up: nothing is missing').waitFor();
  await screenshot(page, `destination-health-${name}`);
  return page;
}

const errorsIn = (page: Page) => page.getByRole('region', { name: 'Errors of the last hour' });

test('a healthy endpoint has neither note nor errors', async () => {
  const all = await world(() => 200, 3);
  await overviewOf(all, ({ destination }) => destination.counts.processed === 3);
  const page = await look(all, 'healthy');
  await page.getByText('healthy', { exact: true }).waitFor();
  await page.getByRole('table', { name: 'URLs' }).getByText('ok', { exact: true }).waitFor();
  expect(await errorsIn(page).count()).toBe(0);
});

test('a destination that no source is connected to says so', async () => {
  const receiver = await receive();
  const all = { service: shared, receiver, source: await shared.source() };
  const destination = await shared.destination(all.source, receiver.url(), { name: 'Alone', sourceIds: [] });
  const page = await look({ ...all, destination }, 'alone');
  await page.getByRole('alert').filter({ hasText: 'No source is connected to it, so no event comes.' }).waitFor();
});

test('an endpoint that hangs fails, though a few messages got through', async () => {
  const answered = new Set<string>();
  const all = await world(
    ({ message }) => {
      const id = String(message['messageId']);
      // An answer may come too late, and its message again.
      if (answered.size < 2) answered.add(id);
      return answered.has(id) ? 200 : 'hang';
    },
    12,
    await startService({ MILLRACE_DELIVERY_TIMEOUT: '200ms' }, { mayLogErrors: true }),
  );
  const { destination, urls } = await overviewOf(
    all,
    (overview) => (overview.errors[0]?.count ?? 0) >= 10 && overview.destination.counts.processed === 2,
  );
  expect(destination.health).toBe('failing');
  expect(urls[0]?.failed).toBeGreaterThanOrEqual(10);
  const page = await look(all, 'hanging');
  await page
    .getByText(/of what was tried in the last 5 minutes was delivered/)
    .first()
    .waitFor();
  await errorsIn(page)
    .getByText(/^No response headers came in time: \d+ attempts$/)
    .waitFor();
  await errorsIn(page).getByText('It is tried again.').waitFor();
  await page.getByText(/then it fails. A delete message has no such window/).waitFor();
  expect(await page.getByRole('table', { name: 'URLs' }).getByText('ok', { exact: true }).count()).toBe(0);
  expect(await page.getByText('Nothing is lost').count()).toBe(0);
});

const refused: Script = () => ({ status: 401, body: '{"error":"invalid_signature"}' });

/** Three messages that were refused for good. */
async function threeRefused(service: Service = shared): Promise<Case> {
  const all = await world(refused, 3, service);
  await overviewOf(all, ({ destination }) => destination.counts.failed === 3);
  return all;
}

test('401s have failed, with the answer and what to do', async () => {
  const all = await threeRefused();
  const page = await look(all, '401');
  await page.getByText('3 messages have failed: the endpoint refuses them for good').waitFor();
  await errorsIn(page).getByText('Answered 401: 3 attempts').waitFor();
  await errorsIn(page).getByText('invalid_signature').waitFor();
  await errorsIn(page).getByText('compare the shared secret').waitFor();
  await errorsIn(page).getByRole('link', { name: 'Order Completed' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(page.url()).toContain('/messages/');
});

test('after a URL was mended, what failed before is shown of the URL as it was', async () => {
  const all = await threeRefused();
  const { service, receiver, source, destination } = all;
  const [webhook] = destination.settings.webhooks;
  const was = webhook?.url ?? '';
  const url = receiver.url('/mended');
  await service.must('PATCH', `/api/destinations/${destination.id}`, {
    settings: { webhooks: [{ id: webhook?.id, url }] },
  });
  receiver.become(() => 200);
  await service.accept(source, { event: 'Order Completed' });
  await overviewOf(all, ({ destination: { counts } }) => counts.processed === 1);
  const page = await look(all, 'mended');
  // Most attempts of the hour failed, and the last one succeeded.
  await page.getByRole('table', { name: 'URLs' }).getByText('errors', { exact: true }).waitFor();
  await errorsIn(page).getByText(`${url}, which was ${was} then`).waitFor();
  await errorsIn(page).getByRole('link', { name: 'Order Completed' }).click();
  await page
    .getByRole('img', { name: /^Time line of 1 attempt/ })
    .getByTitle(was, { exact: true })
    .waitFor();
});

test('a replay over what still fails warns, and ends as failed again', async () => {
  const all = await threeRefused();
  const page = await browser.newPage({ width: 1440, height: 1200 });
  await openSignedIn(page, all.service, `/destinations/${all.destination.id}/failed`);
  const groups = page.getByRole('table', { name: 'Failed messages by error and event' });
  await groups.getByText('Answered 401 (401)').waitFor();
  expect(await groups.locator('tbody tr').count()).toBe(1);
  await groups.getByRole('button', { name: 'Choose Order Completed with 401' }).click();
  const replay = page.getByRole('region', { name: 'Send again' });
  expect(await replay.getByLabel('Error').inputValue()).toBe('401');
  await replay.getByText('This destination still fails').waitFor();
  await replay.getByRole('button', { name: 'Count them' }).click();
  await replay.getByRole('button', { name: 'Send 3 again' }).click();
  await replay.getByText('Done: 3 failed again.').waitFor();
  const replays = page.getByRole('table', { name: 'Replays' });
  await replays.getByText('failed again', { exact: true }).waitFor();
  await screenshot(page, 'destination-failed-again');
});

test('some messages are chosen and sent again; the numbers stay those of messages, after a restart too', async () => {
  const all = await threeRefused(await startService());
  const page = await browser.newPage();
  await openSignedIn(page, all.service, `/destinations/${all.destination.id}/failed`);
  await all.service.must('POST', '/api/replays', {
    destinationId: all.destination.id,
    state: 'failed',
    perSecond: 100,
  });
  const replays = page.getByRole('table', { name: 'Replays' });
  await replays.getByText('3 failed again').waitFor();
  all.receiver.become(() => 200);
  // The list may have been read while the replay had the messages.
  await page.getByRole('region', { name: 'Failed messages' }).getByRole('button', { name: 'Refresh' }).click();
  const rows = page.getByRole('table', { name: 'Deliveries' });
  await rows.getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Send 1 chosen again' }).click();
  await replays.getByText('1 delivered').waitFor();
  const { destination } = await overviewOf(all, (overview) => overview.destination.counts.processed === 1);
  expect(destination.counts).toMatchObject({ failed: 2, processed: 1 });
  expect(destination.lastHour).toMatchObject({ failed: 2, processed: 1, attempts: 7, attemptsFailed: 6 });
  const overview = await all.service.must<Overview>('GET', '/api/overview?from=2020-01-01T00:00:00Z&to=2020-01-02');
  expect(overview.stats?.total.failed).toBe(0);
  const { items } = await all.service.must<{ items: Replay[] }>('GET', '/api/replays');
  expect(items.map(({ result }) => result)).toEqual([
    { delivered: 1, failed: 0, filtered: 0, waiting: 0 },
    { delivered: 0, failed: 3, filtered: 0, waiting: 0 },
  ]);
  await page.goto('about:blank');
  await all.service.stop();
  await all.service.start();
  expect((await all.service.must<{ items: Replay[] }>('GET', '/api/replays')).items).toEqual(items);
});

test('what no longer fails is not sent again with others that were chosen, and is not chosen any more', async () => {
  const all = await threeRefused();
  const destinationId = all.destination.id;
  const page = await browser.newPage();
  await openSignedIn(page, all.service, `/destinations/${destinationId}/failed`);
  const rows = page.getByRole('table', { name: 'Deliveries' });
  await rows.getByRole('checkbox').nth(2).waitFor();
  for (const place of [0, 1]) await rows.getByRole('checkbox').nth(place).check();
  all.receiver.become(() => 200);
  const path = `/api/deliveries?destinationId=${destinationId}&state=failed`;
  const { items } = await all.service.must<{ items: Delivery[] }>('GET', path);
  const sendAgain = async (place: number, delivered: number): Promise<void> => {
    const { messageId, sourceId, position } = items[place] as Delivery;
    const messages = [{ messageId, sourceId, position }];
    await all.service.must('POST', '/api/replays', { destinationId, state: 'failed', messages });
    await overviewOf(all, ({ destination }) => destination.counts.processed === delivered);
  };
  await sendAgain(0, 1);
  await page.getByRole('button', { name: 'Send 2 chosen again' }).click();
  await page
    .getByText('Done: 1 delivered. 1 left out: gone, no longer failed, or of a source that is not connected.')
    .waitFor();
  expect(all.receiver.arrived).toBe(5);

  const refresh = page.getByRole('region', { name: 'Failed messages' }).getByRole('button', { name: 'Refresh' });
  await refresh.click();
  await expect.poll(() => rows.getByRole('checkbox').count()).toBe(1);
  await rows.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Send 1 chosen again' }).waitFor();
  await sendAgain(2, 3);
  await refresh.click();
  await page.getByText('Nothing has failed').waitFor();
  expect(await page.getByRole('button', { name: /chosen again/ }).count()).toBe(0);
});

test('a replay is narrowed by error, and says what it can not be narrowed by', async () => {
  let n = 0;
  const all = await world(() => [400, 404, 400][n++] ?? 400, 3);
  await overviewOf(all, ({ destination }) => destination.counts.failed === 3);
  const preview = (filter: object, state = 'failed') =>
    all.service.api('POST', '/api/replays', { destinationId: all.destination.id, state, dryRun: true, filter });
  const counted = async (error: string): Promise<ReplayPreview> => {
    const { status, text } = await preview({ error });
    expect(status).toBe(200);
    return JSON.parse(text) as ReplayPreview;
  };
  expect(await counted('400')).toMatchObject({ count: 2, errors: [{ error: '400', count: 2 }] });
  expect(await counted('4xx')).toMatchObject({ count: 3 });
  expect(await counted('503')).toMatchObject({ count: 0, errors: [] });
  expect((await preview({ error: '4 0 0' })).status).toBe(400);
  expect((await preview({ error: '400' }, 'all')).status).toBe(400);
});

test('a replay is narrowed by event, class of status and time, and sends as many again as it has counted', async () => {
  const statuses = [400, 404, 503];
  const all = await world(({ message }) => statuses[Number(message['userId'])] ?? 404, 0);
  const { service, source, destination, receiver } = all;
  for (const userId of ['0', '1', '2']) await service.accept(source, { userId, event: 'Order Completed' });
  await service.accept(source, { userId: '3', event: 'Signed Up' });
  await service.settled(destination, 4);
  const before = receiver.arrived;
  receiver.become(() => 200);
  const page = await browser.newPage({ width: 1440, height: 1200 });
  await openSignedIn(page, service, `/destinations/${destination.id}/failed`);
  const replay = page.getByRole('region', { name: 'Send again' });
  const count = replay.getByRole('button', { name: 'Count them' });
  // As badges show it.
  await replay.getByLabel('Error').fill('4XX');
  await count.click();
  await replay.getByText('3 messages would be sent').waitFor();
  await replay.getByText('How they failed: 2 × 404 (Answered 404), 1 × 400 (Answered 400).').waitFor();
  // What can't be said of everything is left out of it.
  await replay.getByRole('combobox', { name: 'Which' }).click();
  await page.getByRole('option', { name: 'Everything, in any state' }).click();
  await count.click();
  await replay.getByText('4 messages would be sent').waitFor();
  await replay.getByRole('combobox', { name: 'Which' }).click();
  await page.getByRole('option', { name: 'What failed' }).click();
  await replay.getByLabel('Event').fill('Order Completed');
  await replay.getByRole('combobox', { name: 'Received' }).click();
  await page.getByRole('option', { name: 'Between…' }).click();
  await replay.getByLabel('From').fill('2020-01-01T00:00');
  await replay.getByLabel('To', { exact: true }).fill('2020-01-02T00:00');
  await replay.getByRole('button', { name: 'Show' }).click();
  await count.click();
  await replay.getByText('Nothing fits: no message would be sent.').waitFor();
  await replay.getByRole('combobox', { name: 'Received' }).click();
  await page.getByRole('option', { name: 'Last hour' }).click();
  await count.click();
  await replay.getByText('2 messages would be sent').waitFor();
  await screenshot(page, 'destination-replay-narrowed');
  await replay.getByRole('button', { name: 'Send 2 again' }).click();
  await replay.getByText('Done: 2 delivered.').waitFor();
  const row = page.getByRole('table', { name: 'Replays' }).locator('tbody tr');
  await row.getByText('What failed, event Order Completed, error 4xx').waitFor();
  await row.getByText('2 of 2', { exact: true }).waitFor();
  const again = receiver.arrivals.slice(before).map(({ message }) => message['userId']);
  expect(again.sort()).toEqual(['0', '1']);
  expect(await service.counts(destination)).toMatchObject({ processed: 2, failed: 2 });
});

test('a destination that waits for a word is held: nothing of it fails, and the word is given where it is told', async () => {
  const service = await startService({ MILLRACE_ALLOW_PRIVATE_URLS: null });
  await service.must('POST', '/api/loopback/allow');
  const all = await world(() => 200, 1, service);
  await service.settled(all.destination, 1);
  await service.stop();
  await service.start();
  const messageId = await service.accept(all.source);
  const page = await look(all, 'held');
  await page.getByText('failing', { exact: true }).waitFor();
  const note = page
    .getByRole('alert')
    .filter({ hasText: 'Sending to this machine is not allowed, so its events wait' });
  await note.getByText(/^1 event waits, the oldest since .* No retry window runs meanwhile\.$/).waitFor();
  await page.goto(`${service.url}/messages/${messageId}`);
  await page.getByText('Held: it goes to this machine, which is not allowed').waitFor();
  await screenshot(page, 'held-message');
  await page.goto(service.url);
  const held = page.getByRole('alert').filter({ hasText: '1 destination waits' });
  await held.getByText('The events of these destinations are held; no retry window runs meanwhile.').waitFor();
  await held.getByRole('button', { name: 'Allow this machine' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Allow this machine' }).click();
  await page.getByText('Webhooks may go to this machine').waitFor();
  await page.getByRole('table', { name: 'Destinations' }).getByText('healthy', { exact: true }).waitFor();
  await all.receiver.waitFor(2);
  expect(await service.settled(all.destination, 2)).toMatchObject({ processed: 2, failed: 0 });
});

test('a destination that failed goes on failing when nothing is sent any more', async () => {
  const all = await threeRefused(await startService());
  const { service, destination } = all;
  await service.stop();
  // The last attempts were ten minutes ago.
  await service.start({
    NODE_OPTIONS: `--import=${import.meta.resolve('../cluster/skewed-clock.ts')}`,
    CLOCK_SKEW_MS: '600000',
  });
  const page = await look(all, 'silent');
  const reason = 'The last attempts failed, and nothing was tried since';
  await page.getByTitle(reason).getByText('failing', { exact: true }).waitFor();
  await page.getByRole('alert').filter({ hasText: reason }).getByText('3 messages have failed').waitFor();
  await page.goto(`${service.url}/destinations`);
  const row = page.getByRole('table', { name: 'Destinations' }).getByRole('row').filter({ hasText: destination.name });
  await row.getByText('failing', { exact: true }).waitFor();
});

test('an outage is named, and the pause of the breaker in plain words', async () => {
  const patient = { MILLRACE_RETRY_BASE: '100ms', MILLRACE_RETRY_WINDOW: '1h' };
  const service = await startService(patient, { mayLogErrors: true });
  const all = await world(() => ({ status: 503, body: 'down for maintenance' }), 60, service);
  const before = await look(all, '503');
  await errorsIn(before)
    .getByText(/^Answered 503: \d+ attempts$/)
    .waitFor();
  await errorsIn(before).getByText('down for maintenance').waitFor();
  await before.getByText('60 events wait').waitFor();
  await overviewOf(all, ({ status }) => status.breaker !== 'closed');
  const page = await look(all, 'paused');
  await page.getByText('Millrace has paused sending: no attempt succeeded for a while').first().waitFor();
  await page.getByText(/The next try is|tries one message now/).waitFor();
  const { items } = await service.deliveries({ destinationId: all.destination.id, state: 'retrying' });
  await page.goto(`${service.url}/messages/${items[0]?.messageId}`);
  await page
    .getByText(/^(Tried in \d+ rounds?\. )?Millrace has paused sending to this destination: .* The next try/)
    .waitFor();
  // Its clock goes on, and nothing new is told: an answer would tell it the service's time.
  const late = await browser.newPage({ mayLog: [/ERR_INTERNET_DISCONNECTED/] });
  await late.addInitScript('window.EventSource = class extends EventTarget { close() {} }');
  await openSignedIn(late, service, `/destinations/${all.destination.id}`);
  await late.getByText(/The next try is|tries one message now/).waitFor();
  await late.waitForLoadState('networkidle');
  await late.context().setOffline(true);
  await late.clock.setSystemTime(Date.now() + 1_200_000);
  const note = late.getByRole('alert').filter({ hasText: /Last attempt: 2\d min\. ago/ });
  await note.waitFor();
  expect(await note.innerText()).toMatch(/The next try is due now, of one message|tries one message now/);
});

test.skipIf(!(await need('openssl')))('a certificate that is refused says so, and what to install', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => removeFolder(folder));
  const own = new Certificates(folder).selfSigned('own');
  const all = await world(() => 200, 2, shared, { tls: own });
  await overviewOf(all, ({ destination }) => destination.counts.failed === 2);
  const page = await look(all, 'certificate');
  await errorsIn(page).getByText('certificate_self_signed').waitFor();
  await errorsIn(page).getByText('Install a certificate from a known authority').waitFor();
  await errorsIn(page).getByText('A message that meets this fails').waitFor();
});

test('the page of what fails is well made', async () => {
  const all = await world(() => ({ status: 401, body: 'no' }), 2);
  await overviewOf(all, ({ destination }) => destination.counts.failed === 2);
  await expectWellMade(browser, all.service, `/destinations/${all.destination.id}`, {
    name: 'destination-errors',
    ready: (page) => errorsIn(page).getByText('Answered 401').waitFor(),
  });
});
