import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type {
  AlertSettings,
  Audience,
  AuditEntry,
  Destination,
  Page as PageOf,
} from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser, screenshot } from '../browser/browser.ts';
import { ADMIN_TOKEN, sharedService } from '../system/kit/service.ts';
import { expectNoSidewaysScroll, openAsViewer, openSignedIn, PASSWORD } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

/** Chromium logs every answer that is a refusal. */
const mayLog = [/status of 4(01|12)/];

const BOUGHT = { event: { name: 'Order Completed' }, during: { lastDays: 30 } };

async function open(path: string, width = 1280): Promise<Page> {
  const page = await browser.newPage({ mayLog, width });
  await openSignedIn(page, service, path);
  return page;
}

/** A page that takes itself for one that can't be seen: it is told nothing of what others change. */
async function openUntold(path: string, more: readonly RegExp[] = []): Promise<Page> {
  const page = await browser.newPage({ mayLog: [...mayLog, ...more] });
  await page.addInitScript("Object.defineProperty(document, 'hidden', { get: () => true })");
  await openSignedIn(page, service, path);
  return page;
}

const made = (name: string): Promise<Destination> =>
  service.must('POST', '/api/destinations', {
    name,
    type: 'Webhooks',
    settings: { webhooks: [{ url: 'https://203.0.112.9/hook' }] },
  });

const read = (id: string): Promise<Destination> => service.must('GET', `/api/destinations/${id}`);

const nameOf = (page: Page): Locator => page.getByRole('textbox', { name: 'Name', exact: true });

const saveButton = (page: Page): Locator => page.getByRole('button', { name: 'Save settings' });
const save = (page: Page): Promise<void> => saveButton(page).click();

/** What the page asks for in the background may find it out before the save does: the question stands above the button then. */
async function endSession(page: Page): Promise<void> {
  await page.context().clearCookies();
  await saveButton(page).dispatchEvent('click');
}

test('what is typed while a save is on its way stays, and is not saved yet', async () => {
  const { id } = await made('Slow');
  const page = await open(`/destinations/${id}/settings`);
  const sent = Promise.withResolvers<void>();
  const typed = Promise.withResolvers<void>();
  await page.route(`**/api/destinations/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') {
      sent.resolve();
      await typed.promise;
    }
    await route.continue();
  });
  await nameOf(page).fill('First');
  await save(page);
  await sent.promise;
  await nameOf(page).fill('Second');
  typed.resolve();
  await page.getByText('The settings are saved.').waitFor();
  expect(await nameOf(page).inputValue()).toBe('Second');
  expect((await read(id)).name).toBe('First');
  await save(page);
  await expect.poll(async () => (await read(id)).name).toBe('Second');
});

test('two people change one field: the second sees what the first made of it, and chooses', async () => {
  const { id } = await made('Warehouse');
  const path = `/destinations/${id}/settings`;
  const [ada, grace] = [await open(path), await open(path)];
  for (const [person, name] of [
    [ada, 'By Ada'],
    [grace, 'By Grace'],
  ] as const) {
    await nameOf(person).fill(name);
  }
  await save(ada);
  await ada.getByText('The settings are saved.').waitFor();
  await save(grace);
  const note = grace.getByRole('alert').filter({ hasText: 'This was changed' });
  await note.getByRole('row', { name: 'Name By Ada By Grace' }).waitFor();
  await note.getByText('admin token').waitFor();
  expect(await nameOf(grace).inputValue()).toBe('By Grace');
  expect((await read(id)).name).toBe('By Ada');
  expect(await axe(grace)).toEqual([]);
  await screenshot(grace, 'conflict');
  await grace.setViewportSize({ width: 360, height: 800 });
  await expectNoSidewaysScroll(grace);
  await note.scrollIntoViewIfNeeded();
  await screenshot(grace, 'conflict-360');
  await nameOf(grace).press('End');
  await nameOf(grace).pressSequentially(', who types on');
  expect(await nameOf(grace).inputValue()).toBe('By Grace, who types on');
  await nameOf(grace).fill('By Grace');

  await note.getByRole('button', { name: 'Keep mine over it' }).click();
  await grace.getByText('The settings are saved.').waitFor();
  expect((await read(id)).name).toBe('By Grace');
  await note.waitFor({ state: 'detached' });

  await nameOf(ada).fill('Ada again');
  await service.must('PATCH', `/api/destinations/${id}`, { name: 'By a program' });
  await save(ada);
  await ada.getByRole('button', { name: 'Take theirs' }).click();
  await expect.poll(() => nameOf(ada).inputValue()).toBe('By a program');
  expect((await read(id)).name).toBe('By a program');
});

test('what is edited under the question comes into it, and what is discarded leaves it', async () => {
  const { id } = await made('Asked');
  const page = await open(`/destinations/${id}/settings`);
  const url = page.getByRole('textbox', { name: 'URL', exact: true });
  await nameOf(page).fill('Mine');
  const webhooks = [{ url: 'https://203.0.112.9/theirs' }];
  await service.must('PATCH', `/api/destinations/${id}`, { name: 'Theirs', settings: { webhooks } });
  await save(page);
  const note = page.getByRole('alert').filter({ hasText: 'This was changed' });
  await note.getByRole('row', { name: 'Name Theirs Mine' }).waitFor();
  expect(await note.getByRole('row').count()).toBe(2);
  await url.fill('https://203.0.112.9/mine');
  await expect.poll(() => note.getByRole('row').count()).toBe(3);
  await page.getByRole('button', { name: 'Discard' }).click();
  await note.waitFor({ state: 'detached' });
  expect((await read(id)).name).toBe('Theirs');
});

test('what a colleague changed beside the form is not undone, and is no question', async () => {
  const { id } = await made('Beside');
  const page = await open(`/destinations/${id}/settings`);
  await nameOf(page).fill('Renamed');
  const webhooks = [{ url: 'https://203.0.112.9/moved', headers: {} }];
  await service.must('PATCH', `/api/destinations/${id}`, { settings: { webhooks } });
  await save(page);
  await page.getByText('The settings are saved.').waitFor();
  expect(await read(id)).toMatchObject({ name: 'Renamed', settings: { webhooks } });
});

test('a definition: theirs and mine stand beside each other, and nothing typed is lost', async () => {
  const audience = await service.must<Audience>('POST', '/api/audiences', {
    name: 'Bought',
    key: 'bought_edits',
    definition: BOUGHT,
  });
  const path = `/api/audiences/${audience.id}`;
  const page = await open(`/audiences/${audience.id}/edit`);
  await nameOf(page).fill('Bought, mine');
  await service.must('PATCH', path, { name: 'Bought, theirs', definition: { ...BOUGHT, during: { lastDays: 7 } } });
  await page.getByRole('button', { name: 'Save audience' }).click();
  await page.getByRole('row', { name: 'Name Bought, theirs Bought, mine' }).waitFor();
  await screenshot(page, 'conflict-definition');
  await page.getByRole('button', { name: 'Keep mine over it' }).click();
  await page.getByRole('heading', { level: 1, name: 'Bought, mine' }).waitFor();
  // The definition was left alone here: theirs stays.
  expect(await service.must('GET', path)).toMatchObject({
    name: 'Bought, mine',
    definition: { during: { lastDays: 7 } },
  });
});

test('what others changed of one field is taken, and what was typed in all others stays', async () => {
  const { id } = await made('Both');
  const page = await open(`/destinations/${id}/settings`);
  await nameOf(page).fill('Mine');
  await page.getByRole('textbox', { name: 'URL', exact: true }).fill('https://203.0.112.9/mine');
  await page.getByText('Refuse old events').click();
  const webhooks = [{ url: 'https://203.0.112.9/theirs', headers: {} }];
  await service.must('PATCH', `/api/destinations/${id}`, { settings: { webhooks } });
  await save(page);
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await expect
    .poll(() => page.getByRole('textbox', { name: 'URL', exact: true }).inputValue())
    .toBe('https://203.0.112.9/theirs');
  expect(await nameOf(page).inputValue()).toBe('Mine');
  await save(page);
  await page.getByText('The settings are saved.').waitFor();
  expect(await read(id)).toMatchObject({ name: 'Mine', settings: { webhooks }, maxEventAgeHours: 7 * 24 });
});

test('an edited URL stays the same one; where a colleague has replaced it, it is a new one', async () => {
  const { id, settings } = await made('Edited');
  const [before] = settings.webhooks;
  const page = await open(`/destinations/${id}/settings`);
  const url = page.getByRole('textbox', { name: 'URL', exact: true });
  await url.fill('https://203.0.112.9/edited');
  await save(page);
  await page.getByText('The settings are saved.').waitFor();
  expect((await read(id)).settings.webhooks).toMatchObject([{ id: before?.id, url: 'https://203.0.112.9/edited' }]);

  await url.fill('https://203.0.112.9/mine');
  const webhooks = [{ url: 'https://203.0.112.9/theirs', headers: {} }];
  await service.must('PATCH', `/api/destinations/${id}`, { settings: { webhooks } });
  await save(page);
  await page.getByRole('button', { name: 'Keep mine over it' }).click();
  await page.getByRole('button', { name: 'Keep mine over it' }).waitFor({ state: 'detached' });
  const [after, ...more] = (await read(id)).settings.webhooks;
  expect(after?.url).toBe('https://203.0.112.9/mine');
  expect(after?.id).not.toBe(before?.id);
  expect(more).toEqual([]);
});

test('a switch and a deletion that began with what a colleague has changed are refused, and shown what is there', async () => {
  const { id } = await made('Watched');
  const page = await openUntold(`/destinations/${id}/settings`);
  await page.getByRole('switch', { name: 'Deliver to Watched' }).waitFor();
  await service.must('PATCH', `/api/destinations/${id}`, { name: 'By a colleague' });
  await page.getByRole('switch').press('Space');
  await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
  await page.getByRole('dialog').getByText('changed_meanwhile').waitFor();
  await page.getByRole('dialog', { name: 'Switch off “By a colleague”?' }).waitFor();
  expect((await read(id)).enabled).toBe(true);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Delete this destination' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete the destination' });
  await dialog.getByLabel('Type “By a colleague”').fill('By a colleague');
  await service.must('PATCH', `/api/destinations/${id}`, { maxEventAgeHours: 24 });
  await dialog.getByRole('button', { name: 'Delete the destination' }).click();
  await dialog.getByText('changed_meanwhile').waitFor();
  await dialog.getByRole('button', { name: 'Delete the destination' }).click();
  await page.getByRole('heading', { level: 1, name: 'Destinations' }).waitFor();
  expect((await service.api('GET', `/api/destinations/${id}`)).status).toBe(404);
});

test('two people change two rules of alerts: both changes hold; of one rule the second chooses', async () => {
  const [ada, grace] = [await open('/settings/alerts'), await open('/settings/alerts')];
  const rule = (page: Page, name: string): Locator => page.getByRole('switch', { name: new RegExp(`^${name}`) });
  const saveIn = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Save alerts' }).click();
  };
  const isOn = async (code: string): Promise<unknown> =>
    (await service.must<AlertSettings>('GET', '/api/alerts')).rules[code as 'waiting']['enabled'];
  await rule(grace, 'Few attempts succeed').press('Space');
  await rule(ada, 'Nothing is delivered').press('Space');
  await saveIn(ada);
  await expect.poll(() => isOn('no_success')).toBe(false);
  await saveIn(grace);
  await expect.poll(() => isOn('success_share')).toBe(false);
  expect(await isOn('no_success')).toBe(false);

  await grace.getByLabel('A certificate ends soon: Time left').fill('7d');
  await rule(ada, 'A certificate ends soon').press('Space');
  await saveIn(ada);
  await expect.poll(() => isOn('certificate')).toBe(false);
  await saveIn(grace);
  await grace.getByRole('table', { name: 'Theirs and yours' }).getByText('Rule: A certificate ends soon').waitFor();
});

test('an address of alerts that a colleague has removed is a new one where mine is kept; an emptied URL is refused', async () => {
  const addresses = async (): Promise<AlertSettings['addresses']> =>
    (await service.must<AlertSettings>('GET', '/api/alerts')).addresses;
  await service.must('PATCH', '/api/alerts', { addresses: [{ kind: 'webhook', url: 'https://203.0.112.9/old' }] });
  const [before] = await addresses();
  const page = await openUntold('/settings/alerts', [/status of 400/]);
  const url = page.getByRole('textbox', { name: 'Webhook, signed' });
  const saveAlerts = page.getByRole('button', { name: 'Save alerts' });
  await url.fill('https://203.0.112.9/mine');
  await service.must('PATCH', '/api/alerts', { addresses: [] });
  await saveAlerts.click();
  await page.getByRole('button', { name: 'Keep mine over it' }).click();
  await page.getByRole('dialog', { name: 'The secret of the webhook' }).waitFor();
  const [after] = await addresses();
  expect(after?.url).toBe('https://203.0.112.9/mine');
  expect(after?.id).not.toBe(before?.id);
  await page.getByRole('button', { name: 'Done' }).click();

  await url.fill('');
  await saveAlerts.click();
  await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true');
  expect((await addresses())[0]?.url).toBe('https://203.0.112.9/mine');
});

test('a secret that a colleague has removed is told as removed', async () => {
  const { id } = await made('Unsigned');
  await service.must('PATCH', `/api/destinations/${id}`, { settings: { sharedSecret: 'to be removed' } });
  const page = await openUntold(`/destinations/${id}/settings`);
  await page.getByRole('region', { name: 'Shared secret' }).getByRole('button', { name: 'Generate' }).click();
  await service.must('PATCH', `/api/destinations/${id}`, { settings: { sharedSecret: null } });
  await save(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click();
  const row = page.getByRole('table', { name: 'Theirs and yours' }).getByRole('row', { name: 'Shared secret' });
  await row.getByText('no secret').waitFor();
  await row.getByText('a new secret').waitFor();
});

test('two people change the own rules of a destination: the second sees both in words', async () => {
  const { id } = await made('Ruled');
  const page = await openUntold(`/destinations/${id}/settings`);
  await page.getByRole('radiogroup', { name: 'A message waits long' }).getByText('On', { exact: true }).click();
  await page.getByRole('textbox', { name: 'A message waits long: Age of the oldest' }).fill('2h');
  await service.must('PATCH', `/api/destinations/${id}`, {
    alerts: { waiting: { enabled: true, above: 5_000 }, no_success: { enabled: false } },
  });
  await save(page);
  const row = page.getByRole('table', { name: 'Theirs and yours' }).getByRole('row', { name: 'Alerts' });
  await row.getByText('Nothing is delivered: off; Many messages wait: on, waiting messages 5,000').waitFor();
  await row.getByText('A message waits long: on, age of the oldest 2h').waitFor();
});

test('the audit log shows values before and after, and a secret only as changed', async () => {
  const { id } = await made('Audited');
  await service.must('PATCH', `/api/destinations/${id}`, {
    name: 'Audited anew',
    settings: { sharedSecret: 'hidden' },
  });
  const page = await open('/settings/audit');
  const row = page.getByRole('row').filter({ hasText: 'Audited anew' }).first();
  await row.getByText('Name: Audited → Audited anew').waitFor();
  await row.getByText('Shared secret: changed').waitFor();
  // Once: a time with its date needs no other for screen readers.
  expect(await row.locator('time').textContent()).toMatch(/^\d+ \w+ \d{4}, [\d:.]+ UTC$/);
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'audit-values');
});

test('a session that ends under a form: signing in over it goes on with what was typed', async () => {
  const { id } = await made('Before the end');
  const page = await open(`/destinations/${id}/settings`);
  await nameOf(page).fill('Typed before the end');
  await endSession(page);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'session-ended');
  await dialog.locator('input[type=password]').fill(ADMIN_TOKEN);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The settings are saved.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect((await read(id)).name).toBe('Typed before the end');
});

test('somebody else who signs in there gets the page anew', async () => {
  const viewer = await browser.newPage();
  const { email } = await openAsViewer(viewer, service);
  const { id } = await made('For two');
  const page = await open(`/destinations/${id}/settings`);
  await nameOf(page).fill('Not theirs to say');
  await endSession(page);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByText('E-mail').click();
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await dialog.locator('input[type=password]').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Ask an admin to change them.').waitFor();
  expect(await nameOf(page).inputValue()).toBe('For two');
  expect((await read(id)).name).toBe('For two');
});

test('a secret is replaced only after a question, which offers to copy the new one', async () => {
  const { id } = await made('Signed');
  await service.must('PATCH', `/api/destinations/${id}`, { settings: { sharedSecret: 'the first' } });
  const replaced = async (): Promise<number> => {
    const { items } = await service.must<PageOf<AuditEntry>>('GET', '/api/audit?action=destination.update&limit=500');
    return items.filter(({ target, fields }) => target?.id === id && fields.includes('settings.sharedSecret')).length;
  };
  const page = await open(`/destinations/${id}/settings`);
  const secret = page.getByRole('region', { name: 'Shared secret' });
  await secret.getByRole('button', { name: 'Generate' }).click();
  await save(page);
  const dialog = page.getByRole('dialog', { name: 'Replace the shared secret of “Signed”?' });
  await dialog.getByRole('button', { name: 'Copy the secret' }).waitFor();
  expect(await axe(page)).toEqual([]);
  await screenshot(page, 'replace-secret');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await replaced()).toBe(1);
  await save(page);
  await dialog.getByRole('button', { name: 'Replace the secret' }).click();
  await page.getByText('The settings are saved.').waitFor();
  expect(await replaced()).toBe(2);
});

test('a secret of Standard Webhooks is replaced only after the same question', async () => {
  const { id } = await made('Standard');
  const first = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  const settings = { signatures: ['standard'], standardSecret: first };
  await service.must('PATCH', `/api/destinations/${id}`, { settings });
  const page = await open(`/destinations/${id}/settings`);
  const signatures = page.getByRole('region', { name: 'Signatures' });
  await signatures.getByRole('button', { name: 'Generate' }).click();
  await save(page);
  const dialog = page.getByRole('dialog', { name: 'Replace the secret of Standard Webhooks of “Standard”?' });
  await dialog.getByRole('button', { name: 'Copy the secret' }).waitFor();
  await dialog.getByText('in webhook-signature').waitFor();
  await dialog.getByRole('button', { name: 'Replace the secret' }).click();
  await page.getByText('The settings are saved.').waitFor();
  const { items } = await service.must<PageOf<AuditEntry>>('GET', '/api/audit?action=destination.update');
  expect(items[0]).toMatchObject({ target: { id }, fields: expect.arrayContaining(['settings.standardSecret']) });
});
