import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Destination, Source } from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import { type Service, sharedService, startService } from '../system/kit/service.ts';
import { expectOpenWellMade, expectWellMade, openAsViewer, openSignedIn } from './kit.ts';

const shared = sharedService();
const browser = openBrowser(shared);

const HOSTILE = `<img src="x" onerror="document.title='taken'">`;

interface World {
  readonly service: Service;
  readonly receiver: Receiver;
  readonly source: Source;
  readonly good: Destination;
  readonly bad: Destination;
}

/** Two destinations with three events each: the first takes them, the second refuses them for good. */
async function world(service: Service = shared): Promise<World> {
  const receiver = await receive(({ path }) => (path === '/broken' ? { status: 400, body: HOSTILE } : 200));
  const source = await service.source({ name: `Shop ${HOSTILE}` });
  const good = await service.destination(source, receiver.url('/works'), { name: `CRM ${HOSTILE}` });
  const bad = await service.destination(source, receiver.url('/broken'), { name: 'Fraud scoring' });
  for (const event of ['Order Completed', 'Signed Up', HOSTILE]) await service.accept(source, { event });
  await service.settled(good, 3);
  await service.settled(bad, 3);
  return { service, receiver, source, good, bad };
}

async function open({ service }: Pick<World, 'service'>, path: string, mayLog: readonly RegExp[] = []): Promise<Page> {
  const page = await browser.newPage({ mayLog });
  await openSignedIn(page, service, path);
  return page;
}

test('the list: what needs attention first, found by its name, and a way to each', async () => {
  const all = await world(await startService());
  const page = await open(all, '/destinations');
  const rows = page.getByRole('table', { name: 'Destinations' }).locator('tbody tr');
  await rows.nth(0).getByText('failing').waitFor();
  expect(await rows.nth(0).innerText()).toContain('Fraud scoring');
  expect(await rows.nth(1).innerText()).toContain(HOSTILE);
  await page.getByLabel('Filter destinations by name').fill('moon');
  await page.getByText('No destination has this name').waitFor();
  await page.getByLabel('Filter destinations by name').fill('FRAUD');
  await page.getByRole('link', { name: 'Fraud scoring' }).click();
  await page.getByRole('heading', { level: 1, name: 'Fraud scoring' }).waitFor();
  expect(page.url()).toContain(`/destinations/${all.bad.id}`);
});

test('the overview shows that the counts add up, why it is not well, and each URL', async () => {
  const all = await world();
  const page = await open(all, `/destinations/${all.bad.id}`);
  await page.getByText('Adds up: nothing is missing').waitFor();
  await page.getByRole('img', { name: /^Of 3 accepted: 0 processed \(0%\), 3 failed \(100%\)/ }).waitFor();
  await page.getByText('Nothing was delivered in the last 5 minutes').first().waitFor();
  await page.getByRole('table', { name: 'URLs' }).getByText('HTTP 400').waitFor();
  const errors = page.getByRole('region', { name: 'Errors of the last hour' });
  await errors.getByText('Answered 400: 3 attempts').waitFor();
  await errors.getByText(HOSTILE).first().waitFor();
  await page.getByRole('table', { name: 'By source' }).getByText(`Shop ${HOSTILE}`).waitFor();
  // Each part leads to what it counts.
  await page.getByRole('region', { name: 'What became of every event' }).getByRole('link', { name: 'failed' }).click();
  const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
  await rows.first().getByText('Every URL refused it for good.').waitFor();
  expect(await rows.count()).toBe(3);
  await page.getByLabel('Event').fill(HOSTILE);
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole('link', { name: HOSTILE }).waitFor();
  await page.getByLabel('User id').fill('nobody');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByText('Nothing fits these filters').waitFor();
});

test('Standard Webhooks are chosen with a secret to copy; a secret that is replaced goes on signing for a day', async () => {
  const source = await shared.source();
  const { id } = await shared.destination(source, 'https://hooks.example.com/', { name: 'Standard' });
  const page = await browser.newPage();
  await openSignedIn(page, shared, `/destinations/${id}/settings`);
  const region = page.getByRole('region', { name: 'Signatures' });
  await region.getByLabel('Standard Webhooks, HMAC-SHA256').check();
  const first = await region.getByLabel('Secret of Standard Webhooks').inputValue();
  expect(first).toMatch(/^whsec_/);
  shared.secrets.add(first);
  await region.getByRole('button', { name: 'Copy the secret' }).waitFor();
  await page.getByRole('button', { name: 'Save settings' }).click();
  await region.getByText('It is never shown again.').waitFor();
  await region.getByLabel('Standard Webhooks, ed25519').check();
  await region.getByRole('button', { name: 'Generate' }).click();
  shared.secrets.add(await region.getByLabel('New secret of Standard Webhooks').inputValue());
  await region.getByText('The old one goes on signing').waitFor();
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'signatures');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click();
  await region.getByText('The one before signs too until').waitFor();
  await region.getByText(/^whpk_/).waitFor();
  const { settings } = await shared.must<Destination>('GET', `/api/destinations/${id}`);
  expect(settings.signatures).toEqual(['segment', 'standard', 'standard-ed25519']);
  expect(settings.standardSecret).toMatchObject({ set: true, previousUntil: expect.any(String) });

  await region.getByRole('button', { name: 'Generate' }).click();
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page
    .getByRole('dialog')
    .getByText('The secret before the old one, which still signs too, ends at once')
    .waitFor();
  await screenshot(page, 'second-replacement', 'screen');
});

test('settings are one form: errors stand at their fields, the first takes the focus, and the secret is never shown', async () => {
  const all = await world();
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, all.service, `/destinations/${all.good.id}/settings`);
  const read = (): Promise<Destination> => all.service.must('GET', `/api/destinations/${all.good.id}`);
  const save = page.getByRole('button', { name: 'Save settings' });
  const focused = (): Promise<unknown> => page.evaluate('document.activeElement.value');
  const region = (name: string): Locator => page.getByRole('region', { name });
  expect(await save.isDisabled()).toBe(true);

  await page.getByRole('textbox', { name: 'Name' }).fill('Warehouse');
  await region('URLs').getByRole('button', { name: 'Add URL' }).click();
  const second = region('URLs').getByRole('textbox', { name: 'URL 2', exact: true });
  await second.fill('https://no scheme');
  await region('Shared secret').getByLabel('Secret', { exact: true }).fill('pasted with a space ');
  await region('Track filter').getByText('Only these').click();
  await save.click();
  await region('Track filter').getByText('must name an event').waitFor();
  await region('Shared secret').getByText('must not begin or end with a space').waitFor();
  expect(await page.locator('[aria-invalid="true"]').count()).toBe(3);
  expect(await focused()).toBe('https://no scheme');
  expect(await axe(page)).toEqual([]);
  await region('Shared secret').getByRole('button', { name: 'Generate' }).click();
  await region('Track filter').getByText('All but these').click();
  await region('Track filter').getByRole('combobox', { name: 'Event names' }).click();
  await page.getByRole('option', { name: 'Signed Up' }).click();
  await region('Track filter').getByText('left out').waitFor();
  await save.click();
  await expect.poll(focused).toBe('https://no scheme');
  expect(await second.getAttribute('aria-invalid')).toBe('true');

  await second.fill(all.receiver.url('/v1/batch'));
  await region('URLs').getByText('looks like the address of a collection API').waitFor();
  await second.fill(all.receiver.url('/second'));
  await region('URLs').getByText('looks like the address of a collection API').waitFor({ state: 'detached' });
  await region('URLs').getByRole('button', { name: 'Check URL 2' }).click();
  await region('URLs').getByRole('list', { name: 'Check of URL 2' }).getByText('Test message').waitFor();

  await region('Test message').getByText('is not part of it until it is saved').waitFor();
  await page.getByRole('link', { name: 'Overview' }).last().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stay here' }).click();
  await save.click();
  await page.getByText('The settings are saved.').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Warehouse' }).waitFor();
  expect(await read()).toMatchObject({
    name: 'Warehouse',
    settings: {
      webhooks: [{ url: all.receiver.url('/works') }, { url: all.receiver.url('/second') }],
      sharedSecret: { set: true },
    },
    trackFilter: { mode: 'deny', events: ['Signed Up'] },
  });
  expect(await region('Shared secret').getByLabel('New secret').inputValue()).toBe('');
  expect(await save.isDisabled()).toBe(true);
  await region('Test message').getByRole('button', { name: 'Send a test message' }).click();
  await region('Test message').getByText(all.receiver.url('/second')).waitFor();
  // What a colleague has made of it since then was not tested.
  const webhooks = [{ url: all.receiver.url('/moved') }];
  await all.service.must('PATCH', `/api/destinations/${all.good.id}`, { settings: { webhooks } });
  await region('Test message').getByText(all.receiver.url('/second')).waitFor({ state: 'detached' });
});

test('a name that turns the direction of writing turns no words around it', async () => {
  const source = await shared.source();
  const name = '\u202eevil';
  const { id } = await shared.destination(source, 'https://hooks.example.com/', { name });
  const page = await open({ service: shared }, `/destinations/${id}/settings`);
  await page.getByRole('button', { name: 'Delete this destination' }).click();
  await page.getByRole('dialog').locator('bdi').getByText(`“${name}”`).waitFor();
});

test('a test event: an own call, its error at the line, what was sent and what came back of each URL', async () => {
  const service = shared;
  const receiver = await receive(({ path }) => ({ status: path === '/broken' ? 503 : 201, body: `{"at":"${path}"}` }));
  const webhooks = [{ url: receiver.url('/works') }, { url: receiver.url('/broken') }];
  const settings = { webhooks, sharedSecret: 'a secret for the test event' };
  const destination = await service.destination(await service.source(), [], {
    settings,
    trackFilter: { mode: 'allow', events: ['Order Completed'] },
  });
  const page = await browser.newPage({ width: 1440, mayLog: [/status of 400/] });
  await openSignedIn(page, service, `/destinations/${destination.id}/test`);
  const payload = page.getByRole('textbox', { name: 'Payload' });
  const send = page.getByRole('button', { name: 'Send the test event' });
  await payload.fill('{\n  "type": "track",\n  "userId": \'u1\'\n}');
  await page.getByRole('alert').getByText('A value is expected here; texts stand in double quotes.').waitFor();
  expect(await send.isDisabled()).toBe(true);
  expect(await axe(page)).toEqual([]);
  await page.getByRole('button', { name: 'Line 3' }).click();
  expect(await page.evaluate('getSelection().toString()')).toBe(`  "userId": 'u1'`);

  await payload.fill('{"type": "track", "userId": "u1"}');
  await send.click();
  await page.getByRole('alert').getByText('event_required').waitFor();
  await payload.fill(`{"type": "track", "userId": "u1", "event": ${JSON.stringify(HOSTILE)}}`);
  await send.click();
  await page.getByText('A delivery would not have been made').waitFor();
  await page.getByRole('status').getByText('1 of 2 URLs took it.').waitFor();
  const works = page.getByRole('region', { name: receiver.url('/works') });
  const broken = page.getByRole('region', { name: receiver.url('/broken') });
  await broken.getByText('Status 503').waitFor();
  await broken.getByText('A delivery would be tried again.').waitFor();
  await works.locator('summary').click();
  await works.getByText('Status 201').waitFor();
  const [arrived] = receiver.on('/works');
  expect(arrived?.message).toMatchObject({ event: HOSTILE, userId: 'u1' });
  const head = await works.getByRole('region', { name: 'request headers' }).innerText();
  expect(head).toContain(`X-Signature: ${arrived?.headers['x-signature']}`);
  expect(await works.getByRole('region', { name: /^response body/ }).innerText()).toContain('"/works"');
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'destination-test-answered');
  expect(receiver.arrivals).toHaveLength(2);
  expect(await service.counts(destination)).toMatchObject({ accepted: 0 });
});

test('a test event: a real one, of the last or by its messageId, is the request of its delivery', async () => {
  const { service, receiver, source, good } = await world();
  const before = await service.counts(good);
  const page = await open({ service }, `/destinations/${good.id}/test`, [/status of 404/]);
  await page.getByText('A real event').click();
  const send = page.getByRole('button', { name: 'Send the test event' });
  await page.getByRole('combobox', { name: 'Event' }).click();
  await page.getByRole('option', { name: /^Signed Up · u1/ }).click();
  await send.click();
  await page
    .getByRole('region', { name: receiver.url('/works') })
    .getByText('Status 200')
    .waitFor();
  const [delivered, tested] = receiver.on('/works').filter(({ message }) => message['event'] === 'Signed Up');
  expect(tested?.text).toBe(delivered?.text);
  expect(tested?.headers).toEqual(delivered?.headers);
  expect(tested?.headers['x-millrace-source']).toBe(source.id);

  await page.getByLabel('messageId').fill('nobody');
  await send.click();
  await page.getByText('There is no message nobody').waitFor();
  await page.getByLabel('messageId').fill(String(delivered?.message['messageId']));
  await page.getByRole('button', { name: 'Edit it as a call' }).click();
  expect(await page.getByRole('textbox', { name: 'Payload' }).inputValue()).toContain('"event": "Signed Up"');
  expect(await service.counts(good)).toEqual(before);
});

test('how old an event may be is said in days or hours, and nothing is refused without it', async () => {
  const all = await world();
  const path = `/destinations/${all.good.id}/settings`;
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, all.service, path);
  const read = (): Promise<Destination> => all.service.must('GET', `/api/destinations/${all.good.id}`);
  const age = page.getByRole('region', { name: 'Age of events' });
  const save = page.getByRole('button', { name: 'Save settings' });
  await age.getByText('Refuse old events').click();
  await age.getByLabel('Refuse events older than').fill('90');
  await save.click();
  await expect.poll(async () => (await read()).maxEventAgeHours).toBe(90 * 24);

  await page.reload();
  expect(await age.getByLabel('Refuse events older than').inputValue()).toBe('90');
  await age.getByRole('combobox', { name: 'Unit of the age' }).click();
  await page.getByRole('option', { name: 'hours' }).click();
  await age.getByLabel('Refuse events older than').fill('90000');
  await save.click();
  await expect.poll(() => age.locator('[aria-invalid="true"]').count()).toBe(1);
  await age.getByText('Events of any age').click();
  await save.click();
  await expect.poll(async () => (await read()).maxEventAgeHours).toBe(null);
});

test('switching off and deleting ask first, and name what they destroy', async () => {
  const all = await world();
  // What the page had asked for when the destination went.
  const page = await browser.newPage({ mayLog: [/status of 404/] });
  await openSignedIn(page, all.service, `/destinations/${all.bad.id}/settings`);
  await page.getByRole('switch', { name: 'Deliver to Fraud scoring' }).press('Space');
  await page
    .getByRole('dialog', { name: 'Switch off “Fraud scoring”?' })
    .getByRole('button', { name: 'Switch off' })
    .click();
  await page.locator('main').getByText('off', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Delete this destination' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete the destination “Fraud scoring”?' });
  await dialog.getByText('Nothing waits for it.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Delete the destination' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Type “Fraud scoring” to go on').fill('Fraud scoring');
  await expectOpenWellMade(dialog, 'delete-destination');
  await dialog.getByRole('button', { name: 'Delete the destination' }).click();
  await page.getByRole('heading', { level: 1, name: 'Destinations' }).waitFor();
  const { status } = await all.service.api('GET', `/api/destinations/${all.bad.id}`);
  expect(status).toBe(404);
});

test('a destination that a colleague deletes is missed on its open page', async () => {
  const all = await world();
  const page = await browser.newPage({ mayLog: [/status of 404/] });
  await openSignedIn(page, all.service, `/destinations/${all.bad.id}/failed`);
  await page.getByRole('table', { name: 'Failed messages by error and event' }).waitFor();
  await all.service.must('DELETE', `/api/destinations/${all.bad.id}`);
  await page.getByRole('link', { name: 'All destinations' }).waitFor();
});

test('failed messages are counted, sent again and seen to arrive', async () => {
  const all = await world();
  const page = await open(all, `/destinations/${all.bad.id}/failed`);
  await expect.poll(() => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr').count()).toBe(3);
  const replay = page.getByRole('region', { name: 'Send again' });
  await replay.getByLabel('Event').fill('Signed Up');
  await replay.getByRole('button', { name: 'Count them' }).click();
  await replay.getByText('1 message would be sent').waitFor();
  await replay.getByText('How they failed: 1 × 400 (Answered 400).').waitFor();
  await replay.getByText('This destination still fails').waitFor();
  await replay.getByLabel('Event').fill('');
  await replay.getByRole('button', { name: 'Count them' }).click();
  all.receiver.become(() => 200);
  await replay.getByRole('button', { name: 'Send 3 again' }).click();
  await replay.getByText('Done: 3 delivered.').waitFor();
  await page.getByText('Nothing has failed').waitFor();
  await page.getByRole('table', { name: 'Replays' }).getByText('3 delivered', { exact: true }).waitFor();
  await eventually(
    () => all.service.counts(all.bad),
    ({ processed }) => processed === 3,
  );
});

test('to a destination that is off nothing can be sent again, and the page says so before', async () => {
  const all = await world();
  await all.service.must('PATCH', `/api/destinations/${all.bad.id}`, { enabled: false });
  const page = await open(all, `/destinations/${all.bad.id}/failed`);
  const replay = page.getByRole('region', { name: 'Send again' });
  await replay.getByText('Nothing is sent to a destination that is switched off').waitFor();
  await replay.getByRole('button', { name: 'Count them', disabled: true }).waitFor();
});

test('a replay that runs can be stopped', async () => {
  const all = await world();
  const page = await open(all, `/destinations/${all.bad.id}/failed`);
  const replay = page.getByRole('region', { name: 'Send again' });
  await replay.getByLabel('Per second').fill('0.1');
  await replay.getByRole('button', { name: 'Count them' }).click();
  await replay.getByRole('button', { name: 'Send 3 again' }).click();
  await replay.getByRole('button', { name: 'Stop' }).click();
  await replay.getByText(/^Stopped after \d of 3/).waitFor();
});

test('a viewer sees everything and no control that is not theirs', async () => {
  const all = await world();
  const page = await browser.newPage();
  await openAsViewer(page, all.service, `/destinations/${all.good.id}/settings`);
  await page.getByText('Ask an admin to change them.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Delete this destination' }).count()).toBe(0);
  expect(await page.getByRole('switch').isDisabled()).toBe(true);
});

const PAGES = [
  ['destinations', () => '/destinations', 'Fraud scoring'],
  ['destination', ({ bad }: World) => `/destinations/${bad.id}`, 'Adds up: nothing is missing'],
  ['destination-deliveries', ({ bad }: World) => `/destinations/${bad.id}/deliveries?state=failed`, 'Signed Up'],
  ['destination-failed', ({ bad }: World) => `/destinations/${bad.id}/failed`, 'Signed Up'],
  ['destination-test', ({ good }: World) => `/destinations/${good.id}/test`, 'A real event'],
  ['destination-settings', ({ good }: World) => `/destinations/${good.id}/settings`, 'Track filter'],
] as const;

test('the pages of destinations are well made', async () => {
  const all = await world();
  for (const [name, path, words] of PAGES) {
    await expectWellMade(browser, all.service, path(all), {
      name,
      ready: (page) => page.getByText(words).first().waitFor(),
    });
  }
});
