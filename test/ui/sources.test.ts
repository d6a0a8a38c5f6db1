import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { builtPackage } from '../../packages/client/test/built-package.ts';
import { runNode } from '../../packages/client/test/run-node.ts';
import type {
  CreatedInvite,
  Destination,
  Page as List,
  Regulation,
  Source,
} from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser } from '../browser/browser.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedService, startService } from '../system/kit/service.ts';
import { expectOpenWellMade, expectWellMade, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

const HOSTILE = `<img src="x" onerror="document.title='taken'">`;

const run = promisify(execFile);

/** The snippet for a library, as it is copied. */
async function snippet(page: Page, library: string): Promise<string> {
  await page.getByRole('tab', { name: library, exact: true }).click();
  return page
    .getByRole('region', { name: `${library} snippet`, exact: true })
    .locator('code')
    .innerText();
}

function now(source: Source): Promise<Source> {
  return service.must('GET', `/api/sources/${source.id}`);
}

test('a source that is off is not said to get events, and a delete message is none of its events', async () => {
  const source = await service.source();
  await service.destination(source, (await receive()).url());
  await service.accept(source, { event: 'Goes', userId: 'u2' });
  await service.accept(source, { event: 'Stays', userId: 'u1' });
  const ask = { regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['u2'] };
  const { id } = await service.must<Regulation>('POST', '/api/regulations', ask);
  const regulation = (): Promise<Regulation> => service.must('GET', `/api/regulations/${id}`);
  await expect.poll(async () => (await regulation()).status).toBe('finished');
  await service.must('PATCH', `/api/sources/${source.id}`, { enabled: false });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/sources/${source.id}`);
  await page.getByText('This source is off: its calls are rejected').waitFor();
  await page.getByRole('link', { name: 'Stays' }).waitFor();
});

test('of more destinations than one answer holds, the last is known to take its events, and as many are listed as fit', async () => {
  const own = await startService();
  const source = await own.source();
  const others = Array.from({ length: 500 }, (_, i) => {
    return { name: `Number ${i}`, sources: [], webhooks: [{ url: `http://127.0.0.1:9/${i}` }] };
  });
  await own.must('POST', '/api/settings-file/apply', { yaml: JSON.stringify({ destinations: others }) });
  await own.destination(source, 'http://127.0.0.1:9/last', { name: 'The last' });
  const page = await browser.newPage();
  await openSignedIn(page, own, `/sources/${source.id}`);
  const chooser = page.getByRole('combobox', { name: 'Connect a destination' });
  await chooser.click();
  const choices = page.getByRole('option');
  await choices.getByText('300 more: type a part of the name').waitFor();
  expect(await choices.count()).toBe(201);
  await chooser.fill('ber 499');
  await choices.getByText('Number 499').waitFor();
  expect(await choices.count()).toBe(1);
  await page.goto(`${own.url}/sources/${source.id}/settings`);
  await page.getByRole('button', { name: 'Delete this source' }).click();
  await page.getByRole('dialog').getByText('It leaves “The last”').waitFor();
  // It may change the writing direction, and not of what is said after it.
  await page.getByRole('dialog').locator('bdi').getByText('“The last”').waitFor();
});

test('from no source to its first event, by the curl that the page shows', async () => {
  const own = await startService();
  const page = await browser.newPage();
  await openSignedIn(page, own, '/sources');
  await page.getByRole('button', { name: 'New source' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(HOSTILE);
  await dialog.getByRole('radio', { name: /^Server/ }).click();
  await expectOpenWellMade(dialog, 'new-source');
  await dialog.getByRole('button', { name: 'Create source' }).click();
  await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
  await page.getByText('Listening for the first event…').waitFor();

  const [made] = (await own.must<List<Source>>('GET', '/api/sources')).items;
  if (made) own.secrets.add(made.writeKey);
  expect(made).toMatchObject({ name: HOSTILE, type: 'server' });
  const curl = await snippet(page, 'curl');
  expect(curl).toContain(made?.writeKey);
  const { stdout } = await run('sh', ['-c', curl]);
  expect(stdout).toBe('{"success":true}');
  await page.getByText('It works: the first event has arrived').waitFor();
  await page.getByRole('link', { name: 'Order Completed' }).waitFor();
});

test('the @millrace/client snippet sends its call as it stands', async () => {
  const source = await service.source();
  const page = await browser.newPage();
  await openSignedIn(page, service, `/sources/${source.id}/connect`);
  const project = await builtPackage();
  onTestFinished(() => project[Symbol.dispose]());
  const { code, stderr } = await runNode([project.write('snippet.mjs', await snippet(page, 'Node.js'))]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  await page.getByText('It works: the first event has arrived').waitFor();
});

test('every snippet has the key and the address of this service', async () => {
  const source = await service.source({ type: 'web' });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/sources/${source.id}/connect`);
  await expect.poll(() => page.getByRole('tab').count()).toBe(9);
  const libraries = await page.getByRole('tab').allInnerTexts();
  for (const library of libraries) {
    const code = await snippet(page, library);
    expect(code).toContain(source.writeKey);
    expect(code).toContain(new URL(service.url).host);
  }
});

test('the key of a server source is said to be secret, and no snippet puts it into a page', async () => {
  const source = await service.source({ type: 'server' });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/sources/${source.id}/connect`);
  await page.getByText('Keep it secret: calls with it are trusted').waitFor();
  const libraries = await page.getByRole('tab').allInnerTexts();
  expect(libraries).toEqual(['curl', 'Node.js', '@segment/analytics-node', 'Go (v2)', 'Python', 'RudderStack Node.js']);
});

test('the list of sources asks for the volumes of all at once', async () => {
  const { name } = await service.source({ name: 'Kiosk' });
  const page = await browser.newPage();
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
  const answered = page.waitForResponse('**/api/stats/sources');
  await openSignedIn(page, service, '/sources');
  await page.getByRole('table', { name: 'Sources' }).getByRole('link', { name }).waitFor();
  await answered;
  expect(asked.filter((path) => path.startsWith('/api/stats'))).toEqual(['/api/stats/sources']);
});

test('nothing on the way to the first event moves while the page finds out whether there is one', async () => {
  const source = await service.source({ name: 'Still' });
  for (const words of ['Listening for the first event…', 'Events have arrived from this source']) {
    const page = await browser.newPage();
    const asked = Promise.withResolvers<void>();
    await page.route(/\/totals$/, async (route) => {
      await asked.promise;
      await route.continue();
    });
    await openSignedIn(page, service, `/sources/${source.id}/connect`);
    await page.getByText('Looking for events…').waitFor();
    const rotate = page.getByRole('button', { name: 'Rotate the key' });
    const before = await rotate.boundingBox();
    asked.resolve();
    await page.getByText(words).waitFor();
    if (words.startsWith('Events')) await page.getByText('track · ').waitFor();
    expect(await rotate.boundingBox()).toEqual(before);
    await service.accept(source);
  }
});

test('a rotation keeps the old key for the time that was chosen, until somebody ends it', async () => {
  const source = await service.source({ name: 'Rotated' });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/sources/${source.id}/connect`);
  await page.getByRole('button', { name: 'Rotate the key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('7 days more').check();
  expect(await axe(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Rotate the key' }).click();
  await page.getByText('The old key is still taken').waitFor();
  const rotated = await now(source);
  service.secrets.add(rotated.writeKey);
  expect(await snippet(page, 'curl')).toContain(rotated.writeKey);
  expect(rotated.oldKey?.writeKey).toBe(source.writeKey);
  const days = (Date.parse(rotated.oldKey?.until ?? '') - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(7);
  await service.accept(source);

  await page.getByRole('button', { name: 'Stop taking it now' }).click();
  await page
    .getByRole('dialog', { name: /of “Rotated”/ })
    .getByRole('button', { name: 'Stop taking the old key' })
    .click();
  await page.getByText('The old key is still taken').waitFor({ state: 'hidden' });
  expect((await service.send(source, 'track', { event: 'Late', userId: 'u1' })).status).toBe(401);
});

test('what was refused is shown with its code and the part that was wrong, as text', async () => {
  const source = await service.source();
  for (const note of ['first', HOSTILE]) await service.send(source, 'track', { userId: 'u1', properties: { note } });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/sources/${source.id}`);
  const row = page.getByRole('table', { name: 'Rejected calls' }).locator('tbody tr');
  await row.getByText('event_required').waitFor();
  expect(await row.innerText()).toContain('onerror=');
  expect(await row.getByRole('cell').nth(1).innerText()).toBe('2');
  expect(await page.title()).toBe('Web shop · Millrace');
});

test('the destinations of a source with their health and cause, and one more is connected', async () => {
  const receiver = await receive(({ path }) => (path === '/broken' ? 400 : 200));
  const source = await service.source({ name: 'Shop' });
  const broken = await service.destination(source, receiver.url('/broken'), { name: `Scoring ${HOSTILE}` });
  const elsewhere = await service.destination(await service.source(), receiver.url('/crm'), { name: 'CRM of another' });
  await service.accept(source);
  await service.settled(broken, 1);
  const page = await browser.newPage({ width: 1440 });
  await openSignedIn(page, service, `/sources/${source.id}`);
  const section = page.getByRole('region', { name: 'Destinations' });
  const rows = section.getByRole('table', { name: 'Destinations' }).locator('tbody tr');
  await rows.getByText('failing').waitFor();
  expect(await rows.count()).toBe(1);
  await rows.getByText('Nothing was delivered in the last 5 minutes').waitFor();

  await section.getByRole('combobox', { name: 'Connect a destination' }).click();
  await page.getByRole('option', { name: 'CRM of another' }).click();
  await rows.getByRole('link', { name: 'CRM of another' }).waitFor();
  const { sourceIds } = await service.must<Destination>('GET', `/api/destinations/${elsewhere.id}`);
  expect(sourceIds).toEqual([...elsewhere.sourceIds, source.id]);
  await service.accept(source, { event: 'Later' });
  await receiver.waitFor(3);
  expect(receiver.on('/crm').map(({ message }) => message['event'])).toEqual(['Later']);
  await rows.getByRole('link', { name: 'Scoring' }).click();
  await page.getByRole('heading', { level: 1, name: 'Scoring' }).waitFor();
});

test('an unknown write key is told on the overview, found by the search, and shown with who sent it; after a restart too', async () => {
  const service = await startService();
  const source = await service.source();
  const stranger = { ...source, writeKey: 'a-key-that-nobody-knows-9f3c' };
  expect((await service.send(stranger, 'track', { userId: 'u1', event: 'Order' })).status).toBe(401);
  await service.stop();
  await service.start();
  const page = await browser.newPage();
  await openSignedIn(page, service);
  const problem = page.getByRole('region', { name: 'What is wrong' }).getByRole('listitem');
  await problem.getByText('Most of all with the key ••••9f3c: 1 call since the first.').waitFor();
  await problem.getByRole('link', { name: 'Unknown write keys' }).click();
  const row = page.getByRole('table', { name: 'Rejected calls' }).locator('tbody tr');
  await row.getByText('Unknown key ••••9f3c').waitFor();
  expect(await row.innerText()).toContain('from 127.0.0.1');
  expect(await page.content()).not.toContain('nobody-knows');

  await page.getByRole('link', { name: 'Live debugger' }).click();
  await page.getByRole('heading', { level: 1, name: 'Live debugger' }).waitFor();
  await page.keyboard.press('Control+K');
  await page.getByRole('combobox', { name: 'Search everything' }).fill(stranger.writeKey);
  const found = page.getByRole('group', { name: 'Refused calls' }).getByRole('option');
  await found.getByText('write key: ••••9f3c from 127.0.0.1').waitFor();
  await found.click();
  await row.getByText('Unknown key ••••9f3c').waitFor();
});

test('a source is switched off, renamed and deleted, each by its name', async () => {
  const source = await service.source({ name: 'Old shop' });
  const newer = `Newer${'Shop'.repeat(30)}`;
  const page = await browser.newPage({ mayLog: [/status of 404/] });
  await openSignedIn(page, service, `/sources/${source.id}/settings`);
  await page.getByRole('switch', { name: 'Take calls of Old shop' }).press('Space');
  await page
    .getByRole('dialog', { name: 'Switch off “Old shop”?' })
    .getByRole('button', { name: 'Switch off' })
    .click();
  await expect.poll(async () => (await now(source)).enabled).toBe(false);
  // What is edited next begins with what the page has read of it.
  const isOn = page.getByRole('switch', { name: 'Take calls of Old shop' });
  await expect.poll(() => isOn.isChecked()).toBe(false);

  await page.getByRole('textbox', { name: 'Name' }).fill('');
  await page.getByRole('textbox', { name: 'Name' }).fill(newer);
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByRole('heading', { level: 1, name: newer }).waitFor();

  await page.getByRole('button', { name: 'Delete this source' }).click();
  const dialog = page.getByRole('dialog', { name: `Delete the source “${newer}”?` });
  const confirm = dialog.getByRole('button', { name: 'Delete the source' });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel(/^Type “NewerShop/).fill(newer);
  await expectOpenWellMade(dialog, 'delete-source');
  await confirm.click();
  await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor();
  await service.refused('GET', `/api/sources/${source.id}`);
});

test('a source that a colleague deletes is missed on its open page', async () => {
  const source = await service.source({ name: 'Closed shop' });
  const page = await browser.newPage({ mayLog: [/status of 404/] });
  await openSignedIn(page, service, `/sources/${source.id}/connect`);
  await page.getByRole('tab', { name: 'curl', exact: true }).waitFor();
  await service.must('DELETE', `/api/sources/${source.id}`);
  await page.getByRole('link', { name: 'All sources' }).waitFor();
});

test('a source is renamed and given limits in one form, and told which origin is none', async () => {
  const source = await service.source({ name: 'Limited', type: 'web' });
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, service, `/sources/${source.id}/settings`);
  const limits = page.getByRole('region', { name: 'Limits' });
  const save = page.getByRole('button', { name: 'Save settings' });
  expect(await save.isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Name' }).fill('Bounded');
  await limits.getByLabel('Events per second').fill('500');
  await limits.getByLabel('Allowed origins').fill('https://shop.example.com/path');
  await save.click();
  await limits.getByText('must be an origin as browsers send it').waitFor();
  await limits.getByLabel('Allowed origins').fill('https://shop.example.com');
  await save.click();
  await page.getByText('The settings are saved.').waitFor();
  expect(await service.must('GET', `/api/sources/${source.id}`)).toMatchObject({
    name: 'Bounded',
    allowedOrigins: ['https://shop.example.com'],
    quota: { eventsPerSecond: 500, bytesPerSecond: 4_000_000, eventsPerDay: null },
  });
});

test('a viewer sees no whole key and nothing to change', async () => {
  const source = await service.source();
  const invite = await service.must<CreatedInvite>('POST', '/api/invites', { email: 'v@example.com', role: 'viewer' });
  const page = await browser.newPage();
  await page.context().request.post(`${service.url}/api/invites/accept`, {
    data: { secret: invite.link.split('#')[1], name: 'Vera', password: 'a mill wheel turns' },
  });
  await page.goto(`${service.url}/sources/${source.id}/connect`);
  await page.getByText('Only admins see the whole key.').waitFor();
  expect(await snippet(page, 'curl')).toContain('<WRITE_KEY>');
  expect(await page.getByRole('button', { name: 'Rotate the key' }).count()).toBe(0);
  expect(await page.getByRole('switch').isDisabled()).toBe(true);
  expect(await page.content()).not.toContain(source.writeKey);
  await page.goto(`${service.url}/sources`);
  await page.getByRole('table', { name: 'Sources' }).waitFor();
  expect(await page.getByRole('button', { name: 'New source' }).count()).toBe(0);
});

const PAGES = [
  { name: 'sources', path: '', shown: `Shop ${HOSTILE}` },
  { name: 'source', path: '/ID', shown: 'event_required' },
  { name: 'source-connect', path: '/ID/connect', shown: 'Send calls' },
  { name: 'source-settings', path: '/ID/settings', shown: 'Delete this source' },
];

test('the pages of sources are well made', async () => {
  const source = await service.source({ name: `Shop ${HOSTILE}` });
  await service.accept(source);
  await service.send(source, 'track', { userId: 'u1' });
  for (const { name, path, shown } of PAGES) {
    await expectWellMade(browser, service, `/sources${path.replace('ID', source.id)}`, {
      name,
      ready: (page) => page.locator('main').getByText(shown).first().waitFor(),
    });
  }
});

test('the script tag of a web source is what it shows first, and brings the first visit to the live page', async () => {
  const source = await service.source({ name: 'Site', type: 'web' });
  const page = await browser.newPage({ width: 1440 });
  await openSignedIn(page, service, `/sources/${source.id}/connect`);
  expect(await page.getByRole('tab').first().innerText()).toBe('Script tag');
  const tags = await snippet(page, 'Script tag');
  await page.goto(`${service.url}/live`);
  await page.getByText('live', { exact: true }).waitFor();

  const html = `<!doctype html><html lang="en"><title>First visit</title>${tags}</html>`;
  const site = await receive(() => ({ status: 200, headers: { 'Content-Type': 'text/html' }, body: html }));
  const visitor = await browser.newPage();
  await visitor.goto(site.url('/shoes?utm_source=news'));
  await page
    .getByRole('option', { name: /First visit|page/ })
    .first()
    .click();
  await page.getByRole('region', { name: 'The chosen event' }).getByText('Raw').click();
  await page
    .getByText(`"url":"${site.url('/shoes?utm_source=news')}"`)
    .first()
    .waitFor();

  await visitor.evaluate(`analytics.track('Order Completed', { total: 27.5 })`);
  await page.getByRole('option').getByText('Order Completed').waitFor();
});
