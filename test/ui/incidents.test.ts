import { expect, test } from 'vitest';
import type {
  AlertSettings,
  Destination,
  Incident,
  Page as Listed,
  Source,
} from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { eventually } from '../system/kit/eventually.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import { type Service, sharedService, startService } from '../system/kit/service.ts';
import { expectOpenWellMade, expectWellMade, openAsViewer, openSignedIn } from './kit.ts';

/** Its rules are those of the defaults, until a test sets others. */
const shared = sharedService();
const browser = openBrowser(shared);

interface World {
  readonly service: Service;
  readonly receiver: Receiver;
  readonly destination: string;
  readonly incident: Incident;
}

/** A destination of which more messages wait than a rule has. */
async function world(): Promise<World> {
  const service = await startService({ MILLRACE_RETRY_WINDOW: '4h' });
  const receiver = await receive(({ path }) => (path === '/crm' ? 503 : 200));
  const source = await service.source({ name: 'Web shop' });
  const destination = await service.destination(source, receiver.url('/crm'));
  for (let i = 0; i < 3; i++) await service.accept(source);
  await service.must('PATCH', '/api/alerts', {
    rules: { waiting: { above: 2 }, success_share: { enabled: false } },
    endsAfter: '10s',
  });
  const open = (): Promise<Listed<Incident>> => service.must('GET', '/api/incidents?state=open');
  const { items } = await eventually(open, ({ items }) => items.length === 1);
  return { service, receiver, destination: destination.id, incident: items[0] as Incident };
}

test('an incident is on its pages, in the navigation, on the overview and at its destination, until it ends', {
  timeout: 90_000,
}, async () => {
  const { service, receiver, destination, incident } = await world();
  const page = await browser.newPage({ width: 1440, height: 1000 });
  await openSignedIn(page, service, '/');
  await page.getByRole('link', { name: 'Incidents 1 open' }).waitFor();
  const wrong = page.getByRole('region', { name: 'What is wrong' });
  await wrong.getByText('3 messages wait.').waitFor();
  await wrong.getByRole('link', { name: 'Incident', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'CRM: many messages wait' }).waitFor();
  await page.getByText(/^3 wait, \d+ attempts? failed in 15 min$/).waitFor();
  const errors = page.getByRole('link', { name: 'Which errors its attempts met in the last hour, and what to do' });
  expect(await errors.getAttribute('href')).toBe(`/destinations/${destination}`);
  await page.getByRole('link', { name: String(incident.sample?.messageId) }).waitFor();

  await page.goto(`${service.url}/destinations/${destination}`);
  await page.getByRole('link', { name: '3 messages wait.' }).waitFor();

  await page.goto(`${service.url}/incidents`);
  const open = page.getByRole('table', { name: 'Open incidents' });
  await open.getByRole('link', { name: 'CRM' }).waitFor();
  await open.getByRole('button', { name: 'Snooze the incident of CRM' }).click();
  await page.getByRole('menuitem', { name: '4 hours', exact: true }).click();
  await open.getByText('snoozed until').waitFor();
  await open.getByRole('button', { name: 'Snooze the incident of CRM' }).click();
  await expectOpenWellMade(page.getByRole('menu'), 'snooze');
  await page.getByRole('menuitem', { name: 'Alert again' }).click();
  await open.getByText('snoozed until').waitFor({ state: 'detached' });

  await expectWellMade(browser, service, '/incidents', {
    name: 'incidents',
    ready: (shown) => shown.getByRole('table', { name: 'Open incidents' }).getByText('HTTP 503').waitFor(),
  });
  await expectWellMade(browser, service, `/incidents/${incident.id}`, {
    name: 'incident',
    ready: (shown) => shown.getByText('A message of it').waitFor(),
  });
  await expectWellMade(browser, service, '/', {
    name: 'overview-with-incident',
    ready: (shown) => shown.getByText('3 messages wait.').waitFor(),
  });

  // The page follows by itself. The long `endsAfter` keeps the incident open until its note is shown.
  await service.must('PATCH', '/api/alerts', { endsAfter: '5m' });
  receiver.become(() => 200);
  await open.getByText('That has not been so since').waitFor({ timeout: 60_000 });
  const times = async (): Promise<(string | null)[]> => {
    const { clearSince, endsAt } = await service.must<Incident>('GET', `/api/incidents/${incident.id}`);
    return [clearSince, endsAt];
  };
  const [clearSince, endsAt] = await times();
  expect(Date.parse(String(endsAt)) - Date.parse(String(clearSince))).toBe(300_000);
  await service.must('PATCH', '/api/alerts', { endsAfter: '10s' });
  const ended = page.getByRole('table', { name: 'Ended incidents' });
  await page.getByText('No open incident').waitFor({ timeout: 60_000 });
  await ended.getByText(/Recovered: 3 messages drained in/).waitFor();
  expect(await times()).toEqual([null, null]);
});

test('a destination and a source have rules of their own, in their settings', async () => {
  const receiver = await receive();
  const source = await shared.source({ name: 'Web shop' });
  const { id } = await shared.destination(source, receiver.url());
  const page = await browser.newPage({ mayLog: [/status of 400/], width: 1440, height: 1000 });
  const rule = (name: string, mode: string): Promise<void> =>
    page.getByRole('radiogroup', { name }).getByText(mode, { exact: true }).click();
  await openSignedIn(page, shared, `/destinations/${id}/settings`);
  await page.getByText('For all: waiting messages 100,000.').waitFor();
  await rule('Many messages wait', 'Off');
  await rule('A message waits long', 'On');
  const age = page.getByRole('textbox', { name: 'A message waits long: Age of the oldest' });
  expect(await age.getAttribute('placeholder')).toBe('1h');
  await age.fill('soon');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('must be a duration from 10s to 365d').waitFor();
  await age.fill('2h');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('The settings are saved.').waitFor();
  expect((await shared.must<Destination>('GET', `/api/destinations/${id}`)).alerts).toEqual({
    waiting: { enabled: false },
    oldest_waiting: { enabled: true, above: '2h' },
  });
  await rule('A message waits long', 'As for all');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await eventually(
    () => shared.must<Destination>('GET', `/api/destinations/${id}`),
    ({ alerts }) => alerts.oldest_waiting === undefined && alerts.waiting !== undefined,
  );

  await page.goto(`${shared.url}/sources/${source.id}/settings`);
  await page.getByText('Off for all.').waitFor();
  await rule('A source fell silent', 'On');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await eventually(
    () => shared.must<Source>('GET', `/api/sources/${source.id}`),
    ({ alerts }) => alerts.source_silent?.['enabled'] === true,
  );
  for (const path of [`/destinations/${id}/settings`, `/sources/${source.id}/settings`]) {
    await expectWellMade(browser, shared, path, {
      name: `own-rules-${path.split('/')[1]}`,
      ready: (shown) => shown.getByRole('radiogroup', { name: /(wait|silent)$/ }).waitFor(),
    });
  }
});

test('rules and addresses are set on the settings page, with a test of each address', async () => {
  const receiver = await receive(({ path }) => (path === '/well' ? 200 : 404));
  const page = await browser.newPage({ mayLog: [/status of 400/], width: 1440, height: 1000 });
  await openSignedIn(page, shared, '/settings/alerts');
  await page.getByRole('button', { name: 'Add an address' }).click();
  await expectOpenWellMade(page.getByRole('menu'), 'add-address');
  await page.getByRole('menuitem', { name: 'Webhook, signed' }).click();
  await page.getByRole('textbox', { name: 'Webhook, signed' }).fill(receiver.url('/well'));
  await page.getByRole('button', { name: 'Add an address' }).click();
  expect(await page.getByRole('menuitem', { name: /^E-mail/ }).isDisabled()).toBe(true);
  await page.getByRole('menuitem', { name: 'Slack, or what takes its webhooks' }).click();
  await page.getByRole('textbox', { name: /^Slack/ }).fill(receiver.url('/T0/secret'));
  const after = page.getByRole('textbox', { name: /^Nothing is delivered/ });
  await after.fill('soon');
  await page.getByRole('button', { name: 'Save alerts' }).click();
  await page.getByText('must be a duration from 10s to 365d').waitFor();
  await after.fill('10m');
  await page.getByRole('button', { name: 'Save alerts' }).click();
  const secret = page.getByRole('dialog').getByRole('textbox', { name: 'Secret' });
  expect(await secret.inputValue()).toMatch(/^whsec_/);
  shared.secrets.add(await secret.inputValue());
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Send a test to each address' }).click();
  await page.getByText('Webhook, signed: HTTP 200').waitFor();
  await page.getByText('Slack, or what takes its webhooks: HTTP 404').waitFor();

  const saved = await shared.must<AlertSettings>('GET', '/api/alerts');
  expect(saved.rules.no_success).toEqual({ enabled: true, after: '10m' });
  expect(saved.addresses.map(({ kind }) => kind)).toEqual(['webhook', 'slack']);
  await page.getByRole('switch', { name: 'Many messages wait' }).click({ force: true });
  await page.getByRole('button', { name: 'Save alerts' }).click();
  await eventually(
    () => shared.must<AlertSettings>('GET', '/api/alerts'),
    ({ rules, revision }) => rules.waiting['enabled'] === false && revision === saved.revision + 1,
  );
  // What is not shown of an address is kept.
  await page.getByRole('button', { name: 'Send a test to each address' }).click();
  await receiver.until(() => receiver.on('/T0/secret').length === 2, 'the second test');

  await expectWellMade(browser, shared, '/settings/alerts', {
    name: 'settings-alerts',
    ready: (shown) => shown.getByRole('button', { name: 'Save alerts' }).waitFor(),
  });
  const viewer = await browser.newPage({ width: 1440, height: 1000 });
  await openAsViewer(viewer, shared, '/settings/alerts');
  await viewer.getByRole('textbox', { name: /^Nothing is delivered/ }).waitFor();
  expect(await viewer.getByRole('button', { name: 'Save alerts' }).count()).toBe(0);
});
