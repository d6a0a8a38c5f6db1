import { readFile, writeFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ApiToken, Page as List, Source } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { sharedService, startService } from '../system/kit/service.ts';
import { expectOpenWellMade, expectWellMade, openAs, openAsViewer, openSignedIn, PASSWORD } from './kit.ts';

const service = sharedService({ MILLRACE_RETENTION: '3d' });
const browser = openBrowser(service);

/** A double click whose first click shows something before the second. */
async function clickTwice(button: Locator, shown: Locator): Promise<void> {
  const page = button.page();
  const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.click(x + width / 2, y + height / 2);
  await shown.waitFor();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await settled(page);
}

/** Resolves when the page has drawn what it was told. */
async function settled(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
}

test('how the process runs, with what was changed marked, and no secret', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/settings');
  await page.getByRole('heading', { name: 'Events are kept for 3d' }).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'MILLRACE_RETENTION' });
  expect(await row.innerText()).toMatch(/3d\s+changed\s+7d/i);
  for (const secret of service.secrets) expect(await page.content()).not.toContain(secret);
});

test('a person is invited by a link that is shown once, gets a role, and is deleted', async () => {
  const own = await startService();
  const page = await browser.newPage();
  await openSignedIn(page, own, '/settings/people');
  await page.getByText('There is no account yet').waitFor();
  await page.getByRole('button', { name: 'Invite a person' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Invite a person' });
  await dialog.getByLabel('E-mail').fill('ada@example.com');
  await expectOpenWellMade(dialog, 'invite');
  await clickTwice(
    dialog.getByRole('button', { name: 'Make the link' }),
    dialog.getByRole('textbox', { name: 'Link' }),
  );
  const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
  expect(link).toMatch(new RegExp(`^${own.url}/invite#.+`));
  await expectOpenWellMade(dialog, 'invite-link');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('table', { name: 'Invites' }).getByText('ada@example.com').waitFor();
  expect(await page.content()).not.toContain(link);

  const guest = await browser.newPage({ mayLog: [/status of 401/] });
  await guest.goto(link);
  await guest.getByLabel('Your name').fill('Ada <b>Lovelace</b>');
  await guest.locator('input[type=password]').fill(PASSWORD);
  await guest.getByRole('button', { name: 'Join' }).click();
  await guest.getByRole('button', { name: 'Account' }).waitFor();

  await page.reload();
  await page.getByRole('combobox', { name: 'Role of Ada <b>Lovelace</b>' }).click();
  await page.getByRole('option', { name: 'Admin' }).click();
  await page.getByText('Ada <b>Lovelace</b> is an admin now.').waitFor();
  await page.getByRole('button', { name: 'Delete Ada <b>Lovelace</b>' }).click();
  const question = page.getByRole('dialog', { name: 'Delete the account of Ada <b>Lovelace</b>?' });
  await expectOpenWellMade(question, 'delete-account');
  await question.getByRole('button', { name: 'Delete the account' }).click();
  await page.getByText('There is no account yet').waitFor();
  await guest.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
});

test('a question names what it is about until it is out of sight, though that is gone before', async () => {
  await service.must('POST', '/api/invites', { email: 'bob@example.com', role: 'viewer' });
  const page = await browser.newPage({ reducedMotion: 'no-preference' });
  await openSignedIn(page, service, '/settings/people');
  await page.evaluate(`
    window.titles = new Set();
    new MutationObserver(() => titles.add(document.querySelector('[role=dialog] h2')?.textContent))
      .observe(document.body, { subtree: true, childList: true, characterData: true });
  `);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke the invite' }).click();
  await page.getByText('No open invites').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const titles = await page.evaluate('[...titles].filter((title) => title !== undefined)');
  expect(titles).toEqual(['Revoke the invite for bob@example.com?']);
});

test('an account that a colleague has deleted leaves the list when it is to be deleted again', async () => {
  const viewer = await browser.newPage();
  const { id, email } = await openAsViewer(viewer, service);
  await viewer.goto('about:blank');
  const page = await browser.newPage({ mayLog: [/status of 404/] });
  await openSignedIn(page, service, '/settings/people');
  const account = page.getByRole('row').filter({ hasText: email });
  await account.getByRole('button', { name: 'Delete The viewer' }).click();
  await service.must('DELETE', `/api/accounts/${id}`);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete the account' }).click();
  await dialog.getByText(/There is no account/).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await account.waitFor({ state: 'detached' });
});

test('who is made a viewer while a page is open has its buttons until the first refusal', async () => {
  const source = await service.source();
  const { id } = await service.destination(source, 'http://127.0.0.1:9/', { name: 'CRM' });
  const page = await browser.newPage({ mayLog: [/status of 403/] });
  const admin = await openAs(page, service, 'admin', `/destinations/${id}`);
  await service.must('PATCH', `/api/accounts/${admin.id}`, { role: 'viewer' });
  await page.getByRole('button', { name: 'Pause CRM' }).click();
  await page.getByText('“CRM” was not paused').waitFor();
  await page.getByRole('button', { name: 'Pause CRM' }).waitFor({ state: 'detached' });
});

test('a wrong address is told at its field, and an invite can be revoked', async () => {
  await service.must('POST', '/api/invites', { email: 'bob@example.com', role: 'viewer' });
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, service, '/settings/people');
  await page.getByRole('button', { name: 'Invite a person' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Invite a person' });
  await dialog.getByLabel('E-mail').fill('ada@');
  // The browser's own check would keep it from being sent.
  await page.evaluate('document.querySelector("form").noValidate = true');
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  await expect.poll(() => dialog.getByLabel('E-mail').getAttribute('aria-invalid')).toBe('true');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page
    .getByRole('dialog', { name: 'Revoke the invite for bob@example.com?' })
    .getByRole('button', { name: 'Revoke the invite' })
    .click();
  await page.getByText('No open invites').waitFor();
});

test('the sessions that are open are listed, and another one is ended', async () => {
  const own = await startService();
  const [page, other] = [await browser.newPage({ mayLog: [/401/] }), await browser.newPage({ mayLog: [/401/] })];
  await openSignedIn(other, own, '/sources');
  await openSignedIn(page, own, '/settings/account');
  const sessions = page.getByRole('table', { name: 'Sessions' });
  await sessions.getByText('admin token (this one)').waitFor();
  await sessions.getByRole('button', { name: 'End' }).click();
  await sessions.getByRole('button', { name: 'End' }).waitFor({ state: 'detached' });
  await other.reload();
  await other.waitForURL(/sign-in/);
});

test('an API token is shown once, works, and works no more when it is revoked', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/settings/tokens');
  await page.getByRole('button', { name: 'New token' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New API token' });
  await dialog.getByLabel('Name').fill('Deploy');
  await dialog.getByRole('combobox', { name: 'Ends' }).click();
  await page.getByRole('option', { name: 'In 30 days' }).click();
  await dialog.getByLabel('Only reads').check();
  await expectOpenWellMade(dialog, 'new-token');
  const shown = dialog.getByRole('textbox', { name: 'Token “Deploy”' });
  await clickTwice(dialog.getByRole('button', { name: 'Create' }), shown);
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await settled(page);
  const token = await shown.inputValue();
  const status = async (): Promise<number> =>
    (await fetch(`${service.url}/api/sources`, { headers: { Authorization: `Bearer ${token}` } })).status;
  expect(await status()).toBe(200);
  await expectOpenWellMade(dialog, 'token-once');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await page.content()).not.toContain(token);
  await page.getByText('viewer, only reads').waitFor();
  const { items } = await service.must<List<ApiToken>>('GET', '/api/tokens');
  expect(Date.parse(items[0]?.expiresAt ?? '') - Date.now()).toBeGreaterThan(29 * 86_400_000);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await expectOpenWellMade(page.getByRole('dialog'), 'revoke-token');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke the token' }).click();
  await page.getByText('No API tokens yet').waitFor();
  expect(await status()).toBe(401);
});

test('one changes the own name and password; a wrong current one is told at its field', async () => {
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openAs(page, service, 'admin', '/settings/account');
  await page.getByLabel('Your name').fill('Grace Hopper');
  await page.getByRole('button', { name: 'Save the name' }).click();
  await page.getByText('Your name was changed.').waitFor();
  const fields = page.locator('input[type=password]');
  await fields.nth(0).fill('not my password');
  await fields.nth(1).fill('another mill wheel');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('is not your password').waitFor();
  await fields.nth(0).fill(PASSWORD);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('Your password was changed.').waitFor();
});

test('the audit log tells who did what, in words, by person and by kind', async () => {
  const own = await startService();
  await own.source({ name: 'Shop <i>1</i>' });
  const page = await browser.newPage();
  const { email } = await openAs(page, own, 'admin', '/settings/audit');
  const log = page.getByRole('table', { name: 'Audit log' });
  await log.getByText('admin token created the source Shop <i>1</i>').waitFor();
  await log.getByText(`${email} accepted their invite`).waitFor();
  await page.getByRole('combobox', { name: 'Person or token' }).fill(email);
  await log.getByText('created the source').waitFor({ state: 'hidden' });
  await log.getByText(`${email} accepted their invite`).waitFor();
  expect(page.url()).toContain('actor=admin');
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('combobox', { name: 'What' }).click();
  await page.getByRole('option', { name: 'Sources' }).click();
  await log.getByText('created the source').waitFor();
  expect(await log.locator('tbody tr').count()).toBe(1);
  await page.getByRole('combobox', { name: 'What' }).click();
  await page.getByRole('option', { name: 'Replays' }).click();
  await page.getByText('Nothing passes this filter').waitFor();
  const shop = await own.source();
  const { id } = await own.destination(shop, 'http://127.0.0.1:9/', { name: 'CRM' });
  await own.must('POST', '/api/replays', { destinationId: id, state: 'failed', from: '2026-11-20T09:30:00Z' });
  await page.reload();
  const row = log.getByRole('row').filter({ hasText: 'started the replay' });
  await row.getByText('Destination: CRM', { exact: true }).waitFor();
  await row.getByText('From: 20 Nov 2026').waitFor();
});

test('a settings file is exported, planned, and applied as it was planned', async () => {
  const { id } = await service.source({ name: 'Exported' });
  const page = await browser.newPage();
  await openSignedIn(page, service, '/settings/file');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download millrace.yaml' }).click();
  const file = service.file('exported.yaml');
  await (await download).saveAs(file);
  const yaml = await readFile(file, 'utf8');
  const [before, own = ''] = yaml.split('name: Exported\n');
  expect(own).toContain('enabled: true');

  await writeFile(file, `${before}name: Exported\n${own.replace('enabled: true', 'enabled: false')}`);
  await page.getByRole('tab', { name: 'Apply a file' }).click();
  await page.locator('input[type=file]').setInputFiles(file);
  // The page reads the file, and without its text the button sends nothing.
  const input = page.getByRole('textbox', { name: 'Settings file' });
  await expect.poll(() => input.inputValue()).toContain('enabled: false');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('heading', { name: 'What would change: 1 change' }).waitFor();
  const diff = page.getByRole('region', { name: 'The set-up before and after' });
  expect(await diff.innerText()).toMatch(/−\s+removed:\s+enabled: true/);
  expect(await diff.innerText()).toMatch(/\+\s+added:\s+enabled: false/);
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await expectOpenWellMade(page.getByRole('dialog'), 'apply');
  await page.getByRole('dialog').getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByText('Applied: 1 change.').waitFor();
  expect(await service.must('GET', `/api/sources/${id}`)).toMatchObject({ enabled: false });
});

test('what is wrong in a file is told with its line; a variable gets its field; what is deleted is named', async () => {
  const own = await startService();
  await own.source({ name: 'Old shop' });
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, own, '/settings/file');
  await page.getByRole('tab', { name: 'Apply a file' }).click();
  const input = page.getByRole('textbox', { name: 'Settings file' });
  await input.fill('sources:\n  - name: A\n    type: desktop\n');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('button', { name: 'Line 3' }).click();
  expect(
    await input.evaluate(
      'document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)',
    ),
  ).toBe('    type: desktop');

  await input.fill(`sources:\n  - name: \${SHOP}\n    type: web\n`);
  await page.locator('input[type=password]').fill('New shop');
  await page.getByLabel('Delete what is not in the file').check();
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('button', { name: 'Apply 2 changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Apply 2 changes?' });
  await dialog.getByText('source Old shop').waitFor();
  await dialog.getByLabel('Type “delete 1” to go on').fill('delete 1');
  await expectOpenWellMade(dialog, 'apply-with-deletion');
  await dialog.getByRole('button', { name: 'Apply 2 changes' }).click();
  await page.getByText('Applied: 2 changes.').waitFor();
});

test('a file whose plan a colleague made untrue is planned again before it is applied', async () => {
  const source = await service.must<Source>('POST', '/api/sources', { name: 'Shop', type: 'web' });
  const page = await browser.newPage({ mayLog: [/status of 412/] });
  await openSignedIn(page, service, '/settings/file');
  await page.getByRole('tab', { name: 'Apply a file' }).click();
  await page
    .getByRole('textbox', { name: 'Settings file' })
    .fill(`sources:\n  - id: ${source.id}\n    name: Web shop\n`);
  await page.getByRole('button', { name: 'Show what would change' }).click();
  const changes = page.getByRole('region', { name: 'What would change: 1 change' });
  await changes.getByText('Shop', { exact: true }).first().waitFor();
  await service.must('PATCH', `/api/sources/${source.id}`, { name: 'Boutique' });

  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByText('The set-up was changed since').waitFor();
  await changes.getByText('Boutique', { exact: true }).first().waitFor();
  expect(await service.must('GET', `/api/sources/${source.id}`)).toMatchObject({ name: 'Boutique' });

  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByText('Applied: 1 change.').waitFor();
  expect(await service.must('GET', `/api/sources/${source.id}`)).toMatchObject({ name: 'Web shop' });
});

test('a viewer sees everything and no control that they may not use', async () => {
  const page = await browser.newPage();
  await openAsViewer(page, service, '/settings/people');
  await page.getByRole('table', { name: 'People' }).getByText('The viewer (you)').waitFor();
  expect(await page.getByRole('button', { name: /Invite|Delete|Revoke/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'API tokens' }).click();
  await page.getByText('No API tokens yet').waitFor();
  expect(await page.getByRole('button', { name: /token|Revoke/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'My account' }).click();
  await page.getByText('Ask an admin to change it.').waitFor();
  expect(await page.getByLabel('Your name').isDisabled()).toBe(true);
  await page.getByRole('link', { name: 'Export & apply' }).click();
  await page.getByText('with •••• for their values, which only an admin sees').waitFor();
  await page.getByRole('tab', { name: 'Apply a file' }).click();
  await page.getByRole('textbox', { name: 'Settings file' }).fill('sources:\n  - name: A\n    type: web\n');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  expect(await page.getByRole('button', { name: 'Apply 1 change' }).isDisabled()).toBe(true);
});

const PAGES = [
  ['general', '/settings', 'Events are kept for'],
  ['people', '/settings/people', 'ada@example.com'],
  ['tokens', '/settings/tokens', 'Deploy'],
  ['account', '/settings/account', 'You are signed in with the admin token'],
  ['audit', '/settings/audit', 'created the API token'],
  ['file', '/settings/file', 'sources:'],
] as const;

test('the settings are well made', async () => {
  await service.must('POST', '/api/invites', { email: 'ada@example.com', role: 'viewer' });
  await service.must('POST', '/api/tokens', { name: 'Deploy', role: 'viewer' });
  for (const [name, path, text] of PAGES) {
    await expectWellMade(browser, service, path, {
      name: `settings-${name}`,
      ready: (page) => page.getByText(text).first().waitFor(),
    });
  }
});
